"""A population invented from the schema alone, for rehearsals: the same columns, bounds and categories, no data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from sqlglot import exp

from sfumato.model.calendar import units_between
from sfumato.model.schema import DateBounds, Schema, SchemaColumn, TableSchema, Type
from sfumato.sql.builder import nodes
from sfumato.sql.builder.values import SQL_TYPES, number, value

MOST_ROWS = 1_000_000
PUBLIC_ROWS = 100  # of a public table, of which nothing but the schema is known


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
    return exp.select(*columns).from_(exp.Table(this=nodes.Counted(this=number(rows))))


def synthetic_tables(schema: Schema, people: int, seed: int) -> dict[str, exp.Select]:
    """The same of several tables: everyone has one row in the table of people, and several in the others.

    Rows below a parent belong to any of its rows, whose keys are their places.
    """
    sizes: dict[str, int] = {}
    for table in sorted(schema.tables, key=lambda t: len(schema.parents_of(t))):
        if table.public:
            sizes[table.name] = PUBLIC_ROWS
        elif table.parent is not None:
            sizes[table.name] = min(MOST_ROWS, 2 * sizes[table.parent.table])
        else:
            several = 1 if table.name == schema.people_table else (schema.unit.max_rows + 1) // 2
            sizes[table.name] = min(MOST_ROWS, people * several)
    return {table.name: _one_of_several(table, schema, sizes, people, seed) for table in schema.tables}


def _one_of_several(table: TableSchema, schema: Schema, sizes: Mapping[str, int], people: int, seed: int) -> exp.Select:
    keys = {t.parent.key for t in schema.tables if t.parent is not None and t.parent.table == table.name}
    parent = table.parent
    columns = []
    for column in table.columns:
        own = replace(column, name=table.qualified(column.name))  # tables differ in what is drawn
        if column.name == table.person:
            tree = _person(own, people, seed)
        elif column.name in keys:
            tree = _numbered(own, exp.column("range"))
        elif parent is not None and column.name == parent.column:
            tree = _numbered(own, exp.Mod(this=_draw(own, seed), expression=number(sizes[parent.table])))
        else:
            tree = _synthetic_value(own, seed)
        columns.append(exp.alias_(tree.unalias(), column.name, quoted=True))
    rows = nodes.Counted(this=number(sizes[table.name]))
    return exp.select(*columns).from_(exp.Table(this=rows))


def _numbered(declared: SchemaColumn, tree: exp.Expr) -> exp.Expr:
    """A whole number, or a text or date that stands for it."""
    number_: exp.Expr = exp.cast(tree, "BIGINT")
    if declared.type is Type.DATE:
        first = exp.cast(exp.Literal.string("1900-01-01"), "DATE")
        number_ = exp.Add(this=first, expression=exp.cast(number_, "INTEGER"))
    return exp.cast(number_, SQL_TYPES[declared.type])


def _person(declared: SchemaColumn, people: int, seed: int) -> exp.Expr:
    """Whose row this is: everyone has one, the others are anyone's. A number, or a text or date where that is one."""
    anyone = exp.Mod(this=_draw(declared, seed), expression=number(people))
    first = exp.LT(this=exp.column("range"), expression=number(people))
    who = _numbered(declared, exp.case().when(first, exp.column("range")).else_(anyone))
    return exp.alias_(who, declared.name, quoted=True)


def _draw(declared: SchemaColumn, seed: int) -> exp.Expr:
    once = nodes.RowHash(expressions=[exp.column("range"), number(seed), value(declared.name)])
    return nodes.RowHash(expressions=[once])  # one is not mixed


def _synthetic_value(declared: SchemaColumn, seed: int) -> exp.Expr:
    draw = _draw(declared, seed)
    if declared.listed is not None:
        choices = exp.Array(expressions=[value(c) for c in declared.listed])
        pick = exp.Add(this=exp.Mod(this=draw, expression=number(len(declared.listed))), expression=number(1))
        tree: exp.Expr = nodes.At(this=choices, expression=exp.cast(pick, "BIGINT"))
    elif declared.span is not None:
        tree = _moment(declared.span, draw)
    elif declared.bounds is not None:
        tree = _between(declared, draw)
    else:
        tree = exp.Null()
    return exp.alias_(exp.cast(tree, SQL_TYPES[declared.type]), declared.name, quoted=True)


def _moment(span: DateBounds, draw: exp.Expr) -> exp.Expr:
    """Any day between the first and the last, each alike."""
    days = exp.cast(exp.Mod(this=draw, expression=number(units_between("day", span.first, span.last) + 1)), "INTEGER")
    first = exp.cast(exp.Literal.string(span.first.isoformat()[:10]), "DATE")
    return exp.Add(this=first, expression=days)


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
