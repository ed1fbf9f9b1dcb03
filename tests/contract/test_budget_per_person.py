"""A policy with a budget per person: analysts ask as often as they like, within one charge."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from sfumato.escrow.policy.policy import AccessRule, Policy
from sfumato.model.person_budget import person_budget
from sfumato.presentation.escrow.policy_view import sentences
from tests.contract.conftest import Copies
from tests.room import BY_WARD, COUNT, SUM, Room


@pytest.fixture
def room(furnished: Callable[[str], tuple[Path, str]], copies: Copies) -> Iterator[Room]:
    made = Room(*copies(*furnished("sqlite")))
    made.policy({"approve": "automatic", "preferences": ["rule", "epsilon"]}, budget=1.2, budget_per_person=1)
    yield made
    made.close()


def test_requests_are_released_within_one_charge(room: Room) -> None:
    """Ten requests at epsilon 0.4 under a budget of 1.2: the first is charged 1, the others nothing."""
    queries = (COUNT, SUM, BY_WARD, *(f"{COUNT} AND age > {age}" for age in range(10, 80, 10)))
    results = [room.released(sql, preference={"epsilon": 0.4}) for sql in queries]
    assert [result["charged"] for result in results] == [1.0, *[0.0] * 9]
    assert {answer["certificate"]["per_person"] for result in results for answer in result["answers"]} == {1.0}
    assert room.charged == 1.0


def test_several_queries_of_a_request_are_charged_once(room: Room) -> None:
    assert room.released(COUNT, SUM, preference={"epsilon": 0.4})["charged"] == 1.0
    assert room.released(BY_WARD, SUM, preference={"epsilon": 0.3})["charged"] == 0.0


def test_what_is_outside_still_counts_against_the_budget(room: Room) -> None:
    room.released(COUNT, preference={"epsilon": 0.4})
    median = "SELECT MEDIAN(age) FROM stays"
    assert room.released(median, preference={"epsilon": 0.2})["charged"] == 0.2
    beyond = room.submit(median, preference={"epsilon": 0.1})
    room.go()
    assert (room.state(beyond), room.charged) == ("failed", 1.2)


def test_the_policy_says_whom_answers_are_about() -> None:
    policy = Policy((AccessRule(("bob",)),), per_person=person_budget(1, 1e-6))
    stated = "Budget per person: epsilon 1, delta 1e-06. Sums and counts are about the people whose own total stays"
    assert any(line.startswith(stated) for line in sentences(policy))
