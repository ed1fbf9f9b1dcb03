"""Which noisy numbers will be drawn for a statement: the noun that risk, choice, noise and certificate share."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from functools import cached_property

from sfumato.model.calibration import NoiseLaw
from sfumato.model.histogram_tree import HistogramTree, tree_for
from sfumato.model.levels import LevelCell, Levels, groups_of
from sfumato.model.schema import Bounds, Category, Type
from sfumato.model.statement import Aggregate, AggregateKind, Scalar, columns_in, sums_over_groups

GROUPS = 100  # as many as private keys are taken to make where work is limited before anything is read
FEW = 10_000  # figures and candidates whose exact totals may be held from one draw to the next


class NumberKind(StrEnum):
    COUNT = "count"
    SUM = "sum"
    CENTRED_SUM = "centred sum"
    SQUARES = "sum of squares"
    PERSONS = "persons"
    DISTINCT = "distinct values"
    SELECTION = "selection"
    HISTOGRAM = "histogram"
    SPREAD = "spread of exposures"

    @property
    def additive(self) -> bool:
        """Whether it is a sum over people of what each one adds, independent of the others."""
        return self not in (NumberKind.DISTINCT, NumberKind.SELECTION)

    @property
    def is_sum(self) -> bool:
        """Whether it is one such sum in each cell."""
        return self.additive and self is not NumberKind.HISTOGRAM

    @property
    def is_ranked(self) -> bool:
        """Whether it reads how many values lie where in a column, and no total."""
        return self in (NumberKind.SELECTION, NumberKind.HISTOGRAM)

    @property
    def counts(self) -> bool:
        return self in (NumberKind.COUNT, NumberKind.PERSONS, NumberKind.DISTINCT)


@dataclass(frozen=True)
class NoisyNumber:
    """One number per cell of the answer, with noise of its own; of a histogram, one in each node of its tree.

    A person moves it by at most `sensitivity`, in whole multiples of `step`: sums are exact integers in units
    of `step` and the noise is drawn on that lattice, so the sensitivity claimed is the sensitivity had
    (docs/theory/noise.md). `share` is its part of the query's epsilon.
    """

    kind: NumberKind
    argument: Scalar | None
    sensitivity: Fraction
    step: Fraction
    share: Fraction = Fraction(1)
    centre: Fraction = Fraction(0)
    bounds: Bounds | None = None  # of one row's argument
    rounded: bool = False  # each value is rounded to the lattice before it is added up
    selects: Aggregate | None = None  # the aggregate whose rank a selection looks for
    apart: Fraction = Fraction(0)  # distance between the candidates of a selection
    largest: Fraction = Fraction(0)  # the most that one person changes an answer that is not additive
    cells: int = 1  # of so many cells, each moves by an equal part of the sensitivity at most

    def __post_init__(self) -> None:
        if self.sensitivity and (self.sensitivity / self.step).denominator != 1:
            raise ValueError("a sensitivity is a whole number of steps")

    @property
    def steps(self) -> int:
        """The sensitivity in units of the lattice."""
        return int(self.sensitivity / self.step)

    @property
    def euclidean(self) -> Fraction:
        """The sensitivity as a distance over all cells (L2), rounded up to a whole step.

        Someone who is counted once in each of c cells moves them by the root of c in all.
        """
        if self.cells == 1:
            return self.sensitivity
        square = -(-(self.steps**2) // self.cells)
        return (math.isqrt(square - 1) + 1) * self.step

    def sensitivity_under(self, mechanism: str) -> Fraction:
        """What noise is scaled by: Gaussian noise by a distance (L2), any other by the sum over all cells (L1)."""
        return self.euclidean if mechanism == NoiseLaw.GAUSSIAN else self.sensitivity

    @property
    def offset(self) -> Fraction:
        """What is taken off each square, so that it lies as far above zero as below: H^2 / 2."""
        return self.bounds.half_width**2 / 2 if self.kind is NumberKind.SQUARES and self.bounds else Fraction(0)

    @property
    def candidates(self) -> int:
        """How many values a selection may come out as: from the lower bound up, each `apart` from the one before."""
        return int((self.bounds.upper - self.bounds.lower) / self.apart) + 1 if self.apart and self.bounds else 0

    @property
    def has_whole_bins(self) -> bool:
        """Whether its values are whole numbers, so that a bin holds those from one candidate up to the next."""
        return self.argument is not None and self.argument.type is Type.INTEGER

    @property
    def bins(self) -> int:
        """How many bins a histogram has: from each candidate to the next, the last one with the upper bound."""
        return self.candidates if self.has_whole_bins else max(1, self.candidates - 1)

    @property
    def tree(self) -> HistogramTree:
        """The tree of a histogram."""
        return tree_for(self.bins)

    @property
    def drawn(self) -> int:
        """How many numbers are drawn for it in a cell."""
        return self.tree.nodes if self.kind is NumberKind.HISTOGRAM else 1

    def candidate(self, position: int) -> Fraction:
        assert self.bounds is not None
        return self.bounds.lower + position * self.apart

    @property
    def ranks(self) -> tuple[object, ...]:
        """What a selection counts: numbers that agree in it go by the same counts."""
        return self.argument, self.bounds, self.apart, self.selects and self.selects.extreme

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
        if self.kind is NumberKind.PERSONS:
            return "count of persons"
        if self.argument is None:
            return "count of rows"
        name = self.argument.words
        centred = f"({name} − {float(self.centre):g})" if self.centre else name
        return {
            NumberKind.COUNT: f"count of {name}",
            NumberKind.DISTINCT: f"count of different {name}",
            NumberKind.HISTOGRAM: f"histogram of {name}",
            NumberKind.SQUARES: f"sum of {centred}² − {float(self.offset):g}",
            NumberKind.SELECTION: f"{self.selects.words} of {name}" if self.selects else name,
        }.get(self.kind, f"sum of {centred}")


@dataclass(frozen=True)
class Assembly:
    """How one column of the answer is put together from the key and the noisy numbers of its cell.

    A computed column has no numbers of its own: columns in its expression are others of the answer, by name.
    """

    name: str
    key: int | None = None
    kind: AggregateKind | None = None
    numbers: tuple[int, ...] = ()  # one: as it is; two: a centred sum and its count; three: squares before them
    at: Fraction | None = None  # which quantile
    visible: bool = True
    type: Type | None = None  # of a key or a computed value
    computed: Scalar | None = None
    grouping: tuple[int, ...] = ()  # the keys of which it says whether they are rolled up

    @property
    def is_public(self) -> bool:
        """Whether it has no noise: a group key, or what says whether keys are rolled up."""
        return self.key is not None or bool(self.grouping)


@dataclass(frozen=True)
class Measurement:
    """The noisy numbers of a statement, from the schema alone. `cells` is None where the group keys are private.

    With several levels the sensitivity of a number is over all cells of all drawn levels (docs/theory/totals.md).
    """

    numbers: tuple[NoisyNumber, ...]
    cells: tuple[tuple[Category, ...], ...] | None
    columns: tuple[Assembly, ...]
    steps: int = 1  # steps of the relation: replacing a person is two
    thresholded: int | None = None  # where group keys are private: the number that says how many persons a group has
    levels: Levels | None = None  # None: `cells` are all the groups there are; else they are the groups by all keys

    def __post_init__(self) -> None:
        if sum(number.share for number in self.numbers) != 1:
            raise ValueError("shares of epsilon add up to one")

    @property
    def k(self) -> int | None:
        """How many noisy numbers are released: public cells times numbers, never the groups that were seen."""
        return None if self.cells is None else len(self.drawn_cells) * sum(number.drawn for number in self.numbers)

    @property
    def figures(self) -> int:
        """Noisy numbers in all cells; how many cells private keys make is not public, and is taken to be GROUPS."""
        cells = GROUPS if self.cells is None else max(len(self.drawn_cells), len(self.shown_cells))
        return len(self.numbers) * cells

    @property
    def bins(self) -> int:
        """Bins of histograms, in all cells alike."""
        bins = sum(number.bins for number in self.numbers if number.kind is NumberKind.HISTOGRAM)
        return bins * (GROUPS if self.cells is None else len(self.cells))

    @property
    def computed_figures(self) -> int:
        """Computed figures in all cells, in noisy numbers that take as long: two for each that an expression names."""
        read = sum(len(list(columns_in(column.computed))) for column in self.columns if column.computed is not None)
        return 2 * read * (GROUPS if self.cells is None else len(self.cells))

    @property
    def candidates(self) -> int:
        """Candidates that values are selected from by their rank, in all cells alike."""
        return sum(number.candidates for number in self.numbers) * (GROUPS if self.cells is None else len(self.cells))

    @property
    def few(self) -> bool:
        return self.cells is not None and self.figures + self.candidates <= FEW

    @property
    def public_cells(self) -> tuple[tuple[Category, ...], ...]:
        if self.cells is None:
            raise ValueError("the group keys are private")
        return self.cells

    @cached_property
    def drawn_cells(self) -> tuple[LevelCell, ...]:
        """The groups that noise is drawn for."""
        return self.public_cells if self.levels is None else groups_of(self.levels.drawn, self.public_cells)

    @cached_property
    def shown_cells(self) -> tuple[LevelCell, ...]:
        """The groups of the answer, before HAVING and LIMIT."""
        return self.public_cells if self.levels is None else groups_of(self.levels.shown, self.public_cells)

    @property
    def drawn_levels(self) -> int:
        """In how many levels a row is drawn."""
        return 1 if self.levels is None else len(self.levels.drawn)

    @property
    def shown_levels(self) -> int:
        """In how many levels a row is shown."""
        return 1 if self.levels is None else len(self.levels.shown)

    @property
    def additive(self) -> bool:
        return all(number.kind.additive for number in self.numbers)

    @property
    def is_sums_in_public_cells(self) -> bool:
        """Whether each number is one sum over people in each public cell."""
        return self.cells is not None and all(number.kind.is_sum for number in self.numbers)

    def behind(self, column: Assembly) -> frozenset[int]:
        """The positions of the noisy numbers that a column of the answer is put together or computed from."""
        if column.computed is None:
            return frozenset(column.numbers)
        named = {read.name for read in columns_in(column.computed)}
        return frozenset().union(*(self.behind(other) for other in self.columns if other.name in named))

    def reads_other_groups(self, column: Assembly) -> bool:
        """Whether a sum over groups is in it."""
        return self.sum_within(column) is not None

    def sum_within(self, column: Assembly) -> tuple[int, ...] | None:
        """The keys, by their position, that groups share over which it adds up; None: it adds up none."""
        sums = () if column.computed is None else sums_over_groups(column.computed)
        within = next((part.within for part in sums), None)
        if within is None:
            return None
        positions = {c.name: c.key for c in self.columns}
        return tuple(key for key in (positions[ref.name] for ref in within) if key is not None)

    @property
    def not_additive(self) -> tuple[str, ...]:
        """The columns of the answer whose exposure is a share of the largest possible influence."""
        return tuple(c.name for c in self.columns if any(not self.numbers[i].kind.additive for i in c.numbers))

    @property
    def histograms(self) -> tuple[str, ...]:
        """The columns of the answer that are read from histograms."""
        histogram = NumberKind.HISTOGRAM
        return tuple(c.name for c in self.columns if any(self.numbers[i].kind is histogram for i in c.numbers))

    @property
    def largest_influence(self) -> float:
        """The most that anyone, in any data, moves the answer: a mean from its only person to none, or from two."""
        return self.shown_levels * sum(self._largest_change(column) for column in self.columns if column.numbers)

    def _largest_change(self, column: Assembly) -> float:
        number = self.numbers[column.numbers[0]]
        if not number.kind.is_sum:
            return float(number.largest / self.steps)
        if number.kind is NumberKind.SQUARES and number.bounds is not None and column.kind is not None:
            width = number.bounds.half_width  # of a sample of two, a variance reaches twice that of a population
            return float(2 * width if column.kind.is_root else 2 * width**2)
        alone = number.bounds.reach if number.bounds is not None else Fraction(0)
        return float(max(number.sensitivity / self.steps / self.drawn_levels, alone))

    @property
    def one_scale(self) -> bool:
        """Whether all the noisy numbers carry noise of one scale, as in the papers."""
        return (
            all(n.kind.is_sum for n in self.numbers)
            and len({(n.sensitivity / n.share, n.euclidean / n.share) for n in self.numbers}) == 1
        )
