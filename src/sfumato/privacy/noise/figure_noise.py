"""The noise of a figure that is one noisy number, before it is drawn: of several levels, of the least exact figure."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

from sfumato.model.calibration import Drawing, NoiseLaw
from sfumato.model.choice import Noise
from sfumato.model.levels import Levels
from sfumato.model.measurement import Measurement, NoisyNumber
from sfumato.model.schema import Category
from sfumato.privacy.noise.calibration import furthest_of, scale_of
from sfumato.privacy.noise.consistent_totals import ConsistentTotals


def figure_noise(
    number: NoisyNumber, measurement: Measurement, noise: Noise, epsilon: float
) -> tuple[NoiseLaw, float | None, float]:
    """Its law, its scale (None: a selection), and how far it goes at most."""
    law, scale = NoiseLaw(noise.mechanism), scale_of(number, noise, epsilon)
    if measurement.levels is None or scale is None:
        return law, scale, furthest_of(number, measurement, noise, epsilon)
    variance = _largest_variance(measurement.levels, measurement.public_cells)
    return *combined_noise(law, scale, variance), math.inf


def combined_noise(law: NoiseLaw, scale: float, variance: float) -> tuple[NoiseLaw, float]:
    """The noise of a sum of noises with public weights that has this share of the variance of one of them.

    Sums of Gaussian noise are Gaussian; truncated noise lies nearer to 0 than Laplace noise of its scale.
    """
    deviations = math.sqrt(variance)
    if law is NoiseLaw.GAUSSIAN:
        return law, deviations * scale
    return NoiseLaw.COMBINED, deviations * math.sqrt(2) * scale


@lru_cache(maxsize=64)
def _largest_variance(levels: Levels, leaves: Sequence[tuple[Category, ...]]) -> float:
    return max(ConsistentTotals(levels, leaves).variances())


def drawings_with_others(drawn: Sequence[Drawing], others: int) -> list[Drawing]:
    """The noise of the numbers of one group, and after it that of their sums over so many other groups."""
    noises = [(combined_noise(d.law, d.scale or 0.0, many), d) for many in (1, others) for d in drawn]
    return [replace(drawing, law=law, scale=scale, reach=None) for (law, scale), drawing in noises]
