"""Post-hoc risk through the escrow: for controllers only, a look, before the decision and after the release."""

from __future__ import annotations

import pytest

from sfumato.errors import BadInput, Conflict, Forbidden, NoGuarantee
from sfumato.ledger.entry import Event
from tests.api import STATES, Api
from tests.room import BY_WARD, COUNT, DATA, SUM, Room

AFTER = {"approve": "after the answer", "guarantees": ["none"], "preferences": ["rule", "epsilon", "pri"]}


def test_of_a_withheld_answer_before_the_decision(room: Room) -> None:
    room.policy(AFTER)
    request = room.submit(SUM, preference={"pri": 50})
    room.approve(request, allow_no_guarantee=True)
    room.go()
    assert room.state(request) == "computed"
    assert not room.entries(Event.LOOKED) or room.entries(Event.LOOKED)[-1].draft.who != "carol"
    found = room.requests.posthoc_risk(room["carol"], request.id, between="age > 50")
    look = room.entries(Event.LOOKED)[-1].draft
    assert (look.who, "says about each person" in str(look.public["what"])) == ("carol", True)
    assert found["printed_ratio"] == pytest.approx(found["ratio"], abs=0.02)  # printed is the sum, within its range
    assert found["ratio"] >= 0.5, "the answer that passed the test of the PRI paper"
    assert (found["loss"], found["epsilon"], found["people"]) == (None, None, 30)
    assert found["percentiles"]["columns"] == ["percentile", "PRI"]
    assert any("Median PRI where “age > 50”" in sentence for sentence in found["sentences"])
    with pytest.raises(NoGuarantee):  # the decision is one after a look, as the page says
        room.approve(request, by="carol")
    room.approve(request, by="carol", allow_no_guarantee=True)
    assert room.state(request) == "released"
    verbs = [(one.who, one.verb) for one in room.audit.many(room["root"]) if one.about == request.id]
    assert ("carol", "looked at the post-hoc risk of") in verbs


def test_of_a_released_answer_in_which_a_person_is_measured(room: Room) -> None:
    room.policy({})
    answers = room.released(SUM, BY_WARD)["answers"]
    request = room.requests.many(room["bob"])[0].submission
    found = room.requests.posthoc_risk(room["alice"], request.id)
    true = sum(int(line.split(b",")[1]) for line in DATA.splitlines()[1:])
    assert found["printed_distance"] == pytest.approx(abs(answers[0]["rows"][0][0] - true))
    assert abs(found["loss"]["max"]) <= found["bound"] <= found["epsilon"] + 1e-9
    by_ward = room.requests.posthoc_risk(room["alice"], request.id, 2)
    assert by_ward["query"] == BY_WARD
    with pytest.raises(BadInput, match="has no query 3"):
        room.requests.posthoc_risk(room["alice"], request.id, 3)
    kept = room.requests.result(room["bob"], request.id).answers
    assert [one.certificate.guarantee.value for one in kept] == ["dp", "dp"], "the release keeps its guarantee"


def test_what_is_refused_reads_nothing(room: Room) -> None:
    room.policy({})
    waiting = room.submit()
    looks = len(room.entries(Event.LOOKED))
    with pytest.raises(Conflict, match="it is submitted"):
        room.requests.posthoc_risk(room["alice"], waiting.id)
    room.released(COUNT)
    released = room.requests.many(room["bob"], state="released")[0].submission
    with pytest.raises(Forbidden):
        room.requests.posthoc_risk(room["bob"], released.id)
    with pytest.raises(Forbidden):
        room.requests.posthoc_risk(room["eve"], released.id)
    with pytest.raises(BadInput):
        room.requests.posthoc_risk(room["alice"], released.id, between="age >")
    room.datasets.deliver(room["alice"], "stays", [DATA, b"1,2,a\n"], "csv")
    with pytest.raises(BadInput, match="was drawn from other data"):
        room.requests.posthoc_risk(room["alice"], released.id)
    assert len(room.entries(Event.LOOKED)) == looks


def test_over_the_api(api: Api) -> None:
    number = STATES.index("released") + 1
    found = api("alice", "POST", f"/requests/{number}/posthoc-risk", json={"between": "days > 30"})
    assert found.status_code == 200, found.text
    assert found.json()["condition"] == "days > 30"
    refused = {who: api(who, "POST", f"/requests/{number}/posthoc-risk", json={}).status_code for who in ("bob", "dan")}
    assert refused == {"bob": 403, "dan": 404}
    assert api("bob", "POST", f"/requests/{number}/posthoc-risk", json={}).json().keys().isdisjoint({"pri", "loss"})
