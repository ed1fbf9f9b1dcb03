"""DIFF through the escrow: an index or expected answers of a request split one epsilon, and are shown on estimate."""

from __future__ import annotations

from typing import Any

import pytest

from sfumato.errors import BadInput
from sfumato.escrow.questions.query import RequestedQuery
from sfumato.ledger.entry import Event
from sfumato.presentation.escrow.submission_view import estimate
from tests.room import COUNT, SUM, Room

EVERYONE = "SELECT COUNT(*) FROM stays"


def queries(*numbers: Any, name: str = "index", sql: tuple[str, ...] = (COUNT, EVERYONE)) -> list[dict[str, Any]]:
    return [{"sql": one, name: number} for one, number in zip(sql, numbers, strict=True)]


def estimated(room: Room, asked: list[dict[str, Any]], preference: dict[str, Any] | None) -> dict[str, Any]:
    return estimate(room.questions.estimate(room["bob"], "stays", asked, preference))


def test_example_3_of_the_diff_paper_as_a_request(room: Room) -> None:
    room.policy({"preferences": ["rule", "epsilon"]})
    preference = {"epsilon": 0.01}
    shown = estimated(room, queries(1, 10), preference)
    assert shown["epsilon"] == 0.01, "one epsilon for all"
    assert [one["scale"] for one in shown["queries"]] == pytest.approx([110, 1100])
    assert [one["least"] for one in shown["queries"]] == pytest.approx([2532.84, 25328.44], abs=0.1)
    guessed = estimated(room, queries(3000, 30000, name="expected"), preference)
    assert [one["index"] for one in guessed["queries"]] == [3000, 30000]
    assert [one["large_enough"] for one in guessed["queries"]] == [True, True]
    request = room.requests.submit(room["bob"], "stays", "planning", queries(1, 10), preference)
    assert request.queries[1] == RequestedQuery(EVERYONE, 1.0, 10.0, None)
    room.approve(request)
    room.go()
    answers = room.result(request)["answers"]
    assert [one["certificate"]["scale"][0] for one in answers] == pytest.approx([110, 1100])
    assert [one["certificate"]["epsilon"] for one in answers] == pytest.approx([1 / 110, 1 / 1100], abs=1e-9)
    assert room.charged == pytest.approx(0.01, abs=1e-12)
    [charge] = room.entries(Event.RESERVED)
    assert charge.draft.nano_epsilon == 10_000_000, "exactly the epsilon that was stated"


def test_the_rule_is_split_too_and_sensitivities_count(room: Room) -> None:
    room.policy({})
    shown = estimated(room, queries(1, 1, sql=(COUNT, SUM)), None)
    epsilons = [one["epsilon"] for one in shown["queries"]]
    assert sum(epsilons) == pytest.approx(0.2), "of gap 1.2 in the worst case"
    scales = [one["scale"] for one in shown["queries"]]
    assert scales[0] == pytest.approx(scales[1]), "a sum of up to 100 has a hundred times the share of a count"


def test_an_approval_binds_the_index(room: Room) -> None:
    room.policy({"preferences": ["rule", "epsilon"]})
    bindings = {
        room.requests.submit(room["bob"], "stays", "planning", asked, {"epsilon": 0.5}).queries[0].terms.__repr__()
        for asked in (queries(1, 10), queries(1, 20), queries(2, 10), [{"sql": COUNT}, {"sql": EVERYONE}])
    }
    assert len(bindings) == 3, "terms of the first query: 1, 2, and none"
    a, b = (
        room.requests.submit(room["bob"], "stays", "planning", asked, {"epsilon": 0.5})
        for asked in (queries(1, 10), queries(1, 20))
    )
    rows = [room.decisions.inspect(room["alice"], one.id).facts.queries[0].epsilon for one in (a, b)]
    assert rows[0] != rows[1]


WRONG: dict[str, list[dict[str, Any]]] = {
    "an index or weights, not both": [{"sql": COUNT, "index": 1, "weight": 2}, {"sql": EVERYONE, "index": 2}],
    "Some queries have an index": [{"sql": COUNT, "index": 1}, {"sql": EVERYONE}],
    "An index must be above 0": queries(0, 1),
    "has no relative error": queries(0, 1, name="expected"),
    "needs a query with one figure": queries(5, 5, name="expected", sql=(COUNT, "SELECT AVG(age) FROM stays")),
    "leaves no epsilon": queries(1, 1e12),
}


@pytest.mark.parametrize("sentence", WRONG)
def test_what_is_no_index(room: Room, sentence: str) -> None:
    room.policy({"preferences": ["rule", "epsilon"]})
    with pytest.raises(BadInput, match=sentence):
        room.questions.estimate(room["bob"], "stays", WRONG[sentence], {"epsilon": 0.5})
