"""The noise of an answer before it is drawn: how far it goes, how often, and from which answer on that is little."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class NoiseTail:
    """With this probability the noise is at least `noise`, or a rank is off by at least `rank`.

    `relative_error` is the noise over the expected answer, where one is stated.
    """

    probability: float
    noise: float | None = None
    rank: float | None = None
    relative_error: float | None = None


@dataclass(frozen=True)
class ColumnNoise:
    """The noise of one column at one epsilon; what there is no closed form of is None.

    `least` is the smallest answer of which the noise is little (002's MTA), `least_count` the smallest number of values
    of an average; `is_met` says whether the expected answer, or the expected count, is at least that.
    """

    column: str
    epsilon: float
    law: str
    scale: float | None
    tails: tuple[NoiseTail, ...]
    least: float | None = None
    least_count: int | None = None
    is_met: bool | None = None


@dataclass(frozen=True)
class NoiseTerms:
    """What is asked: at which probabilities, and which error is little with which confidence.

    `expected` is a public guess of the answer and `expected_count` of the values of an average; `within` is an error of
    an average in its own units.
    """

    probabilities: tuple[float, ...] = (0.5, 0.3, 0.1)
    relative_error: float = 0.1
    confidence: float = 0.9
    expected: float | None = None
    expected_count: float | None = None
    within: float | None = None

    @property
    def error(self) -> float | None:
        """The error of an average that is little, in its own units."""
        if self.within is not None:
            return self.within
        return None if self.expected is None else self.relative_error * abs(self.expected)


@dataclass(frozen=True)
class NoiseView:
    """The noise of each column of a query at each epsilon, from public facts."""

    query: str
    mechanism: str
    delta: float | None
    epsilons: tuple[float, ...]
    terms: NoiseTerms
    columns: tuple[ColumnNoise, ...]

    def as_dict(self) -> Mapping[str, Any]:
        return asdict(self)
