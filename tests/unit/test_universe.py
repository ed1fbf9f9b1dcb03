"""The possible worlds of a public universe: what a noisy mean or median tells of who is missing (Lee & Clifton)."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest

import sfumato as sf
from sfumato.errors import PreferenceError
from sfumato.presentation.figures.marks import Limit, Line, Pin

STUDENTS = (1, 2, 3, 10)  # absence days of Table 1


def test_every_world_is_everybody_but_one() -> None:
    students = sf.possible_worlds(STUDENTS)
    assert students.worlds == ((1, 2, 3), (1, 2, 10), (1, 3, 10), (2, 3, 10))
    assert students.answers == pytest.approx([2, 13 / 3, 14 / 3, 5])
    assert repr(students) == "<PossibleWorlds: 4, in each of which one of 4 is missing>"


@pytest.mark.parametrize("answer", ["mean", "median", max])
def test_the_epsilon_of_a_belief_has_that_belief(answer: str | Callable[..., float]) -> None:
    worlds = sf.possible_worlds((1, 2, 4, 8, 16), answer)
    for rho in (0.25, 0.4, 0.9):
        epsilon = worlds.epsilon(rho)
        assert worlds.epsilon(rho, bound=True) <= epsilon * (1 + 1e-9)
        if math.isfinite(epsilon):
            assert worlds.risk(epsilon) == pytest.approx(rho)
            assert worlds.risk(worlds.epsilon(rho, bound=True)) <= rho * (1 + 1e-9)


def test_a_world_that_was_suspected_is_believed_more() -> None:
    students = sf.possible_worlds(STUDENTS)
    suspected = [0.7, 0.1, 0.1, 0.1]
    assert students.posterior(2, 0.3829, suspected)[0] == pytest.approx(students.risk(0.3829, suspected))
    assert students.risk(0.3829, suspected) > students.risk(0.3829)
    assert math.fsum(students.posterior(2, 0.3829, suspected)) == pytest.approx(1)


def test_the_best_guess_is_right_less_often_than_the_worst_answer_allows() -> None:
    students = sf.possible_worlds(STUDENTS)
    assert students.least < students.average(2) < students.risk(2) < students.bound(2)


def test_where_every_world_answers_alike_nothing_is_told() -> None:
    alike = sf.possible_worlds((5, 5, 5))
    assert [alike.width, alike.bound(1), alike.risk(1)] == pytest.approx([0, 1 / 3, 1 / 3])
    assert alike.epsilon(0.5) == math.inf


def test_pictures_are_public() -> None:
    students = sf.possible_worlds(STUDENTS, "median")
    curves = students.plot(1 / 3)
    assert [line.label for line in curves.figure.of(Line)] == ["bound", "exact"]
    assert len(curves.figure.of(Limit)) == 1
    responses = students.responses(2, output=2.5)
    assert [line.label for line in responses.figure.of(Line)] == ["world 1 and 2", "world 3 and 4"]
    assert [pin.x for pin in responses.figure.of(Pin)] == [2.5]
    assert not curves.of_the_people
    assert not responses.of_the_people


REFUSED = {
    "two values": (lambda: sf.possible_worlds((1, 2)), "A universe needs at least three finite numbers."),
    "no number": (lambda: sf.possible_worlds(["a", "b", "c"]), "A universe needs at least three finite numbers."),  # type: ignore[list-item]
    "no answer": (lambda: sf.possible_worlds(STUDENTS, "mode"), "There is no answer 'mode'."),
    "believed already": (
        lambda: sf.possible_worlds(STUDENTS).epsilon(0.25),
        "rho must be above 0.25 and below 1, not 0.25: that much is believed before any answer.",
    ),
    "a prior that is none": (
        lambda: sf.possible_worlds(STUDENTS).risk(1, [0.5, 0.5, 0.5, 0.5]),
        "A prior needs 4 probabilities that add up to 1.",
    ),
    "no epsilon": (lambda: sf.possible_worlds(STUDENTS).risk(0), "epsilon must be above 0, not 0."),
}


@pytest.mark.parametrize(("ask", "sentence"), REFUSED.values(), ids=REFUSED)
def test_what_is_refused_is_refused_in_a_sentence(ask: Callable[[], object], sentence: str) -> None:
    with pytest.raises(PreferenceError) as refused:
        ask()
    assert str(refused.value).startswith(sentence)
