"""Relative disclosure risk (Zhu & Castro Fernandez, "Within-Dataset Disclosure Risk for Differential Privacy").

`low` and `high` are the smallest and the largest per-instance sensitivity of the people, `k` the number of noisy
numbers, `sensitivity` the D of the noise: on the answer's own scale as the paper has it, or exposures with D = 1.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TypeVar

Number = TypeVar("Number", float, Fraction)

PAPER_CANDIDATES = (
    *(float(Fraction(digit) * Fraction(10) ** power) for power in (-3, -2, -1, 0) for digit in range(1, 10)),
    10.0,
)
"""The 37 candidates of section 6.2: 0.001, 0.002, ..., 9, 10."""


def rdr_laplace(influence: float, k: int, sensitivity: float, epsilon: float) -> float:
    """Lemma 3.1: `RDR_i = PIS_i + k D / epsilon`, the patients of Figure 2 at epsilon 1.

    >>> [rdr_laplace(pis, k=1, sensitivity=1, epsilon=1) for pis in (0, 0, 1)]
    [1.0, 1.0, 2.0]
    """
    return influence + k * sensitivity / epsilon


def rdr_gaussian(influence: float, k: int, sigma: float) -> float:
    """Lemma 3.2: `RDR_i = sqrt(PIS_i^2 + k sigma^2)`.

    >>> rdr_gaussian(3, k=1, sigma=4)
    5.0
    """
    return math.hypot(influence, math.sqrt(k) * sigma)


def epsilon_for_ratio(tau: Number, low: Number, high: Number, k: int, sensitivity: Number) -> Number | None:
    """The largest epsilon with `RDRmin / RDRmax >= tau` (docs/theory/gap.md); None where every epsilon will do.

    The ratio `(low eps + k D) / (high eps + k D)` falls from 1 to `low / high` as epsilon grows, so
    `eps* = k D (1 - tau) / (tau high - low)`; 0 means that no epsilon will do.

    >>> epsilon_for_ratio(Fraction("0.9"), Fraction(0), Fraction(1), 1, Fraction(1))
    Fraction(1, 9)
    """
    if tau * high <= low:
        return None
    return k * sensitivity * (1 - tau) / (tau * high - low)


def sigma_for_ratio(tau: float, low: float, high: float, k: int) -> float:
    """The least noise with `RDRmin / RDRmax >= tau`: `sigma^2 = (tau^2 high^2 - low^2) / (k (1 - tau^2))`.

    0 means that every sigma will do, infinity that none will.

    >>> round(sigma_for_ratio(0.95, 0, 1, k=1), 4)
    3.0424
    """
    gap = (tau * high) ** 2 - low**2
    if gap <= 0:
        return 0.0
    return math.sqrt(gap / (k * (1 - tau**2))) if tau < 1 else math.inf
