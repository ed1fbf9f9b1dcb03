"""A population invented from the schema alone, for rehearsals: the same columns, bounds and categories, no data."""

from __future__ import annotations

from sqlglot import exp

from sfumato.model.schema import Schema, SchemaColumn, Type
from sfumato.sql.builder.ast import SQL_TYPES, number, value

MOST_ROWS = 1_000_000


def synthetic_table(schema: Schema, people: int, seed: int) -> exp.Select:
    """So many people, each value drawn from what the schema allows by a hash of row and column.

    Where a person may have several rows, they have about half as many as may count. A column with neither bounds nor
    categories is empty: nothing is known about it.
    """
    rows = people if schema.unit.column is None else min(MOST_ROWS, people * ((schema.unit.max_rows + 1) // 2))
    columns = [
        _person(column, people, seed) if column.name == schema.unit.column else _synthetic_value(column, seed)
        for column in schema.columns
    ]
    return exp.select(*columns).from_(exp.Table(this=exp.func("RANGE", number(rows))))


def _person(declared: SchemaColumn, people: int, seed: int) -> exp.Expr:
    """Whose row this is: everyone has one, the others are anyone's. A number, or a text or date where that is one."""
    anyone = exp.Mod(this=_draw(declared, seed), expression=number(people))
    first = exp.LT(this=exp.column("range"), expression=number(people))
    who: exp.Expr = exp.cast(exp.case().when(first, exp.column("range")).else_(anyone), "BIGINT")
    if declared.type is Type.DATE:
        who = exp.Add(this=exp.cast(exp.Literal.string("1900-01-01"), "DATE"), expression=exp.cast(who, "INTEGER"))
    return exp.alias_(exp.cast(who, SQL_TYPES[declared.type]), declared.name, quoted=True)


def _draw(declared: SchemaColumn, seed: int) -> exp.Expr:
    once = exp.func("HASH", exp.column("range"), number(seed), value(declared.name))
    return exp.func("HASH", once)  # one is not mixed


def _synthetic_value(declared: SchemaColumn, seed: int) -> exp.Expr:
    draw = _draw(declared, seed)
    if declared.listed is not None:
        choices = exp.Array(expressions=[value(c) for c in declared.listed])
        pick = exp.Add(this=exp.Mod(this=draw, expression=number(len(declared.listed))), expression=number(1))
        tree: exp.Expr = exp.func("LIST_EXTRACT", choices, exp.cast(pick, "BIGINT"))
    elif declared.bounds is not None:
        tree = _between(declared, draw)
    else:
        tree = exp.Null()
    return exp.alias_(exp.cast(tree, SQL_TYPES[declared.type]), declared.name, quoted=True)


def _between(declared: SchemaColumn, draw: exp.Expr) -> exp.Expr:
    """Anywhere between the bounds, each place alike."""
    assert declared.bounds is not None
    lower, width = declared.bounds.lower, declared.bounds.upper - declared.bounds.lower
    if declared.type is Type.INTEGER:
        above: exp.Expr = exp.cast(exp.Mod(this=draw, expression=number(width + 1)), "BIGINT")
    else:
        share = exp.Div(this=exp.cast(exp.Mod(this=draw, expression=number(2**32)), "DOUBLE"), expression=number(2**32))
        above = exp.Mul(this=exp.Paren(this=share), expression=number(width))
    return exp.Add(this=number(lower), expression=above)
