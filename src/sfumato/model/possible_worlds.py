"""What the data may be, by everything but the answer: the worlds that a belief is about."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property


@dataclass(frozen=True)
class World:
    """Worlds that no answer tells apart: they have the same noisy numbers.

    `loads` are those numbers that differ between worlds, by their place, in units of which each is worth an epsilon
    of 1. `mass` is how likely all of them are together, `one` how likely the likeliest is by itself, in any unit.
    `apart` is what else may tell this world from any other one, at most: of numbers that are not simply added noise to.
    """

    loads: tuple[tuple[int, float], ...]
    mass: float = 1.0
    one: float = 1.0
    apart: float = 0.0

    @cached_property
    def norm(self) -> float:
        return sum(abs(load) for _, load in self.loads)
