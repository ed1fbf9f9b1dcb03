"""Intervals of computed columns as golden-2.json has them."""

from __future__ import annotations

import math
import random

import pytest

from sfumato.model.calibration import Drawing, NoiseLaw
from sfumato.privacy.noise.computed import ComputedColumns, each_miss
from sfumato.privacy.noise.intervals import reach
from sfumato.privacy.noise.ratio import NoisySum, ratio_range
from sfumato.privacy.noise.sums import reach_of_sum
from sfumato.privacy.sensitivity import measure
from sfumato.schema.read import from_dict
from sfumato.sql.parser.statement import parse

LAPLACE = NoiseLaw.LAPLACE


@pytest.mark.golden("sum_q90")
@pytest.mark.parametrize(
    ("scales", "q90"), [((1, 1), 3.2718121), ((1, 2), 5.1419334), ((1, 1, 1), 4.0104052), ((1, 2, 3), 8.6236050)]
)
def test_the_reach_of_a_sum_of_noises(scales: tuple[float, ...], q90: float) -> None:
    assert reach_of_sum(LAPLACE, scales) == pytest.approx(q90, abs=2e-4)


@pytest.mark.golden("sidak")
@pytest.mark.parametrize(
    ("k", "half"), [(1, 2.302585092994), (2, 2.969739005729), (3, 3.366488309682), (6, 4.0508939914)]
)
def test_several_numbers_at_once_reach_further(k: int, half: float) -> None:
    each = each_miss(0.1, [frozenset((i,)) for i in range(k)])
    assert reach(LAPLACE, 1.0, each) == pytest.approx(half, abs=1e-9)


@pytest.mark.golden("ratio_large")
@pytest.mark.golden("ratio_share")
@pytest.mark.golden("ratio_small")
@pytest.mark.golden("ratio_small_share")
@pytest.mark.golden("ratio_before")
@pytest.mark.parametrize(
    ("top", "bottom", "scale", "share", "interval"),
    [
        (120, 1000, 20, False, (0.073838956, 0.166614759)),
        (120, 1000, 20, True, (0.073838956, 0.166614759)),
        (5, 30, 20, False, None),
        (5, 30, 20, True, (0.0, 1.0)),
        (300, 1000, 10, True, (0.276182, 0.324129)),
    ],
)
def test_the_interval_of_a_ratio(
    top: float, bottom: float, scale: float, share: bool, interval: tuple[float, float] | None
) -> None:
    limits = (0.0, 1.0) if share else (-math.inf, math.inf)
    found = ratio_range(NoisySum(top, (scale, 0.0)), NoisySum(bottom, (0.0, scale)), LAPLACE, limits)
    assert found == (None if interval is None else pytest.approx(interval, abs=1e-6))


@pytest.mark.golden("simulated_max")
def test_the_box_covers_the_largest_of_several_numbers() -> None:
    """Noise around the noisy numbers covers the largest of 20 equal ones never; the box covers it, here of 5."""
    coins, count = random.Random(1), 5
    assert sum(_simulation_covers(coins) for _ in range(100)) <= 2
    counts = ", ".join(f"COUNT_IF(v = {i}) AS c{i}" for i in range(count))
    largest = " ".join(
        f"WHEN {' AND '.join(f'c{i} >= c{j}' for j in range(count) if i != j)} THEN c{i}" for i in range(count)
    )
    schema = from_dict({"name": "t", "columns": {"v": {"type": "integer"}}})
    measurement = measure(parse(f"SELECT {counts}, CASE {largest} END AS most FROM t", schema), schema)
    computed = measurement.columns[-1].computed
    assert computed is not None
    drawn = [Drawing(LAPLACE, 1.0, measurement.numbers[0].step, 1.0)] * count
    covered = 0
    for _ in range(100):
        cell = [100 + _laplace(coins) for _ in range(count)]
        low, high = ComputedColumns(measurement).interval(computed, {}, cell, drawn, max(cell)) or (0.0, 0.0)
        covered += low <= 100 <= high
    assert covered >= 90


def _simulation_covers(coins: random.Random) -> bool:
    cell = [100 + _laplace(coins) for _ in range(20)]
    around = sorted(max(noisy + _laplace(coins) for noisy in cell) for _ in range(200))
    return around[10] <= 100 <= around[189]


def _laplace(coins: random.Random) -> float:
    return coins.expovariate(1) - coins.expovariate(1)
