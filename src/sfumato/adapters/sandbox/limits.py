"""What a function of an analyst's may take, and what may leave it."""

from __future__ import annotations

import math
from dataclasses import dataclass

from sfumato.errors import BadInput

WORKING = 0.9
"""Share of the seconds in which a function may run. The rest is for ending it, so that the wait has one length."""


@dataclass(frozen=True)
class SandboxLimits:
    """A score lies within [low, high], on a lattice of so many decimals. It comes after `seconds`, never sooner."""

    seconds: float = 30.0
    memory_mb: int = 2048
    decimals: int = 2
    low: float = 0.0
    high: float = 1.0

    def __post_init__(self) -> None:
        in_order = -math.inf < self.low < self.high < math.inf
        if not (0 < self.seconds < math.inf and self.memory_mb > 0 and 0 <= self.decimals <= 15 and in_order):
            raise BadInput.because("sandbox-limits")

    def score(self, number: float) -> float | None:
        """The number as it may leave the sandbox, rounded and within the limits; None if it is not finite.

        >>> limits = SandboxLimits()
        >>> limits.score(0.123456), limits.score(7), limits.score(float("nan"))
        (0.12, 1.0, None)
        """
        if not math.isfinite(number):
            return None
        return min(max(round(number, self.decimals), self.low), self.high) + 0.0  # one zero only: -0.0 would be a bit
