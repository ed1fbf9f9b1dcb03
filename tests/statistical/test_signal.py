"""Charged signals, from outside: no guesser beats their epsilon, and their noise is the noise that was declared.

Free signals: the damage that noise really did is within the one they state as often as they say. All the checks in
this folder together fail by chance in fewer than 8e-7 of all runs (`audit.RATE`).
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import pytest

import sfumato as sf
from sfumato.auditing.guesser import Round
from sfumato.model.facts import Totals
from sfumato.model.signal_score import COVERED, BlockMeanScore, NoisyDifferenceScore
from sfumato.privacy.preferences.preference import epsilon as stated_epsilon
from sfumato.release import answer as assemble
from sfumato.release.noise import Noisy
from sfumato.signals.charged import charged_signal
from sfumato.signals.exact_answer import AnswerFromData
from sfumato.signals.free import redraw, score_draws
from sfumato.signals.signal_request import FEWEST_BLOCKS, prepare_task, signal_request, table_of
from sfumato.signals.tasks.registry import task
from sfumato.signals.tasks.table import Table
from tests.depth import depth
from tests.statistical.audit import audit, misfit, most_rate, power, question, said
from tests.statistical.bulk import IN_FULL, draw_answer

pytestmark = pytest.mark.statistical

EPSILON = 1.5  # about where a doubled epsilon shows with the fewest runs
SEED = 20240229  # of the coins and the made-up people; the noise has none
VALUE = {"type": "integer", "bounds": [0, 100]}

Record = Callable[[str, object], None]


def sides(sql: str, others: list[float], person: float, **stated: object) -> list[tuple[sf.Query, sf.Release]]:
    """A table without the person and one with them, each with an answer that shows next to nothing."""
    made = [
        question(sql, VALUE, {"here": [*others, *([person] if there else [])]}, **stated) for there in (False, True)
    ]
    return [(asked, asked.release(epsilon=0.001)) for asked in made]


def played(runs: int, both: list[tuple[sf.Query, sf.Release]], **how: Any) -> list[tuple[bool, Any]]:
    """Signals about both sides: a coin says which."""
    coins, found = random.Random(SEED), []
    games = [signals(*side, **how) for side in both]
    for _ in range(runs):
        there = coins.random() < 0.5
        found.append((there, next(games[there])))
    return found


def signals(asked: sf.Query, release: sf.Release, **how: Any) -> Iterator[Any]:
    """Signals without end; the first of fifty through the ledger, and the others with noise of their own alone."""
    made = {name: value for name, value in how.items() if name not in ("task", "kind")}
    exact = Known(
        AnswerFromData(asked._bound).table(), AnswerFromData(asked._bound).blocks(made.get("blocks", FEWEST_BLOCKS))
    )
    charged = charged_signal(
        asked._bound, release.answer, how["task"], signal_request(how["kind"], EPSILON, **made), exact
    )
    draw = charged.noisy_difference if how["kind"] == "noisy_difference" else charged.noisy_block_mean
    while True:
        first = asked.signal(release, epsilon=EPSILON, redraw=True, **how)
        assert isinstance(first, NoisyDifferenceScore | BlockMeanScore)
        yield first
        for _ in range(IN_FULL - 1):
            yield replace(first, noisy=draw())


@dataclass(frozen=True)
class Known:
    """Exact answers that were read before: of all people, and of each block."""

    whole: Table
    parts: list[Table]

    def table(self) -> Table:
        return self.whole

    def blocks(self, many: int) -> list[Table]:
        assert many == len(self.parts)
        return self.parts


def judged(rounds: list[Round], noise: list[int], scale: float, record_property: Record) -> None:
    verdict = audit(rounds, EPSILON)
    print(said(verdict))
    record_property("verdict", said(verdict))
    assert verdict.holds, verdict
    wrong = misfit(noise, scale)
    assert not wrong, wrong


@pytest.mark.depth("signal runs", seed=SEED)
def test_no_guesser_beats_the_epsilon_of_a_noisy_difference(record_property: Record) -> None:
    """A sum of which one person is the whole sensitivity, scored as it is; what the release scored is known."""
    made, sql = task("formula", expression="s / 1000", low=0, high=1), "SELECT SUM(value) AS s FROM people"
    games = played(2 * depth("signal runs"), sides(sql, [], 100), task=made, kind="noisy_difference")
    rounds, noise = [], []
    for there, signal in games:
        assert isinstance(signal, NoisyDifferenceScore)
        assert signal.certificate.grid_step is not None
        truth = 0.1 if there else 0.0
        guessed = [signal.score + (off if signal.score < 0.05 else -off) for off in (signal.noisy, signal.difference)]
        rounds.append(Round(there, (guessed[0],), (guessed[1],)))
        noise.append(round((signal.noisy - abs(signal.score - truth)) / signal.certificate.grid_step[0]))
    judged(rounds, noise, 1025 / EPSILON, record_property)


@pytest.mark.depth("signal runs", seed=SEED)
def test_no_guesser_beats_the_epsilon_of_a_block_mean(record_property: Record) -> None:
    """One person, who decides the score of the block that they are in."""
    made, sql = task("above", column="s", b=50), "SELECT SUM(value) AS s FROM people"
    how: dict[str, Any] = {"task": made, "kind": "sample_and_aggregate", "blocks": 2}
    games = played(2 * depth("signal runs"), sides(sql, [], 100), **how)
    rounds, noise = [], []
    for there, signal in games:
        assert isinstance(signal, BlockMeanScore)
        rounds.append(Round(there, (signal.noisy,), (signal.mean,)))
        noise.append(round((signal.noisy - there / 2) * 2 * 1024))
    judged(rounds, noise, 1024 / EPSILON, record_property)


def test_the_depth_is_enough() -> None:
    """A signal that spends twice what it charges is caught 99 times of 100."""
    assert power(EPSILON, 1, 2 * depth("signal runs") * 3 // 4) > 0.99


# The damage that was done

PLACES = ("a", "b", "c", "d", "e", "f")
SQL = "SELECT place, COUNT(*) AS n, SUM(value) AS s, AVG(value) AS m FROM people GROUP BY place"
TASKS = [
    task("formula", expression='s["a"] - s["b"] + 2 * s["c"]', low=-1e5, high=1e5),
    task("formula", expression='n["a"] / sum(n)', low=0, high=1),
    task("formula", expression='abs(m["a"] - m["b"])', low=0, high=100),
    task("above", column="n", a="a", b="b"),
    task("above", column="s", a="a", b="b", width=500),
    task("trend", column="s", order=PLACES),
    task("top_k", column="n", k=3),
    task("rank_agreement", column="s"),
    task("histogram_distance", column="n", reference=dict.fromkeys(PLACES, 25)),
    task("chi_square", column="n"),
]


DRAWS = 99  # of each signal; by default there are twice as many, and the largest covers more


def _places(people: random.Random) -> dict[str, list[float]]:
    near = people.choice((1, 5, 25))  # how much the places differ
    return {
        place: [people.randint(0, 60 + i * near // 4) for _ in range(people.randint(15, 20) + i * near // 5)]
        for i, place in enumerate(PLACES)
    }


def _datasets(people: random.Random, many: int) -> Iterator[Totals]:
    """The exact totals of so many datasets; fifty lie in one table, each with places of its own."""
    for start in range(0, many, 50):
        together = [_places(people) for _ in range(min(50, many - start))]
        named = {f"{n} {place}": values for n, one in enumerate(together) for place, values in one.items()}
        cells = question(SQL, VALUE, named)._bound.totals().cells
        for n in range(len(together)):
            yield Totals({(place,): cells[(f"{n} {place}",)] for place in PLACES})


def _without_noise(asked: sf.Query, exact: Totals) -> Table:
    steps = [number.step for number in asked.measurement.numbers]
    numbers = tuple(tuple(n * step for n, step in zip(cell, steps, strict=True)) for cell in exact.cells.values())
    return table_of(assemble.answer(asked.measurement, Noisy(tuple(exact.cells), numbers), None), asked.measurement)


@pytest.fixture(scope="module")
def covered() -> dict[sf.Task, tuple[int, int]]:
    """On each of many datasets, every task: how often the true damage was within the stated one, and in the bound."""
    people, found = random.Random(SEED), dict.fromkeys(TASKS, (0, 0))
    asked = question(SQL, VALUE, _places(people))
    choices = [asked.choose(stated_epsilon(epsilon)) for epsilon in (0.5, 2.0, 8.0)]
    certificates = {choice: asked.release(choice).certificate for choice in choices}
    for exact in _datasets(people, depth("signalled data")):
        choice, truth = people.choice(choices), _without_noise(asked, exact)
        answer = draw_answer(asked._bound, choice, exact)
        public = asked.statement, asked.measurement, answer, certificates[choice]
        fresh = redraw(*public, asked.dataset.services.mechanism, DRAWS)
        for made in TASKS:
            stated = prepare_task(made, asked.measurement, answer)
            signal = score_draws(stated, fresh)
            damage, least = abs(signal.score - stated.score([truth])), 1e-12 * signal.width
            bound = math.inf if signal.bound is None else signal.bound
            within, bounded = found[made]
            found[made] = within + (damage <= signal.damage + least), bounded + (damage <= bound + least)
    return found


@pytest.mark.depth("signalled data", seed=SEED)
@pytest.mark.parametrize("made", TASKS, ids=lambda made: made.name)
def test_what_is_stated_covers_the_damage_that_was_done(
    made: sf.Task, covered: dict[sf.Task, tuple[int, int]], record_property: Record
) -> None:
    (within, bounded), every = covered[made], depth("signalled data")
    verdict = f"damage within the stated one on {within} of {every} datasets, within its bound on {bounded}"
    print(made.name, verdict)
    record_property("verdict", verdict)
    assert most_rate(within, every) >= COVERED, verdict
    assert most_rate(bounded, every) >= COVERED, verdict
