"""Every value of golden.json is asserted here, through functions that the product itself uses, and none stands in it.

A test says which values it asserts with `@pytest.mark.golden("id", ...)`; `golden_ids.txt` has all of the ids, and
`golden_2_ids.txt` those of golden-2.json that are built.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from decimal import Decimal
from functools import cache
from pathlib import Path

import pytest

import sfumato
from tests.paper.figures import MANY, Written, written
from tests.paper.reach import WHOLE, Place, Sources

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
IDS = HERE.joinpath("golden_ids.txt").read_text("utf-8").split()
IDS_2 = HERE.joinpath("golden_2_ids.txt").read_text("utf-8").split()
PRODUCT = ROOT / "src" / "sfumato"
TOLD_AGAIN = "reproduce"  # it shows the papers' figures, so that what only it uses is no part of the product
ONLY_TOLD = {  # but for these, which are the papers' own and not ours: what sfumato does instead stands beside them
    "privacy.preferences.budget_split.alpha",  # the split is made in parts that add up exactly
    "privacy.preferences.budget_split.minimum_true_answers",  # told of the noise that is drawn, on its grid
    "privacy.noise.error.minimum_true_answer",
    "privacy.risk.guessing.average_chance",  # of continuous noise; drawn is noise on a grid
    "privacy.risk.posthoc.loss_laplace",  # the engine computes everybody's
    "privacy.risk.posthoc.window",  # of an algorithm that has no guarantee
    "privacy.noise.truncated_laplace.delta_of_reach",  # of continuous noise
}

COLLECT = """
import json, sys, pytest
from pathlib import Path
class Golden:
    def pytest_collection_finish(self, session):
        marked = [(i.path.as_posix(), i.originalname, m.args) for i in session.items for m in i.iter_markers("golden")]
        Path(sys.argv[1]).write_text(json.dumps(marked), "utf-8")
sys.exit(pytest.main(["--collect-only", "-qq", "-p", "no:cacheprovider", sys.argv[2]], plugins=[Golden()]))
"""


@pytest.fixture(scope="module")
def marked(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[str, str, list[str]]]:
    """The file and the function of each test that is marked, and its ids: whatever part of the suite is running."""
    found = tmp_path_factory.mktemp("golden") / "marked.json"
    command = [sys.executable, "-c", COLLECT, str(found), str(HERE)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    tests: list[tuple[str, str, list[str]]] = json.loads(found.read_text("utf-8"))
    return tests


# All of them, and each once


def test_there_are_142_values() -> None:
    assert len(IDS) == len(set(IDS)) == 142


def test_every_value_is_asserted_by_a_test(marked: list[tuple[str, str, list[str]]]) -> None:
    said = Counter(name for _, _, ids in marked for name in ids)
    unknown = sorted(set(said) - {*IDS, *IDS_2})
    missing = [name for name in (*IDS, *IDS_2) if name not in said]
    assert not unknown, f"there are no such values: {', '.join(unknown)}"
    assert not missing, f"no test asserts these values: {', '.join(missing)}"


def test_a_test_asserts_the_values_of_one_paper(marked: list[tuple[str, str, list[str]]]) -> None:
    """One file per paper: all ids are in files right here, and no id in two of them."""
    homes: dict[str, set[str]] = {}
    for path, _, ids in marked:
        for name in ids:
            homes.setdefault(name, set()).add(path)
    assert {Path(path).parent for paths in homes.values() for path in paths} <= {HERE}
    assert {name: sorted(paths) for name, paths in homes.items() if len(paths) > 1} == {}


@pytest.mark.adult
def test_the_ids_are_those_of_the_specification(golden_json: Path) -> None:
    """Where the specification lies beside the data."""
    assert [value["id"] for value in _specified(golden_json)] == IDS
    assert {str(value["id"]) for value in _specified(golden_json.with_name("golden-2.json"))} >= set(IDS_2)


# Through functions that the product uses


@cache
def product() -> Sources:
    files = {name: path for name, path in _modules(PRODUCT, "sfumato").items() if TOLD_AGAIN not in name.split(".")}
    return Sources(files)


def _modules(folder: Path, package: str) -> dict[str, Path]:
    found = {}
    for path in sorted(folder.rglob("*.py")):
        parts = [package, *path.relative_to(folder).with_suffix("").parts]
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def reached_by_users(sources: Sources, exported: Mapping[str, str]) -> set[Place]:
    """What `sfumato` exports and what its commands run, and everything that these lead to."""
    commands = [(m, name) for m in sources.modules if m.startswith("sfumato.cli") for name in _all(sources, m)]
    return sources.reached([*((f"sfumato.{home}", name) for name, home in exported.items()), *commands])


def _all(sources: Sources, module: str) -> list[str]:
    return [*sources.modules[module].definitions]


def used_directly(tests: Sources, place: Place, exported: Mapping[str, str]) -> set[Place]:
    """What of the product a test names, or the functions around it that it calls."""
    found = tests.reached([place])
    return {
        (f"sfumato.{exported[name]}", name) if home == "sfumato" and name in exported else (home, name)
        for home, name in found
        if home.partition(".")[0] == "sfumato" and name not in ("", WHOLE)
    }


def offenders(
    marked: list[tuple[str, str, list[str]]], tests: Sources, sources: Sources, exported: Mapping[str, str]
) -> Iterator[str]:
    """Golden tests that use nothing of the product but its types, or something that the product does not use."""
    reached = reached_by_users(sources, exported)
    for path, function in sorted({(path, function) for path, function, _ in marked}):
        place = f"tests.paper.{Path(path).stem}", function
        named = used_directly(tests, place, exported)
        used = {(home, name) for home, name in named if f"{home}.{name}" not in sources.modules}
        if not any(not name[0].isupper() or name.isupper() for _, name in used):
            yield f"{function} uses no function of the product"
        told = {(home, name) for home, name in used if f"{home}.{name}".removeprefix("sfumato.") in ONLY_TOLD}
        for home, name in sorted(used - reached - told):
            yield f"{function} uses {home}.{name}, which the product does not"


def test_values_go_through_functions_that_the_product_uses(marked: list[tuple[str, str, list[str]]]) -> None:
    tests = Sources(_modules(HERE, "tests.paper"))
    found = sorted(offenders(marked, tests, product(), sfumato._HOMES))
    assert not found, "\n".join(found)


def test_what_only_the_reproduction_uses_is_named_and_used_there() -> None:
    told, used = (
        {f"{home}.{name}".removeprefix("sfumato.") for home, name in reached_by_users(sources, sfumato._HOMES)}
        for sources in (Sources(_modules(PRODUCT, "sfumato")), product())
    )
    assert told >= ONLY_TOLD
    assert not ONLY_TOLD & used


# None of them stands in the product


def standing(values: list[Decimal], folder: Path) -> list[str]:
    """Where a number of the product is one of the values, as far as it is written."""
    by_start: dict[str, list[Decimal]] = {}
    for value in values:
        by_start.setdefault(_start(value), []).append(value)
    found = []
    for path in sorted(folder.rglob("*.py")):
        for one in written(path):
            if one.digits >= MANY and any(one.agrees(value) for value in by_start.get(_start(one.number), ())):
                found.append(f"{path.relative_to(folder)}:{one.line}: {one.number}")
    return found


def _start(number: Decimal) -> str:
    """The first digits, which two numbers that agree in six have in common."""
    digits = "".join(map(str, number.normalize().as_tuple().digits))
    return f"{number.adjusted()}:{digits[:2]}"


def test_no_value_stands_in_the_product(marked: list[tuple[str, str, list[str]]]) -> None:
    """The numbers of those tests that are marked; doctests show rounded figures."""
    files = {Path(path) for path, _, _ in marked}
    values = [one.number for path in files for one in written(path) if one.digits >= MANY]
    assert len(values) > 100
    found = standing(values, PRODUCT)
    assert not found, "\n".join(found)


@pytest.mark.adult
def test_no_value_of_the_specification_stands_in_the_product(golden_json: Path) -> None:
    values = [number for value in _specified(golden_json) for number in _numbers(value["value"])]
    assert len(values) > 200
    found = standing([n for n in values if Written(n, 0).digits >= MANY], PRODUCT)
    assert not found, "\n".join(found)


def _specified(golden_json: Path) -> list[dict[str, object]]:
    values: list[dict[str, object]] = json.loads(golden_json.read_text("utf-8"), parse_float=Decimal)["values"]
    return values


def _numbers(value: object) -> Iterator[Decimal]:
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        for part in value:
            yield from _numbers(part)
    elif isinstance(value, int | Decimal) and not isinstance(value, bool):
        yield abs(Decimal(value))


# The tests above can fail


def test_a_value_that_stands_in_code_or_in_a_docstring_is_found(tmp_path: Path) -> None:
    path = tmp_path / "planted.py"
    path.write_text('"""Shows 0.343 and\n\n0.342977 or so, and 0.342978."""\nx = 1.841_405_66\ny = f"{x} of 99999"\n')
    values = [Decimal("0.3429771567807679"), Decimal("1.8414056604369609"), Decimal("99999")]
    assert standing(values, tmp_path) == ["planted.py:3: 0.342977", "planted.py:4: 1.84140566"]


def test_a_function_that_the_product_does_not_use_is_found(tmp_path: Path) -> None:
    written_down = {
        "sfumato.cli.main": "from sfumato.privacy.risk import used\n\ndef run(): return used.first()\n",
        "sfumato.privacy.risk.used": "from sfumato.privacy.risk.more import second\n\n"
        "def first(): second()\n\ndef third(): ...\n",
        "sfumato.privacy.risk.more": "class Spread: ...\n\ndef second(): ...\n\ndef unused(): return second()\n",
        "tests.paper.test_it": "from sfumato.privacy.risk.more import Spread, second, unused\n"
        "from sfumato.privacy.risk import used\n"
        "def helped(): return used.third()\n\ndef test_a(): second()\n\ndef test_b(): helped()\n\n"
        "def test_c(): unused()\n\ndef test_d(): Spread()\n",
    }
    files = {}
    for name, text in written_down.items():
        files[name] = tmp_path / f"{name}.py"
        files[name].write_text(text)
    sources = Sources({name: path for name, path in files.items() if name.startswith("sfumato")})
    tests = Sources({name: path for name, path in files.items() if name.startswith("tests")})
    marks = [("test_it.py", f"test_{letter}", ["id"]) for letter in "abcd"]
    assert list(offenders(marks, tests, sources, {"Spread": "privacy.risk.more"})) == [
        "test_b uses sfumato.privacy.risk.used.third, which the product does not",
        "test_c uses sfumato.privacy.risk.more.unused, which the product does not",
        "test_d uses no function of the product",
    ]
