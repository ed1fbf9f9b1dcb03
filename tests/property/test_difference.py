"""The noise of a difference, against the sums over both noises that it is computed without."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import accumulate

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from sfumato.model.calibration import NoiseLaw
from sfumato.privacy.noise.difference import AddedNoise, reach_apart, tail
from tests.depth import depth

FAR = 400  # steps: what lies further has a chance below 1e-10
SCALES = st.floats(0.2, 6)
STEPS = st.sampled_from([Fraction(1), Fraction(1, 2), Fraction(3, 2)])
NOISES = st.builds(AddedNoise, st.sampled_from([NoiseLaw.LAPLACE, NoiseLaw.GAUSSIAN]), st.floats(1, 8), STEPS)


def chances(noise: AddedNoise) -> list[float]:
    """The chance of each whole number of steps from -FAR to FAR, by the definition of the law on a grid."""
    scale = noise.scale / float(noise.step)
    if noise.law is NoiseLaw.GAUSSIAN:
        weights = [math.exp(-k * k / (2 * scale**2)) for k in range(-FAR, FAR + 1)]
    else:
        weights = [math.exp(-abs(k) / scale) for k in range(-FAR, FAR + 1)]
    furthest = noise.furthest / float(noise.step)
    kept = [weight if abs(k) <= furthest else 0.0 for k, weight in enumerate(weights, -FAR)]
    return [weight / sum(kept) for weight in kept]


def beyond(one: AddedNoise, other: AddedNoise, t: float) -> float:
    """`P(|X - Y| > t)`, summed up over all that both may be."""
    first, second = chances(one), chances(other)
    upto = [0.0, *accumulate(second)]
    found = 0.0
    for k, chance in enumerate(first, -FAR):
        middle = k * one.step
        low = math.ceil((float(middle) - t) / float(other.step) - 1e-9)
        high = math.floor((float(middle) + t) / float(other.step) + 1e-9)
        low, high = max(low, -FAR), min(high, FAR)
        inside = upto[high + FAR + 1] - upto[low + FAR] if low <= high else 0.0
        found += chance * (1 - inside)
    return found


def alone(noise: AddedNoise, miss: float) -> float:
    """The fewest steps beyond which one noise lies no more often than `miss`, in its own units."""
    inside = 0.0
    for steps, chance in enumerate(chances(noise)[FAR:]):
        inside += chance if steps == 0 else 2 * chance
        if inside >= 1 - miss:
            return steps * float(noise.step)
    raise AssertionError


@given(SCALES, SCALES, st.integers(0, 30))
@settings(max_examples=depth("differences"))
def test_the_tail_of_laplace_noise_on_one_grid_is_exact(a: float, b: float, n: int) -> None:
    one, other = (AddedNoise(NoiseLaw.LAPLACE, scale, Fraction(1)) for scale in (a, b))
    assert tail(n, a, b) == pytest.approx(beyond(one, other, n), rel=1e-6, abs=1e-12)


@given(st.floats(1e-4, 0.05), st.floats(1e-4, 0.05))
@example(0.0013497569597395321, 1e-4)  # e^(-1/a) has only a few bits left
@settings(max_examples=depth("differences"))
def test_noise_that_hardly_leaves_0_takes_figures_nowhere(a: float, b: float) -> None:
    one, other = (AddedNoise(NoiseLaw.LAPLACE, scale, Fraction(1)) for scale in (a, b))
    assert reach_apart(one, other) == 0


@given(st.floats(1, 1e6), st.floats(-9, -3), st.floats(0.1, 4))
@settings(max_examples=depth("differences"))
def test_scales_that_are_nearly_the_same_have_nearly_the_same_tail(a: float, apart: float, far: float) -> None:
    n = int(far * a)
    assert tail(n, a, a * (1 - 10**apart)) == pytest.approx(tail(n, a, a), rel=4 * 10**apart * (1 + far) + 1e-6)


@given(NOISES, NOISES, st.sampled_from([0.1, 0.05]))
@settings(max_examples=depth("differences"))
def test_noise_goes_beyond_its_reach_no_more_often_than_stated(one: AddedNoise, other: AddedNoise, miss: float) -> None:
    assert beyond(one, other, reach_apart(one, other, miss)) <= miss * (1 + 1e-9)


@given(st.floats(1, 8), st.floats(1, 8), st.sampled_from([0.1, 0.05]))
@settings(max_examples=depth("differences"))
def test_on_two_grids_it_holds_however_both_depend_on_each_other(a: float, b: float, miss: float) -> None:
    one, other = AddedNoise(NoiseLaw.LAPLACE, a, Fraction(1)), AddedNoise(NoiseLaw.LAPLACE, b, Fraction(1, 2))
    assert reach_apart(one, other, miss) >= alone(one, miss / 2) + alone(other, miss / 2)


@given(st.floats(1, 8), st.floats(1, 8), STEPS)
@settings(max_examples=depth("differences"))
def test_of_laplace_noise_on_one_grid_not_a_step_less_would_do(a: float, b: float, step: Fraction) -> None:
    one, other = (AddedNoise(NoiseLaw.LAPLACE, scale, step) for scale in (a, b))
    assert beyond(one, other, reach_apart(one, other) - float(step)) > 0.1


@given(st.floats(1, 6), st.floats(1, 6), st.integers(1, 12), st.integers(1, 12))
@settings(max_examples=depth("differences"))
def test_truncated_noise_stays_within_as_well_and_within_both_ends(a: float, b: float, m: int, n: int) -> None:
    one, other = AddedNoise(NoiseLaw.TRUNCATED, a, Fraction(1), m), AddedNoise(NoiseLaw.TRUNCATED, b, Fraction(1), n)
    reached = reach_apart(one, other)
    assert reached <= m + n
    assert beyond(one, other, reached) <= 0.1 * (1 + 1e-9)
