"""Where the values of an expression lie, from the bounds of its columns (docs/theory/intervals.md)."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import partial

from sfumato.errors import QueryError, SchemaError
from sfumato.model.functions import FUNCTIONS, NoRange, is_partial
from sfumato.model.schema import Bounds, Schema, SchemaColumn
from sfumato.model.statement import (
    Arithmetic,
    Call,
    Case,
    ColumnRef,
    Constant,
    Predicate,
    Scalar,
    columns_in,
)
from sfumato.privacy.date_ranges import whole_numbers
from sfumato.privacy.key_values import narrowed

LARGEST = Fraction(10**100)  # as in a schema


def range_that_follows(met: Predicate | None, schema: Schema, of: Callable[[Schema], Bounds]) -> Bounds:
    """A range, from the schema as it is, or else of what meets a condition."""
    try:
        return of(schema)
    except (QueryError, SchemaError) as refused:
        if met is None:
            raise
        try:
            return of(narrowed(met, schema))
        except (QueryError, SchemaError):
            raise refused from None  # it names the bounds that are stated


def bounded_interval(argument: Scalar, schema: Schema) -> Bounds:
    """Where the values of an argument lie, refused where that does not follow from what is stated of a person."""
    bounds, open_columns = interval(argument, schema), _open_columns(argument, schema)
    if bounds.reach <= LARGEST or not open_columns:
        return bounds
    column = open_columns[0]
    assert column.open is not None
    raise QueryError(
        f"The range of {column.name} does not follow: a person may have any number of rows",
        hint=f"use a range in the query, as in GREATEST(0, LEAST({column.name}, 100)), "
        f"or state {column.open.remedy} in {schema.origin}.",
    )


def interval(argument: Scalar, schema: Schema) -> Bounds:
    """Where the values of an argument lie, once every column in it is clamped to its bounds."""
    match argument:
        case ColumnRef(name):
            return schema.bounds_of(name)
        case Constant(value) if isinstance(value, Fraction):
            return Bounds(value, value)
        case Call("DATE_PART" | "DATE_DIFF"):
            return _counted(argument, schema)
        case Call(name, parts) if name in FUNCTIONS and (rule := FUNCTIONS[name].range) is not None:
            try:
                return _finite(argument, rule(parts, lambda part: interval(part, schema)), schema)
            except NoRange as none:
                what = f"The range of {argument.words} does not follow from the bounds: {none.why}"
                raise QueryError(what, hint=none.hint) from None
        case Case(branches, otherwise):
            ranges = [
                range_that_follows(met, schema, partial(interval, result))
                for met, result in [*branches, (None, otherwise)]
                if not (isinstance(result, Constant) and result.value is None)
            ]
            return _hull(ranges)
        case Arithmetic(operator, left, right):
            bounds = _arithmetic(operator, interval(left, schema), interval(right, schema), argument)
            return _finite(argument, bounds, schema)
    raise QueryError(
        f"The range of {argument.words} does not follow from the bounds", hint="aggregate a numeric column."
    )


def _counted(argument: Scalar, schema: Schema) -> Bounds:
    """A part of a date, or the units between two dates, once these are clamped to their bounds."""
    for column in columns_in(argument):
        schema.span_of(column.name)
    values = whole_numbers(argument, {c.name: c.span for c in schema.columns if c.span is not None})
    return Bounds(Fraction(values[0]), Fraction(values[-1]))


def computable(argument: Scalar, bounds: Bounds, schema: Schema) -> Bounds:
    """The same bounds, refused where squares of what lies in them leave what a float can hold."""
    if 0 < bounds.half_width < 1 / LARGEST or 0 < bounds.reach < 1 / LARGEST:
        raise QueryError(f"The range of {argument.words} is too narrow to compute with", hint="use other units.")
    return _finite(argument, bounds, schema)


def _open_columns(argument: Scalar, schema: Schema) -> list[SchemaColumn]:
    """The figures of a person in an expression that have no bounds of their own."""
    columns = (schema.column(ref.name) for ref in columns_in(argument))
    return [column for column in columns if column is not None and column.open is not None]


def _finite(argument: Scalar, bounds: Bounds, schema: Schema) -> Bounds:
    """The same bounds, refused where they are so wide that what is computed on the way may be no number at all.

    What is computed from a person's figure without bounds may be clipped further out.
    """
    if bounds.reach > LARGEST and not _open_columns(argument, schema):
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


def may_vanish(argument: Scalar) -> bool:
    """Whether a value may be missing by itself and there once its columns are clamped: a divisor of 0, a root."""
    match argument:
        case Arithmetic(operator, left, right):
            return (operator == "/" and not isinstance(right, Constant)) or may_vanish(left) or may_vanish(right)
        case Call(name, parts):
            return is_partial(name) or any(map(may_vanish, parts))
        case Case(branches, otherwise):
            return any(may_vanish(result) for _, result in branches) or may_vanish(otherwise)
    return False
