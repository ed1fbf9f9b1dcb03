"""The rows that count: those that the WHERE keeps, with listed keys, within the contribution bounds of a person.

A value is clamped to its bounds where it is aggregated; a WHERE reads it as it is. The WHERE stays a WHERE, so that
engines can push it down, and the people it leaves out are counted by subtraction.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property

from sqlglot import exp

from sfumato.model.measurement import Measurement, NoisyNumber, NumberKind
from sfumato.model.schema import PERSON, Bounds, Category, Schema, Type
from sfumato.model.statement import (
    Aggregate,
    AggregateKind,
    ColumnRef,
    Scalar,
    Statement,
    columns_in,
)
from sfumato.privacy.key_values import public_values
from sfumato.sql.builder.ast import alias, column, is_among, ours, scalar, select_from
from sfumato.sql.builder.values import SQL_TYPES, cast, number
from sfumato.sql.plans.contribution_bounds import Contribution
from sfumato.sql.plans.derived_table import ahead_of, derived_table
from sfumato.sql.plans.row_values import clamped_value, filters, is_present, within

L1, L2 = "L1", "L2"
"""How a person's changes of several numbers add up: L1 under Laplace noise, L2 under Gaussian."""

ROWS, _DERIVED = ours("rows"), ours("derived")
NARROW = 2**17  # a few values that many people share: worth grouping by


@dataclass(frozen=True)
class Reading:
    """A value that a statement takes from each row, under a name of our own."""

    name: str
    argument: Scalar
    bounds: Bounds | None = None  # of a number
    counted: bool = False  # only whether it is there matters

    @property
    def width(self) -> int | None:
        """How many values it may take, where that is known to be few."""
        if self.counted:
            return 2
        if self.bounds is None or self.argument.type is not Type.INTEGER:
            return None
        return int(self.bounds.upper - self.bounds.lower) + 1


@dataclass(frozen=True)
class PlanInput:
    """What a plan is made from."""

    registered: Schema
    statement: Statement
    measurement: Measurement
    norm: str = field(default=L1)

    @cached_property
    def schema(self) -> Schema:
        """What is publicly known of the table that the statement reads."""
        return self.statement.schema(self.registered)

    @property
    def unit(self) -> str | None:
        """The column that names a person; None: every row is one."""
        return self.schema.unit.column

    @property
    def source(self) -> str | exp.Query:
        """What stands after FROM: the registered table by name, or the select that a derived table is."""
        return self.statement.table if self.statement.derived is None else self.derived

    @property
    def derived(self) -> exp.Select:
        assert self.statement.derived is not None
        read = [ref.name for ref in self.columns]
        return derived_table(self.statement.derived, self.statement.table, self.registered, read)

    @cached_property
    def keys(self) -> tuple[str, ...]:
        return tuple(ours("key", str(position)) for position in range(len(self.statement.keys)))

    @cached_property
    def columns(self) -> tuple[ColumnRef, ...]:
        """Every column that is read but that of the people, by name."""
        s = self.statement
        parts = [s.where, *(key.expression for key in s.keys), *(a.argument for a in s.aggregates)]
        by_name = {ref.name: ref for part in parts if part is not None for ref in columns_in(part)}
        return tuple(ref for name, ref in sorted(by_name.items()) if name != self.unit)

    @cached_property
    def readings(self) -> dict[Aggregate, Reading]:
        """What each aggregate reads; COUNT(*) and the number of persons read nothing."""
        readings: list[Reading] = []
        read: dict[Aggregate, Reading] = {}
        for aggregate in sorted(self.statement.aggregates, key=lambda a: a.kind.counts):
            if aggregate.argument is None or self.is_persons(aggregate):
                continue
            same = next((r for r in readings if self._serves(r, aggregate)), None)
            if same is None:
                counted = aggregate.kind is AggregateKind.COUNT
                name = ours("value", str(len(readings)))
                same = Reading(name, aggregate.argument, self._bounds(aggregate), counted)
                readings.append(same)
            read[aggregate] = same
        return read

    def _serves(self, reading: Reading, aggregate: Aggregate) -> bool:
        """Whether a value that is read already will do; a clamped column is missing exactly where the column is."""
        if reading.argument != aggregate.argument:
            return False
        if aggregate.kind is AggregateKind.COUNT:
            return reading.counted or isinstance(reading.argument, ColumnRef)
        return not reading.counted and (reading.bounds is None) == aggregate.kind.counts

    def is_persons(self, aggregate: Aggregate) -> bool:
        argument = aggregate.argument
        counted = aggregate.kind is AggregateKind.COUNT_DISTINCT and isinstance(argument, ColumnRef)
        return counted and isinstance(argument, ColumnRef) and argument.name == self.unit

    def reading_of(self, noisy: NoisyNumber) -> Reading | None:
        """What a noisy number reads."""
        read = {a: r for a, r in self.readings.items() if a.argument == noisy.argument}
        if noisy.kind is NumberKind.DISTINCT:
            return next(r for a, r in read.items() if a.kind is AggregateKind.COUNT_DISTINCT)
        if noisy.kind is NumberKind.COUNT:  # of a mean it counts the clamped values, of a COUNT those that are there
            counted = [r for a, r in read.items() if a.kind is AggregateKind.COUNT and noisy.bounds is None]
            return next(iter(counted or [r for r in read.values() if r.bounds is not None]), None)
        return next((r for r in read.values() if r.bounds is not None), None)

    @cached_property
    def values(self) -> tuple[Reading, ...]:
        return tuple(dict.fromkeys(self.readings.values()))

    @cached_property
    def only_present(self) -> bool:
        """Whether all it asks is about one value: then a row without it is as good as left out."""
        every = len(self.readings) == len(self.statement.aggregates)
        return (
            every and len(self.values) == 1 and all(a.kind is not AggregateKind.COUNT_DISTINCT for a in self.readings)
        )

    def sensitivity_of(self, noisy: NoisyNumber) -> Fraction:
        """What a person's changes of a number add up to at most, over all cells; of a histogram, in one level of it.

        A row counts in every level alike: what people have of what they may have is the same in each.
        """
        if noisy.kind is NumberKind.HISTOGRAM:
            return noisy.sensitivity / noisy.tree.height
        return noisy.euclidean if self.norm == L2 else noisy.sensitivity

    @property
    def compares_with_cell(self) -> bool:
        """Whether what a person changes depends on the others in the cell; of counts and sums it does not."""
        return any(a.kind not in (AggregateKind.COUNT, AggregateKind.SUM) for a in self.statement.aggregates)

    @cached_property
    def narrow(self) -> bool:
        """Whether few different rows are possible, from the schema alone."""
        size = len(self.measurement.cells or ()) or NARROW
        for reading in self.values:
            size *= reading.width or NARROW + 1
        return size <= NARROW

    def _bounds(self, aggregate: Aggregate) -> Bounds | None:
        if aggregate.kind.counts:
            return None
        position = [o.source for o in self.statement.outputs].index(aggregate)
        return self.measurement.numbers[self.measurement.columns[position].numbers[0]].bounds


def rows(
    question: PlanInput,
    *,
    source: str | None = None,
    person: bool = False,
    any_key: bool = False,
    beside: Sequence[exp.Expr] = (),
) -> exp.Select:
    """Keys, values and, where they are asked for or protected, the person; at most `max_rows` rows a person.

    `beside` are further values under names of their own, each a function of the person's rows alone.

    `any_key`: also with keys that are not listed, whose groups the reader leaves out. Where rows are people that is
    as well, and spares the engine a comparison a row.
    """
    q = question
    numbered = source if q.statement.derived is None else None  # a derived table names its people itself

    def parts() -> list[exp.Expr]:
        trees = [alias(scalar(key.expression), name) for key, name in zip(q.statement.keys, q.keys, strict=True)]
        if q.unit is not None:
            trees.append(alias(column(q.unit), PERSON))
        elif person:
            own = q.statement.derived
            trees.append(column(PERSON) if own is None else alias(column(own.person), PERSON))
        trees += [alias(value_read(reading, q), reading.name) for reading in q.values]
        trees += [part.copy() for part in beside]
        return trees or [alias(number(1), ours("row"))]  # something stands for a row of which nothing is read

    if q.unit is None:
        return select_from(parts(), numbered or q.source, where=conditions(q, any_key=any_key))
    if q.statement.derived is None:
        read = numbered or q.statement.table
        return contribution(q).bounded(lambda parts: select_from(parts, read, where=conditions(q)), parts)
    # several parts of the plan read the derived table, so it is stored: only the rows that the WHERE keeps. Stated in
    # those parts as well, the conditions let DuckDB put the joins in a better order
    named = [column(str(q.unit)), *(column(ref.name) for ref in q.columns)]
    kept = select_from(named, q.derived, where=conditions(q))
    bounded = contribution(q).bounded(lambda parts: select_from(parts, _DERIVED, where=conditions(q)), parts)
    return ahead_of(bounded, _DERIVED, kept)


def contribution(question: PlanInput) -> Contribution:
    """How much one person contributes to a question at most."""
    q = question
    declared = q.schema.column(str(q.unit))
    assert declared is not None
    person, unit, cells = ColumnRef(declared.name, declared.type), q.schema.unit, q.measurement.cells
    few = unit.groups < unit.max_rows and bool(q.keys) and (cells is None or len(cells) > unit.groups)
    most = unit.groups if few else None
    return Contribution(
        q.schema.name.casefold(),
        person,
        q.columns,
        unit.max_rows,
        tuple(key.expression for key in q.statement.keys),
        most,
    )


def in_one_width(name: str, schema: Schema) -> exp.Expr:
    declared = schema.column(name)
    if declared is None or not declared.type.numeric:
        return column(name)
    return cast(column(name), SQL_TYPES[declared.type])


def conditions(question: PlanInput, *, any_key: bool = False) -> list[exp.Expr]:
    q = question
    trees = filters(q.statement.where, q.schema)
    cells = q.measurement.cells
    if cells is not None and not cells:
        return [exp.false()]
    for position, key in enumerate(q.statement.keys):
        tree = scalar(key.expression)
        known = _different(cells, position) if cells is not None else public_values(key, q.schema)
        # what Python cannot hold, such as a day after the year 9999, is no group that a reader could leave out
        if known is not None and any_key and not (key.type is not None and key.type.temporal):
            continue
        trees.append(is_present(tree) if known is None else is_among(tree, known))
    if q.unit is not None:
        trees.append(is_present(column(q.unit)))
    if q.only_present:
        trees.append(is_present(_present(q.values[0], q.schema)))
    return trees


def _present(reading: Reading, schema: Schema) -> exp.Expr:
    """What must be there. A column is where its clamped value is; a quotient may exist only once it is clamped."""
    if reading.bounds is None or isinstance(reading.argument, ColumnRef):
        return scalar(reading.argument)
    return scalar(reading.argument, leaf=lambda leaf: clamped_value(leaf, schema))


def _different(cells: Sequence[Sequence[Category]], position: int) -> list[Category]:
    return list(dict.fromkeys(cell[position] for cell in cells))


def value_read(reading: Reading, q: PlanInput) -> exp.Expr:
    """What a reading takes from a row: clamped where its bounds are."""
    argument = reading.argument
    if reading.counted:
        return is_present(scalar(argument))
    if reading.bounds is None:
        return scalar(argument)
    if q.only_present and isinstance(argument, ColumnRef):
        return within(column(argument.name), reading.bounds)
    return scalar(argument, leaf=lambda leaf: clamped_value(leaf, q.schema))
