"""`sfumato compare`: in words, as JSON and as a page; how it ends, and what it leaves in the ledger."""

from __future__ import annotations

import re
import shutil
import stat
from pathlib import Path

import pytest

from tests.e2e.command import Typed

pytestmark = pytest.mark.e2e

DOCS = Path(__file__).parents[2] / "docs" / "compare.md"
OLD = "SELECT COUNT(*) FROM adult WHERE age >= 80"


@pytest.fixture
def folder(whole_population: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of the test's own with the same data and schemas; no ledger yet."""
    shutil.copytree(whole_population, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def ask(*options: object, sql: str = OLD, schema: str = "free.toml", data: str = "adult.parquet") -> list[object]:
    return ["compare", data, "--schema", schema, "--sql", sql, *options]


def test_the_docs_show_what_is_printed(folder: Path, typed: Typed) -> None:
    page = DOCS.read_text("utf-8")
    shown = re.findall(r"\$ sfumato compare (?:.*\\\n)*.*\n((?:    .*\n|\n)+)", page)
    commands = re.findall(r"\$ sfumato (compare (?:.*\\\n)*.*)\n", page)
    assert len(shown) == len(commands) >= 2
    for command, block in zip(commands, shown, strict=True):
        options = re.search(r"--sql \".*?\"(.*)", command.replace("\\\n", " "), re.DOTALL)
        [sql] = re.findall(r'--sql "(.*?)"', command)
        assert options is not None
        out = typed(*ask(*options[1].split(), sql=sql, schema="adult.toml")).out
        for part in re.sub(r"(?m)^ {4}", "", block).split("…"):
            assert part.strip() in out, part


def test_public_rows_read_no_data_and_leave_no_ledger(folder: Path, typed: Typed) -> None:
    shown = typed(*ask(data="nowhere.parquet"))
    assert (shown.code, shown.err) == (0, "")
    assert "gap 1.2, worst case" in shown.out
    assert not (folder / "adult.ledger").exists()


def test_what_is_stated_comes_first_and_intersects(folder: Path, typed: Typed) -> None:
    found = typed(*ask("--attack-chance", 0.6, "--within", 20, "--json")).json
    assert [m["method"] for m in found["methods"] if m["stated"]] == [m["method"] for m in found["methods"][:2]]
    chosen = typed("choose", *ask("--attack-chance", 0.6, "--within", 20, "--json")[1:]).json
    assert found["together"]["epsilon"] == chosen["epsilon"]
    assert found["together"]["why"] == chosen["why"]


def test_a_conflict_ends_with_3_and_is_told_on_standard_output(folder: Path, typed: Typed) -> None:
    conflict = ask("--gap", 1.2, "--worst-case", "--within", 5)
    ran = typed(*conflict, "--json")
    assert ran.code == 3
    assert ran.json["together"]["conflict"] == ["within 5 with 95% probability", "gap 1.2, worst case"]
    told = typed(*conflict)
    assert told.code == 3
    said = "No epsilon meets both within 5 with 95% probability and gap 1.2, worst case."
    assert said in " ".join(told.out.split())


def test_a_look_is_recorded_and_changes_the_words(folder: Path, typed: Typed) -> None:
    blind = typed(*ask("--gap", 1.2, "--worst-case", "--json")).json
    looked = typed(*ask("--ratio", 0.95, "--look", "--json")).json
    after = typed(*ask("--gap", 1.2, "--worst-case", "--json")).json
    assert (blind["looked"], looked["looked"], after["looked"]) == (False, True, False)
    assert (blind["together"]["guarantee"], after["together"]["guarantee"]) == ("dp", "none")
    assert looked["methods"][0]["high"] == typed("choose", *ask("--ratio", 0.95, "--json")[1:]).json["epsilon"]
    [shown] = typed("ledger", "show", "adult.ledger", "--json").json
    assert [entry["event"] for entry in shown["entries"]] == ["opened", "looked", "planned"]  # the last by `choose`


def test_the_page_of_a_look_is_for_its_owner(folder: Path, typed: Typed) -> None:
    assert typed(*ask("--html", "free.html")).code == 0
    assert typed(*ask("--look", "--html", "looked.html")).code == 0
    public, private = ((folder / name).read_text("utf-8") for name in ("free.html", "looked.html"))
    assert "Controller only" in private
    assert "Controller only" not in public
    assert stat.S_IMODE((folder / "looked.html").stat().st_mode) == 0o600
    assert "<script" not in public + private


@pytest.mark.parametrize(
    ("options", "code", "said"),
    [
        (["--gap", 0.5], 2, "--gap must be at least 1"),
        (["--mechanism", "gaussian"], 2, "Gaussian noise needs a delta"),
        (["--html", "nowhere/page.html"], 2, "--html cannot write"),
        (["--within", 5, "--bounds-from-data"], 2, "needs the bounds of the schema"),
    ],
)
def test_what_is_wrong_is_said(folder: Path, typed: Typed, options: list[object], code: int, said: str) -> None:
    ran = typed(*ask(*options, "--json"))
    assert (ran.code, ran.out) == (code, "")
    assert said in ran.error["message"]


def test_the_rule_of_record_is_compared_where_nothing_is_stated(folder: Path, typed: Typed) -> None:
    ran = typed(*ask(schema="adult.toml"))
    assert ran.code == 0
    assert "The preregistered rule: epsilon 0.2, guarantee dp." in " ".join(ran.out.split())
