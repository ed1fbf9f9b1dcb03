"""How far noise carries an answer, and the epsilon that keeps it closer (002 sections 3 and 4; methods 7, 12.4)."""

from __future__ import annotations

import math
from statistics import NormalDist

from sfumato.risk.bisection import largest


def epsilon_for_error(error: float, confidence: float, sensitivity: float, k: int = 1) -> float:
    """`D ln(1 / (1 - p^(1/k))) / A`: Laplace noise on k numbers stays within A on all of them with probability p.

    >>> round(epsilon_for_error(10, 0.9, 1), 3), round(epsilon_for_error(10, 0.9, 1, k=4), 3)
    (0.23, 0.365)
    """
    return sensitivity * -math.log(_miss_of_each(confidence, k)) / error


def epsilon_for_error_on_grid(steps: int, confidence: float, sensitivity: int = 1, k: int = 1) -> float:
    """The root of `2 r^(A+1) / (1 + r) = 1 - p^(1/k)`, `r = e^(-eps/D)`: the same of noise on whole numbers.

    >>> round(epsilon_for_error_on_grid(10, 0.9), 3), round(epsilon_for_error(10, 0.9, 1), 3)
    (0.219, 0.23)
    """
    miss = _miss_of_each(confidence, k)

    def holds(minus: float) -> bool:
        return 2 * math.exp(minus * (steps + 1)) / (1 + math.exp(minus)) <= miss

    return sensitivity * -largest(holds, -math.log(2 / miss) / (steps + 1), 0.0)


def sigma_for_error(error: float, confidence: float, k: int = 1) -> float:
    """`A / Phi^-1((1 + p^(1/k)) / 2)`: the widest Gaussian noise that stays within A on k numbers with probability p.

    >>> round(sigma_for_error(10, 0.9), 2)
    6.08
    """
    return error / NormalDist().inv_cdf(1 - _miss_of_each(confidence, k) / 2)


def noise_quantile(sensitivity: float, epsilon: float, miss: float) -> float:
    """`z = -(D / eps) ln pr`: Laplace noise lies beyond z a share `pr` of the time (002, equation 4).

    >>> round(noise_quantile(1, 0.2, 0.1), 1)
    11.5
    """
    return sensitivity / epsilon * -math.log(miss)


def relative_error(noise: float, answer: float) -> float:
    """`RE = |z| / q`: noise as a share of the true answer (002, equation 5); infinite where that is 0.

    >>> relative_error(-30, 120)
    0.25
    """
    return abs(noise / answer) if answer else math.inf


def minimum_true_answer(sensitivity: float, epsilon: float, miss: float, relative_error: float) -> float:
    """`MTA = -D ln(pr) / (eps re)`: from here on the relative error is above `re` a share `pr` of the time at most.

    002, equation 6. Where a scale is known, it is the sensitivity at epsilon 1.

    >>> round(minimum_true_answer(1, 0.2, 0.1, 0.05))
    230
    """
    return noise_quantile(sensitivity, epsilon, miss) / relative_error


def epsilon_for_relative_error(relative_error: float, answer: float, miss: float, sensitivity: float) -> float:
    """`-D ln(pr) / (re q)`: the least epsilon at which this answer is no less than the minimum (methods 7).

    >>> round(epsilon_for_relative_error(0.05, 230, 0.1, 1), 3)
    0.2
    """
    return noise_quantile(sensitivity, relative_error * answer, miss)


def _miss_of_each(confidence: float, k: int) -> float:
    """`1 - p^(1/k)`: how often each of k independent noises may lie beyond, so that with probability p none does."""
    return -math.expm1(math.log(confidence) / k)
