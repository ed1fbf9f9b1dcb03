"""Noise ranges keep their word: 90 of 100 cover the truth, also of a single person and of means at a bound."""

from __future__ import annotations

import math
from itertools import islice
from statistics import pstdev, pvariance, stdev, variance
from typing import Any

import pytest

from sfumato.presentation import release_view
from sfumato.privacy.preferences.preference import epsilon as stated_epsilon
from tests.depth import depth
from tests.statistical.audit import least_rate, most_rate, question
from tests.statistical.bulk import draw_answers

pytestmark = pytest.mark.statistical

EPSILON = 1.0
COPIES = 25  # groups of each kind, each with noise of its own
HOURS = {"type": "integer", "bounds": [0, 100]}
KINDS = {
    f"{people} {where}": [values[i % len(values)] for i in range(people)]
    for people in (1, 3, 30, 300)
    for where, values in {"midway": [10, 33, 71], "near a bound": [99, 97], "at a bound": [100]}.items()
}
TRUTHS: dict[str, dict[str, float]] = {
    "COUNT(*)": {kind: len(values) for kind, values in KINDS.items()},
    "SUM(value)": {kind: sum(values) for kind, values in KINDS.items()},
    "AVG(value)": {kind: sum(values) / len(values) for kind, values in KINDS.items()},
    "VAR_POP(value)": {kind: pvariance(values) for kind, values in KINDS.items()},
    "STDDEV_POP(value)": {kind: pstdev(values) for kind, values in KINDS.items()},
    "VAR_SAMP(value)": {kind: variance(values) for kind, values in KINDS.items() if len(values) > 1},
    "STDDEV(value)": {kind: stdev(values) for kind, values in KINDS.items() if len(values) > 1},
}


LAWS: dict[str, dict[str, Any]] = {
    "laplace": {},
    "gaussian": {"mechanism": "gaussian", "delta": 1e-3},
    "truncated": {"mechanism": "truncated", "delta": 0.1},
}
ASKED = [(figure, law) for figure in TRUTHS for law in LAWS if law == "laplace" or "STDDEV" not in figure]


@pytest.mark.depth("coverage runs")
@pytest.mark.parametrize(("figure", "law"), ASKED)
def test_ranges_cover_the_truth(figure: str, law: str) -> None:
    """A share of 0.9 is believable for every kind of group; 1,500 runs tell it from 0.79 in all but 1 of 1e8 cases.

    The ranges of sums are no wider either. Counts are rounded and means have bounds, which may widen theirs; those of
    variances hold for three numbers at once, which is on the safe side. Of one person there is no sample variance.
    """
    for kind, hits in _covered(figure, law).items():
        assert most_rate(*hits) >= 0.9, f"{kind}: {hits[0]} of {hits[1]} ranges cover the truth"
        assert least_rate(*hits) <= 0.9 or figure != "SUM(value)", f"{kind}: {hits[0]} of {hits[1]} do"


@pytest.mark.depth("coverage runs")
@pytest.mark.parametrize("law", ["laplace", "gaussian"])
def test_ranges_of_groups_and_totals_cover_the_truth(law: str) -> None:
    """Of sums that are fitted to each other: nine groups and their total, no wider than they have to be."""
    values = KINDS["300 midway"]
    places = {f"place {i}": values[i::9] for i in range(9)}
    asked = question("SELECT place, SUM(value) FROM people GROUP BY ROLLUP(place)", HOURS, places)
    truths = [*map(sum, places.values()), sum(values)]
    hits, runs = [0] * len(truths), depth("coverage runs") // 4
    for answer in islice(draw_answers(asked, asked.choose(stated_epsilon(EPSILON), **LAWS[law])), runs):
        for i, (truth, intervals) in enumerate(zip(truths, answer.intervals or (), strict=True)):
            low, high = intervals[1] or (math.nan, math.nan)
            hits[i] += low <= truth <= high
    groups = sum(hits[:-1]), runs * (len(hits) - 1)
    for hit in (groups, (hits[-1], runs)):
        assert most_rate(*hit) >= 0.9, hit
        assert least_rate(*hit) <= 0.9, hit


SPREAD = {f"{people} people": [37 * i % 100 for i in range(people)] for people in (30, 1_000)}


@pytest.mark.depth("coverage runs")
def test_intervals_of_quantiles_cover_the_true_values() -> None:
    """Of values, from a histogram: of few people and of many, in the tails and in the middle; not all that there is."""
    places = {f"{kind}/{copy}": values for kind, values in SPREAD.items() for copy in range(COPIES)}
    at = {"0.1": 0.1, "0.5": 0.5, "0.9": 0.9}
    figures = ", ".join(f"APPROX_QUANTILE(value, {written})" for written in at)
    asked = question(f"SELECT place, {figures} FROM people GROUP BY place", HOURS, places)
    runs = math.ceil(depth("coverage runs") / (3 * COPIES))
    hits, widths = {(kind, q): 0 for kind in SPREAD for q in at}, dict.fromkeys(SPREAD, 0.0)
    for answer in islice(draw_answers(asked, asked.choose(stated_epsilon(EPSILON))), runs):
        for row, intervals in zip(answer.rows, answer.intervals or (), strict=True):
            kind = str(row[0]).split("/")[0]
            values = sorted(SPREAD[kind])
            for (written, q), interval in zip(at.items(), intervals[1:], strict=True):
                low, high = interval or (math.nan, math.nan)
                hits[kind, written] += low <= values[math.ceil(q * len(values)) - 1] <= high
                widths[kind] += (high - low) / (3 * runs * COPIES)
    for which, hit in hits.items():
        assert most_rate(hit, runs * COPIES) >= 0.9, f"{which}: {hit} of {runs * COPIES}"
    every = sum(hit for (kind, _), hit in hits.items() if kind == "1000 people")
    assert least_rate(every, 3 * runs * COPIES) <= 0.98, every
    assert widths["1000 people"] < 12, widths


FEW = {f"{people} at {value}": [value] * people for people in (1, 3) for value in (0, 100)}


@pytest.mark.depth("coverage runs")
@pytest.mark.parametrize("figure", ["COUNT(*)", "AVG(value)", "STDDEV_POP(value)"])
def test_printed_intervals_of_few_people_cover_the_truth(figure: str) -> None:
    """Limited to what is possible and rounded, as they are printed: each contains its figure, and 90% the truth.

    With noise far larger than the answers, half of which it takes beyond a bound; false alarms 2e-9 a kind of group.
    """
    places = {f"{kind}/{copy}": values for kind, values in FEW.items() for copy in range(COPIES)}
    asked = question(f"SELECT place, {figure} FROM people GROUP BY place", HOURS, places)
    truths = {kind: {"C": len(values), "A": values[0], "S": 0}[figure[0]] for kind, values in FEW.items()}
    runs, hits = math.ceil(depth("coverage runs") / COPIES), dict.fromkeys(FEW, 0)
    for answer in islice(draw_answers(asked, asked.choose(stated_epsilon(0.1))), runs):
        for place, *cells in release_view.cells(answer)[1]:
            value, low, high = (float(text.replace(",", "").replace("−", "-")) for text in _ends(*cells[:2]))
            assert low <= value <= high, f"{place}: {cells}"
            kind = place.split("/")[0]
            hits[kind] += low <= truths[kind] <= high
    for kind, hit in hits.items():
        assert most_rate(hit, runs * COPIES) >= 0.9, f"{kind}: {hit} of {runs * COPIES} printed intervals do"


def _ends(figure: str, interval: str) -> list[str]:
    return [figure, *interval.split(" to ")]


def _covered(figure: str, law: str) -> dict[str, tuple[int, int]]:
    """Per kind of group, how many ranges covered the truth, and of how many."""
    places = {f"{kind}/{copy}": values for kind, values in KINDS.items() for copy in range(COPIES)}
    asked = question(f"SELECT place, {figure} FROM people GROUP BY place", HOURS, places)
    runs = math.ceil(depth("coverage runs") / COPIES)
    hits = dict.fromkeys(TRUTHS[figure], 0)
    for answer in islice(draw_answers(asked, asked.choose(stated_epsilon(EPSILON), **LAWS[law])), runs):
        for row, intervals in zip(answer.rows, answer.intervals or (), strict=True):
            kind, (low, high) = str(row[0]).split("/")[0], intervals[1] or (math.nan, math.nan)
            if kind in hits:
                hits[kind] += low <= TRUTHS[figure][kind] <= high
    return {kind: (hit, runs * COPIES) for kind, hit in hits.items()}
