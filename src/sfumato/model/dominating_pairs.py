"""What one person may change, as two distributions that tell no less than those of any neighbours do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True)
class Pure:
    """The worst of anything that is epsilon-dp: two outcomes, each e^epsilon times as likely on one side."""

    epsilon: float

    @property
    def loss(self) -> float:
        """The most that is lost; of Gaussian noise, which has no most, about what it seldom exceeds."""
        return self.epsilon


@dataclass(frozen=True)
class OnLattice:
    """Laplace noise on whole numbers, `P(k) ~ e^(-parameter |k|)`, and the same moved by so many steps."""

    parameter: float
    steps: int

    @property
    def loss(self) -> float:
        return self.parameter * self.steps


@dataclass(frozen=True)
class Normal:
    """Gaussian noise of deviation 1, and the same moved by mu."""

    mu: float

    @property
    def loss(self) -> float:
        return self.mu * (self.mu / 2 + 5)


Pair: TypeAlias = Pure | OnLattice | Normal
