"""Whole numbers, and the noise that OpenDP draws around them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from opendp.mod import Measurement, enable_features

enable_features("contrib")

FURTHEST = 2**62  # totals are clamped to it, which brings neighbours only closer together


def within(totals: Sequence[int]) -> list[int]:
    return [max(-FURTHEST, min(FURTHEST, total)) for total in totals]


def narrowest(make: Callable[[float], Measurement], scale: float, sensitivity: int, most: float) -> Measurement:
    """The narrowest noise from `scale` on whose own accounting, rounded as OpenDP rounds it, stays within `most`."""
    while (measurement := make(scale)).map(sensitivity) > most:
        scale = math.nextafter(scale, math.inf)
    return measurement
