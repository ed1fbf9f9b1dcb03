"""How far noise goes, how often, and the smallest answer of which that is little.

Shoaran, Thomo & Weber, "Differential Privacy in Practice", sections 3 and 4; docs/theory/ranges.md.
"""

from __future__ import annotations

import math

from sfumato.model.calibration import NoiseLaw
from sfumato.model.choice import Noise
from sfumato.model.measurement import Assembly, Measurement, NumberKind
from sfumato.model.noise_view import ColumnNoise, NoiseTail, NoiseTerms
from sfumato.privacy.noise.expected_interval import mean_error
from sfumato.privacy.noise.figure_noise import figure_noise
from sfumato.privacy.noise.forms import computed_sum
from sfumato.privacy.noise.intervals import joint_quantile
from sfumato.privacy.noise.rank_selection import rank_error
from sfumato.privacy.noise.sums import reach_of_sum


def column_noise(
    column: Assembly, measurement: Measurement, noise: Noise, epsilon: float, terms: NoiseTerms
) -> ColumnNoise:
    """The noise of one column of an answer."""
    numbers = [measurement.numbers[i] for i in column.numbers]
    if len(numbers) == 1 and numbers[0].kind.is_ranked:
        return _ranked(column, measurement, noise, epsilon, terms)
    if len(numbers) == 2 and numbers[0].kind is NumberKind.CENTRED_SUM:
        return _mean(column, measurement, noise, epsilon, terms)
    added = _added(column, measurement, noise, epsilon)
    if added is None:
        return ColumnNoise(column.name, epsilon, noise.mechanism, None, tuple(map(NoiseTail, terms.probabilities)))
    law, scales, far = added
    expected = terms.expected

    def at(miss: float) -> float:
        return reach_of_sum(law, scales, miss, far)

    tails = tuple(
        NoiseTail(p, at(p), relative_error=None if expected is None else at(p) / abs(expected))
        for p in terms.probabilities
    )
    least = at(1 - terms.confidence) / terms.relative_error
    is_met = None if expected is None else abs(expected) >= least
    scale = scales[0] if len(scales) == 1 else None
    return ColumnNoise(column.name, epsilon, law.value, scale, tails, least, is_met=is_met)


def smallest_count(error: float, scales: tuple[float, float], half_width: float, law: NoiseLaw, miss: float) -> int:
    """The smallest count of an average with at most this error, wherever its mean lies.

    `|X - mY| <= A (n + Y)` is two one-sided events of half of `miss`, of noises of scales `b1` and at most
    `(H + A) b2`: `n = ceil(q(b1, (H + A) b2) / A)`.

    >>> [smallest_count(error, (100, 2), 50, NoiseLaw.LAPLACE, 0.1) for error in (1, 5)]
    [331, 69]
    """
    return math.ceil(joint_quantile(law, scales[0], (half_width + error) * scales[1], miss) / error)


def _added(
    column: Assembly, measurement: Measurement, noise: Noise, epsilon: float
) -> tuple[NoiseLaw, list[float], list[float]] | None:
    """The noises that are added up in a figure: their law, their scales, and how far they go at most."""
    if column.computed is not None:
        total = computed_sum(column, measurement)
        weights = None if total is None else [(i, abs(float(w))) for i, w in total.weights]
    else:
        weights = [(column.numbers[0], 1.0)] if len(column.numbers) == 1 else None
    if not weights:
        return None
    noises = [(figure_noise(measurement.numbers[i], measurement, noise, epsilon), w) for i, w in weights]
    if any(scale is None for (_, scale, _), _ in noises):
        return None
    return (
        noises[0][0][0],
        [(scale or 0.0) * w for (_, scale, _), w in noises],
        [far * w for (_, _, far), w in noises],
    )


def _mean(column: Assembly, measurement: Measurement, noise: Noise, epsilon: float, terms: NoiseTerms) -> ColumnNoise:
    """The error of an average depends on how many values are counted."""
    numbers = [measurement.numbers[i] for i in column.numbers]
    (law, b1, _), (_, b2, _) = (figure_noise(number, measurement, noise, epsilon) for number in numbers)
    bounds, scales = numbers[0].bounds, (b1 or 0.0, b2 or 0.0)
    assert bounds is not None
    half, steps = float(bounds.half_width), (float(numbers[0].step), float(numbers[1].step))
    count, expected, error = terms.expected_count, terms.expected, terms.error

    def tail(p: float) -> NoiseTail:
        far = None if count is None else mean_error(count, scales, half, law, steps, p)
        relative = None if far is None or expected is None else far / abs(expected)
        return NoiseTail(p, far, relative_error=relative)

    least = None if error is None else smallest_count(error, scales, half, law, 1 - terms.confidence)
    is_met = None if count is None or least is None else count >= least
    tails = tuple(map(tail, terms.probabilities))
    return ColumnNoise(column.name, epsilon, law.value, None, tails, least_count=least, is_met=is_met)


def _ranked(column: Assembly, measurement: Measurement, noise: Noise, epsilon: float, terms: NoiseTerms) -> ColumnNoise:
    """A value that is selected by its rank: how far the rank is off."""
    number = measurement.numbers[column.numbers[0]]
    is_selection = number.kind is NumberKind.SELECTION and noise.mechanism == NoiseLaw.LAPLACE

    def tail(p: float) -> NoiseTail:
        return NoiseTail(p, rank=rank_error(number, number.part(epsilon), p) if is_selection else None)

    law = NoiseLaw.EXPONENTIAL if is_selection else NoiseLaw(noise.mechanism)
    return ColumnNoise(column.name, epsilon, law.value, None, tuple(map(tail, terms.probabilities)))
