"""What noise leaves of the order of groups: true ranks, for all groups at once (docs/theory/true-ranks.md)."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from functools import lru_cache
from statistics import NormalDist

from sfumato.model.calibration import Drawing, NoiseLaw
from sfumato.model.release import Interval
from sfumato.privacy.bisection import last_below
from sfumato.privacy.noise.intervals import COVERAGE

_STEPS = 4_000
_ROUNDING = 1.001  # more than the sum over these steps may be off


def apart(drawing: Drawing, groups: int) -> float:
    """How far the largest of several noises lies above the smallest, but for 10%: what lies further apart is in order.

    Truncated noise is a contraction of Laplace noise. On a lattice each noise may be off by a step.

    >>> from fractions import Fraction
    >>> round(apart(Drawing(NoiseLaw.LAPLACE, 1.0, Fraction(0), 1.0), 2), 1)
    3.3
    """
    law = NoiseLaw.GAUSSIAN if drawing.law is NoiseLaw.GAUSSIAN else NoiseLaw.LAPLACE
    return (drawing.scale or 0.0) * _range_quantile(law, groups) + 2 * float(drawing.step)


@lru_cache(maxsize=256)
def _range_quantile(law: NoiseLaw, many: int) -> float:
    """r with `P(max - min <= r) = 0.9` for so many noises of scale 1: `n int f(x) (F(x + r) - F(x))^(n - 1) dx`.

    >>> [round(_range_quantile(NoiseLaw.GAUSSIAN, many), 2) for many in (2, 3, 10)]
    [2.33, 2.91, 4.13]
    """
    if many < 2:
        return 0.0
    density, upto = (NormalDist().pdf, NormalDist().cdf) if law is NoiseLaw.GAUSSIAN else (_density, _upto)
    furthest = 1e-3 + (math.log(many) + 16) * (1.0 if law is NoiseLaw.LAPLACE else 0.5)
    step = 2 * furthest / _STEPS
    places = [-furthest + i * step for i in range(_STEPS + 1)]
    below = list(map(upto, places))
    weights = [many * density(x) * step for x in places]

    def within(r: float) -> float:
        inside = (upto(x + r) - b for x, b in zip(places, below, strict=True))
        return math.fsum(w * between ** (many - 1) for w, between in zip(weights, inside, strict=True))

    return _ROUNDING * last_below(within, COVERAGE, 0.0, 2 * furthest)


def _density(x: float) -> float:
    return math.exp(-abs(x)) / 2


def _upto(x: float) -> float:
    return math.exp(x) / 2 if x < 0 else 1 - math.exp(-x) / 2


def ranks_of_numbers(noisy: Sequence[float], far: float, *, descending: bool) -> list[tuple[int, int]]:
    """The best and the worst rank of each, where two that lie further apart than `far` are in their true order.

    >>> ranks_of_numbers([50, 48, 20, 10], 5, descending=True)
    [(1, 2), (1, 2), (3, 3), (4, 4)]
    """
    ordered, many = sorted(noisy), len(noisy)
    ranks = []
    for value in noisy:
        above, below = many - bisect_right(ordered, value + far), bisect_left(ordered, value - far)
        ahead, behind = (above, below) if descending else (below, above)
        ranks.append((1 + ahead, many - behind))
    return ranks


def ranks_of_intervals(intervals: Sequence[Interval], *, descending: bool) -> list[tuple[int, int]]:
    """The same where all intervals hold at once: those that do not overlap are in their true order.

    >>> ranks_of_intervals([(4, 6), (5, 9), (1, 2)], descending=True)
    [(1, 2), (1, 2), (3, 3)]
    """
    lows, highs, many = sorted(low for low, _ in intervals), sorted(high for _, high in intervals), len(intervals)
    ranks = []
    for low, high in intervals:
        above, below = many - bisect_right(lows, high), bisect_left(highs, low)
        ahead, behind = (above, below) if descending else (below, above)
        ranks.append((1 + ahead, many - behind))
    return ranks
