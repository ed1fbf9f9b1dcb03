"""Statement + Schema -> Measurement. Sensitivities are computed here and nowhere else (docs/theory/groups.md)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import product

from sfumato.errors import QueryError, SchemaError
from sfumato.model.facts import Moments
from sfumato.model.measurement import GROUPS, Assembly, Measurement, NoisyNumber, NumberKind
from sfumato.model.possible_cells import possible_cells
from sfumato.model.schema import MOST_LISTED, Bounds, Category, Relation, Schema, Type
from sfumato.model.statement import (
    Aggregate,
    AggregateKind,
    Arithmetic,
    Call,
    Case,
    ColumnRef,
    Constant,
    Output,
    Scalar,
    Statement,
)

FINEST = 1024  # the noise lattice has at least so many steps to a sensitivity (docs/theory/noise.md)
ROUNDED = 2**20  # steps to a sensitivity where values are rounded to the lattice one by one
WIDEST = 2**31  # most steps to one row's part: 2**31 rows at the bound still add up within 64 bits
MOST_CELLS = 100_000
ASIDE = Fraction(1, 10)  # the share of a selection's epsilon that is for the number of people, beside their spread
MOST_FIGURES = 1_000_000  # the limit for all queries of a request: about a kilobyte each while an answer is assembled
MOST_SELECTED = 20_000_000  # candidates of the same, in all their cells: up to four millionths of a second each
CANDIDATES, MOST_CANDIDATES = 1_000, 100_000  # of a value selected by its rank, where no step is stated and at most
LARGEST = Fraction(10**100)  # as in a schema


def measure(statement: Statement, schema: Schema) -> Measurement:
    """The noisy numbers of a statement with equal shares of epsilon; a number that serves twice is drawn once."""
    numbers: list[NoisyNumber] = []
    cells = _cells(statement, schema)
    of = _Numbers(schema, cells_of_one(statement, schema, cells))

    def drawn(number: NoisyNumber) -> int:
        if number not in numbers:
            numbers.append(number)
        return numbers.index(number)

    def assembled(output: Output) -> Assembly:
        if isinstance(output.source, ColumnRef):
            key = statement.keys.index(output.source)
            return Assembly(output.name, key=key, visible=output.visible, type=output.source.type)
        parts = of.aggregate(output.source)
        return Assembly(output.name, kind=output.source.kind, numbers=tuple(map(drawn, parts)), visible=output.visible)

    columns = tuple(map(assembled, statement.outputs))
    # The threshold of private keys is on a noisy count of persons (docs/theory/keys.md).
    persons = drawn(of.persons()) if cells is None else None
    each = tuple(replace(number, share=Fraction(1, len(numbers))) for number in numbers)
    measurement = Measurement(each, cells, columns, schema.relation.steps, persons)
    require_drawable([measurement], "The query")
    return measurement


def cells_of_one(statement: Statement, schema: Schema, cells: Sequence[tuple[Category, ...]] | None) -> int:
    """The most cells in which one person counts, from public facts: contribution bounds, and the cells there may be.

    All rows of a person have one value of the column that names people, so they share that key. Of private keys no
    number is public.
    """
    unit = schema.unit
    others = [position for position, key in enumerate(statement.keys) if key.name != unit.column]
    if unit.column is None or not others:
        return 1
    if cells is None:
        return unit.groups
    return max(1, min(unit.groups, len({tuple(cell[position] for position in others) for cell in cells})))


def require_drawable(measurements: Sequence[Measurement], what: str) -> None:
    """Refuse more than can be drawn within a worker's time and memory: from public facts, so for any data."""
    groups = f" (private keys count as {GROUPS} groups)" if any(m.cells is None for m in measurements) else ""
    figures, candidates = [m.figures for m in measurements], [m.candidates for m in measurements]
    if sum(figures) > MOST_FIGURES:
        raise QueryError(
            f"{what} asks for {sum(figures):,} figures{groups}, and the limit is {MOST_FIGURES:,}",
            hint="group by fewer columns, or ask for fewer figures at a time.",
            where=_largest(figures),
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

    def __init__(self, schema: Schema, cells: int) -> None:
        self.schema = schema
        self.cells = cells
        self.rows = schema.unit.max_rows
        self.steps = schema.relation.steps

    def aggregate(self, aggregate: Aggregate) -> tuple[NoisyNumber, ...]:
        argument, kind = aggregate.argument, aggregate.kind
        if argument is None or kind is AggregateKind.COUNT:
            return (self.count(argument),)
        if kind is AggregateKind.COUNT_DISTINCT:
            return (self.distinct(argument),)
        bounds = _computable(argument, interval(argument, self.schema))
        whole = argument.type is Type.INTEGER
        if kind is AggregateKind.SUM and bounds.reach:  # it counts where all there is is one value
            return (self.sum(argument, bounds, bounds.reach, Fraction(0), whole),)
        if bounds.lower == bounds.upper:
            raise QueryError(f"{kind} of {argument.words} is the same for everyone", hint="leave it out.")
        centred = self.sum(argument, bounds, bounds.half_width, bounds.middle, whole)
        counted = replace(self.count(argument), bounds=bounds if _divides(argument) else None)
        if kind is AggregateKind.AVG:
            return (centred, counted)
        if kind.spreads:
            _computable(argument, Bounds(Fraction(0), bounds.half_width**2))
            return (self.squares(argument, bounds), centred, counted)
        return (self.selection(aggregate, bounds),)

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

    def _apart(self, aggregate: Aggregate, bounds: Bounds) -> Fraction:
        """How far candidates lie apart: as the schema states it, or else a thousandth of the range, or 1 if few are."""
        argument, width = aggregate.argument, bounds.upper - bounds.lower
        column = self.schema.column(argument.name) if isinstance(argument, ColumnRef) else None
        if column is not None and column.step is not None:
            if width / column.step > MOST_CANDIDATES:
                raise QueryError(
                    f"A step of {float(column.step):g} gives more than {MOST_CANDIDATES:,} candidates for "
                    f"{aggregate.words} of {column.name}",
                    hint=f"state a larger step under [columns.{column.name}] in {self.schema.origin}.",
                )
            return column.step
        if argument is None or argument.type is not Type.INTEGER:
            return width / CANDIDATES
        return Fraction(1 if width <= 10 * CANDIDATES else math.ceil(width / CANDIDATES))

    def _each(self, reach: Fraction | int) -> Fraction:
        """What a person moves where one row moves `reach`."""
        return Fraction(reach) * self.rows * self.steps


def interval(argument: Scalar, schema: Schema) -> Bounds:
    """Where the values of an argument lie, once every column in it is clamped to its bounds."""
    match argument:
        case ColumnRef(name):
            return schema.bounds_of(name)
        case Constant(value) if isinstance(value, Fraction):
            return Bounds(value, value)
        case Call("ABS", (inner,)):
            inside = interval(inner, schema)
            least = max(Fraction(0), inside.lower, -inside.upper)
            return Bounds(least, inside.reach)
        case Call(_, parts):
            return _hull([interval(part, schema) for part in parts])
        case Case(branches, otherwise):
            results = [result for _, result in branches] + [otherwise]
            present = [r for r in results if not (isinstance(r, Constant) and r.value is None)]
            return _hull([interval(result, schema) for result in present])
        case Arithmetic(operator, left, right):
            return _finite(argument, _arithmetic(operator, interval(left, schema), interval(right, schema), argument))
    raise QueryError(
        f"The range of {argument.words} does not follow from the bounds", hint="aggregate a numeric column."
    )


def _computable(argument: Scalar, bounds: Bounds) -> Bounds:
    """The same bounds, refused where squares of what lies in them leave what a float can hold."""
    if 0 < bounds.half_width < 1 / LARGEST or 0 < bounds.reach < 1 / LARGEST:
        raise QueryError(f"The range of {argument.words} is too narrow to compute with", hint="use other units.")
    return _finite(argument, bounds)


def _finite(argument: Scalar, bounds: Bounds) -> Bounds:
    """The same bounds, refused where they are so wide that what is computed on the way may be no number at all."""
    if bounds.reach > LARGEST:
        raise QueryError(f"The range of {argument.words} is too wide to compute with", hint="use other units.")
    return bounds


def _arithmetic(operator: str, a: Bounds, b: Bounds, argument: Scalar) -> Bounds:
    if operator == "+":
        return Bounds(a.lower + b.lower, a.upper + b.upper)
    if operator == "-":
        return Bounds(a.lower - b.upper, a.upper - b.lower)
    if operator == "/" and b.lower <= 0 <= b.upper:
        raise QueryError(
            f"The range of {argument.words} does not follow from the bounds: its divisor may be 0",
            hint="divide by something whose bounds exclude 0.",
        )
    ends = [(x, y) for x in (a.lower, a.upper) for y in (b.lower, b.upper)]
    results = [x * y if operator == "*" else x / y for x, y in ends]
    return Bounds(min(results), max(results))


def _hull(parts: list[Bounds]) -> Bounds:
    return Bounds(min(part.lower for part in parts), max(part.upper for part in parts))


def _divides(argument: Scalar) -> bool:
    """Whether a value may be missing by itself and there once its columns are clamped: a divisor of 0."""
    match argument:
        case Arithmetic(operator, left, right):
            return (operator == "/" and not isinstance(right, Constant)) or _divides(left) or _divides(right)
        case Call(_, parts):
            return any(map(_divides, parts))
        case Case(branches, otherwise):
            return any(_divides(result) for _, result in branches) or _divides(otherwise)
    return False


def _whole_step(reach: Fraction, centre: Fraction) -> Fraction:
    """The coarsest step of 1, 1/2, 1/4, ... on which values and centre lie and the noise is fine enough."""
    step = Fraction(1, centre.denominator)
    while reach / step < FINEST:
        step /= 2
    return step


def _cells(statement: Statement, schema: Schema) -> tuple[tuple[Category, ...], ...] | None:
    """Every combination of public keys that the WHERE allows, whether the data has it or not; one without a GROUP BY.

    A condition on the keys alone rules out a combination that it cannot be true of: a public fact, read off no one.
    """
    keys, private = [], False
    for key in statement.keys:
        column = schema.column(key.name)
        if column is not None and column.private_keys:
            private = True
            continue
        if column is None or column.keys is None:
            as_text = 'type = "text" and ' if column is not None and column.type in (Type.DATE, Type.NUMBER) else ""
            listed = f'{as_text}categories = [...] or keys = "private"'
            if column is not None and column.bounds is not None and column.type is Type.INTEGER:
                listed += f" (bounds list at most {MOST_LISTED:,} whole numbers)"
            hint = f"{'state' if as_text else 'add'} {listed} under [columns.{key.name}] in {schema.origin}."
            raise SchemaError(f"GROUP BY {key.name} needs a public list of its values", hint=hint)
        keys.append(column.keys)
    if private:
        return None
    if math.prod(map(len, keys)) > MOST_CELLS:
        hint = "group by fewer columns, or list fewer categories."
        raise QueryError(f"GROUP BY gives more than {MOST_CELLS:,} cells", hint=hint)
    cells = tuple(product(*keys))
    if not keys:
        return cells  # without a GROUP BY there is one, whatever the WHERE says
    possible = possible_cells(statement.where, [key.name for key in statement.keys], cells)
    if not possible:
        raise QueryError(
            f"The WHERE excludes every group of GROUP BY {', '.join(key.name for key in statement.keys)}",
            hint=f"compare with one of the categories, spelled as in {schema.origin}.",
        )
    return possible
