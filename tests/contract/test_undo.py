"""An approval by a person starts after some seconds, and can be taken back until then: once, whatever happens."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from sfumato.errors import Conflict, Forbidden, NoGuarantee
from sfumato.escrow.service import Escrow
from sfumato.escrow.submissions.lifecycle import Act
from sfumato.ledger.entry import Event
from tests.room import COUNT, Room


@pytest.fixture
def patient(room: Room) -> Room:
    object.__setattr__(room.ports, "limits", replace(room.ports.limits, undo_seconds=10.0))
    room.policy()
    return room


def over(room: Room, seconds: float = 10) -> None:
    """So much later: what is due by then is done."""
    room.pass_(seconds=seconds)
    for due, work in room.timers[:]:
        if due <= seconds:
            room.timers.remove((due, work))
            work()
    room.go()


def told(room: Room, name: str) -> list[Any]:
    return [one.happened for one in room.notifications.many(room[name], unread=True)]


def test_an_approval_starts_when_it_can_no_longer_be_taken_back(patient: Room) -> None:
    request = patient.submit()
    approved = patient.approve(request)
    assert (approved.state, approved.starts_at) == ("approved", "2026-11-16T09:00:10.000+00:00")
    assert not patient.waiting, "nothing is queued yet"
    assert told(patient, "bob") == []
    shown = patient.requests.one(patient["bob"], request.id).submission
    assert shown.starts_at == approved.starts_at, "the analyst sees when it starts"
    over(patient)
    assert (patient.state(request), patient.charged) == ("released", 0.2)
    assert told(patient, "bob") == ["request released", "request decided"]


def test_an_approval_that_was_taken_back_is_not_charged_and_waits_again(patient: Room) -> None:
    request = patient.submit()
    binding = patient.approve(request).binding
    undone = patient.decisions.undo(patient["alice"], request.id)
    assert (undone.state, undone.starts_at, undone.decided_by, undone.decided_at) == ("submitted", None, (), None)
    over(patient)
    assert (patient.state(request), patient.charged, told(patient, "bob")) == ("submitted", 0, [])
    assert [one.submission.id for one in patient.decisions.waiting(patient["alice"])] == [request.id]
    decided = [entry.draft.public for entry in patient.entries(Event.DECIDED)]
    assert [(one["what"], one["approved"]) for one in decided] == [
        ("request 1: approve", True),
        ("request 1: undo", False),
    ]
    assert patient.audit.many(patient["alice"])[-1].verb == "took back the approval of"
    patient.decisions.approve(patient["alice"], request.id, binding)
    over(patient)
    assert (patient.state(request), patient.charged) == ("released", 0.2), "approved again, it is released once"


def test_it_can_be_taken_back_until_it_starts_and_by_the_approver_only(patient: Room) -> None:
    request = patient.submit()
    patient.approve(request)
    with pytest.raises(Forbidden, match="Only the person who approved this request can take the approval back"):
        patient.decisions.undo(patient["carol"], request.id)
    patient.pass_(seconds=10)
    with pytest.raises(Conflict, match="there is no approval that can be taken back"):
        patient.decisions.undo(patient["alice"], request.id)
    over(patient, 0)
    assert patient.state(request) == "approved", "the timer has not called yet"
    over(patient)
    assert patient.state(request) == "released"


def test_after_a_restart_it_still_starts_once(patient: Room) -> None:
    """Two servers start again, and the timer of the first may still call."""
    request = patient.submit()
    patient.approve(request)
    left = patient.timers[:]
    patient.timers.clear()
    patient.pass_(seconds=4)
    for _ in range(2):
        assert Escrow(patient.ports).resume() == 1
    assert [seconds for seconds, _ in patient.timers] == [6, 6]
    patient.timers += left
    over(patient, 10)
    assert (patient.state(request), patient.charged) == ("released", 0.2)
    assert len(patient.entries(Event.RELEASED)) == 1
    assert told(patient, "bob").count("request decided") == 1


def test_of_an_undo_and_a_start_in_one_moment_one_counts(patient: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = patient.submit(), patient.submit(COUNT, by="dan")
    for request in (first, second):
        patient.approve(request)
    store, begin = patient.decisions._store, patient.execution.begin
    take = store.take

    def start_first(*given: Any, **named: Any) -> bool:
        monkeypatch.setattr(store, "take", take)
        patient.pass_(seconds=10)
        begin(first.id)
        return take(*given, **named)

    monkeypatch.setattr(store, "take", start_first)
    with pytest.raises(Conflict, match="can be taken back"):
        patient.decisions.undo(patient["alice"], first.id)
    assert not [one for one in patient.entries(Event.DECIDED) if "undo" in str(one.draft.public["what"])]
    patient.go()
    assert patient.state(first) == "released"
    patient.pass_(seconds=-10)
    patient.decisions.undo(patient["alice"], second.id)
    patient.pass_(seconds=10)
    begin(second.id)
    patient.go()
    assert patient.state(second) == "submitted"


def test_with_two_approvers_each_takes_back_their_own(patient: Room) -> None:
    patient.policy({"approvals": 2})
    request = patient.submit()
    assert patient.approve(request).state == "submitted"
    assert patient.approve(request, by="carol").state == "approved"
    undone = patient.decisions.undo(patient["alice"], request.id)
    assert [(one.who, one.act) for one in undone.decided_by] == [("carol", Act.APPROVE)]
    over(patient)
    assert (patient.state(request), patient.charged) == ("submitted", 0)
    patient.approve(request)
    over(patient)
    assert patient.state(request) == "released"


def test_an_approval_that_was_taken_back_is_none_in_the_ledger(patient: Room) -> None:
    """Whoever writes the approval back into the database has none: the ledger says that it was taken back."""
    request = patient.submit()
    approved = patient.approve(request)
    row = dict(patient.ports.rows("requests").one(id=request.id) or {})
    patient.decisions.undo(patient["alice"], request.id)
    written = {name: row[name] for name in ("state", "decided_by", "decided_at")}
    patient.ports.rows("requests").change({"id": approved.id}, written)
    patient.execution.execute(request.id)
    assert (patient.state(request), patient.charged) == ("failed", 0)


def test_who_cancels_or_withdraws_meanwhile_is_not_charged(patient: Room) -> None:
    first, second = patient.submit(), patient.submit(COUNT, by="dan")
    for request in (first, second):
        patient.approve(request)
    patient.requests.cancel(patient["carol"], first.id)
    patient.requests.withdraw(patient["dan"], second.id)
    over(patient)
    assert {patient.state(first), patient.state(second)} == {"withdrawn"}
    assert patient.charged == 0


def test_what_the_policy_approves_starts_at_once_and_so_does_what_a_person_says(patient: Room) -> None:
    patient.policy({"approve": "automatic"})
    automatic = patient.submit()
    assert automatic.starts_at is None
    patient.go()
    assert patient.state(automatic) == "released"
    patient.policy()
    request = patient.submit(by="dan")
    assert patient.approve(request, at_once=True).starts_at is None
    patient.go()
    assert patient.state(request) == "released"
    with pytest.raises(Conflict, match="is released, and there is no approval"):
        patient.decisions.undo(patient["alice"], request.id)


def test_to_take_it_back_after_a_look_has_no_guarantee(patient: Room) -> None:
    request = patient.submit()
    patient.approve(request)
    patient.look(by="carol")
    with pytest.raises(NoGuarantee):
        patient.decisions.undo(patient["alice"], request.id)
    assert patient.state(request) == "approved"
    patient.decisions.undo(patient["alice"], request.id, allow_no_guarantee=True)
    assert patient.state(request) == "submitted"
    assert patient.entries(Event.DECIDED)[-1].draft.public["guarantee"] == "none"


def test_a_clock_that_was_put_back_delays_no_start_for_long(patient: Room) -> None:
    request = patient.submit()
    approved = patient.approve(request)
    patient.pass_(days=-3)
    assert approved.starts_at is not None
    assert patient.ports.until(approved.starts_at) == 10
    Escrow(patient.ports).resume()
    assert [seconds for seconds, _ in patient.timers] == [10, 10]
