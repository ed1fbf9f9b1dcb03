"""Zero-concentrated privacy: what a draw costs as rho, and what a sum of rhos is worth as (epsilon, delta).

Every rho and every epsilon here is rounded up: what is returned is never below the exact one.
"""

from __future__ import annotations

import math
from fractions import Fraction

from sfumato.privacy.bisection import largest

PICO = 10**12


def rho_pure(epsilon: float) -> float:
    """`rho = eps tanh(eps/2)` of anything that is eps-dp: selections, sparse vector (docs/theory/odometer.md).

    Nothing smaller holds for all of them: it is the exact one of randomized response (arXiv:2510.25746).

    >>> round(rho_pure(1.0), 4)
    0.4621
    """
    return _up(epsilon * math.tanh(epsilon / 2)) if epsilon else 0.0


def rho_laplace(epsilon: float, steps: int) -> float:
    """`rho = eps - (1 - e^-eps) x / sinh(x)`, `x = eps/steps`, of Laplace noise on a lattice.

    `steps` of the lattice are the sensitivity. It is the divergence of Kullback and Leibler, and no Renyi divergence of
    order a is more than a times that (Harrison & Manurangsi 2025, arXiv:2510.25746). One step to a sensitivity gives
    `rho_pure`, ever more of them lead to `eps + e^-eps - 1`. A person who moves several cells costs no more than one
    who moves a single cell by the sum (docs/theory/odometer.md).

    >>> round(rho_laplace(1.0, 1), 4), round(rho_laplace(1.0, 2**40), 4)
    (0.4621, 0.3679)
    """
    if steps < 1:
        raise ValueError("a sensitivity is at least one step")
    return _up(_beyond(epsilon) - math.expm1(-epsilon) * _on_lattice(epsilon / steps)) if epsilon else 0.0


def rho_gaussian(mu: float) -> float:
    """`rho = mu^2 / 2`, also on a lattice (Canonne, Kamath & Steinke 2020, theorem 4); mu is sensitivity over sigma.

    >>> round(rho_gaussian(1.0), 9)
    0.5
    """
    return _up(mu * mu / 2) if mu else 0.0


def epsilon_of_zcdp(rho: float, delta: float) -> float:
    """The least `rho a + (ln(1/delta) + (a-1) ln(1-1/a) - ln a) / (a-1)` over all a > 1.

    Any a gives an epsilon that is true (Canonne, Kamath & Steinke 2020, proposition 12). The slope is 0 where
    `rho t^2 + ln(1+t) = ln(1/delta)`, `t = a - 1`, and nowhere else.

    >>> round(epsilon_of_zcdp(0.5, 1e-6), 4)
    5.2215
    """
    if rho == 0 or delta >= 1:
        return 0.0
    if delta == 0:
        return math.inf
    log = -math.log(delta)
    t = largest(lambda t: rho * t * t + math.log1p(t) <= log, 0.0, math.sqrt(log / rho)) or math.sqrt(log / rho)
    terms = rho * (1 + t), -math.log1p(1 / t), (log - math.log1p(t)) / t
    exact = sum(terms) + 2.0**-45 * sum(map(abs, terms))
    return max(0.0, min(exact, epsilon_of_zcdp_simple(rho, delta)))


def epsilon_of_zcdp_simple(rho: float, delta: float) -> float:
    """`rho + 2 sqrt(rho ln(1/delta))` (Bun & Steinke 2016, proposition 1.3): the same, by hand.

    >>> round(epsilon_of_zcdp_simple(0.5, 1e-6), 4)
    5.7565
    """
    if rho == 0 or delta >= 1:
        return 0.0
    return math.inf if delta == 0 else _up(rho + 2 * math.sqrt(rho * -math.log(delta)))


def ledger_rho(rho: float) -> Fraction:
    """Rho in whole trillionths, rounded up, as it is written down and added up.

    >>> ledger_rho(rho_pure(1.0)), ledger_rho(1e-300), ledger_rho(0.0)
    (Fraction(462117157261, 1000000000000), Fraction(1, 1000000000000), Fraction(0, 1))
    """
    return Fraction(math.ceil(Fraction(rho) * PICO), PICO)


def _up(value: float) -> float:
    """Further up than any rounding on the way went down, and above 0 also where floats end."""
    return math.nextafter(value * (1 + 2.0**-45), math.inf)


def _beyond(epsilon: float) -> float:
    """`eps + e^-eps - 1`, whose terms cancel where epsilon is small; then by its series."""
    if epsilon > 0.5:
        return epsilon + math.expm1(-epsilon)
    term, total = epsilon * epsilon / 2, 0.0
    for k in range(3, 20):
        total += term
        term *= -epsilon / k
    return total


def _on_lattice(x: float) -> float:
    """`1 - x / sinh(x)`, likewise."""
    if x > 1:
        return 1 - 2 * x * math.exp(-x) / -math.expm1(-2 * x)
    if x == 0:
        return 0.0
    term, total = x * x / 6, 0.0
    for k in range(4, 30, 2):
        total += term
        term *= x * x / (k * (k + 1))
    return total / (1 + total)  # sinh(x) = x (1 + total)
