"""A request that the policy approves by itself: all of its first step is kept, or none."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from sfumato.adapters.storage.audit_log_table import AuditTable
from sfumato.errors import DatabaseFailure
from sfumato.presentation.escrow import dataset_view
from sfumato.reproduce.platform import Platform

ASKED = ("people", "SELECT COUNT(*) FROM people WHERE age BETWEEN 20 AND 30")


@pytest.fixture
def platform(tmp_path: Path) -> Iterator[Platform]:
    file = tmp_path / "people.csv"
    file.write_text("age,sex,race,income\n" + "25,Female,White,>50K\n52,Male,Black,<=50K\n" * 50, "utf-8")
    with Platform(tmp_path / "workspace", file, ["people"]) as made:
        yield made


def test_the_policy_approves_and_the_answer_is_drawn_and_charged(platform: Platform) -> None:
    answers = [platform.answer(*ASKED, epsilon) for epsilon in (10.0, 9.0)]
    assert [answer.charged for answer in answers] == [10.0, 9.0]
    assert all(abs(answer.answers[0].numbers[0][0] - 50) < 5 for answer in answers)
    controller = platform.escrow.accounts.one("controller")
    ledger = dataset_view.ledger(platform.escrow.datasets.ledger(controller, "people"))
    assert [entry.event for entry in ledger.entries or ()] == [
        "opened",
        *("planned", "reserved", "released") * 2,
    ]
    said = [(entry.who, entry.verb) for entry in platform.escrow.audit.many(controller, limit=100)]
    assert said[-3:] == [("analyst", "submitted"), ("the policy", "approved"), ("sfumato", "released")]


def test_what_cannot_be_entered_as_approved_is_not_submitted(
    platform: Platform, monkeypatch: pytest.MonkeyPatch
) -> None:
    append = AuditTable.append

    def fails(self: AuditTable, at: str, who: str, verb: str, about: str, said: dict[str, object]) -> int:
        if verb == "approved":
            raise DatabaseFailure("The database is full", hint="make room.")
        return append(self, at, who, verb, about, said)

    monkeypatch.setattr(AuditTable, "append", fails)
    with pytest.raises(DatabaseFailure):
        platform.answer(*ASKED, 1.0)
    analyst = platform.escrow.accounts.one("analyst")
    assert platform.escrow.requests.many(analyst) == []
    monkeypatch.undo()
    assert platform.answer(*ASKED, 1.0).charged == 1.0
