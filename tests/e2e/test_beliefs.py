"""Beliefs from the command line: Table 1's students, of whom one is missing."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.command import Typed

pytestmark = pytest.mark.e2e

SCHEMA = 'name = "students"\n[columns.school_year]\ntype = "integer"\nbounds = [1, 4]\n'
SCHEMA += '[columns.absence_days]\ntype = "integer"\nbounds = [0, 10]\n'
UNIVERSE = "school_year,absence_days\n1,1\n2,2\n3,3\n4,10\n"
SUM = "SELECT SUM(absence_days) FROM students"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "students.toml").write_text(SCHEMA, "utf-8")
    (tmp_path / "school.csv").write_text(UNIVERSE, "utf-8")
    (tmp_path / "published.csv").write_text(UNIVERSE.replace("4,10\n", ""), "utf-8")
    (tmp_path / "sums.csv").write_text("answer\n6\n13\n14\n15\n", "utf-8")
    return tmp_path


def ask(command: str, data: str, *options: object) -> list[object]:
    return [command, data, "--schema", "students.toml", "--sql", SUM, *options]


@pytest.mark.usefixtures("folder")
def test_a_belief_is_chosen_by_and_released(typed: Typed) -> None:
    done = typed(*ask("release", "published.csv", "--belief", 0.333, "--worlds", "school.csv", "--json"))
    assert done.code == 0, done.err
    certificate = done.json["certificate"]
    assert certificate["guarantee"] == "dp"
    assert certificate["epsilon"] == pytest.approx(0.506, abs=1e-3)
    assert any("universe of 4 people in school.csv is public" in said for said in certificate["assumed"])


@pytest.mark.usefixtures("folder")
def test_beliefs_as_they_are_typed(typed: Typed) -> None:
    by_people = typed(*ask("choose", "published.csv", "--belief", 0.333, "--worlds", "school.csv", "--json")).json
    by_answers = typed(*ask("choose", "published.csv", "--belief", 0.333, "--worlds", "sums.csv", "--json")).json
    bound = typed(*ask("choose", "published.csv", "--belief", 0.333, "--worlds", "sums.csv", "--bound", "--json")).json
    assert by_people["epsilon"] == pytest.approx(by_answers["epsilon"])
    assert bound["epsilon"] < by_answers["epsilon"]
    two = typed(*ask("choose", "published.csv", "--belief", 0.3, "--worlds", "school.csv", "--missing", 2, "--json"))
    assert two.json["epsilon"] > 0
    alone = typed(*ask("choose", "published.csv", "--worlds", "school.csv", "--json"))
    assert (alone.code, alone.error["message"]) == (2, "--worlds needs --belief")


@pytest.mark.usefixtures("folder")
def test_the_data_itself_is_looked_at(typed: Typed) -> None:
    refused = typed(*ask("choose", "school.csv", "--belief", 0.333, "--worlds", "school.csv", "--json"))
    assert (refused.code, "sfumato beliefs" in refused.error["hint"]) == (2, True)
    found = typed(*ask("beliefs", "school.csv", "--candidates", "0.5,2", "--json")).json
    assert [row["epsilon"] for row in found["candidates"]] == [0.5, 2]
    assert found["candidates"][1]["person"] == 4
    assert "Beliefs about who is missing" in typed(*ask("beliefs", "school.csv")).out
    assert "looked" in typed("ledger", "show", "students.ledger").out
