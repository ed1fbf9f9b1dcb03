"""Intervals of golden-2.json: of a count as it is printed, and of an average before it is paid for."""

from __future__ import annotations

import pytest

from sfumato.model.calibration import NoiseLaw
from sfumato.model.choice import Noise
from sfumato.privacy.noise.expected_interval import mean_interval
from sfumato.privacy.noise.intervals import printed_count
from sfumato.privacy.preferences.accuracy import smallest_epsilon, within
from sfumato.privacy.sensitivity import measure
from sfumato.schema.read import from_dict
from sfumato.sql.parser.statement import parse

SCALES, BOUNDS = (100.0, 2.0), (0.0, 100.0)  # of an average of values from 0 to 100 at epsilon 1, half of it for each


@pytest.mark.golden("printed_count")
@pytest.mark.parametrize(("noisy", "printed"), [(-30, (0, 0, 24)), (-3.2, (0, 0, 24)), (41.7, (18, 42, 65))])
def test_a_count_is_printed_within_its_interval(noisy: float, printed: tuple[int, int, int]) -> None:
    assert printed_count(noisy, 23.0259) == printed


@pytest.mark.golden("avg_before")
@pytest.mark.parametrize(
    ("mean", "low", "high"), [(50, 49.769739, 50.230261), (75, 74.743453, 75.257653), (100, 99.673884, 100)]
)
def test_the_interval_of_an_average_before_it_is_paid_for(mean: float, low: float, high: float) -> None:
    assert mean_interval(mean, 1000, SCALES, BOUNDS, NoiseLaw.LAPLACE) == pytest.approx((low, high), abs=1e-5)


@pytest.mark.golden("mta_avg")
@pytest.mark.parametrize(("error", "least"), [(1, 331), (5, 69)])
def test_the_smallest_count_for_an_error_of_an_average(error: float, least: int) -> None:
    schema = from_dict({"name": "t", "columns": {"v": {"type": "integer", "bounds": [0, 100]}}})
    measurement = measure(parse("SELECT AVG(v) FROM t", schema), schema)

    def epsilon(count: int) -> float:
        return smallest_epsilon(within(error, confidence=0.9, expected_count=count), Noise(), measurement)

    assert epsilon(least) <= 1 < epsilon(least - 1)
