"""Statement + Schema -> Measurement. Sensitivities are computed here and nowhere else (docs/theory/groups.md)."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import replace
from fractions import Fraction

from sfumato.errors import QueryError
from sfumato.model.facts import Moments
from sfumato.model.functions import is_exactly_whole
from sfumato.model.levels import Levels
from sfumato.model.measurement import GROUPS, Assembly, Measurement, NoisyNumber, NumberKind
from sfumato.model.schema import Bounds, Category, Relation, Schema, Type
from sfumato.model.statement import (
    Aggregate,
    AggregateKind,
    ColumnRef,
    Computation,
    Grouping,
    Key,
    Output,
    Predicate,
    Scalar,
    Statement,
    columns_in,
    sums_over_groups,
)
from sfumato.privacy.expression_ranges import bounded_interval, computable, may_vanish, range_that_follows
from sfumato.privacy.key_values import group_cells

FINEST = 1024  # the noise lattice has at least so many steps to a sensitivity (docs/theory/noise.md)
ROUNDED = 2**20  # steps to a sensitivity where values are rounded to the lattice one by one
WIDEST = 2**31  # most steps to one row's part: 2**31 rows at the bound still add up within 64 bits
ASIDE = Fraction(1, 10)  # the share of a selection's epsilon that is for the number of people, beside their spread
MOST_FIGURES = 1_000_000  # the limit for all queries of a request: about a kilobyte each while an answer is assembled
MOST_BINS = 1_000_000  # of the histograms of the same, in all their cells
SEVERAL = 5  # so many quantiles of one column are more exact from one histogram (docs/theory/histogram-tree.md)
MOST_SELECTED = 20_000_000  # candidates of the same, in all their cells: up to four millionths of a second each
CANDIDATES, MOST_CANDIDATES = 1_000, 100_000  # of a value selected by its rank, where no step is stated and at most


def measure(statement: Statement, schema: Schema) -> Measurement:
    """The noisy numbers of a statement with equal shares of epsilon; a number that serves twice is drawn once."""
    numbers: list[NoisyNumber] = []
    schema = statement.schema(schema)
    cells = group_cells(statement, schema)
    of = _Numbers(schema, cells_of_one(statement, schema, cells), _in_histograms(statement), statement.where)

    def drawn(number: NoisyNumber) -> int:
        if number not in numbers:
            numbers.append(number)
        return numbers.index(number)

    def assembled(output: Output) -> Assembly:
        if isinstance(output.source, Key):
            key = statement.keys.index(output.source)
            return Assembly(output.name, key=key, visible=output.visible, type=output.source.type)
        if isinstance(output.source, Computation):
            expression = output.source.expression
            return Assembly(output.name, visible=output.visible, type=expression.type, computed=expression)
        if isinstance(output.source, Grouping):
            positions = tuple(map(statement.keys.index, output.source.keys))
            return Assembly(output.name, visible=output.visible, type=Type.INTEGER, grouping=positions)
        kind, at, parts = output.source.kind, output.source.at, of.aggregate(output.source)
        return Assembly(output.name, kind=kind, numbers=tuple(map(drawn, parts)), at=at, visible=output.visible)

    columns = tuple(map(assembled, statement.outputs))
    _require_all_groups(statement, cells)
    # The threshold of private keys is on a noisy count of persons (docs/theory/keys.md).
    persons = drawn(of.persons()) if cells is None else None
    levels = _levels(statement, cells, numbers)
    each = tuple(replace(_at(levels, number), share=Fraction(1, len(numbers))) for number in numbers)
    measurement = Measurement(each, cells, columns, schema.relation.steps, persons, levels)
    require_drawable([measurement], "The query")
    return measurement


def _in_histograms(statement: Statement) -> set[Scalar]:
    """What has a histogram that its quantiles are read from: so many are asked for, or APPROX_QUANTILE says so."""
    quantiles: dict[Scalar, set[Fraction]] = {}
    approximate: set[Scalar] = set()
    for aggregate in statement.aggregates:
        if aggregate.argument is None or aggregate.at is None or aggregate.extreme is not None:
            continue
        quantiles.setdefault(aggregate.argument, set()).add(aggregate.at)
        if aggregate.kind is AggregateKind.APPROX_QUANTILE:
            approximate.add(aggregate.argument)
    return approximate | {argument for argument, places in quantiles.items() if len(places) >= SEVERAL}


def _levels(
    statement: Statement, cells: Sequence[tuple[Category, ...]] | None, numbers: Sequence[NoisyNumber]
) -> Levels | None:
    """The levels of a statement, refused where groups do not add up to their totals."""
    if not statement.levels:
        return None
    if cells is None:
        what, hint = "of private keys", "list the categories of its keys, or group by them without it."
        raise QueryError(
            f"ROLLUP, CUBE and GROUPING SETS {what} are not supported: groups that are not shown would "
            "be missing from their totals",
            hint=hint,
        )
    for number in numbers:
        if not number.kind.is_sum or number.kind is NumberKind.PERSONS:
            raise QueryError(
                f"ROLLUP, CUBE and GROUPING SETS have no total of {_not_added_up(number)}: the groups do not add up",
                hint="ask for it in queries of their own, with a GROUP BY of one level each.",
            )
    return Levels.of(statement.levels, cells)


def _require_all_groups(statement: Statement, cells: Sequence[tuple[Category, ...]] | None) -> None:
    """Refused where a sum over all groups would not be over all of them, or over some twice."""
    computed = [o.source.expression for o in statement.outputs if isinstance(o.source, Computation)]
    if not any(True for expression in computed for _ in sums_over_groups(expression)):
        return
    if cells is None:
        raise QueryError(
            "OVER () is not supported with private keys: groups that are not shown would be missing from the sum",
            hint="list the categories of its keys, or ask for the sum by itself, without GROUP BY.",
        )
    if statement.levels:
        what = "OVER () is not supported with ROLLUP, CUBE and GROUPING SETS: the sum would count groups twice"
        raise QueryError(what, hint="group by the keys alone, or take the totals that ROLLUP has.")


def _not_added_up(number: NoisyNumber) -> str:
    return "COUNT(DISTINCT ...)" if number.kind.counts else number.words


def _at(levels: Levels | None, number: NoisyNumber) -> NoisyNumber:
    """A number that is drawn at several levels: a person moves each of them by its sensitivity.

    In all, its changes add up to that many sensitivities (L1); as a distance, to their root (L2).
    """
    many = 1 if levels is None else len(levels.drawn)
    return replace(number, sensitivity=many * number.sensitivity, cells=many * number.cells)


def cells_of_one(statement: Statement, schema: Schema, cells: Sequence[tuple[Category, ...]] | None) -> int:
    """The most cells in which one person counts, from public facts: contribution bounds, and the cells there may be.

    All rows of a person have one value of the column that names people, so they share that key. Of private keys no
    number is public.
    """
    unit = schema.unit
    keys = [{column.name for column in columns_in(key.expression)} for key in statement.keys]
    others = [position for position, read in enumerate(keys) if read - {unit.column}]
    if unit.column is None or not others:
        return 1
    if cells is None:
        return unit.groups
    return max(1, min(unit.groups, len({tuple(cell[position] for position in others) for cell in cells})))


def require_drawable(measurements: Sequence[Measurement], what: str) -> None:
    """Refuse more than can be drawn within a worker's time and memory: from public facts, so for any data."""
    groups = f" (private keys count as {GROUPS} groups)" if any(m.cells is None for m in measurements) else ""
    figures, candidates = [m.figures + m.computed_figures for m in measurements], [m.candidates for m in measurements]
    if sum(figures) > MOST_FIGURES:
        raise QueryError(
            f"{what} asks for {sum(figures):,} figures{groups}, and the limit is {MOST_FIGURES:,}",
            hint="group by fewer columns, or ask for fewer figures at a time.",
            where=_largest(figures),
        )
    bins = [m.bins for m in measurements]
    if sum(bins) > MOST_BINS:
        number = max(
            (n for m in measurements for n in m.numbers if n.kind is NumberKind.HISTOGRAM), key=lambda n: n.bins
        )
        raise QueryError(
            f"{what} counts values in {sum(bins):,} bins{groups}, and the limit is {MOST_BINS:,}; "
            f"the {number.words} has {number.bins:,} in each cell",
            hint="state a larger step in the schema, group by fewer columns, or ask for at most four quantiles.",
            where=_largest(bins),
        )
    if sum(candidates) > MOST_SELECTED:
        number = max((n for m in measurements for n in m.numbers), key=lambda n: n.candidates)
        raise QueryError(
            f"{what} selects from {sum(candidates):,} candidates{groups}, and the limit is {MOST_SELECTED:,}; "
            f"{number.words} has {number.candidates:,} in each cell",
            hint="state a larger step in the schema, group by fewer columns, or ask for fewer quantiles at a time.",
            where=_largest(candidates),
        )


def _largest(parts: Sequence[int]) -> str:
    """Which of several queries has most of it."""
    return f"query {parts.index(max(parts)) + 1} has most of them" if len(parts) > 1 else ""


def sensitivity_of_rows(schema: Schema) -> Fraction:
    """What one person moves a count of rows by: the unit of queries that have no one noise scale."""
    return Fraction(schema.unit.max_rows * schema.relation.steps)


def people_by_exposure(schema: Schema) -> NoisyNumber:
    """The people in each public bin of exposure: each person is in exactly one, independent of the others.

    See docs/theory/exposure-histogram.md.
    """
    return NoisyNumber(NumberKind.PERSONS, None, Fraction(schema.relation.steps), Fraction(1, FINEST))


def rows_by_class(schema: Schema, columns: int) -> NoisyNumber:
    """Rows in each class of values, of each column, and people with more rows than count (docs/theory/data-quality.md).

    Each of a person's rows that count is in one class of each column; a person has dropped rows or not.
    """
    people = 0 if schema.unit.column is None else 1
    most = columns * schema.unit.max_rows + people
    return NoisyNumber(NumberKind.COUNT, None, Fraction(most * schema.relation.steps), Fraction(1, FINEST))


def spread_of_exposures(schema: Schema, people: int | None, *, squared: bool) -> tuple[NoisyNumber, ...]:
    """`SS = sum (u_i - mean)^2` and, unless it is public, how many people there are (docs/theory/variance.md).

    One person more or less moves SS by less than 1; one replaced, among `people`, by at most `(people - 1) / people`,
    and then no one's exposure is above 1 over the steps of the relation. Rounding adds a unit on either side.
    """
    rounding = Fraction(2, Moments.ONE)
    if people is None:
        spread = NoisyNumber(NumberKind.SPREAD, None, 1 + rounding, Fraction(1, Moments.ONE), 1 / (1 + ASIDE))
        counted = NoisyNumber(NumberKind.PERSONS, None, Fraction(1), Fraction(1, FINEST), ASIDE / (1 + ASIDE))
        return spread, counted
    most = Fraction(1, schema.relation.steps ** (2 if squared else 1)) ** 2
    units = math.ceil(most * people * sensitivity_of_variance(people) * Moments.ONE)
    return (NoisyNumber(NumberKind.SPREAD, None, Fraction(units, Moments.ONE) + rounding, Fraction(1, Moments.ONE)),)


def sensitivity_of_variance(people: int) -> Fraction:
    """`(n - 1) / n^2`: what one person replaced moves the variance of n exposures by, at most.

    See docs/theory/variance.md.

    >>> [str(sensitivity_of_variance(n)) for n in (2, 4, 5)]
    ['1/4', '3/16', '4/25']
    """
    return Fraction(people - 1, people**2) if people else Fraction(0)


def people_beyond(schema: Schema, allowed: Fraction) -> NoisyNumber:
    """People above an exposure, less the fraction of them that is allowed there (docs/theory/exposure-cap.md)."""
    most = Fraction(1) if schema.relation is Relation.REPLACE else max(allowed, 1 - allowed)
    return NoisyNumber(NumberKind.PERSONS, None, most, Fraction(1, Moments.ONE))


def sensitivity_of_figure(column: Assembly, measurement: Measurement) -> Fraction:
    """What one person moves an exact column of the answer by, over all its cells together (docs/theory/signalling.md).

    A row moves a mean, which is the middle of the bounds where there is none, by at most half their width H, and what
    floats at the bounds lie apart; a variance is within [0, H^2], of a sample twice that, and someone's rows are in as
    many cells at most.
    """
    first, kind = measurement.numbers[column.numbers[0]], column.kind
    if kind is None or len(column.numbers) == 1:
        return first.largest if first.kind is NumberKind.SELECTION else first.sensitivity
    assert first.bounds is not None
    rows = measurement.numbers[column.numbers[-1]].sensitivity
    if kind is AggregateKind.AVG:
        return first.sensitivity + rows * Fraction(math.ulp(float(first.bounds.reach)))
    return rows * (1 + kind.lost) * (first.bounds.half_width if kind.is_root else first.bounds.half_width**2)


class _Numbers:
    """The noisy numbers of aggregates (docs/theory/groups.md); a person has at most `rows` rows, in at most `cells`."""

    def __init__(
        self, schema: Schema, cells: int, in_histograms: Collection[Scalar], where: Predicate | None = None
    ) -> None:
        self.schema = schema
        self.where = where
        self.cells = cells
        self.in_histograms = in_histograms
        self.rows = schema.unit.max_rows
        self.steps = schema.relation.steps

    def aggregate(self, aggregate: Aggregate) -> tuple[NoisyNumber, ...]:
        argument, kind = aggregate.argument, aggregate.kind
        if argument is None or kind is AggregateKind.COUNT:
            return (self.count(argument),)
        if kind is AggregateKind.COUNT_DISTINCT:
            return (self.distinct(argument),)
        bounds = computable(argument, self.range(argument), self.schema)
        whole = argument.type is Type.INTEGER and is_exactly_whole(argument)
        if kind is AggregateKind.SUM and bounds.reach:  # it counts where all there is is one value
            return (self.sum(argument, bounds, bounds.reach, Fraction(0), whole),)
        if bounds.lower == bounds.upper:
            raise QueryError(f"{kind} of {argument.words} is the same for everyone", hint="leave it out.")
        centred = self.sum(argument, bounds, bounds.half_width, bounds.middle, whole)
        counted = replace(self.count(argument), bounds=bounds if may_vanish(argument) else None)
        if kind is AggregateKind.AVG:
            return (centred, counted)
        if kind.spreads:
            computable(argument, Bounds(Fraction(0), bounds.half_width**2), self.schema)
            return (self.squares(argument, bounds), centred, counted)
        if argument in self.in_histograms and aggregate.extreme is None:
            return (self.histogram(aggregate, bounds),)
        return (self.selection(aggregate, bounds),)

    def range(self, argument: Scalar) -> Bounds:
        """From the bounds of the columns; where that does not do, from those of the rows that the WHERE keeps."""
        return range_that_follows(self.where, self.schema, lambda schema: bounded_interval(argument, schema))

    def count(self, argument: Scalar | None) -> NoisyNumber:
        return NoisyNumber(NumberKind.COUNT, argument, self._each(1), Fraction(1, FINEST))

    def persons(self) -> NoisyNumber:
        if self.schema.unit.column is None:
            return self.count(None)
        most = Fraction(self.cells * self.steps)
        return NoisyNumber(NumberKind.PERSONS, None, most, Fraction(1, FINEST), cells=self.cells)

    def distinct(self, argument: Scalar) -> NoisyNumber:
        if isinstance(argument, ColumnRef) and argument.name == self.schema.unit.column:
            return self.persons()
        most = self._each(1)
        return NoisyNumber(NumberKind.DISTINCT, argument, most, Fraction(1, FINEST), largest=most)

    def sum(self, argument: Scalar, bounds: Bounds, reach: Fraction, centre: Fraction, whole: bool) -> NoisyNumber:
        """SUM(v) or SUM(v - centre): one row moves it by at most `reach`.

        Whole numbers are added up as they are; other values are first rounded to 2**20 steps of the reach, one
        by one, because sums of floats depend on the order of the rows.
        """
        kind = NumberKind.CENTRED_SUM if centre else NumberKind.SUM
        step = _whole_step(reach, centre) if whole else reach / ROUNDED
        rounded = not whole
        if reach / step > WIDEST:
            step, rounded = reach / ROUNDED, True
        return NoisyNumber(kind, argument, self._each(reach), step, centre=centre, bounds=bounds, rounded=rounded)

    def squares(self, argument: Scalar, bounds: Bounds) -> NoisyNumber:
        """SUM((v - mid)^2 - H^2/2): one row moves it by at most H^2/2, either way."""
        reach = bounds.half_width**2 / 2
        kind, most, step = NumberKind.SQUARES, self._each(reach), reach / ROUNDED
        return NoisyNumber(kind, argument, most, step, centre=bounds.middle, bounds=bounds, rounded=True)

    def selection(self, aggregate: Aggregate, bounds: Bounds) -> NoisyNumber:
        """A value selected from public candidates by its rank; `sensitivity` is that of its score.

        The score of a quantile counts rows, times the denominator so that it is whole. An extreme is one a person, in
        each of the cells that the person is in. In each of these an answer moves by the width of the bounds at most.
        """
        at = None if aggregate.extreme else aggregate.at
        score = Fraction(self.cells * self.steps) if at is None else self._each(max(at, 1 - at))
        return NoisyNumber(
            NumberKind.SELECTION,
            aggregate.argument,
            score,
            Fraction(1) if at is None else Fraction(1, at.denominator),
            bounds=bounds,
            selects=aggregate,
            apart=self._apart(aggregate, bounds),
            largest=self.cells * self.steps * max(bounds.reach, bounds.upper - bounds.lower),
        )

    def histogram(self, aggregate: Aggregate, bounds: Bounds) -> NoisyNumber:
        """The tree of counts that all quantiles of an argument are read from (docs/theory/histogram-tree.md).

        A row is in one node of each level, so the rows of a person move the nodes of all levels by `height` times as
        much as they move one count.
        """
        number = NoisyNumber(
            NumberKind.HISTOGRAM,
            aggregate.argument,
            Fraction(0),
            Fraction(1, FINEST),
            bounds=bounds,
            apart=self._apart(aggregate, bounds),
            largest=self.cells * self.steps * max(bounds.reach, bounds.upper - bounds.lower),
        )
        return replace(number, sensitivity=self._each(number.tree.height), cells=number.tree.height)

    def _apart(self, aggregate: Aggregate, bounds: Bounds) -> Fraction:
        """How far candidates lie apart: as the schema states it, or else a thousandth of the range, or 1 if few are."""
        argument, width = aggregate.argument, bounds.upper - bounds.lower
        column = self.schema.column(argument.name) if isinstance(argument, ColumnRef) else None
        if column is not None and column.step is not None:
            if width / column.step > MOST_CANDIDATES:
                raise QueryError(
                    f"A step of {float(column.step):g} gives more than {MOST_CANDIDATES:,} candidates for "
                    f"{aggregate.words} of {column.name}",
                    hint=f"state a larger step under {self.schema.section(column.name)} in {self.schema.origin}.",
                )
            return column.step
        if argument is None or argument.type is not Type.INTEGER:
            return width / CANDIDATES
        return Fraction(1 if width <= 10 * CANDIDATES else math.ceil(width / CANDIDATES))

    def _each(self, reach: Fraction | int) -> Fraction:
        """What a person moves where one row moves `reach`."""
        return Fraction(reach) * self.rows * self.steps


def _whole_step(reach: Fraction, centre: Fraction) -> Fraction:
    """The coarsest step of 1, 1/2, 1/4, ... on which values and centre lie and the noise is fine enough."""
    step = Fraction(1, centre.denominator)
    while reach / step < FINEST:
        step /= 2
    return step
