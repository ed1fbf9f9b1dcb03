"""The tables that plans read by name, as selects from a table where it lies: for engines in which nothing is created.

A role that can only read is enough. `spell` puts each select where a plan reads its name.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from sqlglot import exp

from sfumato.model.schema import PERSON, Schema, Type
from sfumato.model.statement import ColumnRef
from sfumato.model.stored_table import StoredColumn, StoredTable
from sfumato.sql.builder import nodes
from sfumato.sql.builder.ast import alias, column, ours, select_from, sub_select, values_table
from sfumato.sql.builder.values import SQL_TYPES, cast, function
from sfumato.sql.builder.values import value as constant
from sfumato.sql.plans.clean import clean
from sfumato.sql.plans.contribution_bounds import text

RAW, NUMBERED = ours("raw"), ours("numbered")
"""The table as it was delivered, and the clean one with the place of each row."""


def delivered_tables(schema: Schema | None, stored: StoredTable) -> Mapping[str, exp.Query]:
    """Name -> select, of each table that a plan may read."""
    raw = _delivered(stored)
    if schema is None:
        return {RAW: raw}
    types = {c.name: c.type for c in stored.columns}
    names = schema.name, NUMBERED
    sources = raw, _numbered(raw, stored)
    keeps: tuple[list[str], ...] = ([], [PERSON])
    cleaned = [_of(clean(schema, types, RAW, keep=keep), source) for source, keep in zip(sources, keeps, strict=True)]
    return {RAW: raw, **dict(zip(names, cleaned, strict=True))}


def written_rows(columns: Mapping[str, Type], rows: Iterable[Sequence[object]]) -> exp.Select:
    """A table of which each row is written out."""
    constants = ([_constant(v, t) for v, t in zip(row, columns.values(), strict=True)] for row in rows)
    values = values_table(ours("values"), list(columns), constants)
    return exp.Select(expressions=[exp.Star()], from_=exp.From(this=values))


def with_written_rows(tree: exp.Expr, name: str, written: str) -> exp.Select:
    """The tree with a table ahead of it, of which `written` is the SQL of the engine that will run it."""
    assert isinstance(tree, exp.Select)
    first = exp.CTE(this=exp.Var(this=written), alias=exp.TableAlias(this=exp.to_identifier(name, quoted=True)))
    own = tree.args.get("with_")
    tree.set("with_", exp.With(expressions=[first, *(own.expressions if own is not None else [])]))
    return tree


def _constant(value: object, type_: Type) -> exp.Expr:
    """As a text of its type: a number that is written has another type in each engine."""
    if value is None or isinstance(value, bool):
        return cast(constant(value), SQL_TYPES[type_])
    return cast(exp.Literal.string(str(value)), SQL_TYPES[type_])


def _delivered(stored: StoredTable) -> exp.Select:
    *within, own = (exp.to_identifier(name, quoted=True) for name in stored.place)
    at = dict(zip(("db", "catalog"), reversed(within), strict=False))
    columns = [alias(_read(c), c.name) for c in stored.columns]
    return exp.Select(expressions=columns, from_=exp.From(this=exp.Table(this=own, **at)))


def _read(stored: StoredColumn) -> exp.Expr:
    return nodes.Stored(this=column(stored.name), stored=exp.Literal.string(stored.stored))


def _numbered(raw: exp.Select, stored: StoredTable) -> exp.Select:
    """The rows by their whole content: the same numbers as often as it is read. Equal rows may change places."""
    order = [exp.Ordered(this=text(ColumnRef(c.name, c.type)), nulls_first=False) for c in stored.columns]
    place = exp.Window(this=function("ROW_NUMBER"), order=exp.Order(expressions=order))
    return select_from([exp.Star(), alias(place, PERSON)], raw.copy())


def _of(select: exp.Select, source: exp.Select) -> exp.Select:
    """The select, of this source in place of the raw table."""
    select.set("from_", exp.From(this=sub_select(source.copy(), RAW)))
    return select
