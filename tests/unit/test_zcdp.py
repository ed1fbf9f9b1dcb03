"""Zero-concentrated privacy by hand: golden values, limits, and that every rounding is up."""

from __future__ import annotations

import math
from decimal import Decimal, localcontext
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.privacy.accounting.zcdp import (
    epsilon_of_zcdp,
    epsilon_of_zcdp_simple,
    ledger_rho,
    rho_gaussian,
    rho_laplace,
    rho_pure,
)

EPSILONS = st.floats(1e-9, 50)
RHOS = st.floats(1e-12, 1e3)
DELTAS = st.floats(1e-300, 0.5)


@pytest.mark.parametrize(
    ("epsilon", "steps", "rho"),
    [
        (1.0, 1, 0.46211715726000975),  # tanh(1/2)
        (1.0, 2**50, 0.36787944117144233),  # 1/e
        (1.0, 1024, 0.3678795416442854),
        (0.1, 2**50, 0.004837418035959518),
        (10.0, 1, 9.999092042625951),
        (10.0, 2**50, 9.000045399929762),
        (1e-6, 2**50, 4.999998333333750e-13),
        (1e-6, 1, 5e-13),
    ],
)
def test_golden_rhos(epsilon: float, steps: int, rho: float) -> None:
    assert rho_laplace(epsilon, steps) == pytest.approx(rho, rel=1e-12)


@given(EPSILONS)
def test_a_grid_of_one_step_is_the_worst_pure_mechanism(epsilon: float) -> None:
    assert rho_laplace(epsilon, 1) == pytest.approx(rho_pure(epsilon), rel=1e-12)


@given(EPSILONS, st.integers(1, 10**6))
def test_no_rho_is_below_the_exact_one(epsilon: float, steps: int) -> None:
    """With a hundred digits, by the formulas as they are printed."""
    with localcontext(prec=100):
        e, x = Decimal(epsilon), Decimal(epsilon) / steps
        grown, fallen = e.exp(), (-e).exp()
        laplace = e - (1 - fallen) * x * 2 / (x.exp() - (-x).exp())
        pure = e * (grown - 1) / (grown + 1)
        for ours, exact in ((rho_laplace(epsilon, steps), laplace), (rho_pure(epsilon), pure)):
            assert 0 <= Decimal(ours) / exact - 1 < Decimal("1e-12")
        assert Decimal(rho_gaussian(epsilon)) >= e * e / 2


@given(EPSILONS, st.integers(1, 2000), st.integers(1, 2000))
def test_moving_several_cells_costs_no_more_than_moving_one(epsilon: float, one: int, other: int) -> None:
    """The noise of a cell is as wide, whoever moves it by how much: epsilon is shared by the steps."""
    steps = one + other
    apart = sum(rho_laplace(epsilon * part / steps, part) for part in (one, other))
    assert apart <= rho_laplace(epsilon, steps) * (1 + 1e-9)


def test_where_floats_end() -> None:
    assert rho_pure(0.0) == rho_laplace(0.0, 7) == rho_gaussian(0.0) == 0 == ledger_rho(0.0)
    for least in (rho_pure(1e-300), rho_laplace(1e-300, 1024), rho_gaussian(1e-300)):
        assert least > 0
        assert ledger_rho(least) == Fraction(1, 10**12)
    assert rho_laplace(1000.0, 1) == pytest.approx(1000)
    with pytest.raises(ValueError, match="at least one step"):
        rho_laplace(1.0, 0)


@given(st.floats(0, 1e3))
def test_what_is_entered_is_never_less(rho: float) -> None:
    assert 0 <= ledger_rho(rho) - Fraction(rho) < Fraction(1, 10**12)


@pytest.mark.parametrize(
    ("rho", "delta", "tight", "simple"),
    [
        (0.5, 1e-6, 5.221534444530169, 5.756521769756932),
        (0.1, 1e-5, 1.9142388320035978, 2.2459660262893472),
        (0.01, 1e-9, 0.8101744678675342, 0.9204562776310878),
        (20.0, 1e-10, 61.57596875452819, 62.919320525786945),
    ],
)
def test_golden_epsilons(rho: float, delta: float, tight: float, simple: float) -> None:
    assert epsilon_of_zcdp(rho, delta) == pytest.approx(tight, abs=1e-9)
    assert epsilon_of_zcdp_simple(rho, delta) == pytest.approx(simple, abs=1e-9)


@given(RHOS, DELTAS, st.floats(1e-6, 1e6))
def test_no_order_gives_a_smaller_epsilon(rho: float, delta: float, t: float) -> None:
    with localcontext(prec=50):
        r, a, log = Decimal(rho), 1 + Decimal(t), -Decimal(delta).ln()
        there = r * a + (log + (a - 1) * (1 - 1 / a).ln() - a.ln()) / (a - 1)
    assert epsilon_of_zcdp(rho, delta) <= max(0.0, float(there)) * (1 + 1e-9)


@given(RHOS, DELTAS)
def test_the_tight_conversion_is_never_above_the_simple_one(rho: float, delta: float) -> None:
    assert 0 <= epsilon_of_zcdp(rho, delta) <= epsilon_of_zcdp_simple(rho, delta)


def test_conversions_at_the_ends() -> None:
    for convert in (epsilon_of_zcdp, epsilon_of_zcdp_simple):
        assert convert(0.0, 1e-6) == convert(0.0, 0.0) == convert(3.0, 1.0) == 0
        assert convert(1e-9, 0.0) == math.inf
    assert epsilon_of_zcdp(1e-12, 1e-6) == 0, "so little that a delta covers it"
