"""Gaussian noise against exact arithmetic: the delta had is never above the delta claimed, and no noise is wasted.

The tails are added up here in decimals of 80 digits, by a series that converges everywhere. The largest argument is
13, where a tail is above 1e-38: forty digits of it are right.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from decimal import Decimal, localcontext
from itertools import product

import pytest

from sfumato.privacy.noise.gaussian import (
    delta_at,
    epsilon_analytic,
    epsilon_classic,
    mu_analytic,
    mu_classic,
)
from tests.depth import depth

PI = Decimal("3.14159265358979323846264338327950288419716939937510582097494459230781640628620899863")


def exact_delta(epsilon: float, mu: float) -> Decimal:
    """`P(Z > eps/mu - mu/2) - e^eps P(Z > eps/mu + mu/2)`, of these very floats."""
    with localcontext() as context:
        context.prec = 80
        e, m = Decimal(epsilon), Decimal(mu)
        return tail(e / m - m / 2) - e.exp() * tail(e / m + m / 2)


def tail(x: Decimal) -> Decimal:
    """P(Z > x) = 1/2 - phi(x) (x + x^3/3 + x^5/(3 5) + ...)."""
    added = total = x
    n = 1
    while abs(added) > Decimal("1e-78"):
        n += 2
        added *= x * x / n
        total += added
    return Decimal("0.5") - total * (-x * x / 2).exp() / (2 * PI).sqrt()


def grid() -> Iterator[tuple[float, float]]:
    """Pairs of epsilon, from 1e-4 to 50, and delta, from 1e-15 to 0.3."""
    side = depth("gaussian grid")
    epsilons, deltas = (
        [low * (high / low) ** (i / (side - 1)) for i in range(side)] for low, high in ((1e-4, 50), (1e-15, 0.3))
    )
    return product(epsilons, deltas)


@pytest.mark.parametrize(
    ("epsilon", "delta", "analytic", "classic"),
    [
        (1, 1e-5, 3.7306316348159365, 4.844805262605389),
        (0.5, 1e-5, 7.031826675582481, 9.689610525210778),
        (2, 1e-6, 2.2304762711864217, 2.649401263425237),
        (10, 1e-5, 0.4998886197090088, 0.4844805262605389),
        (0.1, 1e-6, 36.304690426196295, 52.988025268504735),
    ],
)
def test_golden_sigmas(epsilon: float, delta: float, analytic: float, classic: float) -> None:
    assert 1 / mu_analytic(epsilon, delta) == pytest.approx(analytic, rel=1e-8)
    assert 1 / mu_classic(epsilon, delta) == pytest.approx(classic, rel=1e-12)
    assert epsilon_analytic(1 / analytic, delta) == pytest.approx(epsilon, rel=1e-8)
    assert epsilon_classic(1 / classic, delta) == pytest.approx(epsilon, rel=1e-12)


@pytest.mark.parametrize(
    ("sigma", "epsilon"),
    [
        (3.042434922296655, 1.8658662696646606),
        (1.2420688558751654, 4.874632756667313),
        (0.040923782599476086 / 0.0030097355732317805, 0.389406349531672),
        (1.1338934190276817, 5.385385415156745),
        (0.4629100498862757, 14.833717008622788),
        (0.5773502691896257, 11.474514055699396),
        (0.2581988897471611, 30.16393415451746),
        (0.10540925533894598, 101.21650763779486),
        (0.05006261743217589, 318.6218134062345),
        (0.020437977982832197, 1489.9850957674066),
    ],
)
def test_golden_epsilons(sigma: float, epsilon: float) -> None:
    """Of the papers' five queries, at delta 1 / 32561^2."""
    assert epsilon_analytic(1 / sigma, 1 / 32561**2) == pytest.approx(epsilon, rel=1e-9)


@pytest.mark.depth("gaussian grid")
def test_the_delta_had_is_never_above_the_delta_claimed() -> None:
    """And a mu larger by a millionth would be too large."""
    for epsilon, delta in grid():
        mu = mu_analytic(epsilon, delta)
        assert exact_delta(epsilon, mu) <= Decimal(delta), (epsilon, delta)
        assert exact_delta(epsilon, mu * (1 + 1e-6)) > Decimal(delta), (epsilon, delta)


def test_the_epsilon_claimed_is_never_below_the_epsilon_had() -> None:
    for mu, delta in product((1e-4, 0.01, 0.3, 1.0, 4.0, 8.0), (1e-15, 1e-9, 1e-5, 0.01, 0.3)):
        epsilon = epsilon_analytic(mu, delta)
        assert exact_delta(epsilon, mu) <= Decimal(delta)
        assert epsilon == 0 or exact_delta(epsilon * (1 - 1e-6), mu) > Decimal(delta)


def test_a_delta_in_floats_is_never_below_the_exact_one() -> None:
    for epsilon, mu in product((0.0, 1e-9, 1e-4, 0.3, 1.0, 7.0, 50.0), (1e-6, 1e-3, 0.1, 1.0, 3.0, 9.0)):
        if epsilon / mu + mu / 2 < 13:
            assert exact_delta(epsilon, mu) <= Decimal(delta_at(epsilon, mu))


def test_noise_of_next_to_nothing_has_an_epsilon_all_the_same() -> None:
    """Infinity where no float is so large; never 0."""
    for mu in (1e3, 1e100, 1e154):
        assert mu**2 / 2 < epsilon_analytic(mu, 1e-9) < math.inf
    assert epsilon_analytic(1e155, 1e-9) == epsilon_analytic(1e300, 1e-9) == math.inf


@pytest.mark.parametrize(
    ("delta", "last"), [(1e-5, 8.42), (1e-6, 8.79), (1 / 32561**2, 9.63), (0.05, 6.1)], ids=lambda x: f"{x:g}"
)
def test_where_the_classic_formula_budgets_holding(delta: float, last: float) -> None:
    """Its proof needs epsilon < 1; what it promises holds a little longer (docs/theory/gaussian.md)."""
    below, above = last - 0.01, last + 0.01
    assert exact_delta(below, mu_classic(below, delta)) <= Decimal(delta)
    assert exact_delta(above, mu_classic(above, delta)) > Decimal(delta)


@pytest.mark.parametrize(
    ("epsilon", "delta", "times"), [(10, 1e-5, 2.265374364793421), (20, 1e-5, 153), (10, 1 / 32561**2, 1.22)]
)
def test_by_how_much_the_classic_formula_fails(epsilon: float, delta: float, times: float) -> None:
    assert float(exact_delta(epsilon, mu_classic(epsilon, delta))) / delta == pytest.approx(times, rel=5e-3)


@pytest.mark.parametrize(("epsilon", "mu"), [(1.0, 0.268), (0.1, 0.0275), (10.0, 2.0), (0.001, 0.9), (50.0, 6.5)])
def test_the_series_agrees_with_the_integral(epsilon: float, mu: float) -> None:
    """The hockey stick itself: the integral of `(p - e^eps q)+`, where nothing cancels, by Simpson's rule."""
    start, steps = epsilon / mu - mu / 2, 20_000
    end = max(start, 0.0) + 12
    width = (end - start) / steps

    def height(i: int) -> float:
        z = start + i * width
        return math.exp(-z * z / 2) / math.sqrt(2 * math.pi) * -math.expm1(mu * (start - z))

    weights = (1 if i in (0, steps) else 4 if i % 2 else 2 for i in range(steps + 1))
    integral = width / 3 * math.fsum(weight * height(i) for i, weight in enumerate(weights))
    assert float(exact_delta(epsilon, mu)) == pytest.approx(integral, rel=1e-11)
