"""Gaussian noise: what (epsilon, delta) a width buys, exactly and as published (docs/theory/gaussian.md).

`mu` is sensitivity over sigma.
"""

from __future__ import annotations

import math

from sfumato.errors import NoMechanism
from sfumato.privacy.bisection import largest

FINEST = 2**26  # noise is drawn on a lattice of at least so many steps to a sigma


def delta_at(epsilon: float, mu: float) -> float:
    """`delta = Phi(mu/2 - eps/mu) - e^eps Phi(-mu/2 - eps/mu)` (Balle & Wang), rounded up: never below the exact one.

    The two terms are close together where mu is small, and the error of either would show. It is at most
    `(far^2 + 2) / 2^50` of the first one: that of `eps/mu` and `mu/2`, times the slope of the logarithm of a tail.
    A delta below 1e-300, where floats end, is 0.

    >>> round(delta_at(1.0, 1 / 3.7306), 8)
    1e-05
    """
    if mu == 0:
        return 0.0
    near, far = epsilon / mu - mu / 2, epsilon / mu + mu / 2
    first = math.erfc(near / math.sqrt(2)) / 2
    if first == 0:
        return 0.0
    second = math.exp(_log_scaled_tail(far) - near * near / 2)  # e^eps is the ratio of the densities at far and near
    return max(0.0, first - second + first * (far * far + 2) * 2.0**-50)


def epsilon_analytic(mu: float, delta: float) -> float:
    """The smallest epsilon for which noise of this width is (epsilon, delta)-dp; infinity beyond all floats.

    >>> round(epsilon_analytic(1 / 3.7306, 1e-5), 4)
    1.0
    """
    if delta_at(0.0, mu) <= delta:
        return 0.0
    high = 1.0
    while delta_at(high, mu) > delta:
        high *= 2
    below = largest(lambda epsilon: delta_at(epsilon, mu) > delta, 0.0, high)
    return math.inf if math.isinf(high) else math.nextafter(below, math.inf)


def mu_analytic(epsilon: float, delta: float) -> float:
    """The largest mu (the least noise) that is (epsilon, delta)-dp.

    >>> round(1 / mu_analytic(2, 1e-6), 4)
    2.2305
    """
    high = 1.0
    while delta_at(epsilon, high) <= delta:
        high *= 2
    return largest(lambda mu: delta_at(epsilon, mu) <= delta, 0.0, high)


def mu_on_lattice(epsilon: float, delta: float, numbers: int) -> float:
    """The largest mu of so many noisy numbers that are drawn on lattices of sigma / 2**26 or finer.

    Noise on a lattice of s sigma, `Q(k)`, and Gaussian noise rounded to it, `R(k)`, differ by `e^(-s^2/24) <= R/Q <=
    e^(s^2 z^2/24)` at z sigma (docs/theory/gaussian.md). R is post-processed Gaussian noise. Where all the numbers
    together lie within Z sigma, Q costs `s^2 (k + Z^2) / 24` more epsilon; further out they lie too rarely to matter.

    >>> round(1 / mu_on_lattice(1, 1e-5, numbers=1), 4)
    3.7306
    """
    more, less = lattice_cost(epsilon, delta, numbers)
    if more >= epsilon:
        raise NoMechanism.because("epsilon-too-small-for-gaussian")
    return mu_analytic(epsilon - more, less) * (1 - 2**-40)


def lattice_cost(epsilon: float, delta: float, numbers: int) -> tuple[float, float]:
    """How much more epsilon noise on a lattice costs, and the delta that is left: of so many numbers in all."""
    beyond = epsilon + math.log(2**30) - math.log(delta)
    furthest = (numbers + 2 * math.sqrt(numbers * beyond) + 2 * beyond) * (1 + 2**-20)  # of a chi-squared
    return (numbers + furthest) / FINEST**2 / 24, delta * (1 - 2**-28)


def epsilon_classic(mu: float, delta: float) -> float:
    """`epsilon = mu sqrt(2 ln(1.25/delta))`, as published; it misreports epsilon (docs/theory/gaussian.md).

    >>> round(epsilon_classic(1 / 4.8448, 1e-5), 4)
    1.0
    """
    return mu * math.sqrt(2 * math.log(1.25 / delta))


def mu_classic(epsilon: float, delta: float) -> float:
    """The inverse of `epsilon_classic`."""
    return epsilon / math.sqrt(2 * math.log(1.25 / delta))


def _log_scaled_tail(x: float) -> float:
    """ln P(Z > x) + x^2 / 2: by erfc where that is not yet zero, then by its continued fraction."""
    if x < 25:
        return math.log(math.erfc(x / math.sqrt(2)) / 2) + x * x / 2
    fraction = x
    for j in range(40, 0, -1):
        fraction = x + j / fraction
    return -math.log(fraction * math.sqrt(2 * math.pi))
