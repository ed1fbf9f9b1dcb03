"""Can one say that A is larger than B? What the API answers about two figures of a released answer."""

from __future__ import annotations

from typing import Any

from tests.api import Api
from tests.room import BOARD, BY_WARD, COUNT, SCHEMA

WARDS = "SELECT ward, COUNT(*) AS n, COUNT(*) AS again, AVG(days) AS mean, MAX(age) AS oldest FROM stays GROUP BY ward"
RELEASED = 8  # bob's, of COUNT and BY_WARD


def asked(api: Api, first: tuple[int, int, int], second: tuple[int, int, int], of: int, who: str = "bob") -> Any:
    cells = [dict(zip(("query", "row", "column"), cell, strict=True)) for cell in (first, second)]
    return api(who, "POST", f"/requests/{of}/difference", json={"first": cells[0], "second": cells[1]})


def released(api: Api, *queries: str, **how: Any) -> int:
    room = api.room
    request = room.submit(*queries, **how)
    room.approve(request, allow_no_guarantee=True)
    room.go()
    assert room.state(request) == "released"
    return request.number


def test_two_counts_by_the_noise_of_both(api: Api) -> None:
    number = released(api, BY_WARD, preference={"epsilon": 0.5})
    rows = api("bob", "GET", f"/requests/{number}/result").json()["answers"][0]["numbers"]
    told = asked(api, (1, 1, 2), (1, 2, 2), number).json()
    exact = rows[0][0] - rows[1][0]
    assert told["difference"] == round(exact)
    assert told["high"] - told["difference"] == told["difference"] - told["low"] == 7  # 3.272 / 0.5, and half a person
    assert told["larger"] == (told["low"] > 0)
    assert f"Difference {told['figure']}, 90% interval {told['interval']}: " in told["sentence"]
    assert told["interval"] == f"{told['low']:.0f} to {told['high']:.0f}".replace("-", "−")
    place = told["place"]
    assert place["start"] < place["at"] < place["end"]
    assert (place["zero"] < place["start"]) == (told["low"] > 0), "beside its interval, 0 says what the verdict says"
    assert "It holds for one comparison at a time" in told["covers"]


def test_what_is_put_together_from_several_numbers_is_bounded(api: Api) -> None:
    """The count of a mean is noisy by itself; both ranges hold but for a twentieth of the time each."""
    number = released(api, WARDS, preference={"epsilon": 5.0})
    intervals = api("bob", "GET", f"/requests/{number}/result").json()["answers"][0]["intervals"]
    told = asked(api, (1, 1, 4), (1, 2, 4), number).json()
    assert told["low"] < intervals[0][3][0] - intervals[1][3][1]
    assert told["high"] > intervals[0][3][1] - intervals[1][3][0]
    shared = asked(api, (1, 1, 4), (1, 1, 2), number)
    assert shared.status_code == 200


def test_what_cannot_be_compared_is_said(api: Api) -> None:
    number = released(api, WARDS)
    for second, why in (
        ((1, 1, 2), "the same noisy number"),
        ((1, 1, 3), "the same noisy number"),  # COUNT(*) once more is the same count
        ((1, 2, 1), "is a group"),
        ((1, 2, 5), "selected by its rank"),
        ((1, 9, 2), "no such figure"),
        ((1, 2, 9), "no such figure"),
        ((2, 1, 1), "no query 2"),
    ):
        answer = asked(api, (1, 1, 2), second, number)
        assert (answer.status_code, why in answer.json()["detail"]) == (422, True), second


def test_across_queries_each_has_noise_of_its_own(api: Api) -> None:
    assert asked(api, (1, 1, 1), (2, 1, 2), RELEASED).status_code == 200


def test_of_withheld_noise_nothing_is_said(api: Api) -> None:
    api.room.policy({"who": [BOARD], "approve": "after the answer", "guarantees": ["none"]})
    request = api.room.submit(WARDS)
    for _ in range(2):
        api.room.approve(request, allow_no_guarantee=True)
        api.room.go()
    answer = asked(api, (1, 1, 2), (1, 2, 2), request.number)
    assert answer.status_code == 409
    assert "withheld" in answer.json()["detail"]


def test_under_another_schema_nothing_is_guessed(api: Api) -> None:
    number = released(api, "SELECT ward, SUM(days) AS days FROM stays GROUP BY ward")
    api.room.datasets.describe(api.room["alice"], "stays", SCHEMA.replace("[0, 60]", "[0, 70]"))
    answer = asked(api, (1, 1, 2), (1, 2, 2), number)
    assert answer.status_code == 409
    assert "schema" in answer.json()["detail"]


def test_whoever_has_the_answer_may_ask(api: Api) -> None:
    for who, status in (("bob", 200), ("alice", 200), ("eve", 403), ("dan", 404), ("fay", 404)):
        assert asked(api, (2, 1, 2), (2, 2, 2), RELEASED, who).status_code == status, who


def test_an_error_says_in_which_query_and_where(api: Api) -> None:
    queries = [{"sql": COUNT}, {"sql": "SELECT COUNT(*),\n SUM(dayz) FROM stays"}]
    said = api("bob", "POST", "/datasets/stays/estimate", json={"queries": queries}).json()
    assert said["at"] == {"query": 2, "line": 2, "column": 6}
    alone = api("bob", "POST", "/datasets/stays/estimate", json={"queries": queries[1:]}).json()
    assert (alone["at"], alone["where"]) == ({"query": 1, "line": 2, "column": 6}, "line 2, column 6")
