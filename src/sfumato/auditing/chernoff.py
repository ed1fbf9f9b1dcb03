"""What a rate that was seen says of a probability, by Chernoff's bound: wrong no more often than `rate`.

`P(X >= x) <= e^(-n KL(x/n, p))` of a binomial X above its mean, and likewise below it.
"""

from __future__ import annotations

import math


def least_rate(right: int, trials: int, rate: float) -> float:
    """The smallest p under which it is believable that `right` of `trials` come out: `trials KL <= ln 1/rate`.

    >>> round(least_rate(100, 100, 0.001), 3)
    0.933
    """
    return _edge(0.0, right / trials, right, trials, rate) if trials else 0.0


def most_rate(right: int, trials: int, rate: float) -> float:
    """The largest p under which that is believable.

    >>> round(most_rate(0, 100, 0.001), 3)
    0.067
    """
    return _edge(1.0, right / trials, right, trials, rate) if trials else 1.0


def binomial(n: int, trials: int, p: float) -> float:
    """The probability of n of so many.

    >>> round(binomial(1, 2, 0.5), 9), binomial(2, 2, 1.0), binomial(1, 2, 1.0)
    (0.5, 1.0, 0.0)
    """
    if p == 1:
        return float(n == trials)
    choose = math.lgamma(trials + 1) - math.lgamma(n + 1) - math.lgamma(trials - n + 1)
    return math.exp(choose + n * math.log(p) + (trials - n) * math.log1p(-p))


def _edge(end: float, seen: float, right: int, trials: int, rate: float) -> float:
    """The p between the rate that was seen and `end` that is just believable, by bisection."""
    believed, doubted = seen, end
    for _ in range(60):
        p = (believed + doubted) / 2
        believed, doubted = (p, doubted) if _doubt(right, trials, p) <= math.log(1 / rate) else (believed, p)
    return doubted


def _doubt(right: int, trials: int, p: float) -> float:
    """`trials KL(right / trials, p)`: by Chernoff, `right` or worse has a probability of at most e^-doubt."""
    parts = ((right, p), (trials - right, 1 - p))
    return math.fsum(count * math.log(count / trials / q) for count, q in parts if count)
