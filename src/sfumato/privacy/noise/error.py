"""How far noise goes, and the epsilon that keeps it within an error.

Shoaran, Thomo & Weber, "Differential Privacy in Practice", equations (2) to (6); docs/theory/ranges.md.
"""

from __future__ import annotations

import math
from statistics import NormalDist


def noise_quantile(sensitivity: float, epsilon: float, miss: float) -> float:
    """Equation (4): Laplace noise goes beyond `z = -(D / eps) ln(pr)` a share `pr` of the time.

    >>> round(noise_quantile(1, 0.01, 0.1))
    230
    """
    return -sensitivity / epsilon * math.log(miss)


def relative_error(noise: float, answer: float) -> float:
    """Equation (5): `RE = |z| / q(D)`."""
    return abs(noise) / abs(answer)


def minimum_true_answer(sensitivity: float, epsilon: float, miss: float, relative_error: float) -> float:
    """Equation (6): an answer from `MTA = -D ln(pr) / (eps re)` on has a relative error of at most `re`.

    All but a share `pr` of the time.

    >>> round(minimum_true_answer(1, 0.01, 0.1, 0.1), 1)
    2302.6
    """
    return noise_quantile(sensitivity, epsilon, miss) / relative_error


def epsilon_for_relative_error(relative_error: float, answer: float, miss: float, sensitivity: float) -> float:
    """The inverse of (6): `eps = -D ln(pr) / (re answer)`."""
    return -sensitivity * math.log(miss) / (relative_error * abs(answer))


def each_confidence(confidence: float, k: int) -> float:
    """How often one of k independent numbers must be right, so that all of them are this often: `p^(1/k)`."""
    return math.exp(math.log(confidence) / k)


def epsilon_for_error_on_lattice(steps: int, confidence: float, sensitivity: int = 1, k: int = 1) -> float:
    """Laplace noise on a lattice stays within so many steps of it, on all of k numbers.

    `P(|X| > A) = 2 r^(A+1) / (1 + r)`, r = e^(-eps/D).

    >>> round(epsilon_for_error_on_lattice(5, 0.95), 4)
    0.5382
    """
    miss = 1 - each_confidence(confidence, k)
    low, high = 0.0, -math.log(miss / 2) / (steps + 1)  # bounds of -ln r; at the upper one 2 r^(A+1) alone is the miss
    for _ in range(200):
        middle = (low + high) / 2
        beyond = 2 * math.exp(-middle * (steps + 1)) / (1 + math.exp(-middle))
        low, high = (middle, high) if beyond > miss else (low, middle)
    return sensitivity * high


def sigma_for_error(error: float, confidence: float, k: int = 1) -> float:
    """Gaussian noise stays within the error, on all of k numbers: `sigma = A / Phi^-1((1 + p^(1/k)) / 2)`."""
    return error / NormalDist().inv_cdf((1 + each_confidence(confidence, k)) / 2)
