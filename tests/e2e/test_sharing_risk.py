"""`sfumato sharing-risk`: public facts alone, so that no data need be there, and nothing is entered."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.command import Typed

pytestmark = pytest.mark.e2e

SCHEMA = 'name = "village"\n[columns.state]\ncategories = ["S", "I", "R", "D"]\n'
SQL = "SELECT state, COUNT(*) FROM village GROUP BY state"
PARTNER = ["--trust", "low", "--data-sensitivity", "high"]


@pytest.fixture
def asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    monkeypatch.chdir(tmp_path)
    Path("village.toml").write_text(SCHEMA, "utf-8")
    Path("village.csv").write_bytes(b"\xff\x00 nobody can read this")
    return ["sharing-risk", "village.csv", "--schema", "village.toml", "--sql", SQL]


def test_it_marks_what_choose_would_choose_and_reads_and_enters_nothing(asked: list[str], typed: Typed) -> None:
    seen = typed(*asked, "--secret", "state", *PARTNER, "--limit", "low", "--json")
    assert seen.code == 0
    assert seen.json["epsilon"] == pytest.approx(0.9950174769821256)
    assert (seen.json["blind"], seen.json["limit"], seen.json["trust"]) == (0.25, 0.3, 0.3)
    [chosen] = [row for row in seen.json["candidates"] if row["epsilon"] == seen.json["epsilon"]]
    assert (chosen["risk"], chosen["hundred"]) == (pytest.approx(0.3), [98, 102])
    assert sorted(path.name for path in Path().iterdir()) == ["village.csv", "village.toml"]


def test_it_is_said_in_words(asked: list[str], typed: Typed) -> None:
    seen = typed(*asked, "--secret", "state", *PARTNER, "--limit", "low", "--candidates", "0.5,1")
    assert "an attacker guesses right at most 71% of the time (25% by a blind guess)" in " ".join(seen.out.split())
    assert "your limit 0.3" in seen.out


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ([], "a view of guesses needs to know what an attacker guesses"),
        (["--secret", "nose"], "The schema has no column 'nose'"),
        (["--choices", "4", "--limit", "low"], "A sharing risk needs both trust and data sensitivity"),
        (["--choices", "4", "--trust", "so-so", "--data-sensitivity", "high"], "--trust has no level 'so-so'"),
        (["--choices", "4", "--mechanism", "gaussian"], "Gaussian noise needs a delta"),
    ],
)
def test_bad_input_is_one_sentence(asked: list[str], typed: Typed, options: list[str], sentence: str) -> None:
    refused = typed(*asked, *options)
    assert (refused.code, refused.out) == (2, "")
    assert refused.err.startswith(sentence)
    assert refused.err.count("\n") == 1
