"""How each noisy number of a release is drawn: by which law, how wide, on which lattice. Public, with its epsilon."""

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
    COMBINED = (
        "combined"  # several Laplace noises, each times a public weight: never drawn, but what an estimate is off
    )


@dataclass(frozen=True)
class Drawing:
    """How one number is drawn. `budget` is its part of epsilon, or of mu where the noise is Gaussian."""

    law: NoiseLaw
    budget: float
    step: Fraction  # of the lattice, or between the candidates of a selection
    # b of Laplace noise (before it is truncated), sigma of Gaussian and of combined noise, in own units
    scale: float | None = None
    # how far the rank of a selection is off, beyond the best candidate, with 90% probability
    rank_90: float | None = None
    reach: int | None = None  # most steps that truncated noise can take

    @property
    def furthest(self) -> float:
        """How far its noise goes at most, in the number's own units."""
        return math.inf if self.reach is None else float(self.reach * self.step)


@dataclass(frozen=True)
class Calibration:
    """How all numbers of a release are drawn. Groups with a noisy count of persons below the threshold are left out."""

    noise: Noise
    epsilon: float
    numbers: tuple[Drawing, ...]
    threshold: Fraction | None = None

    @property
    def mechanism(self) -> str:
        """What was drawn, each law once."""
        laws = ", ".join(dict.fromkeys(drawing.law.value for drawing in self.numbers))
        return laws if self.threshold is None else f"{laws}, threshold"
