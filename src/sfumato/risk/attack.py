"""The chance that an attacker who knows everybody else guesses right whether you are in the data (methods 12.3)."""

from __future__ import annotations

import math
from statistics import NormalDist


def attack_chance(epsilon: float, delta: float = 0.0) -> float:
    """At most `(e^eps + delta) / (1 + e^eps)`, for any mechanism and any number of releases that total (eps, delta).

    >>> round(attack_chance(0.75), 2)
    0.68
    """
    return min(1.0, (1 + delta * math.exp(-epsilon)) / (1 + math.exp(-epsilon)))


def epsilon_for_attack_chance(chance: float, delta: float = 0.0) -> float:
    """The inverse, `ln((a - delta) / (1 - a))`; infinite for a chance of 1, and 0 where delta alone leads to more.

    >>> round(epsilon_for_attack_chance(0.6), 4), round(epsilon_for_attack_chance(0.6, 0.1), 4)
    (0.4055, 0.2231)
    """
    if chance >= 1:
        return math.inf
    return max(0.0, math.log((chance - delta) / (1 - chance))) if chance > delta else 0.0


def attack_chance_laplace(epsilon: float, exposure: float) -> float:
    """Of one Laplace release on one person: `1 - exp(-eps u / 2) / 2`; exact for one number, at most that for more.

    >>> round(attack_chance_laplace(1, 1), 3)
    0.697
    """
    return 1 - math.exp(-epsilon * exposure / 2) / 2


def attack_chance_gaussian(mu: float, exposure: float) -> float:
    """Of one Gaussian release on one person: `Phi(mu u / 2)`.

    >>> round(attack_chance_gaussian(1, 1), 3)
    0.691
    """
    return NormalDist().cdf(mu * exposure / 2)


def mu_for_attack_chance(chance: float) -> float:
    """The Gaussian inverse, `2 Phi^-1(a)`; infinite for a chance of 1."""
    return 2 * NormalDist().inv_cdf(chance) if chance < 1 else math.inf
