"""Laplace noise that never goes further than a reach: OpenDP's, drawn until it lies within."""

from __future__ import annotations

from collections.abc import Sequence

from sfumato.adapters.noise.laplace import laplace
from sfumato.adapters.noise.lattice import within


def truncated(totals: Sequence[int], sensitivity: int, epsilon: float, *, reach: int) -> list[int]:
    """`totals` with noise of at most `reach` steps on each. How often it is drawn does not depend on the totals."""
    noise: list[int] = []
    while len(noise) < len(totals):
        drawn = laplace([0] * (len(totals) - len(noise)), sensitivity, epsilon)
        noise += [steps for steps in drawn if abs(steps) <= reach]
    return [total + steps for total, steps in zip(within(totals), noise, strict=True)]
