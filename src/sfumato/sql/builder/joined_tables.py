"""Joins, selections and unions in the one spelling of a statement. It is read again, and never run."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from sqlglot import exp

from sfumato.model.joined_tables import JoinedTables, JoinKind, JoinSource, RowSelection, TablesUnion
from sfumato.model.own_rows import DerivedColumn, OwnGroups
from sfumato.model.statement import ColumnRef, DerivedTable
from sfumato.sql.builder.ast import alias, column, table
from sfumato.sql.builder.canonical import plain_sql, predicate, scalar

FromItem = Callable[[str, DerivedTable | None], exp.Expr]


@dataclass(frozen=True)
class Spelling:
    """Columns of a join as people write them: `orders.amount` is a column of a table, and not one name."""

    joined: JoinedTables

    def tree(self, tree: exp.Expr) -> exp.Expr:
        return tree.transform(self._spelled)

    def text(self, name: str) -> str:
        """The name of an answer's column, with those in it as people write them."""
        own = self.column_of(self.joined.person)
        if own is not None:
            name = name.replace(f'"{self.joined.person}"', ".".join(own))
        for source in self.joined.sources:
            name = re.sub(rf'"({re.escape(source.name)})\.(\w+)"', r"\1.\2", name)
        return name

    def column_of(self, name: str) -> tuple[str, str] | None:
        """Table and column, of a name that a column of the join has; None: it has none."""
        joined = self.joined
        if name == joined.person and not joined.is_public and joined.owner_source.person:
            return joined.owner, joined.owner_source.person
        of = next((s.name for s in joined.sources if name.startswith(f"{s.name}.")), None)
        return None if of is None else (of, name.removeprefix(f"{of}."))

    def _spelled(self, node: exp.Expr) -> exp.Expr:
        named = self.column_of(node.name) if isinstance(node, exp.Column) and not node.table else None
        return node if named is None else column(named[1], named[0])


def spelling_of(derived: DerivedTable | None) -> Spelling | None:
    return Spelling(derived) if isinstance(derived, JoinedTables) else None


def spelled(tree: exp.Expr, derived: DerivedTable | None) -> exp.Expr:
    """An expression over a table, as it is written beside a FROM of it."""
    spelling = spelling_of(derived)
    return tree if spelling is None else spelling.tree(tree)


def name_of(tree: exp.Expr, derived: DerivedTable | None) -> str:
    """What a column of the answer is called when no one names it."""
    spelling = spelling_of(derived)
    return plain_sql(tree) if spelling is None else spelling.text(plain_sql(tree))


def join_item(joined: JoinedTables, item: FromItem) -> tuple[exp.Expr, list[exp.Join]]:
    """What stands after FROM, and the joins beside it."""
    first, *others = joined.sources
    return _source(first, item), [_join(source, joined, item) for source in others]


def _source(source: JoinSource, item: FromItem) -> exp.Expr:
    called = exp.TableAlias(this=exp.to_identifier(source.name, quoted=True))
    if source.selection is not None:
        return exp.Subquery(this=selection(source.selection, source.table, item), alias=called)
    read = table(source.table)
    if source.table != source.name:
        read.set("alias", called)
    return read


def _join(source: JoinSource, joined: JoinedTables, item: FromItem) -> exp.Join:
    assert source.on is not None
    side = {"side": "LEFT"} if source.kind is JoinKind.LEFT else {}
    parts = Spelling(_raw(joined)).tree(predicate(source.on))
    return exp.Join(this=_source(source, item), on=parts, **side)


def _raw(joined: JoinedTables) -> JoinedTables:
    """The same, in which no column stands for the owner: conditions of a join name each table's own."""
    return JoinedTables("", joined.sources, joined.several, joined.owner)


def selection(read: RowSelection, name: str, item: FromItem) -> exp.Select:
    if _is_all_of(read):
        inner = item(name, read.reads).this
        assert isinstance(inner, exp.Select)
        return inner
    columns = [alias(spelled(scalar(c.value), read.reads), c.declared.name) for c in read.columns]
    if not read.is_public:
        columns = [alias(spelled(column(read.person), read.reads), read.person), *columns]
    select = from_select(columns, name, read.reads, item)
    if read.where is not None:
        select.set("where", exp.Where(this=spelled(predicate(read.where), read.reads)))
    return select


def _is_all_of(read: RowSelection) -> bool:
    """Whether it has the groups of a sub-select as they are."""
    groups = read.reads if isinstance(read.reads, OwnGroups) and read.where is None else None
    return groups is not None and read.columns == tuple(
        DerivedColumn(c.declared, ColumnRef(c.declared.name, c.declared.type)) for c in groups.columns
    )


def union(read: TablesUnion, name: str, item: FromItem) -> exp.Query:
    first, *others = (selection(part, name, item) for part in read.parts)
    tree: exp.Query = first
    for other in others:
        tree = exp.Union(this=tree, expression=other, distinct=False)
    return tree


def from_select(columns: list[exp.Expr], name: str, reads: DerivedTable | None, item: FromItem) -> exp.Select:
    """SELECT columns FROM what is read."""
    select = exp.Select(expressions=columns)
    if isinstance(reads, JoinedTables):
        first, joins = join_item(reads, item)
        select.set("from_", exp.From(this=first))
        if joins:
            select.set("joins", joins)
        return select
    select.set("from_", exp.From(this=item(name, reads)))
    return select
