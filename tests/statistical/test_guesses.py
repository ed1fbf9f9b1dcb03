"""Guesses at real releases: right as often as the average says; and answers that keep the error they promise."""

from __future__ import annotations

import math
import random
from itertools import islice
from typing import Any

import pandas as pd
import pytest

import sfumato as sf
from sfumato.privacy.preferences.preference import epsilon as stated_epsilon
from sfumato.privacy.risk.guessing import average_chance_on_lattice
from tests.depth import depth
from tests.statistical.audit import least_rate, most_rate
from tests.statistical.bulk import draw_answers

pytestmark = pytest.mark.statistical

SIRD = ["S", "I", "R", "D"]
VILLAGES = [f"village {i}" for i in range(40)]
OTHERS = 60  # in each state of each village, so that no noise of this width makes a count 0
SEED = 20240301  # of the guesser's coin; the noise has none
NOISES: list[dict[str, Any]] = [{}, {"mechanism": "gaussian", "delta": 1e-4}]


def villages(relation: str) -> sf.Query:
    """In each village there is one person of whom nothing is known, and there are others of whom all is."""
    rows = [(v, s) for v in VILLAGES for s in SIRD for _ in range(OTHERS)]
    rows += [(v, SIRD[i % 4]) for i, v in enumerate(VILLAGES)]
    columns = {"village": {"categories": VILLAGES}, "state": {"categories": SIRD}}
    schema = {"name": "people", "relation": relation, "columns": columns}
    people = sf.open(pd.DataFrame(rows, columns=["village", "state"]), schema, ledger=":memory:")
    return people.query("SELECT village, state, COUNT(*) FROM people GROUP BY village, state")


@pytest.mark.depth("guess runs", seed=SEED)
@pytest.mark.parametrize(("epsilon", "relation"), [(1.0, "add-remove"), (2.0, "replace"), (2.0, "add-remove")])
def test_the_best_guess_is_right_as_often_as_the_average_says(epsilon: float, relation: str) -> None:
    """The state whose noisy count came out most above the others' is guessed; of several alike, any.

    What is guessed from are the noisy numbers, before counts are rounded: from these a guess is right less often.
    False alarms 4e-9 a case, and another bar's worth of noise is seen.
    """
    coin, query, right = random.Random(SEED), villages(relation), 0
    runs = math.ceil(depth("guess runs") / len(VILLAGES))
    for answer in islice(draw_answers(query, query.choose(stated_epsilon(epsilon))), runs):
        found: dict[object, list[tuple[float, float, object]]] = {}
        for (village, state, _), (noisy,) in zip(answer.rows, answer.numbers, strict=True):
            found.setdefault(village, []).append((max(0.0, min(1.0, noisy - OTHERS)), coin.random(), state))
        right += sum(max(found[v])[2] == SIRD[i % 4] for i, v in enumerate(VILLAGES))
    per_bar = epsilon if relation == "add-remove" else epsilon / 2
    average, trials = average_chance_on_lattice(per_bar, 4, 1024), runs * len(VILLAGES)
    assert least_rate(right, trials) <= average <= most_rate(right, trials), f"{right} of {trials}, not {average:.4f}"


# The error that an answer promises, as often as it promises it

AGES = [20, 35, 50, 65, 80] * 12
WITHIN = {
    "COUNT(*)": sf.within(0.9, confidence=0.8),
    "SUM(age)": sf.within(250, confidence=0.8),
    "AVG(age)": sf.within(8, confidence=0.8, expected_count=60),
    "COUNT(*), AVG(age)": sf.within(8, confidence=0.8, expected_count=60),
}


@pytest.mark.depth("within runs")
@pytest.mark.parametrize("noise", NOISES, ids=["laplace", "gaussian"])
@pytest.mark.parametrize("figures", WITHIN)
def test_answers_keep_the_error_they_promise(figures: str, noise: dict[str, Any]) -> None:
    """All figures of all groups together, 80 times of 100; false alarms 2e-9 a case."""
    rows = [(place, age) for place in "abc" for age in AGES]
    columns = {"place": {"categories": list("abc")}, "age": {"type": "integer", "bounds": [0, 100]}}
    people = sf.open(pd.DataFrame(rows, columns=["place", "age"]), {"name": "t", "columns": columns}, ledger=":memory:")
    query = people.query(f"SELECT place, {figures} FROM t GROUP BY place")
    stated = WITHIN[figures]
    chosen = query.choose(stated, **noise, epsilon_max=100)
    truth = [{"COUNT(*)": 60, "SUM(age)": sum(AGES), "AVG(age)": sum(AGES) / 60}[f] for f in figures.split(", ")]
    runs, kept = depth("within runs"), 0
    for answer in islice(draw_answers(query, chosen), runs):
        off = [abs(float(f) - t) for row in answer.rows for f, t in zip(row[1:], truth, strict=True)]  # type: ignore[arg-type]
        kept += max(off) <= stated.error
    assert most_rate(kept, runs) >= 0.8, f"{kept} of {runs} answers"
    if figures == "SUM(age)":
        assert least_rate(kept, runs) <= 0.8, f"{kept} of {runs} answers: epsilon is larger than it need be"
