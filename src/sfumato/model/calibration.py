"""How each noisy number of a release is drawn: by which law, how wide, on which grid. Public, with its epsilon."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

from sfumato.model.choice import Noise


class NoiseLaw(StrEnum):
    """What is drawn: noise that is added, a value that is selected by its rank, or the first that is large enough."""

    LAPLACE = "laplace"
    GAUSSIAN = "gaussian"
    EXPONENTIAL = "exponential"
    SPARSE_VECTOR = "sparse vector"
    SPARSE_VECTOR_AS_PUBLISHED = "sparse vector, as published"
    TRUNCATED = "truncated"


@dataclass(frozen=True)
class Drawing:
    """Of one number. `budget` is its part of epsilon, or of mu where the noise is Gaussian."""

    law: NoiseLaw
    budget: float
    step: Fraction  # of the grid that it is drawn on; of a selection, between its candidates
    scale: float | None = None  # b of Laplace noise (before it is truncated), sigma of Gaussian noise, in own units
    rank_90: float | None = None  # of a selection: its rank misses by so many more than the best, 90 of 100
    reach: int | None = None  # of truncated noise: how many steps it goes at most

    @property
    def furthest(self) -> float:
        """How far its noise goes at most, in the number's own units."""
        return math.inf if self.reach is None else float(self.reach * self.step)


@dataclass(frozen=True)
class Calibration:
    """Of all the numbers of a release. Groups with fewer noisy persons than the threshold are left out."""

    noise: Noise
    epsilon: float
    numbers: tuple[Drawing, ...]
    threshold: Fraction | None = None

    @property
    def mechanism(self) -> str:
        """What was drawn, each law once."""
        laws = ", ".join(dict.fromkeys(drawing.law.value for drawing in self.numbers))
        return laws if self.threshold is None else f"{laws}, threshold"
