"""Due dates and assignment: who is to decide by when, and what a person is notified of."""

from __future__ import annotations

import re

import pytest

from sfumato.errors import BadInput, Conflict, Forbidden, PolicyError
from sfumato.escrow.notifications import Topic
from sfumato.escrow.submissions.store import UNASSIGNED, SubmissionFilter
from sfumato.model.risk import Source
from tests.api import Api
from tests.room import COUNT, SUM, Room


def test_a_due_date_is_stated_or_follows_from_the_policy(room: Room) -> None:
    room.policy()
    assert room.submit().due is None
    assert room.submit(due="2026-11-20").due == "2026-11-20"
    room.policy(decide_within_days=3)
    assert room.submit(SUM).due == "2026-11-19"
    assert room.submit(SUM, due="2026-12-01").due == "2026-12-01", "what the analyst states goes first"
    for wrong, message in (
        ("tomorrow", "'tomorrow' is not a day"),
        ("2026-11-01", "past"),
        ("2999-01-01", "ten years"),
    ):
        with pytest.raises(BadInput, match=message):
            room.submit(due=wrong)
    with pytest.raises(PolicyError, match="decide_within_days"):
        room.policy(decide_within_days=0)


def test_a_list_is_sorted_by_due_date_with_those_without_one_last(room: Room) -> None:
    room.policy()
    days = (None, "2026-12-03", "2026-11-20", "2026-12-01")
    requests = [room.submit(f"{COUNT} AND age > {place}", due=day) for place, day in enumerate(days)]
    alice = room["alice"]
    for listed in (
        [one.submission.number for one in room.decisions.waiting(alice, order="due")],
        [first.number for first, _ in room.decisions.waiting_groups(alice, SubmissionFilter(), order="due")[0]],
    ):
        assert listed == [3, 4, 2, 1]
    first, group = room.decisions.waiting_groups(alice, SubmissionFilter(), order="due")[0][0]
    assert (first.due, group.due) == ("2026-11-20", "2026-11-20")
    assert requests[0].due is None


def test_a_controller_assigns_a_request_and_another_may_still_decide_it(room: Room) -> None:
    room.policy()
    request, other = room.submit(), room.submit(SUM)
    assign = room.requests.assignment.assign
    assert assign(room["alice"], request.id, "Carol").assigned_to == "carol"
    [notice] = room.notifications.many(room["carol"], unread=True, limit=1)
    assert (notice.happened, notice.values["who"], notice.about) == ("request assigned", "alice", request.id)
    assert room.requests.one(room["bob"], request.id).submission.assigned_to is None, "not shown to the analyst"
    for name, numbers in (("carol", [1]), (UNASSIGNED, [2]), ("alice", [])):
        filter = SubmissionFilter(assigned_to=name)
        assert [one.submission.number for one in room.decisions.waiting(room["alice"], filter=filter)] == numbers
        assert room.decisions.count_waiting(room["alice"], filter) == len(numbers)
    with pytest.raises(BadInput, match="'bob' cannot decide this"):
        assign(room["alice"], request.id, "bob")
    with pytest.raises(Forbidden):
        assign(room["bob"], request.id, "carol")
    room.approve(request)
    assert room.notifications.count(room["carol"], unread=True) == 1, "what is settled needs no notice any more"
    room.go()
    with pytest.raises(Conflict, match="is released, so it needs no decision"):
        assign(room["alice"], request.id, None)
    assign(room["alice"], other.id, "alice")
    assert assign(room["alice"], other.id, None).assigned_to is None


def test_an_accuracy_is_part_of_what_is_approved(room: Room) -> None:
    room.policy()
    plain, stated = room.submit(), room.submit(accuracy=4.0)
    assert (plain.accuracy, stated.accuracy) == (None, 4.0)
    before = room.decisions.inspect(room["alice"], stated.id).binding
    room.sql("UPDATE requests SET accuracy = 5 WHERE id = :id", id=stated.id)
    assert room.decisions.inspect(room["alice"], stated.id).binding != before
    for wrong in (0.0, -1.0, float("inf")):
        with pytest.raises(BadInput, match="must be a number above 0"):
            room.submit(accuracy=wrong)


def test_a_person_is_not_notified_of_what_they_do_not_want(room: Room) -> None:
    room.policy()
    room.notifications.mute(room["alice"], [Topic.TO_DECIDE, Topic.ASSIGNED])
    room.notifications.mute(room["bob"], [Topic.DECIDED])
    before = room.notifications.count(room["alice"])
    request = room.submit()
    room.requests.assignment.assign(room["carol"], request.id, "alice")
    assert room.notifications.count(room["alice"]) == before
    assert room.notifications.count(room["carol"], unread=True) > 0
    room.approve(request)
    room.go()
    assert [one.happened for one in room.notifications.many(room["bob"])] == ["request released"]
    assert room.notifications.muted(room["bob"]) == (Topic.DECIDED,)
    room.notifications.mute(room["bob"], [])
    assert room.notifications.muted(room["bob"]) == ()


def test_the_verdict_compares_the_noise_with_the_accuracy_that_the_analyst_needs(room: Room) -> None:
    """By the noise of the answer itself, for an accuracy that no stop of a slider has."""
    room.policy()
    explore, alice = room.questions.explore, room["alice"]
    shown = explore(alice, "stays", SUM, Source.WORST_CASE, {}, accuracy=1000.0)
    assert shown["needs"] == 1000.0
    noisy = {point["epsilon"] for point in shown["points"] if point["verdict"] == "noisy"}
    assert noisy == {point["epsilon"] for point in shown["points"] if point["half"] > 1000 and point["epsilon"] <= 10}
    average = explore(alice, "stays", "SELECT AVG(age) FROM stays", Source.WORST_CASE, {}, accuracy=1.0)
    for point in average["points"]:
        reach = re.findall(r"±([0-9.]+)", point["noise"])
        if point["epsilon"] <= 10:  # an average may lie anywhere within its bounds
            assert (point["verdict"] == "noisy") == (not reach or float(reach[-1]) > 1), point["noise"]
    assert {point["verdict"] for point in average["points"]} >= {"ok", "noisy"}


def test_the_unit_of_a_column_stands_at_its_figures_and_its_noise(api: Api) -> None:
    """An answer whose column is no longer in the schema is shown without."""
    room = api.room
    request = room.submit(SUM, by="bob")
    room.approve(request)
    room.go()
    with_unit = room.datasets.of("stays").schema_text.replace("[0, 100]", '[0, 100]\nunit = "years"')
    room.sql("UPDATE datasets SET schema_text = :schema WHERE name = 'stays'", schema=with_unit)
    page = f"https://escrow.test/requests/{request.id}"
    assert '<span class="soft">(years)</span>' in api("bob", "GET", page).text
    waits = room.submit(SUM, by="bob", preference={"epsilon": 0.1})
    shown = api("alice", "GET", f"https://escrow.test/requests/{waits.id}").text
    assert "Noise of the answer (90%), years" in shown
    assert re.search(r"<dd>±[0-9,.]+ years</dd>", shown)
    without = with_unit.replace("[columns.age]", "[columns.aged]")
    room.sql("UPDATE datasets SET schema_text = :schema WHERE name = 'stays'", schema=without)
    assert "(years)" not in api("bob", "GET", page).text
