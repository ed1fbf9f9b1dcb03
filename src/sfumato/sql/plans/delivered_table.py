"""The tables that plans read by name, as selects from a table where it lies: for engines in which nothing is created.

A role that can only read is enough. `spell` puts each select where a plan reads its name.
"""

from __future__ import annotations

from collections.abc import Mapping

from sqlglot import exp

from sfumato.model.schema import PERSON, Schema
from sfumato.model.statement import ColumnRef
from sfumato.model.stored_table import StoredColumn, StoredTable
from sfumato.sql.builder import nodes
from sfumato.sql.builder.ast import alias, column, ours, select_from, sub_select
from sfumato.sql.builder.values import function
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
