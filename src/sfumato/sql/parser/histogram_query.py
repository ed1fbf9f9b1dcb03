"""A histogram of a column as the query that asks for it: counts of rows, grouped by public bins of one width."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from sfumato.errors import QueryError
from sfumato.model.schema import Schema, SchemaColumn, Type
from sfumato.sql.builder.ast import column, table
from sfumato.sql.builder.canonical import plain_sql
from sfumato.sql.builder.values import number
from sfumato.sql.parser.size import require_flat, require_short

MOST_BINS = 1_000


@dataclass(frozen=True)
class HistogramQuery:
    """Bins from `first * width` on, each up to the next multiple of the width; `by` are the columns of its groups."""

    column: str
    width: Fraction
    first: int
    last: int
    by: tuple[str, ...]
    text: str
    unit: str = ""  # of the values of the column

    @property
    def edges(self) -> tuple[float, ...]:
        return tuple(float(self.width * i) for i in range(self.first, self.last + 2))

    def position(self, start: float) -> int:
        """Which bin begins here."""
        return round(Fraction(start) / self.width) - self.first


def histogram_query(
    schema: Schema, name: str, bins: int = 20, by: Sequence[str] = (), where: str | None = None
) -> HistogramQuery:
    """About so many bins, of a round width: from public bounds, so that they are the same for any data.

    Of several tables, the column is named with its table, as in `visits.cost`, and the query reads that table.
    """
    numeric = _numeric_column(schema, name)
    if schema.tables:
        owner, _, own = numeric.name.partition(".")
        schema, numeric = _one_table(schema, owner), replace(numeric, name=own)
    if not 1 <= bins <= MOST_BINS:
        raise QueryError(f"A histogram has 1 to {MOST_BINS:,} bins, not {bins:,}", hint="try 20.")
    assert numeric.bounds is not None
    lower, upper, is_whole = numeric.bounds.lower, numeric.bounds.upper, numeric.type is Type.INTEGER
    width = round_width((upper - lower) / bins, whole=is_whole)
    first, last = math.floor(lower / width), math.floor(upper / width)
    groups = [column(each) for each in _declared(schema, by)]
    step = number(width) if width.denominator == 1 else exp.Literal.number(repr(float(width)))
    place: exp.Expr = exp.Floor(this=exp.Div(this=column(numeric.name), expression=step))
    begin: exp.Expr = exp.Mul(this=place, expression=step.copy())
    if width == 1:
        place = begin = column(numeric.name) if is_whole else exp.Floor(this=column(numeric.name))
    key = begin if width.denominator == 1 else place
    start = f"{numeric.name}_from"
    select = exp.select(*groups, exp.alias_(begin, start, quoted=True), exp.alias_(exp.Count(this=exp.Star()), "count"))
    select = select.from_(table(schema.name)).group_by(*groups, key).order_by(*groups, column(start))
    if where is not None:
        select = select.where(_condition(where))
    names = tuple(group.name for group in groups)
    return HistogramQuery(numeric.name, width, first, last, names, plain_sql(select), numeric.unit)


def _condition(text: str) -> exp.Expr:
    """A condition as a tree: what it may be is for the parser to say, which reads the whole query."""
    require_short(text)
    require_flat(text)
    try:
        return exp.Paren(this=sqlglot.parse_one(text, read="duckdb", into=exp.Condition))
    except (SqlglotError, RecursionError):
        hint = "write it as in a WHERE, such as age > 60."
        raise QueryError("The condition is not valid SQL", hint=hint) from None


def round_width(least: Fraction, *, whole: bool) -> Fraction:
    """The first of 1, 2, 5, 10, 20, 50 … and of their tenths that is not below the least; of whole numbers 1 at least.

    >>> (
    ...     [str(round_width(Fraction(least), whole=False)) for least in ("4.95", "0.03", "1000")],
    ...     str(round_width(Fraction(1, 3), whole=True)),
    ... )
    (['5', '1/20', '1000'], '1')
    """
    if whole:
        least = max(least, Fraction(1))
    power = Fraction(1)
    while power > least:
        power /= 10
    while 10 * power <= least:
        power *= 10
    return next(power * times for times in (1, 2, 5, 10) if power * times >= least)


def _numeric_column(schema: Schema, name: str) -> SchemaColumn:
    known, where = schema.column(name), schema.section(name)
    if known is None:
        hint = "name it with its table, as in visits.cost." if schema.tables else f"describe it under {where}."
        raise QueryError(f"The schema has no column '{name}'", hint=hint)
    if not known.type.numeric:
        source = known.name.partition(".")[0] if schema.tables else schema.name
        hint = f"count each value with SELECT {name}, COUNT(*) FROM {source} GROUP BY {name}."
        raise QueryError(f"A histogram needs numbers, but column '{name}' is {known.type}", hint=hint)
    if known.bounds is None:
        hint = f"add bounds = [lowest, highest] under {where} in {schema.origin}."
        raise QueryError(f"A histogram needs public bins, but column '{name}' has no bounds", hint=hint)
    return known


def _one_table(schema: Schema, name: str) -> Schema:
    """One of several tables, as a schema of its own."""
    table = schema.table(name)
    assert table is not None
    return schema.of_table(table)


def _declared(schema: Schema, by: Sequence[str]) -> list[str]:
    """The columns of groups, under their names in the schema; the name of the table may stand before them."""
    declared = [schema.column(name.removeprefix(f"{schema.name}.")) for name in by]
    absent = [name for name, known in zip(by, declared, strict=True) if known is None]
    if absent:
        raise QueryError(f"The schema has no column '{absent[0]}'", hint="group by a column that it describes.")
    return [known.name for known in declared if known is not None]
