"""Which word an answer of the escrow carries, by who had looked when.

See docs/theory/deciding.md and docs/theory/words.md.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from sfumato.errors import Forbidden, NoGuarantee
from sfumato.escrow.identity.person import Person
from sfumato.escrow.submissions.request_payload import Request
from sfumato.ledger.entry import Event
from sfumato.model.plain import to_plain
from sfumato.presentation.escrow import dataset_view, submission_view
from tests.room import COUNT, SCHEMA, SUM, Room

ANY = {"guarantees": ["dp", "dp-selected", "none"]}
AUTOMATIC = {"approve": "automatic"}
MINUTES = "minutes of 3 May"


def certificate(room: Room, request: Request) -> dict[str, Any]:
    room.go()
    (answer,) = room.result(request)["answers"]
    found: dict[str, Any] = answer["certificate"]
    assert found["guarantee"] == room.requests.one(room["bob"], request.id).submission.guarantee
    return found


def total(room: Room) -> str:
    return str(dataset_view.ledger(room.datasets.ledger(room["bob"], "stays")).guarantee)


def test_a_look_before_the_approval_leaves_no_guarantee(room: Room) -> None:
    room.policy(ANY)
    request = room.submit()
    room.look()
    entries = len(room.entries())
    with pytest.raises(NoGuarantee, match="nothing was drawn or charged"):
        room.approve(request)
    with pytest.raises(NoGuarantee):
        room.approve(request, "carol")  # whoever of them looked
    assert len(room.entries()) == entries
    room.approve(request, allow_no_guarantee=True)
    found = certificate(room, request)
    assert (found["guarantee"], found["epsilon"], found["charged"], found["decided_by"]) == (
        "none", None, None, "looked",
    )  # fmt: skip
    assert total(room) == "none"


def test_whoever_asks_after_a_look_is_told_why_there_is_no_guarantee_and_that_nothing_would_leave(room: Room) -> None:
    def told() -> dict[str, Any]:
        return submission_view.estimate(room.questions.estimate(room["bob"], "stays", [{"sql": COUNT}], None))

    room.policy()
    assert told()["barred"] is None
    room.look()
    assert "the data has been looked at" in told()["sentences"][0]
    assert "allows releases only with guarantee dp or dp-selected. This request would have none" in told()["barred"]
    room.policy(ANY, allow_no_guarantee=True)
    assert "the data has been looked at" in told()["sentences"][0]
    assert told()["barred"] is None, "this policy lets it"


def test_a_policy_that_allows_no_none_lets_nothing_be_approved_after_a_look(room: Room) -> None:
    room.policy()
    request = room.submit()
    room.look()
    for accept in (False, True):
        with pytest.raises(Forbidden, match="the guarantee 'none', and the policy allows only"):
            room.approve(request, allow_no_guarantee=accept)
    assert room.entries(Event.DECIDED) == []


def test_what_was_fixed_beforehand_is_dp_and_says_so(room: Room) -> None:
    room.policy()
    request = room.submit()
    room.look()
    room.approve(request, preregistered=f" {MINUTES} ")
    found = certificate(room, request)
    assert (found["guarantee"], found["fixed"], found["epsilon"]) == ("dp", "attested", 0.2)
    assert f"preregistered: “{MINUTES}” (stated by alice)" in found["assumed"]
    assert total(room) == "dp"
    shown: Any = to_plain(dataset_view.ledger(room.datasets.ledger(room["alice"], "stays")).entries)
    entries = {e["event"]: e for e in shown}
    for event in ("decided", "reserved"):
        assert (entries[event]["word"], entries[event]["attested"]) == ("dp, by a declaration", [MINUTES])


def test_a_look_after_the_approval_changes_nothing(room: Room) -> None:
    room.policy()
    request = room.submit()
    room.approve(request)
    room.look()
    found = certificate(room, request)
    assert (found["guarantee"], found["decided_by"], found["looked"]) == ("dp", "blind", True)


def test_of_two_approvals_the_weaker_counts(room: Room) -> None:
    room.policy(ANY | {"approvals": 2})
    request = room.submit()
    room.approve(request, "alice")
    room.look()
    with pytest.raises(NoGuarantee):
        room.approve(request, "carol")
    room.approve(request, "carol", allow_no_guarantee=True)
    assert certificate(room, request)["guarantee"] == "none"


@pytest.mark.parametrize("no", ["return_", "refuse", "cancel"])
def test_a_no_after_a_look_ends_the_total(room: Room, no: str) -> None:
    room.policy()
    before, request = room.submit(SUM), room.submit()
    room.approve(before)
    verb = getattr(room.requests if no == "cancel" else room.decisions, no)
    said = ["change it"] if no == "return_" else []
    room.look()
    with pytest.raises(NoGuarantee, match="a refusal reveals something about the people"):
        verb(room["carol"], request.id, *said)
    assert (room.state(request), total(room)) == ("submitted", "dp")
    verb(room["carol"], request.id, *said, allow_no_guarantee=True)
    assert total(room) == "none"
    (decided,) = [entry.draft for entry in room.entries(Event.DECIDED) if not entry.draft.public["approved"]]
    assert (decided.who, decided.public["guarantee"]) == ("carol", "none")
    if no != "cancel":
        assert room.requests.one(room["bob"], request.id).submission.guarantee == "none"
    assert certificate(room, before)["guarantee"] == "dp", "an answer that was decided before keeps its word"


def test_whoever_asked_may_take_it_back_whatever_was_looked_at(room: Room) -> None:
    room.policy()
    first, second = room.submit(), room.submit(SUM)
    room.look()
    room.requests.withdraw(room["bob"], first.id)
    room.requests.cancel(room["bob"], second.id)
    assert (room.state(first), room.state(second), total(room)) == ("withdrawn", "withdrawn", "dp")


def test_a_schema_that_says_who_saw_values_is_a_look_of_whoever_registers_it(room: Room) -> None:
    looked = SCHEMA.replace('"stays"', '"visits"\nlooked = "ada, 2026-05-03"')
    room.datasets.register(room["carol"], looked)
    (entry,) = [entry.draft for entry in room.entries() if entry.draft.dataset == "visits"]
    assert (entry.event, entry.who) == (Event.LOOKED, "carol")
    assert "ada, 2026-05-03" in str(entry.public["what"])


def test_what_the_policy_of_record_approves_by_itself_stays_dp(room: Room) -> None:
    room.policy(AUTOMATIC)
    room.look()
    found = certificate(room, room.submit())
    assert (found["guarantee"], found["decided_by"], found["looked"]) == ("dp", "policy", True)


def test_a_policy_that_was_changed_after_a_look_gives_no_guarantee(room: Room) -> None:
    room.policy(AUTOMATIC)
    room.look()
    room.policy(AUTOMATIC, purpose="something else")
    with pytest.raises(Forbidden, match="would have the guarantee 'none'"):
        room.submit()
    room.policy(ANY, allow_no_guarantee=True)
    request = room.submit()
    with pytest.raises(NoGuarantee):
        room.approve(request)
    room.approve(request, allow_no_guarantee=True)
    assert certificate(room, request)["guarantee"] == "none"


def test_taking_access_away_after_a_look_is_a_decision_and_so_is_giving_it_back(room: Room) -> None:
    policy, narrower = {"approve": "automatic"}, {"approve": "automatic", "columns": ["age"]}
    room.policy(policy)
    room.look()
    with pytest.raises(NoGuarantee, match="the change reveals something about the people"):
        room.policy(narrower, by="carol")
    assert (room.entries(Event.DECIDED), total(room)) == ([], "dp")
    room.policy(narrower, by="carol", allow_no_guarantee=True)
    (taken,) = room.entries(Event.DECIDED)
    assert (taken.draft.who, taken.draft.public["guarantee"], total(room)) == ("carol", "none", "none")
    room.policy(policy, allow_no_guarantee=True)
    assert len(room.entries(Event.DECIDED)) == 2
    with pytest.raises(Forbidden, match="would have the guarantee 'none'"):
        room.submit()  # what is given back was not in force all the time


@pytest.mark.parametrize(
    "changes",
    [
        {"purpose": "something else"},
        {"epsilon_max": 2.0},
        {"budget": 5},
        {"introduction": False, "public_page": True},
        {"access_rule": [{"who": ["bob"]}, {"who": ["dan"]}]},
    ],
)
def test_what_only_adds_access_takes_nothing_away(room: Room, changes: dict[str, Any]) -> None:
    policy: dict[str, Any] = {"epsilon_max": 1.0, "budget": 3, "access_rule": [{"who": ["bob"]}]}
    room.policies.set(room["alice"], "stays", policy)
    room.look()
    room.policies.set(room["alice"], "stays", policy | changes)
    assert (room.entries(Event.DECIDED), total(room)) == ([], "dp")


@pytest.mark.parametrize(
    "changes",
    [
        {"epsilon_max": 0.5},
        {"budget": 2},
        {"rule": {"gap": 1.1, "worst_case": True}},
        {"retention": {"answers_days": 1}},
        {"access_rule": [{"who": ["dan"]}, {"who": ["bob"]}]},
        {"access_rule": [{"who": ["bob"], "aggregates": ["COUNT"]}]},
    ],
)
def test_whatever_else_is_changed_takes_something_away(room: Room, changes: dict[str, Any]) -> None:
    policy: dict[str, Any] = {"epsilon_max": 1.0, "budget": 3, "access_rule": [{"who": ["bob"]}]}
    room.policies.set(room["alice"], "stays", policy)
    room.look()
    with pytest.raises(NoGuarantee):
        room.policies.set(room["alice"], "stays", policy | changes)
    room.policies.set(room["alice"], "stays", policy | changes | {"preregistered": MINUTES})
    (decided,) = room.entries(Event.DECIDED)
    assert (decided.draft.public["guarantee"], decided.draft.public["attested"], total(room)) == ("dp", MINUTES, "dp")


def test_a_rule_that_was_changed_after_a_look_is_told_to_no_analyst(room: Room) -> None:
    """Nor is noise drawn by it for a trial on invented rows: ranges, or many trials, would tell its epsilon."""
    asked = [{"sql": SUM}]
    room.policy(ANY | {"preferences": ["rule", "epsilon"]})
    room.look()
    assert room.questions.dry_run(room["bob"], "stays", asked, None).answers, "the rule of before is known"
    room.policy(ANY | {"preferences": ["rule", "epsilon"]}, rule={"epsilon": 0.3137}, allow_no_guarantee=True)
    bob, alice = room["bob"], room["alice"]
    estimate = room.questions.estimate(bob, "stays", asked, None)
    assert "0.3137" not in f"{estimate}{submission_view.estimate(estimate)}"
    trials: tuple[Callable[[Person], Any], ...] = (
        lambda who: room.questions.dry_run(who, "stays", asked, None),
        lambda who: room.questions.rehearse(who, "stays", SUM, None),
        lambda who: room.questions.compare(who, "stays", SUM, None),
    )
    for trial in trials:
        with pytest.raises(Forbidden, match="withheld, because the rule or the policy changed after"):
            trial(bob)
        assert trial(alice), "whoever holds the data may"
    assert room.questions.dry_run(bob, "stays", asked, {"epsilon": 0.5}).answers, "one's own is one's own"


def test_a_policy_that_was_fixed_beforehand_may_be_written_after_a_look(room: Room) -> None:
    room.look()
    room.policy(AUTOMATIC, preregistered=MINUTES)
    found = certificate(room, room.submit())
    assert (found["guarantee"], found["fixed"]) == ("dp", "attested")
    assert any(MINUTES in said for said in found["assumed"])


def test_a_policy_says_nothing_of_an_approval_that_was_made_after_a_look(room: Room) -> None:
    room.policy(ANY, preregistered=MINUTES)
    request = room.submit()
    room.look()
    assert room.decisions.inspect(room["alice"], request.id).facts.guarantee == "none"
    with pytest.raises(NoGuarantee):
        room.approve(request)
    room.approve(request, allow_no_guarantee=True)
    assert certificate(room, request)["guarantee"] == "none"


def test_a_policy_says_nothing_of_bounds_that_were_changed_after_a_look(room: Room) -> None:
    room.policy(AUTOMATIC, preregistered=MINUTES)
    room.look()
    room.datasets.describe(room["alice"], "stays", SCHEMA.replace("[0, 100]", "[0, 97]"))
    with pytest.raises(Forbidden, match="would have the guarantee 'none'"):
        room.submit(SUM)
    assert certificate(room, room.submit(COUNT))["guarantee"] == "dp", "its columns are as they were"


def test_a_preference_of_ones_own_keeps_its_word_if_it_was_stated_before(room: Room) -> None:
    room.policy({"preferences": ["epsilon"]})
    before = room.submit(preference={"epsilon": 0.5})
    room.approve(before)
    room.look()
    found = certificate(room, before)
    assert (found["guarantee"], found["epsilon"]) == ("dp", 0.5)
    with pytest.raises(Forbidden, match="stated after a look"):
        room.submit(SUM, preference={"epsilon": 0.5})


def test_what_reads_the_people_carries_no_guarantee_and_tells_no_epsilon(room: Room) -> None:
    room.policy(ANY | {"preferences": ["rule", "gap"]})
    request = room.submit(preference={"gap": 1.2})
    page = room.decisions.inspect(room["alice"], request.id).facts
    assert (page.guarantee, page.epsilon, page.queries[0].epsilon) == ("none", 10, None)
    with pytest.raises(NoGuarantee):
        room.approve(request)
    room.approve(request, allow_no_guarantee=True)
    found = certificate(room, request)
    assert (found["guarantee"], found["epsilon"]) == ("none", None)
    assert room.charged == 10
