"""A task or a function that is submitted with its query: one approval covers the answer and the signal."""

from __future__ import annotations

from typing import Any

import pytest

from sfumato.errors import BadInput, Forbidden
from sfumato.ledger.entry import Event
from sfumato.presentation.escrow import listing
from sfumato.presentation.escrow.submission_view import request_page
from tests.room import BY_WARD, Room

TASK = {"task": "above", "column": "count(*)", "a": "a", "b": "b"}
DISTANCE = {"task": "histogram_distance", "column": "count(*)"}
EVERY = ["free", "noisy_difference", "sample_and_aggregate", "as_published"]
CODE = "def evaluate(tables):\n    return 0.5\n"


def submit(room: Room, signal: dict[str, Any]) -> Any:
    asked = [{"sql": BY_WARD, "signal": signal}]
    return room.requests.submit(room["bob"], "stays", "planning beds", asked, None)


def signals(room: Room) -> list[Any]:
    return [visible.submission for visible in room.signals.many(room["bob"])]


def test_a_free_signal_comes_with_the_answer(room: Room) -> None:
    room.policy({})
    request = submit(room, {"task": TASK})
    assert signals(room) == [], "nothing is there before the answer"
    room.approve(request)
    room.go()
    [signal] = signals(room)
    assert (signal.state.value, signal.kind.value, signal.request) == ("released", "free", request.id)
    assert signal.charged == 0


@pytest.mark.parametrize(
    ("signal", "charged"),
    [
        ({"kind": "noisy_difference", "task": DISTANCE, "epsilon": 0.1}, 0.3),
        ({"kind": "free", "code": CODE, "range": [0, 1]}, 0.2),
    ],
)
def test_one_approval_covers_a_charged_signal_and_a_function(
    room: Room, signal: dict[str, Any], charged: float
) -> None:
    room.policy({"signals": EVERY, "code": True})
    request = submit(room, signal)
    page = request_page(room.decisions.inspect(room["alice"], request.id))
    shown = listing.page(page)
    assert "With query 1, a signal" in shown
    assert ("def evaluate" in shown) == ("code" in signal), "the approver reads the function"
    room.approve(request)
    room.go()
    [computed] = [visible.submission for visible in room.signals.many(room["alice"])]
    assert (computed.state.value, computed.decided_by[0].who) == ("released", "alice")
    assert room.charged == pytest.approx(charged)
    decided = [str(entry.draft.public["what"]) for entry in room.entries(Event.DECIDED)]
    assert decided == [f"request {request.number}: approve", f"signal {computed.number}: approve"]


def test_after_a_look_of_the_approver_the_signal_waits_for_a_decision_of_its_own(room: Room) -> None:
    room.policy({"signals": EVERY})
    request = submit(room, {"kind": "noisy_difference", "task": DISTANCE, "epsilon": 0.1})
    room.approve(request)
    room.look("alice")
    room.go()
    assert [one.state.value for one in signals(room)] == ["submitted"], "it is not computed in her name"


def test_an_approval_binds_the_signal(room: Room) -> None:
    room.policy({"signals": EVERY})
    first, second = submit(room, {"task": TASK}), submit(room, {"task": TASK | {"a": "c"}})
    assert first.queries[0].terms != second.queries[0].terms


WRONG: dict[str, dict[str, Any]] = {
    "needs an approval of its own": {"kind": "as_published", "task": TASK},
    "does not allow": {"kind": "sample_and_aggregate", "task": TASK, "epsilon": 0.1},
    "needs": {"kind": "free"},
}


@pytest.mark.parametrize("sentence", WRONG)
def test_what_the_policy_does_not_have_is_refused_when_it_is_submitted(room: Room, sentence: str) -> None:
    room.policy({"signals": ["free", "noisy_difference"]})
    with pytest.raises((BadInput, Forbidden), match=sentence):
        submit(room, WRONG[sentence])
    assert room.requests.many(room["bob"]) == []
