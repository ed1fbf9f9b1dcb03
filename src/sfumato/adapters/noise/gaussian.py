"""Gaussian noise, drawn exactly on a lattice of whole numbers by OpenDP's discrete sampler."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from opendp import domains, measurements, metrics
from opendp.mod import Measurement

from sfumato.adapters.noise.lattice import narrowest, within


def gaussian(totals: Sequence[int], sensitivity: int, mu: float) -> list[int]:
    """`totals` with noise of `sensitivity / mu` on each: one person moves all of them together by `sensitivity`."""
    return list(_mechanism(sensitivity, mu)(within(totals)))


@lru_cache(maxsize=256)
def _mechanism(sensitivity: int, mu: float) -> Measurement:
    """Its own accounting is zero-concentrated: rho = mu^2 / 2."""
    space = domains.vector_domain(domains.atom_domain(T="i64")), metrics.l2_distance(T="i64")
    return narrowest(lambda s: measurements.make_gaussian(*space, scale=s), sensitivity / mu, sensitivity, mu * mu / 2)
