"""Gaussian noise, drawn exactly on a grid of whole numbers by OpenDP's discrete sampler."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache

from opendp import domains, measurements, metrics
from opendp.mod import Measurement, enable_features

from sfumato.mechanisms.grid import within

enable_features("contrib")


def gaussian(totals: Sequence[int], sensitivity: int, mu: float) -> list[int]:
    """`totals` with noise of `sensitivity / mu` on each: one person moves all of them together by `sensitivity`."""
    return list(_mechanism(sensitivity, mu)(within(totals)))


@lru_cache(maxsize=256)
def _mechanism(sensitivity: int, mu: float) -> Measurement:
    """The narrowest noise whose own accounting, rounded as OpenDP rounds it, stays within rho = mu^2 / 2."""
    scale = sensitivity / mu
    while True:
        made = measurements.make_gaussian(
            domains.vector_domain(domains.atom_domain(T="i64")), metrics.l2_distance(T="i64"), scale=scale
        )
        if made.map(sensitivity) <= mu * mu / 2:
            return made
        scale = math.nextafter(scale, math.inf)
