"""The rho that is claimed for noise on a grid, against Renyi divergences that are added up point by point."""

from __future__ import annotations

import math

from hypothesis import given
from hypothesis import strategies as st

from sfumato.privacy.accounting.zcdp import rho_laplace, rho_pure

EPSILONS = st.floats(1e-3, 12)
STEPS = st.integers(1, 300)
ORDERS = st.floats(1.001, 200)
ROUNDED = 1e-9


def divergence(order: float, epsilon: float, steps: int) -> float:
    """D_a(P || Q) of P(k) ~ e^(-x abs(k)) and P moved by `steps`: both tails, and each point between the two."""
    x = epsilon / steps
    ends = 1 / (1 + math.exp(-x))  # P(k <= 0), and with e^-eps P(k >= steps)
    points = [(ends, epsilon), (ends * math.exp(-epsilon), -epsilon)]
    points += [(math.tanh(x / 2) * math.exp(-x * k), x * (steps - 2 * k)) for k in range(1, steps)]
    assert math.isclose(math.fsum(p for p, _ in points), 1, rel_tol=ROUNDED)
    furthest = max(0.0, (order - 1) * epsilon)
    if furthest < 1:
        return math.log1p(math.fsum(p * math.expm1((order - 1) * loss) for p, loss in points)) / (order - 1)
    whole = math.fsum(p * math.exp((order - 1) * loss - furthest) for p, loss in points)
    return (math.log(whole) + furthest) / (order - 1)


@given(EPSILONS, STEPS, ORDERS)
def test_no_divergence_is_above_rho(epsilon: float, steps: int, order: float) -> None:
    assert divergence(order, epsilon, steps) <= order * rho_laplace(epsilon, steps) * (1 + ROUNDED)
    assert rho_laplace(epsilon, steps) <= rho_pure(epsilon) * (1 + ROUNDED)


@given(EPSILONS, STEPS)
def test_and_nothing_smaller_holds(epsilon: float, steps: int) -> None:
    order = 1 + 1e-4
    assert divergence(order, epsilon, steps) >= order * rho_laplace(epsilon, steps) * (1 - 1e-3)


@given(EPSILONS, ORDERS)
def test_randomized_response_is_the_worst_of_all(epsilon: float, order: float) -> None:
    """Two outcomes whose odds are e^eps: no divergence is above that of a pure mechanism, and one step has it."""
    truth = 1 / (1 + math.exp(-epsilon))
    top = (order - 1) * epsilon
    two = truth + (1 - truth) * math.exp(-2 * top)
    assert (top + math.log(two)) / (order - 1) <= order * rho_pure(epsilon) * (1 + ROUNDED)
