"""The exposure histogram, from outside: no guesser beats its epsilon, and its noise is the noise that was declared.

All the checks in this folder together fail by chance in fewer than 8e-7 of all runs (`audit.RATE`).
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import islice

import pytest

import sfumato
from sfumato.auditing.guesser import Round
from sfumato.model.choice import Noise
from sfumato.model.exposure_histogram import ExposureHistogram
from sfumato.release.risk.exposure_histogram import noisy_counts
from tests.depth import depth
from tests.statistical.audit import audit, least_rate, misfit, most_rate, power, question, said
from tests.statistical.bulk import IN_FULL

pytestmark = pytest.mark.statistical

EPSILON = 1.5  # about where a doubled epsilon shows with the fewest runs
SEED = 20240229  # of the coins; the noise has none
BINS = 200
STEP = 1024  # of the grid, to a person
SUM = "SELECT SUM(value) FROM people"

Record = Callable[[str, object], None]
Played = tuple[list[Round], list[int]]  # what was seen, and the noise of every count in steps of its grid


def drawn_through_ledger(asked: sfumato.Query, bins: int = BINS) -> ExposureHistogram:
    drawn = asked.exposure_histogram(EPSILON, bins=bins, redraw=True).exposure
    assert isinstance(drawn, ExposureHistogram)
    return drawn


def drawn_again(before: ExposureHistogram, asked: sfumato.Query, people: Sequence[int]) -> ExposureHistogram:
    """The histogram of so many people in each bin, with noise of its own; without a charge or a ledger entry."""
    return replace(before, noisy=noisy_counts(asked._bound, people, EPSILON))


class ExposureHistogramsOf:
    """The first exposure histogram is that of a table, through the ledger; the others are of people in other bins."""

    def __init__(self, asked: sfumato.Query) -> None:
        self._asked = asked
        self._first: ExposureHistogram | None = None

    def draw(self, people: Sequence[int]) -> ExposureHistogram:
        """The exposure histogram of people in these bins: at first they must be those in the table."""
        if self._first is None:
            self._first = drawn_through_ledger(self._asked)
            return self._first
        return drawn_again(self._first, self._asked, [people.count(place) for place in range(BINS + 1)])


def exposure_histograms(asked: sfumato.Query, bins: int) -> Iterator[ExposureHistogram]:
    """Exposure histograms of the same people without end; the first of fifty through the ledger."""
    while True:
        yield (first := drawn_through_ledger(asked, bins))
        for _ in range(IN_FULL - 1):
            yield drawn_again(first, asked, asked._bound.survey(Noise()).people_by_bin(bins))


def noise_in(drawn: ExposureHistogram, people: Sequence[int]) -> list[int]:
    """What was added to each count, given the bins that people are in."""
    steps = [(noisy - people.count(place)) * STEP for place, noisy in enumerate(drawn.noisy)]
    assert all(step == round(step) for step in steps), "noise lies on the grid"
    return [round(step) for step in steps]


# Many people, each in a bin of their own by a coin of their own: one exposure histogram plays the game in every bin


def in_every_bin(runs: int, *, many_rows: bool) -> Iterator[Played]:
    """Whoever is at the value i, or has rows that add up to it, is in bin i."""
    coins = random.Random(f"{SEED} {many_rows}")
    stated: dict[str, object] = {"unit": "who", "max_rows": 3} if many_rows else {}
    column = {"type": "integer", "bounds": [0, BINS]}
    games: ExposureHistogramsOf | None = None
    for _ in range(math.ceil(runs / BINS)):
        there = [place for place in range(1, BINS + 1) if coins.random() < 0.5]
        people = [(place, place, place, place) if many_rows else place for place in there]
        games = games or ExposureHistogramsOf(question(SUM, column, {"here": people}, **stated))
        drawn = games.draw(there)
        rounds = [Round(place in there, (drawn.noisy[place],), (drawn.noisy[place],)) for place in range(1, BINS + 1)]
        yield rounds, noise_in(drawn, there)


def replaced(runs: int) -> Iterator[Played]:
    """Everybody is in one of two bins, which both show it; where people are replaced, exposures end at one half."""
    coins = random.Random(f"{SEED} replaced")
    places = range(1, BINS // 2, 2)
    column, games = {"type": "integer", "bounds": [0, BINS // 2]}, None
    for _ in range(math.ceil(runs / len(places))):
        moved = {place: coins.random() < 0.5 for place in places}
        people = [place + there for place, there in moved.items()]
        games = games or ExposureHistogramsOf(question(SUM, column, {"here": people}, relation="replace"))
        drawn = games.draw(people)
        pairs = {place: (drawn.noisy[place], drawn.noisy[place + 1]) for place in places}
        yield [Round(there, pairs[place], pairs[place]) for place, there in moved.items()], noise_in(drawn, people)


@pytest.mark.depth("audit runs", seed=SEED)
@pytest.mark.parametrize(
    ("game", "scale"),
    [
        pytest.param(
            lambda: in_every_bin(4 * depth("audit runs"), many_rows=False), 1 / EPSILON, id="a row is a person"
        ),
        pytest.param(
            lambda: in_every_bin(4 * depth("audit runs"), many_rows=True), 1 / EPSILON, id="people with many rows"
        ),
        pytest.param(lambda: replaced(8 * depth("audit runs")), 2 / EPSILON, id="replaced"),
    ],
)
def test_no_guesser_beats_the_epsilon_of_a_histogram(
    game: Callable[[], Iterator[Played]], scale: float, record_property: Record
) -> None:
    games = list(game())
    verdict = audit([played for rounds, _ in games for played in rounds], EPSILON)
    print(said(verdict))
    record_property("verdict", said(verdict))
    assert verdict.holds, verdict
    wrong = misfit([step for _, noise in games for step in noise], STEP * scale)
    assert not wrong, wrong


@pytest.mark.depth("audit runs", seed=SEED)
def test_no_guesser_beats_epsilon_by_asking_again(record_property: Record) -> None:
    """A table with the most exposed person and one without, counted again and again; what a view makes of it too."""
    coins, column = random.Random(SEED), {"type": "integer", "bounds": [0, 100]}
    tables = [question(SUM, column, {"here": [0, 60, *([100] if there else [])]}) for there in (False, True)]
    rounds, games = [], [exposure_histograms(table, bins=4) for table in tables]
    for _ in range(2 * depth("audit runs")):
        present = coins.random() < 0.5
        drawn = next(games[present])
        rounds.append(Round(present, (drawn.noisy[4],), (drawn.sum,)))
    verdict = audit(rounds, EPSILON)
    print(said(verdict))
    record_property("verdict", said(verdict))
    assert verdict.holds, verdict


def test_the_depth_is_enough() -> None:
    """An exposure histogram that spends twice what it charges is caught 99 times of 100, in one bin or in two."""
    for numbers, times in ((1, 2), (2, 8)):
        assert power(EPSILON, numbers, times * depth("audit runs") * 3 // 4) > 0.99


@pytest.mark.depth("audit runs")
def test_noise_alone_is_seen_no_more_often_than_stated() -> None:
    """In a table of nobody, in any bin: at most 10 times of 100."""
    asked, runs = question(SUM, {"type": "integer", "bounds": [0, 100]}, {"here": []}), depth("audit runs")
    seen = sum(any(drawn.seen) for drawn in islice(exposure_histograms(asked, bins=20), runs))
    assert least_rate(seen, runs) <= 0.1, f"{seen} of {runs} exposure histograms of nobody show somebody"


@pytest.mark.depth("audit runs")
def test_the_people_above_an_exposure_are_as_few_as_stated() -> None:
    """Above each of three exposures, by itself, in at least 90% of the histograms."""
    people = [20 * i for i in range(1, 6)] * 8
    asked, runs = question(SUM, {"type": "integer", "bounds": [0, 100]}, {"here": people}), depth("audit runs") // 4
    drawn = list(islice(exposure_histograms(asked, bins=20), runs))
    for exposure in (0.0, 0.5, 0.95):
        truly = sum(value > 100 * exposure for value in people)
        missed = sum(truly > (exposure_histogram.people_above(exposure) or 0) for exposure_histogram in drawn)
        assert least_rate(missed, runs) <= 0.1, f"{missed} of {runs} say fewer people above {exposure} than there are"
        assert most_rate(missed, runs) >= 0.05, "and not far fewer than 10%: the bound is no wider than it need be"
