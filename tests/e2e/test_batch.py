"""`sfumato batch`: one epsilon for several queries, what it prints and writes, and what it refuses before it reads."""

from __future__ import annotations

import csv
import json
import re
import shlex
import shutil
from pathlib import Path

import pytest

from sfumato import demo
from sfumato.composition import local
from tests.e2e.command import Typed, sfumato

pytestmark = pytest.mark.e2e

OLD, ALL = "SELECT COUNT(*) FROM adult WHERE age >= 80", "SELECT COUNT(*) FROM adult"


@pytest.fixture
def folder(population: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    shutil.copytree(population, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def ask(*options: object, sql: tuple[str, ...] = (OLD, ALL), epsilon: float = 0.01) -> list[object]:
    asked = [part for text in sql for part in ("--sql", text)]
    return ["batch", "adult.parquet", "--schema", "adult.toml", *asked, "--epsilon", epsilon, *options]


def spent(folder: Path) -> float | None:
    [record] = local.records(folder / "adult.ledger")
    return record.total.epsilon


def test_the_example_of_the_paper_from_a_shell(folder: Path, typed: Typed) -> None:
    ran = sfumato(*ask("--index", "1,10", "--json"))
    assert (ran.code, ran.err) == (0, "")
    assert [query["epsilon"] for query in ran.json["split"]["queries"]] == [0.009090909, 0.000909091]
    assert [one["certificate"]["epsilon"] for one in ran.json["releases"]] == [0.009090909, 0.000909091]
    assert (ran.json["epsilon"], ran.json["delta"], spent(folder)) == (0.01, 0.0, 0.01)
    assert typed(*ask("--index", "1,10", "--json")) == ran, "asking again returns the same answers"
    assert spent(folder) == 0.01


def test_it_prints_the_split_then_the_answers(folder: Path, typed: Typed) -> None:
    ran = typed(*ask("--expected", "100,2000", "--aim", "sum", "--relative-error", "0.1,0.2", "--confidence", 0.95))
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith(
        "Epsilon 0.01 split by the index 10 : 44.7214, which makes the sum of the relative errors"
    )
    assert "2 releases, charged together: epsilon 0.01." in ran.out
    assert f"\n\n{ALL}\n\ncount(*)" in ran.out
    redraw = typed(*ask("--expected", "100,2000", "--aim", "sum"))
    assert (redraw.code, "costs nothing" in redraw.err) == (0, True)
    anew = typed(*ask("--expected", "100,2000", "--aim", "sum", "--redraw"))
    assert (anew.code, anew.err, spent(folder)) == (0, "", 0.02)


def test_a_dry_run_reads_enters_and_charges_nothing(folder: Path, typed: Typed) -> None:
    typed("choose", "adult.parquet", "--schema", "adult.toml", "--sql", ALL)  # the rule is of record from here on
    before = (folder / "adult.ledger").read_bytes()
    (folder / "adult.parquet").unlink()
    shown = typed(*ask("--index", "1,10", "--dry-run"))
    assert (shown.code, shown.err) == (0, "")
    assert "25,329" in shown.out
    told = typed(*ask("--index", "1,10", "--dry-run", "--json")).json
    assert [query["minimum_true_answer"] for query in told["queries"]] == pytest.approx([2532.84, 25328.4], rel=1e-5)
    assert (folder / "adult.ledger").read_bytes() == before


def test_a_plan_keeps_its_word_whoever_looks(folder: Path, typed: Typed) -> None:
    planned = typed(*ask("--index", "1,10", "--plan"))
    assert planned.err.startswith("The plan for these 2 queries is recorded. Its guarantee (dp)")
    assert typed("risk", "adult.parquet", "--schema", "adult.toml", "--sql", ALL).code == 0
    assert typed(*ask("--index", "1,10")).code == 0
    refused = typed(*ask("--index", "1,11", "--json"))
    assert (refused.code, refused.error["code"]) == (3, "no-guarantee")
    assert refused.error["hint"].endswith("say where it was preregistered with --preregistered TEXT.")
    assert typed(*ask("--index", "1,11", "--plan")).code == 3
    attested = typed(*ask("--index", "1,11", "--preregistered", "minutes of 3 May", "--json"))
    assert "minutes of 3 May" in str(attested.json["releases"][1]["certificate"]["assumed"])
    assert spent(folder) == 0.02


def test_it_writes_one_file_or_two_for_each_query(folder: Path, typed: Typed) -> None:
    (folder / "out").mkdir()
    told = typed(*ask("--out", "out", "--json")).json
    files = ["query-1.csv", "query-1.html", "query-2.csv", "query-2.html"]
    assert sorted(file.name for file in Path("out").iterdir()) == files
    with Path("out/query-2.csv").open(encoding="utf-8") as file:
        assert list(csv.reader(file)) == [["count(*)"], [str(told["releases"][1]["rows"][0][0])]]
    assert OLD.replace(">", "&gt;") in Path("out/query-1.html").read_text("utf-8")
    typed(*ask("--out", "all.json"))
    assert json.loads(Path("all.json").read_text("utf-8")) == told


def test_noise_of_another_kind_and_tight_accounting(folder: Path, typed: Typed) -> None:
    gaussian = typed(*ask("--mechanism", "gaussian", "--delta", 1e-6, "--json", epsilon=1))
    assert (gaussian.json["epsilon"], gaussian.json["delta"]) == (1.0, 1e-6)
    many = tuple(f"{ALL} WHERE age > {age}" for age in range(20, 40))
    tight = typed(*ask("--delta", 1e-6, "--json", sql=many, epsilon=1))
    assert tight.json["epsilon"] < 0.95


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--index", "1"], "The index needs one number for each of 2 queries, not 1. Hint: "),
        (["--index", "1,0"], "--index needs numbers above 0, not 0. Hint: "),
        (["--index", "1,nan"], "The index needs finite numbers. Hint: "),
        (["--index", "one,two"], "--index needs numbers with commas, not one,two. Hint: try --index 1,10."),
        (["--expected", "0,5"], "An answer with the expected value 0 has no relative error. Hint: "),
        (["--aim", "sum"], "The aim “sum” needs a public guess of each answer. Hint: state them with --expected"),
        (["--index", "1,2", "--aim", "sum"], "An index is either stated or computed for an aim, not both. Hint: "),
        (["--relative-error", "0"], "--relative-error must be above 0, not 0. Hint: "),
        (["--confidence", "1"], "--confidence must be between 0 and 1, not 1. Hint: "),
        (
            ["--out", "all.csv"],
            "--out cannot write all.csv. Hint: name a folder, or a .json file in a folder that exists.",
        ),
        (["--out", "nowhere/all.json"], "--out cannot write nowhere/all.json. Hint: "),
        (["--dry-run", "--plan"], "--dry-run, --plan and --check exclude each other. Hint: state one of them."),
    ],
)
def test_what_cannot_be_is_said_before_the_data_is_opened(
    folder: Path, typed: Typed, options: list[str], said: str
) -> None:
    (folder / "adult.parquet").unlink()
    refused = typed(*ask(*options))
    assert (refused.code, refused.out) == (2, "")
    assert refused.err.startswith(said)


def test_it_writes_over_nothing_that_it_reads(folder: Path, typed: Typed) -> None:
    shutil.move(folder / "adult.parquet", folder / "query-1.csv")
    asked = ask("--out", ".")
    asked[1] = "query-1.csv"
    assert typed(*asked).err.startswith("--out would write over query-1.csv")


def test_a_file_that_cannot_be_written_after_all(folder: Path, typed: Typed, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError

    monkeypatch.setattr("sfumato.api.whole_file.write_text_whole", full)
    failed = typed(*ask("--out", "all.json"))
    assert failed.code == 2
    assert failed.err.startswith("The answers were released, but a file could not be written. Hint: the answers are in")
    assert spent(folder) == 0.01


def test_the_docs_show_what_is_printed(folder: Path, typed: Typed) -> None:
    demo.write(folder, 10, name="adult.csv")
    page = (Path(__file__).parents[2] / "docs" / "batch.md").read_text("utf-8")
    shown = re.findall(r"^    \$ (sfumato (?:.*\\\n)*.*)\n((?:    .*\n|\n(?=    ))+)", page, re.MULTILINE)
    assert len(shown) == 3
    for command, printed in shown:
        ran = typed(*shlex.split(command.replace("\\\n", ""))[1:])
        assert (ran.code, ran.err, ran.out) == (0, "", re.sub("(?m)^    ", "", printed))
