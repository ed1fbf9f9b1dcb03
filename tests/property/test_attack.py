"""What an attacker may know after a release: monotone, consistent, and never worse than a coin.

See docs/theory/attack.md.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.privacy.risk.membership import (
    attack_chance,
    attack_chance_gaussian,
    attack_chance_laplace,
    epsilon_for_attack_chance,
    mu_for_attack_chance,
    posterior_quantile_gaussian,
    roc,
    roc_gaussian,
    roc_laplace,
    worst_posterior,
)
from tests.property.tables import examples

Chance = Callable[[float, float, float], float]
Curve = Callable[[float, float], float]

LOSSES = st.floats(1e-6, 30)
PRIORS = st.floats(0.001, 0.999)
RATES = st.floats(0, 1)
DELTAS = st.sampled_from([0.0, 1e-9, 1e-3, 0.1])
RATES_IN_ORDER = [i / 2000 for i in range(2001)]
NEARLY = 1e-12  # what floats may be off by

pytestmark = pytest.mark.depth("attacks")
each_chance = pytest.mark.parametrize("chance", [attack_chance_laplace, attack_chance_gaussian])
each_curve = pytest.mark.parametrize("curve", [roc_laplace, roc_gaussian, roc])


@each_chance
@examples("attacks")
@given(losses=st.tuples(LOSSES, LOSSES), exposure=st.floats(0, 1), prior=PRIORS)
def test_more_epsilon_never_helps_the_attacker_less(
    chance: Chance, losses: tuple[float, float], exposure: float, prior: float
) -> None:
    less, more = sorted(losses)
    assert max(prior, 1 - prior) <= chance(less, exposure, prior) + NEARLY
    assert chance(less, exposure, prior) <= chance(more, exposure, prior) + NEARLY
    assert chance(more, exposure, prior) <= chance(more, 1, prior) + NEARLY
    assert chance(more, exposure, prior) == pytest.approx(chance(more, exposure, 1 - prior), rel=1e-9)


@examples("attacks")
@given(losses=st.tuples(LOSSES, LOSSES), delta=DELTAS, prior=PRIORS)
def test_nor_of_any_mechanism(losses: tuple[float, float], delta: float, prior: float) -> None:
    less, more = sorted(losses)
    assert attack_chance(less, delta, prior) <= attack_chance(more, delta, prior) + NEARLY
    assert attack_chance(less, 0, prior) <= attack_chance(less, delta, prior) + NEARLY
    assert attack_chance_laplace(less, 1, prior) <= attack_chance(less, 0, prior) + NEARLY
    assert worst_posterior(less, 1, prior) <= worst_posterior(more, 1, prior) + NEARLY


@each_curve
@examples("attacks")
@given(losses=st.tuples(LOSSES, LOSSES))
def test_the_curve_rises_above_the_diagonal_and_bends_downwards(curve: Curve, losses: tuple[float, float]) -> None:
    less, more = sorted(losses)
    hits = [curve(less, rate) for rate in RATES_IN_ORDER]
    assert (hits[0], hits[-1]) == (0, 1)
    assert all(hit + NEARLY >= rate for hit, rate in zip(hits, RATES_IN_ORDER, strict=True))
    assert all(a <= b + NEARLY for a, b in pairwise(hits))
    assert all(hit <= curve(more, rate) + NEARLY for hit, rate in zip(hits, RATES_IN_ORDER, strict=True))
    assert all(a + c <= 2 * b + NEARLY for a, b, c in zip(hits, hits[1:], hits[2:], strict=False))


@examples("attacks")
@given(loss=LOSSES, rate=RATES, delta=DELTAS)
def test_no_mechanism_is_above_the_curve_of_any(loss: float, rate: float, delta: float) -> None:
    assert roc_laplace(loss, rate) <= roc(loss, rate, delta) + NEARLY
    assert roc(loss, rate) <= roc(loss, rate, delta) + NEARLY


@pytest.mark.parametrize(
    ("curve", "chance"), [(roc_laplace, attack_chance_laplace), (roc_gaussian, attack_chance_gaussian)]
)
@examples("attacks")
@given(loss=st.floats(0.01, 5), prior=PRIORS)
def test_the_chance_is_the_best_point_of_the_curve(curve: Curve, chance: Chance, loss: float, prior: float) -> None:
    best = max(prior * curve(loss, rate) + (1 - prior) * (1 - rate) for rate in RATES_IN_ORDER)
    assert best <= chance(loss, 1, prior) + NEARLY
    assert best == pytest.approx(chance(loss, 1, prior), abs=2e-3)


@examples("attacks")
@given(loss=st.floats(0.01, 5), prior=PRIORS, delta=DELTAS)
def test_so_it_is_for_any_mechanism(loss: float, prior: float, delta: float) -> None:
    best = max(prior * roc(loss, rate, delta) + (1 - prior) * (1 - rate) for rate in RATES_IN_ORDER)
    assert best <= attack_chance(loss, delta, prior) + NEARLY
    assert best == pytest.approx(attack_chance(loss, delta, prior), abs=2e-3)


@examples("attacks")
@given(loss=st.floats(1e-3, 20), delta=DELTAS)
def test_a_chance_and_its_epsilon_are_inverse(loss: float, delta: float) -> None:
    assert epsilon_for_attack_chance(attack_chance(loss, delta), delta) == pytest.approx(loss, rel=1e-6)


@examples("attacks")
@given(mu=st.floats(1e-3, 8))
def test_a_chance_and_its_mu_are_inverse(mu: float) -> None:
    assert mu_for_attack_chance(attack_chance_gaussian(mu, 1)) == pytest.approx(mu, rel=1e-6)


@examples("attacks")
@given(mu=st.floats(1e-3, 5), prior=PRIORS, share=st.floats(0.01, 0.99))
def test_the_posterior_quantile_is_where_so_many_releases_stay_below(mu: float, prior: float, share: float) -> None:
    """With the person in, the output is mu + Z and the log odds grow by mu times that, less mu^2 / 2."""
    posterior = posterior_quantile_gaussian(mu, 1, prior, share)
    z = (math.log(posterior / (1 - posterior)) - math.log(prior / (1 - prior)) - mu * mu / 2) / mu
    assert math.erfc(-z / math.sqrt(2)) / 2 == pytest.approx(share, abs=1e-6)


@examples("attacks")
@given(parts=st.tuples(st.floats(0.05, 4), st.floats(0.05, 4)), rate=st.floats(0.01, 0.99))
def test_two_numbers_tell_no_more_than_one_that_is_moved_as_far_as_both(
    parts: tuple[float, float], rate: float
) -> None:
    """The curve of two Laplace numbers, from all outputs in the order of their odds; cells of a grid tell less."""
    cells = sorted(
        ((p * q, a * b) for p, a in _cells(parts[0]) for q, b in _cells(parts[1])), key=lambda cell: -cell[0] / cell[1]
    )
    alarms = hits = 0.0
    for present, absent in cells:
        if alarms + absent > rate:
            hits += present * (rate - alarms) / absent
            break
        alarms, hits = alarms + absent, hits + present
    assert hits <= roc_laplace(sum(parts), rate) + 1e-9
    assert hits >= roc_laplace(max(parts), rate) - 0.01


def _cells(moved: float, many: int = 40) -> list[tuple[float, float]]:
    """The probability of each cell with and without the person, who moves the number from 0 to `moved` scales."""

    def below(x: float) -> float:
        return math.exp(x) / 2 if x < 0 else 1 - math.exp(-x) / 2

    edges = [-math.inf, *(moved * i / many for i in range(many + 1)), math.inf]
    return [(below(b - moved) - below(a - moved), below(b) - below(a)) for a, b in pairwise(edges)]
