"""`sfumato risk` in full: how the people are spread, who is most exposed, in words, as JSON and as a page."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from tests.e2e.command import Typed, sfumato

pytestmark = pytest.mark.e2e

DOCS = Path(__file__).parents[2] / "docs" / "risk.md"
OLD = "SELECT COUNT(*) FROM adult WHERE age > 85"
GAINS = "SELECT SUM(capital_gain) FROM adult"


@pytest.fixture(autouse=True)
def folder(whole_population: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    shutil.copytree(whole_population, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def ask(command: str, sql: str, *options: str) -> list[str]:
    return [command, "adult.parquet", "--schema", "adult.toml", "--sql", sql, *options]


def test_the_docs_show_what_is_printed() -> None:
    blocks = [re.sub("(?m)^ {4}", "", block) for block in re.split(r"\n(?=\S)", DOCS.read_text("utf-8"))]
    spread, named = (
        next(block for block in blocks if f"\n{heading}\n" in block)
        for heading in ("Exposure of the people", "The 20 most exposed people")
    )
    shown = sfumato(*ask("risk", GAINS, "--most-exposed")).out
    assert spread[spread.index("Exposure of") :].strip() in shown
    assert named[named.index("The 20") :].partition("   …")[0].rstrip() in shown


def test_a_count_stands_in_two_heaps(typed: Typed) -> None:
    for command, *look in (["risk", "--yes"], ["rehearse"]):
        shown = typed(*ask(command, OLD, *look))
        assert (shown.code, shown.err) == (0, "")
        assert re.search(r"^[\d,]+ people at 0 · [\d,]+ at 1$", shown.out, re.MULTILINE)
        assert re.search(r"^exposure +0 .* 1$", shown.out, re.MULTILINE)
        assert "most exposed" not in shown.out, "nobody is named unless asked for"
    assert "people at 0" not in typed(*ask("worst-case", OLD)).out


def test_the_most_exposed_are_the_most_exposed(typed: Typed) -> None:
    found = typed(*ask("risk", GAINS, "--most-exposed", "--json")).json["most_exposed"]
    assert len(found) == 20
    assert set(found[0]) == {"person", "influence", "exposure"}
    assert (found[0]["influence"], found[0]["exposure"]) == (99_999, pytest.approx(0.99999))
    assert [row["exposure"] for row in found] == sorted((row["exposure"] for row in found), reverse=True)
    assert "most_exposed" not in typed(*ask("risk", GAINS, "--json")).json


def test_the_page_has_it_all(folder: Path, typed: Typed) -> None:
    assert typed(*ask("risk", GAINS, "--html", "risk.html")).code == 0
    page = (folder / "risk.html").read_text("utf-8")
    for heading in ("Risk gap at each epsilon", "Exposure of the people", "The 20 most exposed people"):
        assert f"<h2>{heading}</h2>" in page
    assert "Controller only" in page
