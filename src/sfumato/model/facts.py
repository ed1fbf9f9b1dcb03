"""Results of one pass over the people. Confidential."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import ClassVar, TypeAlias

from sfumato.model.confidential import Confidential
from sfumato.model.levels import LevelCell

Cell = LevelCell

INFLUENCE, EXPOSURE = "influence", "exposure"
"""The two figures of a person, by their names."""


@dataclass(frozen=True, repr=False)
class Summary(Confidential):
    """Smallest, largest, sum and sum of squares of one figure over all the people, matched by the query or not."""

    people: int
    min: float
    max: float
    sum: float
    sum_sq: float

    def __post_init__(self) -> None:
        if not all(map(math.isfinite, (self.min, self.max, self.sum, self.sum_sq))) or self.min > self.max:
            raise ValueError("a summary has finite figures in order")

    @property
    def mean(self) -> float:
        return self.sum / self.people if self.people else 0.0

    def and_zeros(self, people: int) -> Summary:
        """The same with people of figure 0 added: those whom the WHERE leaves out count too."""
        if people == 0:
            return self
        return replace(self, people=self.people + people, min=min(0.0, self.min), max=max(0.0, self.max))

    def scaled(self, factor: float) -> Summary:
        """The summary of this figure times a factor."""
        least, most, total = (figure * factor for figure in (self.min, self.max, self.sum))
        return Summary(self.people, least, most, total, self.sum_sq * factor**2)

    @staticmethod
    def empty() -> Summary:
        return Summary(0, 0.0, 0.0, 0.0, 0.0)

    @staticmethod
    def alike(people: int, figure: float) -> Summary:
        """The summary of people who all have the same figure."""
        return Summary(people, figure, figure, people * figure, people * figure**2) if people else Summary.empty()


@dataclass(frozen=True, repr=False)
class Moments(Confidential):
    """How many people there are, and of their exposures the sum and the sum of squares: exactly, in whole units.

    >>> Moments(people=2, total=Moments.ONE, squares=Moments.ONE**2).spread == Moments.ONE // 2
    True
    """

    ONE: ClassVar[int] = 2**20  # an exposure of 1

    people: int
    total: int
    squares: int

    @property
    def spread(self) -> int:
        """`SS = sum (u_i - mean)^2` in units, rounded once (docs/theory/variance.md)."""
        if not self.people:
            return 0
        return round(Fraction(self.people * self.squares - self.total**2, self.people * self.ONE))


@dataclass(frozen=True)
class Bin:
    """The number of people whose figure lies between `low` and `high`, both of which occur."""

    low: float
    high: float
    people: int


@dataclass(frozen=True)
class Histogram:
    """How many people lie between each two neighbouring edges; the last edge belongs to the last bar."""

    edges: tuple[float, ...]
    people: tuple[int, ...]


@dataclass(frozen=True, repr=False)
class Distribution(Confidential):
    """How one figure is spread over all the people: narrow bins, in order.

    A bin is FINE times narrower than a bar of the histogram, so a quantile is exact to 1/3840 of the range, and exact
    where a bin holds one or two figures.
    """

    bins: tuple[Bin, ...]

    BARS = 60
    FINE = 64

    @property
    def people(self) -> int:
        return sum(b.people for b in self.bins)

    def scaled(self, factor: float) -> Distribution:
        return Distribution(tuple(Bin(b.low * factor, b.high * factor, b.people) for b in self.bins))

    def quantile(self, p: float) -> float:
        """The smallest figure that at least a share `p` of the people do not exceed; 0 where there is no one."""
        if not 0 <= p <= 1:
            raise ValueError("a quantile lies between 0 and 1")
        return self.at_rank(max(1, math.ceil(p * self.people)))

    def at_rank(self, rank: int) -> float:
        """The figure of this rank, from 1; within a bin ranks are spread evenly between its ends."""
        below = 0
        for b in self.bins:
            if rank <= below + b.people:
                within = (rank - below - 1) / (b.people - 1) if b.people > 1 else 0.0
                return b.low + within * (b.high - b.low)
            below += b.people
        return 0.0

    @property
    def histogram(self) -> Histogram:
        """Bars of one width from the smallest to the largest figure; a single bar where all figures are the same."""
        low, high = (self.bins[0].low, self.bins[-1].high) if self.bins else (0.0, 0.0)
        if low == high:
            return Histogram((low, low + 1.0), (self.people,))
        counts = [0] * self.BARS
        for b in self.bins:
            counts[min(self.BARS - 1, int((b.low - low) / (high - low) * self.BARS))] += b.people
        edges = [low + (high - low) * i / self.BARS for i in range(self.BARS)]
        return Histogram((*edges, high), tuple(counts))


@dataclass(frozen=True)
class Reach:
    """How far a figure may go in any data: what the worst case knows of it. Public."""

    min: float
    max: float
    mean = sum = sum_sq = None


@dataclass(frozen=True, repr=False)
class Facts(Confidential):
    """How much each person carries of an answer, summarised.

    `influence` is the change of the answer when a person leaves (the papers' per-instance sensitivity); `exposure` the
    share of the worst case that a person really carries.
    """

    influence: Summary
    exposure: Summary

    def __post_init__(self) -> None:
        if self.exposure.min < 0 or self.exposure.max > 1 + 1e-9:
            raise ValueError("an exposure lies between 0 and 1")

    @property
    def people(self) -> int:
        return self.influence.people

    def summary(self, figure: str) -> Summary:
        return self.exposure if figure == EXPOSURE else self.influence


Counts: TypeAlias = Mapping[int, int]
"""Counts of values by place, for a number that is selected by its rank: place 0 is below its first candidate, 1 at it,
2 between it and the next, 3 at that, and so on. A place without values is left out."""


@dataclass(frozen=True, repr=False)
class Totals(Confidential):
    """The exact totals behind each noisy number, cell by cell, in whole steps of that number's lattice.

    `counts` has those of the numbers that are selected by their rank, by the position of the number.
    """

    cells: Mapping[Cell, tuple[int, ...]]
    counts: Mapping[int, Mapping[Cell, Counts]] = field(default_factory=dict)

    def by_cell(self) -> Iterable[tuple[Cell, tuple[int, ...]]]:
        return self.cells.items()

    def counts_by_cell(self, position: int) -> Iterable[tuple[Cell, Counts]]:
        return self.counts[position].items()
