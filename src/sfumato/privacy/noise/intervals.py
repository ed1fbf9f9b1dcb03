"""Noise intervals of released figures, at 90% (docs/theory/ranges.md)."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cache
from itertools import accumulate
from statistics import NormalDist

from sfumato.model.calibration import NoiseLaw
from sfumato.privacy.bisection import last_below
from sfumato.privacy.noise.error import noise_quantile
from sfumato.privacy.noise.truncated_laplace import quantile

COVERAGE = 0.9


def reach(law: NoiseLaw, scale: float, miss: float = 1 - COVERAGE, furthest: float = math.inf) -> float:
    """How far noise goes but for a share `miss` of the time: `b ln(1 / miss)` of Laplace noise.

    Truncated noise goes less far than Laplace noise of its scale, and not `furthest`. Combined noise is taken for the
    wider of normal noise and of one Laplace noise with its standard deviation (docs/theory/totals.md).

    >>> round(reach(NoiseLaw.LAPLACE, 5.0), 1), round(reach(NoiseLaw.GAUSSIAN, 5.0), 1)
    (11.5, 8.2)
    """
    if law is NoiseLaw.TRUNCATED:
        return quantile(1 - miss, scale, furthest)
    if law is NoiseLaw.COMBINED:
        return scale * max(NormalDist().inv_cdf(1 - miss / 2), -math.log(miss) / math.sqrt(2))
    return noise_quantile(scale, 1.0, miss) if law is NoiseLaw.LAPLACE else scale * NormalDist().inv_cdf(1 - miss / 2)


def joint_tail(law: NoiseLaw, t: float, a: float, b: float) -> float:
    """`P(|X + Y| > t)` for noises X and Y of scales a and b; of truncated noise it is less than of Laplace noise.

    Of combined noise it is what `reach` takes it for.
    """
    if law in (NoiseLaw.GAUSSIAN, NoiseLaw.COMBINED):
        deviations = t / math.hypot(a, b) if a or b else math.inf
        normal = math.erfc(deviations / math.sqrt(2))
        return normal if law is NoiseLaw.GAUSSIAN else max(normal, math.exp(-math.sqrt(2) * deviations))
    return sum_tail(t, a, b)


def joint_quantile(law: NoiseLaw, a: float, b: float, miss: float = 1 - COVERAGE) -> float:
    """The inverse of `joint_tail`: two noises of scales a and b together go further with probability `miss`.

    >>> [round(joint_quantile(NoiseLaw.LAPLACE, 1, b), 4) for b in (0, 1, 2)]
    [2.3026, 3.2718, 5.1419]
    """
    if law in (NoiseLaw.GAUSSIAN, NoiseLaw.COMBINED):
        return reach(law, math.hypot(a, b), miss)
    most = (a + b) * math.log(2 / miss)  # one of the two noises would have to go further than its part of this
    return last_below(lambda t: -joint_tail(law, t, a, b), -miss, 0.0, most) if most else 0.0


def printed_count(noisy: float, half: float) -> tuple[int, int, int]:
    """A count as it is printed, with its interval: `(low, figure, high)`, the ends rounded outwards.

    The figure is the noisy number, limited to 0 or more, and the interval is centred on it (docs/theory/ranges.md).

    >>> printed_count(-30, 23), printed_count(41.7, 23.1)
    ((0, 0, 23), (18, 42, 65))
    """
    limited = max(0.0, noisy)
    return max(0, math.floor(limited - half)), round(limited), math.ceil(limited + half)


def joint_reach(scale: float, numbers: int, step: float) -> float:
    """`b ln(n / 0.1)` and a step: on any of n numbers, noise on the lattice exceeds it with probability at most 10%.

    >>> round(joint_reach(20, 21, 1 / 1024))
    107
    """
    return scale * math.log(numbers / (1 - COVERAGE)) + step


def one_sided_reach(scale: float, numbers: int, step: float) -> float:
    """The sum of n Laplace noises on a lattice lies above it at most 10% of the time: `b q + n step`, `P(S > q) = 0.1`.

    Noise on a lattice is the difference of two exponential variables that are each rounded down to it, so it is within
    a step of Laplace noise, and the sum within n steps.

    >>> [round(one_sided_reach(10, bins, 0), 1) for bins in (1, 2, 5, 10)]
    [16.1, 24.0, 39.3, 56.4]
    """
    return scale * _one_sided(numbers) + numbers * step


@cache
def _one_sided(numbers: int) -> float:
    return last_below(lambda t: -_upper_tail(t, numbers), COVERAGE - 1, 0.0, 4.0 * numbers)


def _upper_tail(t: float, numbers: int) -> float:
    """`P(S > t)` for the sum S of n Laplace noises of scale 1 and t >= 0.

    S is the n-th arrival of one Poisson process less that of another: it is above t when the first has at most n - 1
    arrivals until t and the second's n-th arrival after that, `sum_i C(n-1+i, i) 2^-(n+i) P(Poisson(t) <= n-1-i)`.
    """
    arrivals = accumulate(range(1, numbers), lambda one, m: one * t / m, initial=math.exp(-t))
    before = list(accumulate(arrivals))
    during = accumulate(range(1, numbers), lambda one, i: one * (numbers - 1 + i) / (2 * i), initial=0.5**numbers)
    return sum(weight * few for weight, few in zip(during, reversed(before), strict=True))


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


def mean_range(
    total: float,
    count: float,
    scales: tuple[float, float],
    half_width: float,
    law: NoiseLaw = NoiseLaw.LAPLACE,
    miss: float = 1 - COVERAGE,
) -> tuple[float, float]:
    """Fieller's range of a mean from its noisy centred sum and noisy count, within [-half_width, half_width].

    A mean m is believable when `total - m count`, which is then pure noise of scales b1 and m b2, is no larger
    than that noise is but for a share `miss` of the time: `P(|X + m Y| > |total - m count|) >= miss`. The range is the
    hull of the believable means; all of [-half_width, half_width] says that the answer tells nothing.

    >>> low, high = mean_range(total=-400.0, count=200.0, scales=(50.0, 1.0), half_width=50.0)
    >>> round(low, 2), round(high, 2)
    (-2.58, -1.42)
    """

    def believable(m: float) -> bool:
        return joint_tail(law, abs(total - m * count), scales[0], abs(m) * scales[1]) >= miss

    believed = [m for m in _possible_means(half_width, total, count) if believable(m)]
    if not believed:
        return -half_width, half_width  # noise has carried it beyond all that is possible: the answer tells nothing
    return _edge(believed[0], -half_width, believable), _edge(believed[-1], half_width, believable)


def variance_range(
    values: Sequence[float],
    scales: Sequence[float],
    half_width: float,
    lost: int,
    law: NoiseLaw = NoiseLaw.LAPLACE,
    miss: float = 1 - COVERAGE,
) -> tuple[float, float]:
    """The range of a variance from its noisy squares, centred sum and count: the extremes over their joint box.

    Each of the three stays in its side of the box but for a third of `miss`, so all of them do but for `miss`. With
    x = 1/c the variance `q x + H^2/2 - (s x)^2` is concave in x: least at an end, largest at an end or at its top.

    >>> low, high = variance_range((0.0, 0.0, 1000.0), (12.5, 5.0, 1.0), half_width=5.0, lost=0)
    >>> round(low, 1), round(high, 1)
    (12.5, 12.5)
    """
    reaches = [reach(law, scale, miss / 3) for scale in scales]
    (q_low, q_high), (s_low, s_high), (c_low, c_high) = (
        (value - far, value + far) for value, far in zip(values, reaches, strict=True)
    )
    c_low, c_high = max(1.0 + lost, c_low), max(1.0 + lost, c_high)
    furthest = max(abs(s_low), abs(s_high)) ** 2
    nearest = 0.0 if s_low <= 0 <= s_high else min(abs(s_low), abs(s_high)) ** 2
    ends = (1 / c_low, 1 / c_high)
    top = [q_high / (2 * nearest)] if nearest and ends[1] < q_high / (2 * nearest) < ends[0] else []
    offset, most = half_width**2 / 2, half_width**2
    low = min(q_low * x + offset - furthest * x * x for x in ends)
    high = max(q_high * x + offset - nearest * x * x for x in (*ends, *top))
    inside = [max(0.0, min(most, variance)) for variance in (low, high)]
    return inside[0] * c_high / (c_high - lost), inside[1] * c_low / (c_low - lost)


def _possible_means(furthest: float, total: float, count: float) -> list[float]:
    """Means to try: both bounds, some between, and the most likely one, around which the believable ones lie."""
    points = [furthest * (i / 16 - 1) for i in range(33)]
    likely = total / count if count else 0.0
    return sorted([*points, min(furthest, max(-furthest, likely))])


def _edge(inside: float, bound: float, believable: Callable[[float], bool]) -> float:
    """The last believable mean on the way from `inside` to `bound`, by bisection."""
    if believable(bound):
        return bound
    outside = bound
    for _ in range(60):
        middle = (inside + outside) / 2
        inside, outside = (middle, outside) if believable(middle) else (inside, middle)
    return outside
