"""The best of several candidates, selected privately by OpenDP's noisy max (permute and flip)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from opendp import domains, measurements, measures, metrics
from opendp.mod import Measurement

from sfumato.adapters.noise.lattice import narrowest, within


def selection(scores: Sequence[int], sensitivity: int, epsilon: float) -> list[int]:
    """Where the selected candidate stands. One person moves every score by at most `sensitivity`, either way."""
    return [_mechanism(sensitivity, epsilon)(within(scores))]


@lru_cache(maxsize=256)
def _mechanism(sensitivity: int, epsilon: float) -> Measurement:
    scores = domains.vector_domain(domains.atom_domain(T="i64")), metrics.linf_distance(T="i64")
    pure, scale = measures.max_divergence(), 2 * sensitivity / epsilon
    return narrowest(lambda b: measurements.make_noisy_max(*scores, pure, scale=b), scale, sensitivity, epsilon)
