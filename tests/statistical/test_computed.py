"""Intervals of computed columns keep their word: 90% cover the truth, by each of the rules."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import islice

import pytest

from sfumato.privacy.preferences.preference import epsilon as stated_epsilon
from tests.depth import depth
from tests.statistical.audit import most_rate, question
from tests.statistical.bulk import draw_answers

pytestmark = pytest.mark.statistical

COPIES = 25  # groups of each kind, each with noise of its own
HOURS = {"type": "integer", "bounds": [0, 100]}
KINDS = {"many": [10, 33, 71, 99] * 30, "few": [99, 97, 40]}
Truth = Callable[[Sequence[int]], float]


def _many(values: Sequence[int]) -> int:
    return sum(value > 50 for value in values)


COLUMNS: dict[str, tuple[str, Truth]] = {
    "a sum": ("COUNT(*) - 2 * COUNT_IF(value > 50)", lambda v: len(v) - 2 * _many(v)),
    "a percentage": ("100.0 * COUNT(*) FILTER (WHERE value > 50) / COUNT(*)", lambda v: 100 * _many(v) / len(v)),
    "a share that has its whole": ("(COUNT(*) - COUNT_IF(value > 50)) / COUNT(*)", lambda v: 1 - _many(v) / len(v)),
    "a ratio": ("COUNT(*) / COUNT_IF(value > 90)", lambda v: len(v) / sum(value > 90 for value in v)),
    "one function": ("ABS(AVG(value) - 60)", lambda v: abs(sum(v) / len(v) - 60)),
    "the larger": (
        "CASE WHEN COUNT_IF(value > 50) > COUNT_IF(value <= 50) THEN COUNT_IF(value > 50) "
        "ELSE COUNT_IF(value <= 50) END",
        lambda v: max(_many(v), len(v) - _many(v)),
    ),
}


@pytest.mark.depth("computed runs")
def test_intervals_of_computed_columns_cover_the_truth() -> None:
    """Each is at least 0.9 for every kind of group; a false alarm comes once in 1e8 runs."""
    places = {f"{kind}/{copy}": values for kind, values in KINDS.items() for copy in range(COPIES)}
    columns = ", ".join(f'{sql} AS "{name}"' for name, (sql, _) in COLUMNS.items())
    asked = question(f"SELECT place, {columns} FROM people GROUP BY place", HOURS, places)
    runs = math.ceil(depth("computed runs") / COPIES)
    hits = dict.fromkeys(((kind, name) for kind in KINDS for name in COLUMNS), 0)
    for answer in islice(draw_answers(asked, asked.choose(stated_epsilon(2.0))), runs):
        for row, intervals in zip(answer.rows, answer.intervals or (), strict=True):
            kind = str(row[0]).split("/")[0]
            for name, figure, interval in zip(COLUMNS, row[1:], intervals[1:], strict=True):
                truth = COLUMNS[name][1](KINDS[kind])
                hits[kind, name] += interval is None or interval[0] - 1e-9 <= truth <= interval[1] + 1e-9
                assert interval is None or (isinstance(figure, int | float) and interval[0] <= figure <= interval[1])
    for (kind, name), hit in hits.items():
        assert most_rate(hit, runs * COPIES) >= 0.9, f"{name}, {kind}: {hit} of {runs * COPIES} intervals do"


WARDS = {"small": [10, 99] * 10, "middle": [33, 60, 71] * 20, "large": [5, 40, 52, 90] * 60}
Shares = Callable[[Sequence[int], Sequence[int], Sequence[int]], float]
SHARES: dict[str, tuple[str, Shares]] = {
    "a share of all": ("COUNT(*) / SUM(COUNT(*)) OVER ()", lambda own, _ward, every: len(own) / len(every)),
    "a part of all": (
        "100.0 * COUNT_IF(value > 60) / SUM(COUNT(*)) OVER ()",
        lambda own, _ward, every: 100 * sum(value > 60 for value in own) / len(every),
    ),
    "a share of a sum": ("SUM(value) / SUM(SUM(value)) OVER ()", lambda own, _ward, every: sum(own) / sum(every)),
    "less than all": ("SUM(COUNT(*)) OVER () - 2 * COUNT(*)", lambda own, _ward, every: len(every) - 2 * len(own)),
    "all": ("SUM(COUNT(*)) OVER ()", lambda _own, _ward, every: len(every)),
    "a share of its ward": (
        "COUNT(*) / SUM(COUNT(*)) OVER (PARTITION BY place)",
        lambda own, ward, _every: len(own) / len(ward),
    ),
    "all of its ward": ("SUM(SUM(value)) OVER (PARTITION BY place)", lambda _own, ward, _every: sum(ward)),
}


@pytest.mark.depth("computed runs")
def test_intervals_beside_all_groups_cover_the_truth() -> None:
    """Each is at least 0.9 for every group, in few groups, which share noise; a false alarm comes once in 1e7 runs."""
    every = [value for values in WARDS.values() for value in values]
    columns = ", ".join(f'{sql} AS "{name}"' for name, (sql, _) in SHARES.items())
    asked = question(f"SELECT place, value > 50 AS high, {columns} FROM people GROUP BY place, high", HOURS, WARDS)
    runs = math.ceil(depth("computed runs") / 2)
    groups = [(place, high) for place in WARDS for high in (False, True)]
    hits = dict.fromkeys(((group, name) for group in groups for name in SHARES), 0)
    for answer in islice(draw_answers(asked, asked.choose(stated_epsilon(2.0))), runs):
        for (place, high, *_), (_, _, *intervals) in zip(answer.rows, answer.intervals or (), strict=True):
            ward = WARDS[str(place)]
            own = [value for value in ward if (value > 50) is high]
            for name, interval in zip(SHARES, intervals, strict=True):
                truth = SHARES[name][1](own, ward, every)
                hits[(str(place), bool(high)), name] += interval is None or (
                    interval[0] - 1e-9 <= truth <= interval[1] + 1e-9
                )
    for (group, name), hit in hits.items():
        assert most_rate(hit, runs) >= 0.9, f"{name}, {group}: {hit} of {runs} intervals do"
