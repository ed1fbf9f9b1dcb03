"""Intervals of correlations, covariances and regression lines keep their word."""

from __future__ import annotations

import math
import random
import statistics
from itertools import islice

import pytest

from sfumato.privacy.preferences.preference import epsilon as stated_epsilon
from tests.depth import depth
from tests.statistical.audit import most_rate, question
from tests.statistical.bulk import draw_answers

pytestmark = pytest.mark.statistical

COPIES = 25  # groups of each kind, each with noise of its own
KINDS = {"alike": 400, "hardly": 12}  # people


@pytest.mark.depth("computed runs")
def test_intervals_of_pairs_cover_the_truth() -> None:
    """Each is at least 0.9 for both kinds of group, and most groups of many people have one.

    A false alarm comes once in 1e8 runs.
    """
    coins = random.Random(7)
    values = {kind: [coins.choice((5, 30, 60, 95)) for _ in range(many)] for kind, many in KINDS.items()}
    places = {f"{kind}/{copy}": own for kind, own in values.items() for copy in range(COPIES)}
    square = "(value * value / 100)"
    names = ("CORR", "COVAR_POP", "COVAR_SAMP", "REGR_SLOPE", "REGR_INTERCEPT", "REGR_R2")
    columns = ", ".join(f"{name}({square}, value) AS {name}" for name in names)
    number = {"type": "integer", "bounds": [0, 100]}
    asked = question(f"SELECT place, {columns} FROM people GROUP BY place", number, places)
    truths = {}
    for kind, own in values.items():
        squares = [v * v / 100 for v in own]
        r, line = statistics.correlation(squares, own), statistics.linear_regression(own, squares)
        covariance = statistics.covariance(squares, own)
        of_all = covariance * (len(own) - 1) / len(own)
        truths[kind] = (r, of_all, covariance, line.slope, line.intercept, r**2)
    runs = math.ceil(depth("computed runs") / COPIES)
    hits = dict.fromkeys(((kind, name) for kind in KINDS for name in names), 0)
    there = dict.fromkeys(hits, 0)
    for answer in islice(draw_answers(asked, asked.choose(stated_epsilon(4.0))), runs):
        for row, intervals in zip(answer.rows, answer.intervals or (), strict=True):
            kind = str(row[0]).split("/")[0]
            for name, truth, figure, interval in zip(names, truths[kind], row[1:], intervals[1:], strict=True):
                hits[kind, name] += interval is None or interval[0] - 1e-6 <= truth <= interval[1] + 1e-6
                there[kind, name] += interval is not None
                assert interval is None or (isinstance(figure, int | float) and interval[0] <= figure <= interval[1])
    for (kind, name), hit in hits.items():
        assert most_rate(hit, runs * COPIES) >= 0.9, f"{name}, {kind}: {hit} of {runs * COPIES} intervals do"
        assert kind != "alike" or there[kind, name] > runs * COPIES * 0.5, f"{name}: {there[kind, name]}"
