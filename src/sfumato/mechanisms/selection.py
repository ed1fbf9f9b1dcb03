"""The best of several candidates, selected privately by OpenDP's noisy max (permute and flip)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache

from opendp import domains, measurements, measures, metrics
from opendp.mod import Measurement, enable_features

from sfumato.mechanisms.grid import within

enable_features("contrib")


def selection(scores: Sequence[int], sensitivity: int, epsilon: float) -> list[int]:
    """Where the selected candidate stands. One person moves every score by at most `sensitivity`."""
    return [_mechanism(sensitivity, epsilon)(within(scores))]


@lru_cache(maxsize=256)
def _mechanism(sensitivity: int, epsilon: float) -> Measurement:
    """The narrowest noise whose own accounting, rounded as OpenDP rounds it, stays within epsilon."""
    scale = 2 * sensitivity / epsilon
    while True:
        made = measurements.make_noisy_max(
            domains.vector_domain(domains.atom_domain(T="i64")),
            metrics.linf_distance(T="i64"),
            measures.max_divergence(),
            scale=scale,
        )
        if made.map(sensitivity) <= epsilon:
            return made
        scale = math.nextafter(scale, math.inf)
