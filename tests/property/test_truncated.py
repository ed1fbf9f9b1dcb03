"""Truncated noise against its law, added up point by point: it has the delta claimed, and no shorter reach has."""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import Decimal, localcontext
from itertools import product

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from sfumato.model.calibration import NoiseLaw
from sfumato.privacy.accounting.zcdp import rho_pure
from sfumato.privacy.noise.intervals import reach, sum_tail
from sfumato.privacy.noise.truncated_laplace import (
    delta_of_each,
    delta_of_reach,
    epsilon_of_reach,
    quantile,
    reach_of,
    steps_of_reach,
)
from tests.depth import depth

EPSILONS = st.floats(0.05, 8)
DELTAS = st.floats(-9, math.log10(0.45)).map(lambda log: 10**log)
STEPS = st.integers(1, 40)
SENSITIVITIES = st.floats(1e-3, 1e6)
pytestmark = pytest.mark.depth("truncated noise")
drawn = settings(max_examples=depth("truncated noise"), deadline=None)


def exactly(epsilon: float, furthest: int, steps: int) -> Decimal:
    """`sum over k of (P(k) - e^eps Q(k))+`, P ~ r^|k| within the reach and Q the same moved, in 50 digits."""
    with localcontext() as context:
        context.prec = 50
        power, r = [Decimal(1)], (-Decimal(epsilon) / steps).exp()
        for _ in range(furthest):
            power.append(power[-1] * r)
        whole, factor = 2 * sum(power) - 1, Decimal(epsilon).exp()

        def at(k: int) -> Decimal:
            return power[abs(k)] if abs(k) <= furthest else Decimal(0)

        least = Decimal(10) ** -45  # what rounding leaves of points where nothing is
        each = (at(k) - factor * at(k - steps) for k in range(-furthest, furthest + 1))
        return sum((excess for excess in each if excess > least), Decimal(0)) / whole


@drawn
@given(EPSILONS, DELTAS, STEPS)
def test_the_delta_had_is_the_delta_claimed_and_a_step_less_would_exceed_it(
    epsilon: float, delta: float, steps: int
) -> None:
    furthest = steps_of_reach(epsilon, delta, steps)
    assume(furthest < 3000)
    assert furthest >= steps
    assert exactly(epsilon, furthest, steps) <= Decimal(delta) < exactly(epsilon, furthest - 1, steps)


@drawn
@given(EPSILONS, DELTAS, SENSITIVITIES)
def test_the_formula_has_exactly_its_delta(epsilon: float, delta: float, sensitivity: float) -> None:
    """Integrated by Simpson's rule: what is beyond the other's end, as nothing else is e^eps times as likely."""
    furthest, scale, panels = reach_of(epsilon, delta, sensitivity), sensitivity / epsilon, 200

    def density(x: float) -> float:
        return math.exp(-abs(x) / scale) / (2 * scale * -math.expm1(-furthest / scale)) if abs(x) <= furthest else 0.0

    width, start = sensitivity / panels, furthest - sensitivity
    inner = math.fsum((4 if i % 2 else 2) * density(start + i * width) for i in range(1, panels))
    integral = width / 3 * (density(start) + inner + density(min(furthest, start + sensitivity)))
    assert integral == pytest.approx(delta, rel=1e-6)
    assert delta_of_reach(furthest, epsilon, sensitivity) == pytest.approx(delta, rel=1e-9)
    for i in range(1, 200):
        x = -furthest + sensitivity + i * (2 * furthest - sensitivity) / 200  # where both are
        assert density(x) <= density(x - sensitivity) * math.exp(epsilon) * (1 + 1e-9)


@drawn
@given(st.floats(1e-2, 50), DELTAS, SENSITIVITIES)
def test_epsilon_and_reach_are_inverse(epsilon: float, delta: float, sensitivity: float) -> None:
    furthest = reach_of(epsilon, delta, sensitivity)
    assert sensitivity < furthest < sensitivity / (2 * delta)
    assert epsilon_of_reach(furthest, delta, sensitivity) == pytest.approx(epsilon, rel=1e-7)
    assert reach_of(epsilon * 1.01, delta, sensitivity) < furthest
    assert reach_of(epsilon, delta * 1.01, sensitivity) < furthest


@drawn
@given(st.floats(0.2, 4), DELTAS, st.integers(2, 6), st.data())
def test_in_several_cells_nobody_shows_more_often_than_in_one(
    epsilon: float, delta: float, steps: int, data: st.DataObject
) -> None:
    furthest = steps_of_reach(epsilon, delta, steps)
    assume(furthest < 60)
    here = data.draw(st.integers(0, steps))
    apart = hockey_stick(epsilon, [(epsilon / steps, furthest, here), (epsilon / steps, furthest, steps - here)])
    assert apart <= hockey_stick(epsilon, [(epsilon / steps, furthest, steps)]) * (1 + 1e-9)
    assert apart <= delta * (1 + 1e-9)


@drawn
@given(st.floats(0.5, 4), DELTAS, st.integers(1, 5), st.integers(1, 5))
def test_two_numbers_share_epsilon_and_delta(epsilon: float, delta: float, first: int, second: int) -> None:
    each = delta_of_each(delta, 2)
    reaches = [steps_of_reach(epsilon / 2, each, steps) for steps in (first, second)]
    assume(max(reaches) < 90)
    numbers = [(epsilon / 2 / steps, n, steps) for steps, n in zip((first, second), reaches, strict=True)]
    assert hockey_stick(epsilon, numbers) <= delta * (1 + 1e-9)


@drawn
@given(EPSILONS, DELTAS, st.integers(1, 30), st.floats(1.001, 100))
def test_but_for_delta_no_divergence_is_above_rho(epsilon: float, delta: float, steps: int, order: float) -> None:
    """Given that it lies where both are, which is as likely from either side (docs/theory/truncated.md)."""
    furthest = steps_of_reach(epsilon, delta, steps)
    assume(furthest < 2000)
    both = [(law(epsilon / steps, k), law(epsilon / steps, k - steps)) for k in range(steps - furthest, furthest + 1)]
    one, other = (math.fsum(side) for side in zip(*both, strict=True))
    assert one == pytest.approx(other, rel=1e-12)
    top = max(math.log(p / q) for p, q in both) * (order - 1)
    whole = math.fsum(p / one * math.exp((order - 1) * math.log(p / q) - top) for p, q in both)
    assert (math.log(whole) + top) / (order - 1) <= order * rho_pure(epsilon) * (1 + 1e-9)


@drawn
@given(st.floats(0.01, 0.99), st.floats(0.1, 10), st.floats(0.01, 1000))
def test_ranges_are_within_the_reach_and_within_those_of_laplace_noise(
    share: float, scale: float, furthest: float
) -> None:
    far = quantile(share, scale, furthest)
    assert 0 < far < furthest
    assert far <= reach(NoiseLaw.LAPLACE, scale, 1 - share) * (1 + 1e-12)
    assert math.expm1(-far / scale) / math.expm1(-furthest / scale) == pytest.approx(share, rel=1e-9)
    assert reach(NoiseLaw.TRUNCATED, scale, 1 - share, furthest) == pytest.approx(far)


@drawn
@given(st.floats(0.2, 5), st.floats(0.5, 3), st.floats(0.5, 3), st.floats(0, 8))
def test_sums_of_truncated_noise_lie_nearer_than_sums_of_laplace_noise(
    ratio: float, first: float, second: float, t: float
) -> None:
    """On a fine grid: what the ranges of means lean on (docs/theory/ranges.md)."""
    h = 1 / 16

    def points(scale: float, furthest: float) -> list[tuple[float, float]]:
        last = round(furthest / h)
        return [(k * h, law(h / scale, k)) for k in range(-last, last + 1)]

    a, b = points(1.0, first), points(ratio, second)
    whole = math.fsum(p for _, p in a) * math.fsum(q for _, q in b)
    beyond = math.fsum(p * q for (x, p), (y, q) in product(a, b) if abs(x + y) > t + h) / whole
    assert beyond <= sum_tail(t, 1.0, ratio) * (1 + 1e-9)


def law(rate: float, k: int) -> float:
    return math.exp(-rate * abs(k))


def hockey_stick(epsilon: float, numbers: Sequence[tuple[float, int, int]]) -> float:
    """Of independent numbers, each by its rate, reach and how far it is moved: `sum (P - e^eps Q)+`."""
    sides = []
    for rate, furthest, moved in numbers:
        points = range(-furthest, furthest + 1)
        whole = math.fsum(law(rate, k) for k in points)
        sides.append([(law(rate, k) / whole, law(rate, k - moved) / whole * (k - moved >= -furthest)) for k in points])
    return math.fsum(
        p - math.exp(epsilon) * q
        for p, q in ((math.prod(x for x, _ in at), math.prod(y for _, y in at)) for at in product(*sides))
        if p > math.exp(epsilon) * q * (1 + 1e-12)
    )
