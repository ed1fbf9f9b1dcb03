"""`sfumato audit-mechanism`: what it prints, how it ends, what it says to what cannot be."""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest

import sfumato as sf
from sfumato.errors import UnrecordedLookWarning
from tests.e2e.command import Typed, sfumato

pytestmark = pytest.mark.e2e

FIELDS = {"mechanism", "aggregate", "relation", "claim", "delta", "confidence", "runs", "against", "shown", "power",
          "holds", "findings"}  # fmt: skip
SURE = ("--confidence", 1 - 2e-9)  # a false alarm is a red test


def audit(mechanism: str, aggregate: str, epsilon: object, *options: object) -> list[object]:
    claimed = ["--mechanism", mechanism, "--aggregate", aggregate, "--epsilon", epsilon]
    return ["audit-mechanism", *claimed, "--runs", 100, *SURE, *options]


def test_an_audit_from_a_shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    found = sfumato(*audit("laplace", "sum", 1, "--json"))
    assert (found.code, found.err) == (0, "")
    assert set(found.json) == FIELDS
    assert (found.json["claim"], found.json["holds"], found.json["runs"]) == (1, True, 100)
    assert 0 <= found.json["shown"] <= 1
    assert not list(tmp_path.iterdir()), "nothing is written, and no ledger is made"


def test_an_audit_in_words(typed: Typed) -> None:
    found = typed(*audit("gaussian", "avg", 1, "--delta", 0.1, "--relation", "replace"))
    assert (found.code, found.err) == (0, "")
    said = " ".join(found.out.split())
    assert said.startswith("Claim: epsilon 1, delta 0.1 for one person (replace): gaussian, avg Query: SELECT AVG(")
    assert "on a table with a person at 100, and the same table with that person at 0" in said
    assert "none of your data: the audit uses synthetic tables" in said
    assert said.endswith("Result: No violation found (this is not a proof).")


def test_an_audit_warns_of_no_look_at_its_synthetic_people() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error", UnrecordedLookWarning)
        audited = sf.audit_mechanism("algorithm-1", "count", 4, runs=100)
    assert "2,000 runs would detect it in 90%" in " ".join(repr(audited).split())
    assert "--" not in repr(audited)


def test_a_claim_that_is_contradicted(typed: Typed) -> None:
    """Find-epsilon-from-RDR as published: exit 3, and JSON is on stdout all the same."""
    audited = audit("algorithm-1", "count", 0.5, "--runs", 300)
    found = typed(*audited, "--json")
    assert (found.code, found.err) == (3, "")
    assert found.json["holds"] is False
    assert found.json["shown"] > 0.5
    words = typed(*audited)
    assert words.code == 3
    assert "Violation found: it is not 0.5-differentially private (99.9999998% confidence)." in words.out


def test_little_power_says_what_would_help(typed: Typed) -> None:
    found = typed(*audit("laplace", "count", 0.5)).out
    assert "would be detected in about 0% of such audits, with 100 runs on each table; " in " ".join(found.split())
    never = typed(*audit("laplace", "count", 0.5, "--relation", "replace")).out
    assert "no practical number of runs detects it" in " ".join(never.split())


@pytest.mark.parametrize(
    ("typed_in", "sentence"),
    [
        (
            audit("laplace", "sum", 0),
            "--epsilon of an audit must be between 0.01 and 100, not 0.0. Hint: try --epsilon 1,",
        ),
        (audit("laplace", "sum", "nan"), "--epsilon must be a finite number, not nan."),
        (
            audit("snapping", "sum", 1),
            "There is no mechanism 'snapping' to audit. Hint: use laplace, gaussian, truncated, exponential, ",
        ),
        (
            audit("gaussian", "median", 1, "--delta", 0.1),
            "There is no audit of gaussian with 'median'. Hint: use gaussian with count, sum, avg, var, distinct or "
            "group-by, or median with exponential.",
        ),
        (audit("laplace", "mode", 1), "There is no audit of laplace with 'mode'. Hint: use laplace with count, sum"),
        (audit("laplace", "sum", 1, "--delta", 0.1), "The mechanism laplace has no delta. Hint: leave --delta out."),
        (audit("gaussian", "sum", 1), "The mechanism gaussian needs a delta. Hint: try --delta 0.1"),
        (audit("gaussian", "sum", 1, "--delta", 1), "--delta must be between 0 and 1, not 1.0."),
        (
            audit("laplace", "sum", 1, "--relation", "swap"),
            "There is no relation 'swap'. Hint: use add-remove or replace.",
        ),
        (audit("laplace", "sum", 1, "--runs", 99), "An audit needs at least 100 runs on each side, not 99."),
        (audit("laplace", "sum", 1, "--confidence", 1), "--confidence must be between 0 and 1, not 1.0."),
        (audit("laplace", "sum", 1, "--confidence", 0), "--confidence must be between 0 and 1, not 0.0."),
    ],
)
def test_what_cannot_be_audited(typed: Typed, typed_in: list[object], sentence: str) -> None:
    told = typed(*typed_in)
    assert (told.code, told.out) == (2, "")
    assert told.err.startswith(sentence)
    assert told.err.count("\n") == 1


def test_what_is_missing_is_asked_for(typed: Typed) -> None:
    told = typed("audit-mechanism", "--mechanism", "laplace", "--json")
    assert (told.code, told.out, told.error["code"]) == (2, "", "input")
