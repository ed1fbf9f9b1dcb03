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


# The attacker's curve: how often somebody who is in is found, at the rate at which somebody who is not is taken to be


def roc(epsilon: float, false_alarms: float, delta: float = 0.0) -> float:
    """At most `min(e^eps F + delta, 1 - e^-eps (1 - delta - F))`, for any mechanism that is (eps, delta)-dp.

    >>> round(roc(1, 0.01), 4), round(roc(1, 0.7), 4)
    (0.0272, 0.8896)
    """
    few, many = math.exp(epsilon) * false_alarms + delta, 1 - math.exp(-epsilon) * (1 - delta - false_alarms)
    return min(1.0, few, many)


def roc_laplace(epsilon: float, false_alarms: float) -> float:
    """Of Laplace noise on somebody whose loss is epsilon: `e^eps F`, `1 - e^-eps / (4 F)`, `1 - e^-eps (1 - F)`, up to
    `F = e^-eps / 2`, up to 1/2 and beyond; exact for one number, at most that for more.

    >>> [round(roc_laplace(1, rate), 4) for rate in (0.01, 0.3, 0.7)]
    [0.0272, 0.6934, 0.8896]
    """
    few = math.exp(-epsilon)
    if 2 * false_alarms <= few:
        return false_alarms / few
    return 1 - (few / (4 * false_alarms) if false_alarms <= 0.5 else few * (1 - false_alarms))


def roc_gaussian(mu: float, false_alarms: float) -> float:
    """Of Gaussian noise on somebody who moves it by mu: `Phi(mu + Phi^-1(F))`.

    >>> round(roc_gaussian(1, 0.05), 3)
    0.26
    """
    normal = NormalDist()
    return normal.cdf(mu + normal.inv_cdf(false_alarms)) if 0 < false_alarms < 1 else false_alarms
