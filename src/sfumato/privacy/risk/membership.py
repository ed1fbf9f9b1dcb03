"""The chance that an attacker who knows everyone else's record tells whether you are included.

See docs/theory/attack.md.

`prior` is how sure the attacker was before the release that you are in it; 1/2 is a coin.
"""

from __future__ import annotations

import math
from statistics import NormalDist

_NORMAL = NormalDist()


def attack_chance(epsilon: float, delta: float = 0.0, prior: float = 0.5) -> float:
    """At most `(e^eps + delta) / (1 + e^eps)`, for any mechanism and any number of releases that total (eps, delta).

    An attacker who was surer before stays so: guessing "in" at any output is right with probability `p + (1 - p)
    delta`.

    >>> round(attack_chance(0.75), 2), round(attack_chance(0.75, prior=0.9), 2)
    (0.68, 0.9)
    """
    moved = (1 + delta * math.exp(-epsilon)) / (1 + math.exp(-epsilon))
    sure = max(prior, 1 - prior)
    return min(1.0, max(moved, sure + (1 - sure) * delta))


def epsilon_for_attack_chance(chance: float, delta: float = 0.0) -> float:
    """The inverse, `ln((a - delta) / (1 - a))`; infinite for a chance of 1, and 0 where delta alone leads to more.

    >>> round(epsilon_for_attack_chance(0.6), 4), round(epsilon_for_attack_chance(0.6, 0.1), 4)
    (0.4055, 0.2231)
    """
    if chance >= 1:
        return math.inf
    return max(0.0, math.log((chance - delta) / (1 - chance))) if chance > delta else 0.0


def attack_chance_laplace(epsilon: float, exposure: float, prior: float = 0.5) -> float:
    """The chance under one Laplace release: `1 - sqrt(p (1 - p)) exp(-eps u / 2)`; exact for one number, at most that
    for more. Where `|ln(p / (1 - p))| >= eps u` no output changes the attacker's mind: `max(p, 1 - p)`.

    >>> round(attack_chance_laplace(1, 1), 3), round(attack_chance_laplace(1, 1, prior=0.3), 3)
    (0.697, 0.722)
    """
    loss = epsilon * exposure
    if abs(_logit(prior)) >= loss:
        return max(prior, 1 - prior)
    return 1 - math.sqrt(prior * (1 - prior)) * math.exp(-loss / 2)


def attack_chance_gaussian(mu: float, exposure: float, prior: float = 0.5) -> float:
    """The chance under one Gaussian release: `p Phi(m/2 - t/m) + (1 - p) Phi(m/2 + t/m)` with `m = mu u`,
    `t = ln((1 - p) / p)`; of a coin `Phi(m / 2)`.

    >>> round(attack_chance_gaussian(1, 1), 3), round(attack_chance_gaussian(1, 1, prior=0.2), 3)
    (0.691, 0.814)
    """
    own, t = mu * exposure, -_logit(prior)
    if own == 0:
        return max(prior, 1 - prior)
    return prior * _NORMAL.cdf(own / 2 - t / own) + (1 - prior) * _NORMAL.cdf(own / 2 + t / own)


def mu_for_attack_chance(chance: float) -> float:
    """The Gaussian inverse, `2 Phi^-1(a)`; infinite for a chance of 1."""
    return 2 * _NORMAL.inv_cdf(chance) if chance < 1 else math.inf


# The attacker's curve: how often someone who is in is found, at the rate at which someone who is not is taken to be


def roc(epsilon: float, false_alarms: float, delta: float = 0.0) -> float:
    """At most `min(e^eps F + delta, 1 - e^-eps (1 - delta - F))`, for any mechanism that is (eps, delta)-dp.

    >>> round(roc(1, 0.01), 4), round(roc(1, 0.7), 4)
    (0.0272, 0.8896)
    """
    few, many = math.exp(epsilon) * false_alarms + delta, 1 - math.exp(-epsilon) * (1 - delta - false_alarms)
    return min(1.0, few, many)


def roc_laplace(epsilon: float, false_alarms: float) -> float:
    """The curve of Laplace noise on a person whose loss is epsilon: `e^eps F`, `1 - e^-eps / (4 F)`, `1 - e^-eps (1 -
    F)`, up to
    `F = e^-eps / 2`, up to 1/2 and beyond; exact for one number, at most that for more (docs/theory/attack.md).

    >>> [round(roc_laplace(1, rate), 4) for rate in (0.01, 0.3, 0.7)]
    [0.0272, 0.6934, 0.8896]
    """
    few = math.exp(-epsilon)
    if 2 * false_alarms <= few:
        return false_alarms / few
    return 1 - (few / (4 * false_alarms) if false_alarms <= 0.5 else few * (1 - false_alarms))


def roc_gaussian(mu: float, false_alarms: float) -> float:
    """The curve of Gaussian noise on a person who moves it by mu: `Phi(mu + Phi^-1(F))`.

    >>> round(roc_gaussian(1, 0.05), 3)
    0.26
    """
    return _NORMAL.cdf(mu + _NORMAL.inv_cdf(false_alarms)) if 0 < false_alarms < 1 else false_alarms


# How sure an attacker is afterwards


def worst_posterior(epsilon: float, exposure: float, prior: float = 0.5) -> float:
    """`p / (p + (1 - p) e^(-eps u))`: at the output that speaks most for it, that someone is in the data.

    >>> round(worst_posterior(1, 1), 3), round(worst_posterior(1, 0), 3)
    (0.731, 0.5)
    """
    return prior / (prior + (1 - prior) * math.exp(-epsilon * exposure))


def posterior_quantile_gaussian(mu: float, exposure: float, prior: float = 0.5, share: float = 0.95) -> float:
    """`sigmoid(logit p + m^2 / 2 + m Phi^-1(share))` with `m = mu u`: of someone who is in, so sure or less in that
    share of releases. No posterior is the worst: Gaussian noise has outputs that leave no doubt, if rarely.

    >>> round(posterior_quantile_gaussian(1, 1), 3)
    0.895
    """
    own = mu * exposure
    logit = _logit(prior) + own * own / 2 + own * _NORMAL.inv_cdf(share)
    return 1 / (1 + math.exp(-logit)) if logit > -700 else 0.0


def _logit(p: float) -> float:
    return math.log(p / (1 - p))
