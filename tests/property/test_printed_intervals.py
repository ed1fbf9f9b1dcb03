"""A printed interval contains its figure, and nothing that noise explains is lost by limiting and rounding it."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction
from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.model.choice import Noise
from sfumato.model.measurement import Measurement
from sfumato.presentation.wording.numbers import percent, percent_stated, percent_up, rounded_figure
from sfumato.privacy.noise.calibration import calibrate
from sfumato.privacy.noise.intervals import printed_count
from sfumato.privacy.sensitivity import measure
from sfumato.release.answer import answer
from sfumato.release.noise import Noisy
from sfumato.schema.read import from_dict
from sfumato.sql.parser.statement import parse

NOISY = st.floats(-1e6, 1e6)
HALVES = st.floats(0, 1e6)
COMPOSED = ("AVG", "VAR_POP", "VAR_SAMP", "STDDEV_POP", "STDDEV")


@given(noisy=NOISY, half=HALVES)
def test_a_count_lies_in_its_interval_which_reaches_as_far_as_the_noise(noisy: float, half: float) -> None:
    low, figure, high = printed_count(noisy, half)
    assert 0 <= low <= figure <= high
    assert high >= max(0.0, noisy) + half, "also where noise has taken it below 0: 0 to 0 would promise too much"


@given(noisy=NOISY, half=HALVES, true=st.integers(0, 10**6))
def test_limiting_a_count_moves_it_no_further_from_a_truth_that_is_possible(
    noisy: float, half: float, true: int
) -> None:
    assert abs(max(0.0, noisy) - true) <= abs(noisy - true)
    low, _, high = printed_count(noisy, half)
    if abs(noisy - true) <= half:
        assert low <= true <= high


@cache
def measured(figure: str) -> Measurement:
    schema = from_dict({"name": "t", "columns": {"value": {"type": "number", "bounds": [0, 500]}}})
    return measure(parse(f"SELECT {figure}(value) FROM t", schema), schema)


@pytest.mark.parametrize("figure", COMPOSED)
@given(data=st.data(), epsilon=st.sampled_from([0.01, 0.5, 10.0]))
def test_what_is_computed_from_several_numbers_lies_in_its_interval(
    figure: str, data: st.DataObject, epsilon: float
) -> None:
    """Whatever was drawn: a count below 0, a sum beyond all bounds."""
    measurement = measured(figure)
    count = data.draw(st.floats(-1e4, 1e4))
    others = [data.draw(st.floats(-1, 1)) * 1e3 * float(n.sensitivity) for n in measurement.numbers[:-1]]
    drawn = calibrate(measurement, Noise(), epsilon, 10.0)
    released = answer(measurement, Noisy(((),), (tuple(map(Fraction, (*others, count))),)), drawn)
    [[value]], [[interval]] = released.rows, released.intervals or ()
    assert interval is not None
    assert interval[0] <= float(str(value)) <= interval[1]


@given(low=NOISY, widths=st.tuples(HALVES, HALVES), whole=st.booleans())
def testrounded_it_still_contains_its_figure_and_all_that_it_had(
    low: float, widths: tuple[float, float], whole: bool
) -> None:
    value: float = math.floor(low + widths[0]) if whole else low + widths[0]
    interval = (min(low, value), max(value, value + widths[1]))
    figure, printed = rounded_figure(value, interval)
    below, above = (_read(end) for end in printed.split(" to "))
    assert below <= _read(figure) <= above
    if interval[0] < interval[1]:
        assert below <= Decimal(interval[0])
        assert above >= Decimal(interval[1])


@given(share=st.floats(0, 1, exclude_max=True))
def test_a_probability_below_1_is_never_100_percent(share: float) -> None:
    for written in (percent(share), percent_up(share), percent_up(share, 1), percent_stated(share)):
        assert not written.startswith("100"), written


def _read(text: str) -> Decimal:
    return Decimal(text.replace(",", "").replace("−", "-"))
