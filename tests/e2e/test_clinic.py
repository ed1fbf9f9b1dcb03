"""The generated clinic: its files, the same for the same seed, and rows that belong together."""

from __future__ import annotations

import csv
from collections import Counter
from pathlib import Path

import pytest

from tests.e2e.command import Typed

PEOPLE = 300
COSTS = "SELECT p.district, AVG(v.cost) FROM visits v JOIN patients p ON p.patient = v.patient GROUP BY p.district"
KINDS = "SELECT d.kind, COUNT(*) FROM prescriptions r JOIN drugs d ON d.drug = r.drug GROUP BY d.kind"


def rows(folder: Path, table: str) -> list[dict[str, str]]:
    with (folder / f"{table}.csv").open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_the_clinic_is_the_same_for_the_same_seed(tmp_path: Path, typed: Typed) -> None:
    for name, seed in (("one", 1), ("again", 1), ("other", 2)):
        ran = typed("demo", "--clinic", str(tmp_path / name), "--rows", str(PEOPLE), "--seed", str(seed), "--json")
        assert ran.code == 0, ran.err
        assert len(ran.json["files"]) == 6
    files = {path.name: path.read_bytes() for path in (tmp_path / "one").iterdir()}
    assert {path.name: path.read_bytes() for path in (tmp_path / "again").iterdir()} == files
    assert (tmp_path / "other" / "visits.csv").read_bytes() != files["visits.csv"]
    assert (tmp_path / "other" / "drugs.csv").read_bytes() == files["drugs.csv"]


def test_each_row_belongs_to_a_person_and_visits_are_unique(tmp_path: Path, typed: Typed) -> None:
    typed("demo", "--clinic", str(tmp_path), "--rows", str(PEOPLE))
    patients, visits, prescriptions, drugs = (
        rows(tmp_path, name) for name in ("patients", "visits", "prescriptions", "drugs")
    )
    people = {row["patient"] for row in patients}
    assert len(people) == len(patients) == PEOPLE
    assert {row["patient"] for row in visits} < people
    assert len({row["visit"] for row in visits}) == len(visits) > PEOPLE
    assert {row["visit"] for row in prescriptions} < {row["visit"] for row in visits}
    assert {row["drug"] for row in prescriptions} <= {row["drug"] for row in drugs}
    most = max(Counter(row["patient"] for row in visits).values())
    assert 5 < most <= 9, "some have more visits than count"
    assert "" in {row["district"] for row in patients}


def test_every_way_to_see_and_release_takes_the_clinic(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, typed: Typed
) -> None:
    monkeypatch.chdir(tmp_path)
    written = typed("demo", "--clinic", ".", "--rows", str(PEOPLE)).out
    tables = [
        word for name in ("patients", "visits", "prescriptions", "drugs") for word in ("--table", f"{name}={name}.csv")
    ]
    asked = [*tables, "--schema", "clinic.toml"]
    assert f"sfumato release {' '.join(asked)} --gap 1.2" in written
    assert COSTS in written
    for words in (
        ("worst-case", *asked, "--sql", COSTS),
        ("rehearse", *asked, "--sql", KINDS, "--rows", "100"),
        ("run", "clinic-monthly.toml", "--period", "2026-03"),
        ("release", *asked, "--sql", KINDS, "--epsilon", "0.2"),
        ("histogram", *asked, "--column", "visits.cost", "--by", "visits.ward", "--epsilon", "0.1"),
        ("risk", *asked, "--sql", COSTS, "--yes"),
    ):
        ran = typed(*words)
        assert ran.code == 0, (words, ran.err)
    figures = tmp_path / "figures" / "2026-03"
    assert [row["district"] for row in rows(figures, "districts")] == ["north", "south", "harbour"]
    assert len(rows(figures, "drugs")) == 6
    refused = typed("histogram", *asked, "--column", "cost", "--epsilon", "0.1")
    assert "name it with its table, as in visits.cost" in refused.err
