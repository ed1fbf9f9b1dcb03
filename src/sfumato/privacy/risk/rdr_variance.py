"""The variance of risks (RDR 5.1): as published, and the bound that a private selection draws.

See docs/theory/variance.md.
"""

from __future__ import annotations

import math
from collections.abc import Sequence


def epsilon_for_variance(
    tau: float, variance: float, largest: float = 1.0, k: int = 1, sensitivity: float = 1.0
) -> float:
    """The largest epsilon with `Var(PIS) / (M + k D / eps)^2 <= tau`: `k D / (sqrt(Var / tau) - M)`.

    See docs/theory/variance.md.

    Infinity where every epsilon will do. With `M = D` the risks are divided by the most that anyone's could be, and
    it is `k r / (1 - r)` with `r = sqrt(tau / Var)` (docs/theory/variance.md).

    >>> n, matched = 32_561, 19  # Q1 of the paper's section 6.2
    >>> round(epsilon_for_variance(1e-4, matched / n - (matched / n) ** 2), 4)
    0.7068
    """
    root = math.sqrt(max(variance, 0.0) / tau) if tau else math.inf
    return k * sensitivity / (root - largest) if root > largest else math.inf


def margin(scale: float, beta: float, step: float = 0.0) -> float:
    """`b ln(1 / beta)`, and a step of the lattice: noise of scale b lies beyond it, on one side, in beta / 2 of cases.

    >>> round(margin(1.0, 0.05), 4)
    2.9957
    """
    return scale * math.log(1 / beta) + step


def beta_of_spread(beta: float, *, alone: bool) -> float:
    """What the margin of the spread is taken at: beta, or twice that where no other noise has a part in it."""
    return min(1.0, 2 * beta) if alone else beta


def bound_on_variance(
    noisy: Sequence[float],
    scales: Sequence[float],
    steps: Sequence[float],
    beta: float,
    *,
    people: int | None = None,
    at_least: int = 0,
) -> float | None:
    """At least `Var(u)`, with probability 1 - beta, from its noisy parts; None where they tell nothing.

    See docs/theory/variance.md.

    Two parts, the spread SS and the number of people: `(SS + b1 ln(1/beta)) / (n - b2 ln(1/beta))`, or over as many as
    there are known to be. Where that number is public, `people`, the spread alone: `(SS + b ln(1/(2 beta))) / n`.
    """
    if people is not None:
        above = noisy[0] + margin(scales[0], beta_of_spread(beta, alone=True), steps[0])
        return above / people if people else None
    fewest = fewest_people(noisy, scales, steps, beta, at_least)
    return (noisy[0] + margin(scales[0], beta, steps[0])) / fewest if fewest > 0 else None


def fewest_people(
    noisy: Sequence[float], scales: Sequence[float], steps: Sequence[float], beta: float, at_least: int = 0
) -> float:
    """`n - b2 ln(1/beta)`, or as many as there are known to be: no more than there are, but with beta / 2."""
    return max(noisy[1] - margin(scales[1], beta, steps[1]), at_least)


def slack_of_cap(sensitivity: float, epsilon: float, beta: float) -> float:
    """`t = (4 G / eps) ln(1 / (2 - sqrt(4 - 6 beta)))`: how many people early AboveThreshold stops.

    See docs/theory/exposure-cap.md.

    >>> round(slack_of_cap(1.0, 1.0, 0.05), 1)
    10.3
    """
    return 4 * sensitivity / epsilon * math.log(1 / (2 - math.sqrt(4 - 6 * min(beta, 0.5))))
