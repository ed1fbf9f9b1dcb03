"""The 90% interval of an answer before paying, from public facts and a guess of the group's size.

See docs/theory/ranges.md.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from sfumato.model.calibration import NoiseLaw
from sfumato.model.choice import Noise
from sfumato.model.expected_interval import Ends, ExpectedInterval
from sfumato.model.measurement import Assembly, Measurement, NumberKind
from sfumato.privacy.bisection import largest
from sfumato.privacy.noise.figure_noise import figure_noise
from sfumato.privacy.noise.forms import WeightedSum, computed_share, computed_sum
from sfumato.privacy.noise.intervals import COVERAGE, joint_tail, mean_range, reach, variance_range
from sfumato.privacy.noise.rank_selection import rank_90
from sfumato.privacy.noise.ratio import NoisySum, ratio_range
from sfumato.privacy.noise.sums import reach_of_sum, tail_of_sum

SIZES = (100, 1_000, 10_000)  # groups that are always among the examples
_PLACES = (0.0, 0.5, 0.9, 1.0)  # of means, in half-widths from the middle of the bounds to one of them


def expected_intervals(
    measurement: Measurement, noise: Noise, epsilon: float, counts: Sequence[int]
) -> tuple[ExpectedInterval, ...]:
    """The interval of each column of the answer, of what is divided by a count for each of these counts.

    Groups of private keys are shown where noise came out high: of their means and variances nothing is said.
    """
    intervals: list[ExpectedInterval] = []
    for column in measurement.columns:
        if not column.visible or column.is_public:
            continue
        if column.computed is not None:
            intervals += _computed(column, measurement, noise, epsilon, counts)
        elif len(column.numbers) == 1:
            intervals.append(_plain(column, measurement, noise, epsilon))
        elif measurement.cells is not None:
            intervals += [_composed(column, measurement, noise, epsilon, count) for count in counts]
    return tuple(intervals)


def divisors(measurement: Measurement) -> frozenset[int]:
    """The positions of the noisy counts that figures of the answer are divided by."""
    composed = {column.numbers[-1] for column in measurement.columns if column.visible and len(column.numbers) > 1}
    shares = (computed_share(column, measurement) for column in measurement.columns if column.visible)
    return frozenset(composed | {share.divisor for share in shares if share is not None})


def mean_interval(mean: float, count: float, scales: tuple[float, float], bounds: Ends, law: NoiseLaw) -> Ends:
    """The interval of an average if this is the mean of so many: Fieller's, at the numbers without noise.

    >>> [round(end, 2) for end in mean_interval(75, 1000, (100, 2), (0, 100), NoiseLaw.LAPLACE)]
    [74.74, 75.26]
    """
    centre, half = (bounds[0] + bounds[1]) / 2, (bounds[1] - bounds[0]) / 2
    low, high = mean_range((mean - centre) * count, count, scales, half, law)
    return centre + low, centre + high


def mean_error(
    count: float,
    scales: tuple[float, float],
    half_width: float,
    law: NoiseLaw,
    steps: Ends = (0.0, 0.0),
    miss: float = 1 - COVERAGE,
) -> float | None:
    """How far an average of at least `count` is off at most, wherever it lies, but for a share `miss` of the time.

    It is within A unless one of two noises of scales `b1` and at most `(H + A) b2` goes further than `A n` on its side;
    on a lattice, a step less. None: as far as from bound to bound.

    >>> round(mean_error(331, (100, 2), 50, NoiseLaw.LAPLACE), 2)
    1.0
    """

    def is_exceeded(error: float) -> bool:
        room = error * count - steps[0] - (half_width + error) * steps[1]
        return room <= 0 or joint_tail(law, room, scales[0], (half_width + error) * scales[1]) > miss

    return None if is_exceeded(2 * half_width) else math.nextafter(largest(is_exceeded, 0.0, 2 * half_width), math.inf)


def _plain(column: Assembly, measurement: Measurement, noise: Noise, epsilon: float) -> ExpectedInterval:
    number = measurement.numbers[column.numbers[0]]
    if number.kind is NumberKind.HISTOGRAM:
        return ExpectedInterval(column.name)  # how far a value is off depends on how the values lie
    law, scale, far = figure_noise(number, measurement, noise, epsilon)
    if scale is None:
        is_pure = noise.mechanism == NoiseLaw.LAPLACE
        return ExpectedInterval(column.name, rank=rank_90(number, number.part(epsilon)) if is_pure else None)
    half = reach(law, scale, furthest=far)
    return ExpectedInterval(column.name, half_width=half, at_most=half)


def _computed(
    column: Assembly, measurement: Measurement, noise: Noise, epsilon: float, counts: Sequence[int]
) -> list[ExpectedInterval]:
    """Of a sum of noisy numbers always the same; of a share, as of a mean. Of anything else nothing is said."""
    total, share = computed_sum(column, measurement), computed_share(column, measurement)
    noises = [figure_noise(number, measurement, noise, epsilon) for number in measurement.numbers]
    law = next((law for law, scale, _ in noises if scale is not None), NoiseLaw(noise.mechanism))

    def spread(weights: WeightedSum) -> dict[int, float]:
        return {i: float(w) * (noises[i][1] or 0.0) for i, w in weights.weights}

    if total is not None:
        each = spread(total)
        far = [abs(float(w)) * noises[i][2] for i, w in total.weights]
        half = reach_of_sum(law, list(map(abs, each.values())), furthest=far)
        return [ExpectedInterval(column.name, half_width=half, at_most=half)]
    if share is None or measurement.cells is None:
        return []
    top, bottom = spread(share.ratio.top), spread(share.ratio.bottom)
    numbers = sorted({*top, *bottom})
    pairs = [(top.get(i, 0.0), bottom.get(i, 0.0)) for i in numbers]
    rounding = [(share.slack(share.ratio.top), share.slack(share.ratio.bottom))]
    low, high = share.limits

    def at(ratio: float, count: int) -> Ends:
        sums = (NoisySum(ratio * count, tuple(a for a, _ in pairs)), NoisySum(count, tuple(b for _, b in pairs)))
        return ratio_range(*sums, law, share.limits) or share.limits

    def error(count: int) -> float | None:
        def is_exceeded(off: float) -> bool:
            def furthest(parts: Sequence[tuple[float, float]]) -> list[float]:
                return [max(abs(a - (low - off) * b), abs(a - (high + off) * b)) for a, b in parts]

            room = off * count - sum(a + max(abs(low - off), abs(high + off)) * b for a, b in rounding)
            return room <= 0 or tail_of_sum(law, furthest(pairs), room) > 1 - COVERAGE

        most = high - low
        return None if is_exceeded(most) else math.nextafter(largest(is_exceeded, 0.0, most), math.inf)

    return [
        ExpectedInterval(column.name, count, (middle[1] - middle[0]) / 2, error(count), middle, at(high, count))
        for count in counts
        for middle in [at((low + high) / 2, count)]
    ]


def _composed(column: Assembly, measurement: Measurement, noise: Noise, epsilon: float, count: int) -> ExpectedInterval:
    numbers = [measurement.numbers[i] for i in column.numbers]
    noises = [figure_noise(number, measurement, noise, epsilon) for number in numbers]
    law, bounds, scales = noises[0][0], numbers[0].bounds, [scale or 0.0 for _, scale, _ in noises]
    assert bounds is not None
    half = float(bounds.half_width)
    if numbers[0].kind is NumberKind.SQUARES:
        return _spread(column, count, scales, half, law)
    pair, ends = (scales[0], scales[1]), (float(bounds.lower), float(bounds.upper))
    middle, bound = (mean_interval(mean, count, pair, ends, law) for mean in (sum(ends) / 2, ends[1]))
    steps = float(numbers[0].step), float(numbers[1].step)
    error = mean_error(count, pair, half, law, steps)
    return ExpectedInterval(column.name, count, (middle[1] - middle[0]) / 2, error, middle, bound)


def _spread(column: Assembly, count: int, scales: Sequence[float], half: float, law: NoiseLaw) -> ExpectedInterval:
    """Of a variance in the middle of what is possible; at most, of others at means on the way to a bound."""
    kind = column.kind
    assert kind is not None

    def case(place: float, share: float) -> tuple[float, Ends]:
        """How far the interval reaches from this share of the largest variance at this mean, and its ends."""
        mean, variance = place * half, share * (1 - place**2) * half**2
        values = ((variance + mean**2 - half**2 / 2) * count, mean * count, float(count))
        low, high = variance_range(values, scales, half, kind.lost, law)
        true, *ends = (each**0.5 if kind.is_root else each for each in (variance, low, high))
        return max(true - ends[0], ends[1] - true), (ends[0], ends[1])

    width, middle = case(0.0, 0.5)
    widest, bound = max(case(place, share) for place in _PLACES for share in (0.0, 0.5, 1.0))
    nothing = widest >= (half if kind.is_root else half**2)
    return ExpectedInterval(column.name, count, width, None if nothing else widest, middle, bound)
