"""What the answers of a user study show."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class ArmSummary:
    """The values that an arm chose for a task."""

    arm: str
    count: int
    median: float
    deviation: float  # mean distance from the median
    seconds: float  # median


@dataclass(frozen=True)
class ArmComparison:
    """An arm against the control. `shift` is Hodges and Lehmann's estimate of the difference, with its interval."""

    task: str
    arm: ArmSummary
    control: ArmSummary
    u: float
    p: float
    shift: float
    interval: tuple[float, float]
    p_spread: float
    knew_dp: bool | None = None  # only of those who knew differential privacy before, or only of the others


@dataclass(frozen=True)
class ArmShare:
    """How many of `count` did something: used the indicator, or stayed within both limits; Wilson's interval."""

    arm: str
    task: str
    yes: int
    count: int
    interval: tuple[float, float]


@dataclass(frozen=True)
class ArmMean:
    """A mean SUS score with Student's interval."""

    arm: str
    count: int
    mean: float
    interval: tuple[float, float] | None


@dataclass(frozen=True)
class Analysis:
    """Everything that the export of a study shows. Only participants who passed the quiz count."""

    participants: Mapping[str, int]
    comparisons: tuple[ArmComparison, ...]
    used: tuple[ArmShare, ...]
    within: tuple[ArmShare, ...]
    sus: tuple[ArmMean, ...]
    by_familiarity: tuple[ArmComparison, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)
