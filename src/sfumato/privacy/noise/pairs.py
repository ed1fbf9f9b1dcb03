"""Correlations, covariances, regression lines from noisy totals, and their noise intervals (docs/theory/pairs.md)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import product

from sfumato.model.release import Interval
from sfumato.model.statement import PairKind, PairStatistic

_CORRELATIONS = (PairKind.CORR, PairKind.REGR_R2)


def pair_figure(pair: PairStatistic, totals: Sequence[float]) -> float | None:
    """Its value; None without enough rows, and where a variance that it is divided by is not above 0."""
    count = float(totals[0])
    if count <= pair.kind.lost:
        return None
    range_ = _figure(pair, [(float(total), float(total)) for total in totals])
    return None if range_ is None else range_[0]


def pair_range(pair: PairStatistic, totals: Sequence[Interval]) -> Interval | None:
    """Where the true value lies if each total lies in its interval, by interval arithmetic; None: anywhere.

    Only what has rows has a value, so there is one row at least.
    """
    least = 1.0 + pair.kind.lost
    count = max(least, totals[0][0]), max(least, totals[0][1])
    range_ = _figure(pair, [count, *totals[1:]])
    if range_ is None:
        return pair_limits(pair) if pair.kind in _CORRELATIONS else None
    return range_


def pair_limits(pair: PairStatistic) -> Interval:
    """Where the true value lies, from public facts."""
    if pair.kind in _CORRELATIONS:
        return (-1.0, 1.0) if pair.kind is PairKind.CORR else (0.0, 1.0)
    if pair.kind in (PairKind.COVAR_POP, PairKind.COVAR_SAMP):
        furthest = float(pair.half_widths[0] * pair.half_widths[1]) * (1 + pair.kind.lost)
        return -furthest, furthest
    return -math.inf, math.inf


def _figure(pair: PairStatistic, totals: Sequence[Interval]) -> Interval | None:
    count, first, second, product_, *squares = totals
    widths = [float(width) for width in pair.half_widths]
    mean_of_first, mean_of_second = _mean(first, count, widths[0]), _mean(second, count, widths[1])
    covariance = _minus(_mean(product_, count, widths[0] * widths[1]), _times(mean_of_first, mean_of_second))
    if not squares:
        low, high = _within(covariance, widths[0] * widths[1])
        lost = pair.kind.lost
        factors = [n / (n - lost) for n in count]
        return min(low * factor for factor in factors), max(high * factor for factor in factors)
    means = (mean_of_second, mean_of_first)
    variances = [
        _variance(_mean(total, count, width**2 / 2), mean, width)
        for total, mean, width in zip(squares, means, reversed(widths), strict=False)
    ]
    if any(low <= 0 for low, _ in variances):
        return None
    if len(variances) == 2:
        (a, b), (c, d) = variances
        r = _over(covariance, (math.sqrt(a) * math.sqrt(c), math.sqrt(b) * math.sqrt(d)))
        low, high = _within(r, 1.0)
        if pair.kind is PairKind.CORR:
            return low, high
        return (0.0 if low <= 0 <= high else min(low**2, high**2)), max(low**2, high**2)
    slope = _over(covariance, variances[0])
    if pair.kind is PairKind.REGR_SLOPE:
        return slope
    middle_of_first, middle_of_second = map(float, pair.middles)
    at = mean_of_second[0] + middle_of_second, mean_of_second[1] + middle_of_second
    return _minus((mean_of_first[0] + middle_of_first, mean_of_first[1] + middle_of_first), _times(slope, at))


def _variance(squares: Interval, mean: Interval, width: float) -> Interval:
    """`Q/n + H^2/2 - (S/n)^2`, which is H^2 at most."""
    furthest = max(map(abs, mean)) ** 2
    nearest = 0.0 if mean[0] <= 0 <= mean[1] else min(map(abs, mean)) ** 2
    offset = width**2 / 2
    return min(width**2, squares[0] + offset - furthest), min(width**2, squares[1] + offset - nearest)


def _mean(total: Interval, count: Interval, furthest: float) -> Interval:
    """A mean of values of which none is further from 0."""
    return _within(_over(total, count), furthest)


def _within(range_: Interval, furthest: float) -> Interval:
    low, high = (min(furthest, max(-furthest, end)) for end in range_)
    return low, high


def _minus(a: Interval, b: Interval) -> Interval:
    return a[0] - b[1], a[1] - b[0]


def _times(a: Interval, b: Interval) -> Interval:
    ends = [x * y for x, y in product(a, b)]
    return min(ends), max(ends)


def _over(a: Interval, b: Interval) -> Interval:
    """Divided by what is above 0."""
    ends = [x / y for x, y in product(a, b)]
    return min(ends), max(ends)
