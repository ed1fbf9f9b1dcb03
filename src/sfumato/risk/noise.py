"""Noise ranges: how far a released figure may lie from the true one, 90 times of 100 (methods 17)."""

from __future__ import annotations

import math
from collections.abc import Callable

COVERAGE = 0.9


def laplace_half_width(scale: float) -> float:
    """`ln(10) b`: Laplace noise stays within it 90 times of 100.

    >>> round(laplace_half_width(5), 1)
    11.5
    """
    return scale * math.log(1 / (1 - COVERAGE))


def sum_tail(t: float, a: float, b: float) -> float:
    """`P(|X + Y| > t)` for Laplace noises X, Y of scales a and b.

    >>> round(sum_tail(3.272, 1, 1), 3)
    0.1
    """
    a, b = max(a, b), min(a, b)
    if b == 0:
        return math.exp(-t / a)
    if a - b < 1e-6 * a:
        return (1 + t / (2 * a)) * math.exp(-t / a)
    ratio = (b / a) ** 2
    return (math.exp(-t / a) - ratio * math.exp(-t / b)) / (1 - ratio)


def mean_range(total: float, count: float, scales: tuple[float, float], reach: float) -> tuple[float, float]:
    """Fieller's range of a mean from its noisy centred sum and noisy count, within [-reach, reach].

    A mean m is believable when `total - m count`, which is then pure noise of scales b1 and m b2, is no larger
    than that noise is 90 times of 100: `P(|X + m Y| > |total - m count|) >= 0.1`. The range is the hull of the
    believable means; all of [-reach, reach] says that the answer tells nothing.

    >>> low, high = mean_range(total=-400.0, count=200.0, scales=(50.0, 1.0), reach=50.0)
    >>> round(low, 2), round(high, 2)
    (-2.58, -1.42)
    """

    def believable(m: float) -> bool:
        return sum_tail(abs(total - m * count), scales[0], abs(m) * scales[1]) >= 1 - COVERAGE

    believed = [m for m in _grid(reach, total, count) if believable(m)]
    if not believed:
        return -reach, reach  # noise has carried it beyond all that is possible: the answer tells nothing
    return _edge(believed[0], -reach, believable), _edge(believed[-1], reach, believable)


def _grid(reach: float, total: float, count: float) -> list[float]:
    """Means to try: both bounds, some between, and the most likely one, around which the believable ones lie."""
    points = [reach * (i / 16 - 1) for i in range(33)]
    likely = total / count if count else 0.0
    return sorted([*points, min(reach, max(-reach, likely))])


def _edge(inside: float, bound: float, believable: Callable[[float], bool]) -> float:
    """The last believable mean on the way from `inside` to `bound`, by bisection."""
    if believable(bound):
        return bound
    outside = bound
    for _ in range(60):
        middle = (inside + outside) / 2
        inside, outside = (middle, outside) if believable(middle) else (inside, middle)
    return outside
