"""What is publicly known of the figures of one person's own rows: their type, and where their values lie."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from sfumato.errors import QueryError, SchemaError
from sfumato.model.own_rows import OwnKind
from sfumato.model.possible_cells import NotSure
from sfumato.model.schema import FAR, MOST_LISTED, Bounds, Category, OpenRange, Schema, SchemaColumn, Type
from sfumato.model.statement import Case, ColumnRef, Scalar
from sfumato.privacy.expression_ranges import LARGEST, interval
from sfumato.privacy.key_values import KeyValues

STEPS = 2**40  # to the furthest value that is added up: as fine as floats need be, and 2**22 rows fit into 64 bits


def step_of(argument: Scalar, schema: Schema) -> Fraction:
    """What values are whole numbers of while a person's values are added up: 1 for whole numbers, or a power of 2.

    >>> from sfumato.model.schema import SchemaColumn
    >>> cost = SchemaColumn("cost", Type.NUMBER, Bounds(Fraction(0), Fraction(500)))
    >>> step_of(ColumnRef("cost", Type.NUMBER), Schema("stays", (cost,))) == Fraction(512, STEPS)
    True
    """
    bounds = interval(argument, schema)
    whole = argument.type is Type.INTEGER and bounds.lower.denominator == bounds.upper.denominator == 1
    if whole or not bounds.reach:
        return Fraction(1)
    power = Fraction(1)
    while power < bounds.reach:
        power *= 2
    while power / 2 >= bounds.reach:
        power /= 2
    return power / STEPS


def figure_column(name: str, kind: OwnKind, argument: Scalar | None, schema: Schema) -> SchemaColumn:
    """What is known of a figure: groups and windows have one row at least."""
    if argument is None:  # how many rows there are, or a place among them
        return _counted(name, OwnKind.COUNT, None, schema, least=1)
    if kind in (OwnKind.COUNT, OwnKind.COUNT_DISTINCT):
        return _counted(name, kind, argument, schema, least=0)
    if kind is OwnKind.SUM:
        return _summed(name, argument, schema)
    return computed_column(name, argument, schema, Type.NUMBER if kind is OwnKind.AVG else argument.type)


def computed_column(name: str, value: Scalar, schema: Schema, type_: Type | None = None) -> SchemaColumn:
    """What is known of a computed value: of a column, all that is known of it."""
    type_ = type_ or value.type or Type.TEXT
    if isinstance(value, ColumnRef):
        declared = schema.column(value.name)
        if declared is None:
            return SchemaColumn(name, type_)
        remedy = f"bounds = [lowest, highest] under {schema.section(declared.name)}"
        unknown = declared.open or (OpenRange(Bounds(-FAR, FAR), remedy) if type_.numeric else None)
        return replace(declared, name=name, type=type_, open=None if declared.bounds else unknown, per_person=None)
    listed = _listed(value, schema)
    if not type_.numeric:
        return SchemaColumn(name, type_, categories=listed)
    try:
        bounds = interval(value, schema)
    except (SchemaError, QueryError):  # it may serve in a WHERE all the same
        bounds = Bounds(-FAR, FAR)
    if bounds.reach <= LARGEST:
        return SchemaColumn(name, type_, bounds, listed if type_ is Type.INTEGER else None)
    opened = [c.open for c in schema.columns if c.open is not None]
    remedy = opened[0].remedy if opened else "bounds = [lowest, highest] for every column in it"
    return SchemaColumn(name, type_, open=OpenRange(bounds, remedy))


def _listed(value: Scalar, schema: Schema) -> tuple[Category, ...] | None:
    """The values of a CASE, by which answers may be grouped."""
    if not isinstance(value, Case):
        return None
    try:
        values = KeyValues(schema, None).values(value)
    except (NotSure, SchemaError, QueryError):
        return None
    return tuple(values) if 0 < len(values) <= MOST_LISTED else None


def _counted(name: str, kind: OwnKind, argument: Scalar | None, schema: Schema, least: int) -> SchemaColumn:
    """A number of rows, or of different values: of a column whose values are listed, no more than there are."""
    declared = schema.column(argument.name) if isinstance(argument, ColumnRef) else None
    listed = declared.keys if declared is not None and kind is OwnKind.COUNT_DISTINCT else None
    ends = [end for end in (schema.rows_per_person, None if listed is None else len(listed)) if end is not None]
    if ends:
        return SchemaColumn(name, Type.INTEGER, Bounds(Fraction(least), Fraction(max(least, min(ends)))))
    remedy = "rows_per_person = the most rows that count"
    return SchemaColumn(name, Type.INTEGER, open=OpenRange(Bounds(Fraction(least), FAR), remedy))


def _summed(name: str, argument: Scalar, schema: Schema) -> SchemaColumn:
    """A sum: as the schema states it of a column; else no further than zero where no value is beyond it."""
    assert argument.type is not None
    each = interval(argument, schema)
    declared = schema.column(argument.name) if isinstance(argument, ColumnRef) else None
    if declared is not None and declared.per_person is not None:
        return SchemaColumn(name, argument.type, declared.per_person)
    lowest, highest = (each.lower if each.lower >= 0 else -FAR), (each.upper if each.upper <= 0 else FAR)
    rows = schema.rows_per_person
    if rows is not None:
        lowest, highest = min(each.lower, each.lower * rows), max(each.upper, each.upper * rows)
    if max(-lowest, highest) < FAR:
        return SchemaColumn(name, argument.type, Bounds(lowest, highest))
    where = schema.section(declared.name) if declared is not None else "the column"
    remedy = f"per_person = [lowest, highest] under {where}"
    return SchemaColumn(name, argument.type, open=OpenRange(Bounds(lowest, highest), remedy))
