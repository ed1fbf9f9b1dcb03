"""Viewers of individual risks and deciders as separate people: words, and what is refused (docs/theory/deciding.md)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from sfumato.errors import Conflict, Forbidden, NoGuarantee, PolicyError, SfumatoError
from sfumato.escrow.submissions.request_payload import Request
from sfumato.ledger.entry import Event
from sfumato.presentation.escrow import dataset_view, submission_view
from sfumato.presentation.escrow.policy_view import signed
from tests.room import COUNT, DATA, SCHEMA, SUM, Room

ANY = {"guarantees": ["dp", "dp-selected", "none"]}
AUTOMATIC = {"approve": "automatic"}
TOLD_NOTHING = "the 1 person who viewed individual risks told nothing to those who decide"
V, D = "alice", "carol"  # who views, and who decides


def apart(room: Room, *flows: dict[str, Any], by: str = D, **said: Any) -> Room:
    room.policy(*flows, by=by, separation=True, **said)
    return room


def word(room: Room, request: Request) -> str:
    """The guarantee of what left, and whether it rests on the assumption that viewers told nothing."""
    room.go()
    (answer,) = room.result(request)["answers"]
    certificate = answer["certificate"]
    assumed = any("told nothing to those who decide" in said for said in certificate["assumed"])
    return f"{certificate['guarantee']}{' + assumption' if assumed else ''}"


def total(room: Room) -> str:
    return str(dataset_view.ledger(room.datasets.ledger(room["bob"], "stays")).guarantee)


# The words by sequence, as docs/theory/deciding.md lists them


def plan_look_approve(room: Room) -> str:
    apart(room, AUTOMATIC)  # what D planned is approved as it stands
    request = room.submit()
    room.look(V)
    return word(room, request)


def look_approve(room: Room) -> str:
    apart(room)
    room.look(V)
    request = room.submit()
    room.approve(request, D)
    return word(room, request)


def look_approve_by_the_viewer(room: Room) -> str:
    """Refused where it is in force; an approval that was given all the same carries no guarantee."""
    room.policy(ANY, by=D)
    request = room.submit()
    room.look(V)
    room.approve(request, V, allow_no_guarantee=True)
    return word(room, request)


def look_policy_by_the_viewer(room: Room) -> str:
    room.look(V)
    room.policy(ANY, by=V)
    request = room.submit()
    room.approve(request, D, allow_no_guarantee=True)
    return word(room, request)


def look_stop(room: Room) -> str:
    apart(room)
    request = room.submit()
    room.look(V)
    with pytest.raises(NoGuarantee):
        room.requests.cancel(room[V], request.id)
    room.requests.cancel(room[V], request.id, allow_no_guarantee=True)
    return total(room)


def look_role(room: Room) -> str:
    apart(room)
    request = room.submit()
    room.look(V)
    with pytest.raises(PolicyError, match="'alice' cannot approve: this user has viewed individual risks"):
        apart(room, {"approvers": [V]})
    with pytest.raises(
        Forbidden, match="You have viewed individual risks of dataset 'stays', so you may not decide on requests"
    ):
        room.approve(request, V, allow_no_guarantee=True)
    return "refused"


def look_by_the_decider(room: Room) -> str:
    """Whoever looks is a viewer: what they decide is refused, and was worth nothing before it was in force."""
    room.policy(ANY, by=D)
    request = room.submit()
    room.look(D)
    room.approve(request, D, allow_no_guarantee=True)
    return word(room, request)


SEQUENCES: dict[str, tuple[Callable[[Room], str], str]] = {
    "plan:D look:V approve:D": (plan_look_approve, "dp"),
    "look:V approve:D": (look_approve, "dp + assumption"),
    "look:V approve:V": (look_approve_by_the_viewer, "none"),
    "look:V policy:V approve:D": (look_policy_by_the_viewer, "none"),
    "look:V stop:V": (look_stop, "none"),
    "look:V role:V->D approve:V": (look_role, "refused"),
    "look:D approve:D": (look_by_the_decider, "none"),
}


@pytest.mark.parametrize(("story", "expected"), SEQUENCES.values(), ids=SEQUENCES)
def test_the_word_of_every_sequence_is_the_one_of_the_method(
    room: Room, story: Callable[[Room], str], expected: str
) -> None:
    assert story(room) == expected


# What keeps its guarantee


def test_a_decision_after_a_look_by_others_keeps_its_guarantee_and_prints_what_it_assumes(room: Room) -> None:
    apart(room, {"preferences": ["rule", "epsilon"]})
    room.look(V)
    request = room.submit(preference={"epsilon": 0.3})
    page = submission_view.request_page(room.decisions.inspect(room[D], request.id))
    assert page["warning"].startswith("1 person has viewed individual risks of this dataset, and you have not.")
    assert page["facts"]["guarantee"] == "dp"
    room.approve(request, D)
    room.go()
    (answer,) = room.result(request)["answers"]
    found = answer["certificate"]
    assert (found["guarantee"], found["epsilon"], found["decided_by"], found["fixed"]) == (
        "dp",
        0.3,
        "blind",
        "separated",
    )
    assert TOLD_NOTHING in found["assumed"]
    assert total(room) == "dp"


def test_a_no_by_somebody_who_viewed_nothing_keeps_the_total(room: Room) -> None:
    apart(room)
    request, other = room.submit(), room.submit(SUM)
    room.look(V)
    room.decisions.refuse(room[D], request.id)
    room.decisions.return_(room[D], other.id, "ask for less")
    assert total(room) == "dp"


def test_without_separation_a_look_by_one_ends_the_guarantee_of_the_other(room: Room) -> None:
    room.policy(ANY)
    room.look(V)
    with pytest.raises(NoGuarantee):
        room.approve(room.submit(), D)


def test_a_policy_and_a_schema_written_after_a_look_by_somebody_who_viewed_nothing(room: Room) -> None:
    apart(room, AUTOMATIC)
    room.look(V)
    room.datasets.describe(room[D], "stays", SCHEMA.replace("60", "70"))
    apart(room, AUTOMATIC, purpose="something else")
    request = room.submit()
    assert word(room, request) == "dp + assumption"
    (answer,) = room.result(request)["answers"]
    assert answer["certificate"]["bounds_source"] == "separated"


def test_separation_may_be_agreed_after_a_look_by_those_who_viewed_nothing(room: Room) -> None:
    room.policy()
    room.look(V)
    with pytest.raises(Forbidden, match="you may not set who decides"):
        apart(room, by=V)
    apart(room, by=D)
    request = room.submit()
    room.approve(request, D)
    assert word(room, request) == "dp + assumption"


def test_what_a_viewer_wrote_before_separation_stays_without_guarantee(room: Room) -> None:
    room.policy()
    room.look(V)
    room.datasets.describe(room[V], "stays", SCHEMA.replace("60", "70"))
    apart(room, ANY, by=D)
    request = room.submit("SELECT SUM(days) FROM stays")
    with pytest.raises(NoGuarantee):
        room.approve(request, D)


def test_a_viewer_of_another_dataset_of_the_population_is_a_viewer(room: Room) -> None:
    room.datasets.register(room[V], SCHEMA.replace('"stays"', '"bills"'), population="stays")
    room.datasets.deliver(room[V], "bills", [DATA + b"1,1,a\n"], "csv")
    apart(room)
    request = room.submit()
    room.questions.look(room[V], "bills", "SELECT SUM(age) FROM bills", {})
    with pytest.raises(Forbidden, match="you may not decide"):
        room.approve(request, V)
    room.approve(request, D)
    assert word(room, request) == "dp + assumption"


def test_deciders_and_analysts_see_no_look_of_a_viewer_after_the_first(room: Room) -> None:
    apart(room)
    room.look(V)
    seen = [entry.number for entry in room.entries()], room.audit.many(room[D])
    assert all(entry.verb != "asked for the risk of" for entry in seen[1])
    room.look(V, COUNT)
    room.questions.check(room[V], "stays")
    assert ([entry.number for entry in room.entries()], room.audit.many(room[D])) == seen
    assert len([e for e in room.audit.many(room["eve"]) if e.verb.startswith("asked for the")]) == 3


# What is refused


def test_whoever_looked_decides_and_writes_nothing_for_ever(room: Room) -> None:
    room.accounts.change(room["root"], V, roles=["controller", "analyst", "admin"])
    apart(room, ANY)
    request = room.submit()
    room.look(V)
    viewer = room[V]
    forbidden: list[Callable[[], object]] = [
        lambda: room.decisions.approve(viewer, request.id, request.binding, allow_no_guarantee=True),
        lambda: room.decisions.refuse(viewer, request.id, allow_no_guarantee=True),
        lambda: room.decisions.return_(viewer, request.id, "because of what I saw", allow_no_guarantee=True),
        lambda: room.policy(by=V),
        lambda: apart(room, by=V),
        lambda: room.datasets.describe(viewer, "stays", SCHEMA),
        lambda: room.datasets.deliver(viewer, "stays", [DATA], "csv"),
        lambda: room.datasets.controllers(viewer, "stays", [V]),
        lambda: room.datasets.populate(viewer, "stays", "patients"),
        lambda: room.datasets.retire(viewer, "stays"),
        lambda: room.submit(by=V),
        lambda: room.accounts.add(viewer, "mallory", ["controller"]),
        lambda: room.accounts.change(viewer, "bob", roles=["controller"]),
        lambda: room.accounts.change(viewer, D, disabled=True),
    ]
    entries = len(room.entries())
    for attempt in forbidden:
        with pytest.raises(Forbidden, match="You have viewed individual risks"):
            attempt()
    assert (room.state(request), len(room.entries())) == ("submitted", entries)
    assert room.decisions.waiting(viewer) == []
    assert not room.decisions.decides(viewer, request.id)
    page = submission_view.request_page(room.decisions.inspect(viewer, request.id))
    assert page["warning"].startswith("You viewed individual risks")
    room.policy(ANY, by=D, allow_no_guarantee=True)  # without separation, it is as ever
    room.datasets.describe(room[V], "stays", SCHEMA)


def test_an_approval_is_void_once_whoever_gave_it_looks(room: Room) -> None:
    room.accounts.add(room["root"], "fay", ["controller"])
    room.datasets.controllers(room[V], "stays", [V, D, "fay"])
    apart(room, {"approvals": 2})
    request = room.submit()
    room.approve(request, V)
    room.look(V)
    room.approve(request, D)
    assert room.state(request) == "submitted", "one of two"
    assert room.decisions.inspect(room["fay"], request.id).approved_by == (D,)
    room.approve(request, "fay")
    assert word(room, request) == "dp + assumption"


def test_what_was_approved_before_the_look_runs(room: Room) -> None:
    apart(room)
    request = room.submit()
    room.approve(request, V)
    room.look(V)
    assert word(room, request) == "dp"


def test_an_approval_that_is_void_does_not_run_whatever_the_database_says(room: Room) -> None:
    apart(room, {"approvals": 2})
    request = room.submit()
    room.approve(request, V)
    room.look(V)
    room.approve(request, D)
    room.sql("UPDATE requests SET state = 'approved' WHERE id = :id", id=request.id)
    room.execution.execute(request.id)
    assert room.state(request) == "failed"
    assert room.entries(Event.RESERVED) == []


def test_the_last_who_may_decide_does_not_look(room: Room) -> None:
    apart(room)
    room.look(V)
    with pytest.raises(Conflict, match="You are the last controller who may decide"):
        room.look(D)
    with pytest.raises(Conflict, match="All these controllers have viewed individual risks"):
        room.datasets.controllers(room[D], "stays", [V])
    room.look(V, COUNT)


@pytest.mark.parametrize(
    ("flow", "said"),
    [
        (
            {"approve": "after the answer", "guarantees": ["none"]},
            "Approval after the answer shows the answer to the decider",
        ),
        ({"signals": ["free", "as_published"]}, "Approval of an exact score shows the score to the decider"),
        ({"approvals": 3}, "needs 3 approvals, and only"),
    ],
)
def test_a_policy_under_which_deciders_would_view_is_refused(room: Room, flow: dict[str, Any], said: str) -> None:
    with pytest.raises(PolicyError, match=said):
        apart(room, flow)


def test_it_takes_two_controllers_and_one_who_viewed_nothing(room: Room) -> None:
    room.policy()
    for name in (V, D):
        room.look(name)
    with pytest.raises(SfumatoError, match="Every controller has viewed individual risks"):
        apart(room)
    room.datasets.controllers(room[D], "stays", [D])
    with pytest.raises(PolicyError, match="because the dataset has only one controller"):
        apart(room)


def test_a_policy_says_it_in_a_sentence(room: Room) -> None:
    apart(room)
    said = signed(room.policies.current(room[D], "stays"))
    assert any("A controller who views individual risks can no longer decide" in text for text in said.sentences)
    assert said.policy.separation is True
