"""Which noisy numbers will be drawn for a statement: the noun that risk, choice, noise and certificate share."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

from sfumato.model.dataset import Bounds, Category


class NumberKind(StrEnum):
    COUNT = "count"
    SUM = "sum"
    CENTRED_SUM = "centred sum"


@dataclass(frozen=True)
class NoisyNumber:
    """One number per cell of the answer, with noise of its own.

    A person moves it by at most `sensitivity`, in whole multiples of `step`: sums are exact integers in units
    of `step` and the noise is drawn on that grid, so the sensitivity claimed is the sensitivity had
    (methods 11.7). `share` is its part of the query's epsilon.
    """

    kind: NumberKind
    column: str | None
    sensitivity: Fraction
    step: Fraction
    share: Fraction = Fraction(1)
    centre: Fraction = Fraction(0)
    bounds: Bounds | None = None
    rounded: bool = False  # each value is rounded to the grid before it is added up

    def __post_init__(self) -> None:
        if self.sensitivity and (self.sensitivity / self.step).denominator != 1:
            raise ValueError("a sensitivity is a whole number of steps")

    @property
    def steps(self) -> int:
        """The sensitivity in units of the grid."""
        return int(self.sensitivity / self.step)

    def part(self, epsilon: float) -> float:
        """Its part of an epsilon, rounded down: the parts never add up to more than was charged."""
        exact = self.share * Fraction(str(epsilon))
        part = float(exact)
        return part if Fraction(part) <= exact else math.nextafter(part, 0)

    def scale(self, epsilon: float) -> float:
        """The Laplace scale b = D / (w eps)."""
        return float(self.sensitivity / self.share) / epsilon

    @property
    def words(self) -> str:
        if self.column is None:
            return "count of rows"
        centred = f"({self.column} − {float(self.centre):g})" if self.centre else self.column
        return f"count of {self.column}" if self.kind is NumberKind.COUNT else f"sum of {centred}"


@dataclass(frozen=True)
class Assembly:
    """How one column of the answer is put together from the key and the noisy numbers of its cell."""

    name: str
    key: int | None = None
    numbers: tuple[int, ...] = ()  # one: a count or a sum; two: a centred sum and the count it is divided by


@dataclass(frozen=True)
class Measurement:
    """The noisy numbers of a statement, from the schema alone."""

    numbers: tuple[NoisyNumber, ...]
    cells: tuple[tuple[Category, ...], ...]
    columns: tuple[Assembly, ...]

    def __post_init__(self) -> None:
        if sum(number.share for number in self.numbers) != 1:
            raise ValueError("shares of epsilon add up to one")

    @property
    def k(self) -> int:
        """How many noisy numbers are released: public cells times numbers, never the groups that were seen."""
        return len(self.cells) * len(self.numbers)

    @property
    def largest_influence(self) -> float:
        """The most that anybody, in any data, moves the answer: a mean from its only person to none, or from two."""
        return sum(self._largest_change(column) for column in self.columns if column.numbers)

    def _largest_change(self, column: Assembly) -> float:
        number = self.numbers[column.numbers[0]]
        alone = number.bounds.reach if number.bounds is not None else Fraction(0)
        return float(max(number.sensitivity, alone))

    @property
    def one_scale(self) -> bool:
        """Whether all the noisy numbers carry noise of one scale, as in the papers."""
        return len({number.sensitivity / number.share for number in self.numbers}) == 1
