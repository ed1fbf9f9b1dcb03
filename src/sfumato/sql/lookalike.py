"""A population invented from the schema alone, for rehearsals: the same columns, bounds and categories, no data."""

from __future__ import annotations

from sqlglot import exp

from sfumato.model.dataset import Column, Schema, Type
from sfumato.sql.tree import SQL_TYPES, number, value


def lookalike(schema: Schema, rows: int, seed: int) -> exp.Select:
    """`rows` people, each value drawn from what the schema allows by a hash of row and column.

    A column with neither bounds nor categories is empty: nothing is known about it.
    """
    made = [_made(column, seed) for column in schema.columns]
    return exp.select(*made).from_(exp.Table(this=exp.func("RANGE", number(rows))))


def _made(declared: Column, seed: int) -> exp.Expr:
    draw = exp.func(
        "HASH", exp.func("HASH", exp.column("range"), number(seed), value(declared.name))
    )  # one is not mixed
    if declared.keys is not None:
        choices = exp.Array(expressions=[value(c) for c in declared.keys])
        pick = exp.Add(this=exp.Mod(this=draw, expression=number(len(declared.keys))), expression=number(1))
        tree: exp.Expr = exp.func("LIST_EXTRACT", choices, exp.cast(pick, "BIGINT"))
    elif declared.bounds is not None:
        tree = _between(declared, draw)
    else:
        tree = exp.Null()
    return exp.alias_(exp.cast(tree, SQL_TYPES[declared.type]), declared.name, quoted=True)


def _between(declared: Column, draw: exp.Expr) -> exp.Expr:
    """Anywhere between the bounds, each place alike."""
    assert declared.bounds is not None
    lower, width = declared.bounds.lower, declared.bounds.upper - declared.bounds.lower
    if declared.type is Type.INTEGER:
        above: exp.Expr = exp.cast(exp.Mod(this=draw, expression=number(width + 1)), "BIGINT")
    else:
        share = exp.Div(this=exp.cast(exp.Mod(this=draw, expression=number(2**32)), "DOUBLE"), expression=number(2**32))
        above = exp.Mul(this=exp.Paren(this=share), expression=number(width))
    return exp.Add(this=number(lower), expression=above)
