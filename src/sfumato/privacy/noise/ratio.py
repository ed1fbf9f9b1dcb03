"""The interval of a ratio of noisy numbers: which ratios are plausible (docs/theory/computed.md)."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sfumato.model.calibration import NoiseLaw
from sfumato.privacy.noise.intervals import COVERAGE
from sfumato.privacy.noise.sums import reach_of_sum, tail_of_sum

_GRID, _HALVINGS, _DOUBLINGS = 32, 45, 1000


@dataclass(frozen=True)
class NoisySum:
    """A weighted sum of noisy numbers: its value, and how far the noise of each is spread in it, with its sign."""

    value: float
    spread: tuple[float, ...]


def ratio_range(
    top: NoisySum,
    bottom: NoisySum,
    law: NoiseLaw,
    within: tuple[float, float] = (-math.inf, math.inf),
    miss: float = 1 - COVERAGE,
) -> tuple[float, float] | None:
    """The hull of the plausible ratios r within public limits: `A - r B` is then pure noise, and no larger than it is.

    None: without limits, and with a divisor that may be 0, every ratio is plausible. Both sums go over the same
    numbers, so that one which is in both counts once.

    >>> low, high = ratio_range(NoisySum(120, (20, 0)), NoisySum(1000, (0, 20)), NoiseLaw.LAPLACE)
    >>> round(low, 5), round(high, 5)
    (0.07384, 0.16661)
    """

    def plausible(r: float) -> bool:
        spread = [abs(a - r * b) for a, b in zip(top.spread, bottom.spread, strict=True)]
        return tail_of_sum(law, spread, abs(top.value - r * bottom.value)) >= miss

    low, high = within
    if math.isinf(low) or math.isinf(high):
        if abs(bottom.value) <= reach_of_sum(law, list(map(abs, bottom.spread)), miss):
            return None
        middle = top.value / bottom.value
        unit = sum(abs(a - middle * b) for a, b in zip(top.spread, bottom.spread, strict=True)) / abs(bottom.value)
        ends = (_away(middle, -unit, plausible), _away(middle, unit, plausible))
        return min(high, max(low, ends[0])), max(low, min(high, ends[1]))
    believed = [r for r in _points(low, high, top, bottom) if plausible(r)]
    if not believed:
        return low, high  # noise has carried it beyond all that is possible: the answer tells nothing
    return _edge(believed[0], low, plausible), _edge(believed[-1], high, plausible)


def _points(low: float, high: float, top: NoisySum, bottom: NoisySum) -> Sequence[float]:
    """Ratios to try: both limits, some between, and the most likely one, around which the plausible ones lie."""
    points = [low + (high - low) * i / _GRID for i in range(_GRID + 1)]
    likely = top.value / bottom.value if bottom.value else low
    return sorted([*points, min(high, max(low, likely))])


def _away(middle: float, unit: float, plausible: Callable[[float], bool]) -> float:
    """The last plausible ratio on this side of the most likely one."""
    if not unit:
        return middle
    inside, step = middle, unit
    for _ in range(_DOUBLINGS):
        if not plausible(middle + step):
            break
        inside, step = middle + step, 2 * step
    return _edge(inside, middle + step, plausible)


def _edge(inside: float, limit: float, plausible: Callable[[float], bool]) -> float:
    """The last plausible ratio on the way to a limit, by bisection; the end that is not plausible any more."""
    if plausible(limit):
        return limit
    outside = limit
    for _ in range(_HALVINGS):
        middle = (inside + outside) / 2
        inside, outside = (middle, outside) if plausible(middle) else (inside, middle)
    return outside
