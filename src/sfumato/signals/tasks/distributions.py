"""How often chance alone goes further: the tails that tests are decided by, without a library."""

from __future__ import annotations

import math


def chi_square_tail(statistic: float, freedom: int) -> float:
    """P(X > statistic) of chi-square with so many degrees of freedom: a finite sum.

    >>> round(chi_square_tail(3.841, 1), 4), round(chi_square_tail(5.991, 2), 4), round(chi_square_tail(11.07, 5), 4)
    (0.05, 0.05, 0.05)
    """
    if statistic <= 0:
        return 1.0
    half = statistic / 2
    first, tail = (-0.5, math.erfc(math.sqrt(half))) if freedom % 2 else (0.0, math.exp(-half))
    powers = (first + place for place in range(1, (freedom + 1) // 2))
    return min(1.0, tail + math.fsum(math.exp(p * math.log(half) - half - math.lgamma(p + 1)) for p in powers))


def student_tail(statistic: float, freedom: float) -> float:
    """P(|T| > |statistic|) of Student's t: the incomplete beta function I_x(f/2, 1/2) at x = f / (f + t^2).

    >>> round(student_tail(2.228, 10), 3), round(student_tail(1.96, 1e6), 3), student_tail(0, 3)
    (0.05, 0.05, 1.0)
    """
    if statistic == 0:
        return 1.0
    return _beta(freedom / (freedom + statistic * statistic), freedom / 2, 0.5)


def _beta(x: float, a: float, b: float) -> float:
    """The regularised incomplete beta function, by the continued fraction that converges for x."""
    if x <= 0 or x >= 1:
        return float(x >= 1)
    if x > (a + 1) / (a + b + 2):
        return 1 - _beta(1 - x, b, a)
    front = math.exp(math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x))
    return min(1.0, front * _fraction(x, a, b) / a)


def _fraction(x: float, a: float, b: float) -> float:
    """Lentz's way through the continued fraction of the incomplete beta function."""
    tiny = 1e-300
    c, d = 1.0, 1 / _apart(1 - (a + b) * x / (a + 1), tiny)
    value = d
    for m in range(1, 1000):
        for numerator in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            d, c = 1 / _apart(1 + numerator * d, tiny), _apart(1 + numerator / c, tiny)
            value *= c * d
        if abs(c * d - 1) < 1e-14:
            break
    return value


def _apart(value: float, tiny: float) -> float:
    return value if abs(value) > tiny else tiny
