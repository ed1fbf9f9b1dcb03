"""Laplace noise, drawn exactly on a lattice of whole numbers by OpenDP's discrete sampler."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from opendp import domains, measurements, metrics
from opendp.mod import Measurement

from sfumato.adapters.noise.lattice import narrowest, within


def laplace(totals: Sequence[int], sensitivity: int, epsilon: float) -> list[int]:
    """`totals` with noise on each; all of them together are epsilon-dp when one person moves them by `sensitivity`."""
    return list(_mechanism(sensitivity, epsilon)(within(totals)))


@lru_cache(maxsize=256)
def _mechanism(sensitivity: int, epsilon: float) -> Measurement:
    space = domains.vector_domain(domains.atom_domain(T="i64")), metrics.l1_distance(T="i64")
    return narrowest(lambda b: measurements.make_laplace(*space, scale=b), sensitivity / epsilon, sensitivity, epsilon)
