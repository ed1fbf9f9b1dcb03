"""Joins, selections and unions of tables as selects: what stands after FROM in place of a registered table.

Nothing is truncated in them: `max_rows` holds for the joined rows of a person (docs/theory/joins.md).
"""

from __future__ import annotations

from collections.abc import Callable, Collection

from sqlglot import exp

from sfumato.model.joined_tables import JoinedTables, JoinKind, JoinSource, RowSelection, TablesUnion
from sfumato.model.schema import Schema
from sfumato.model.statement import DerivedTable, columns_in
from sfumato.sql.builder.ast import alias, column, join_with, ours, predicate, scalar, select_from, sub_select, table
from sfumato.sql.plans.row_values import filters, is_present

Read = Callable[[DerivedTable, Collection[str]], exp.Select]
"""The select of an inner derived table, of which these columns are read."""

_OWNER, _PEOPLE, _JOINED, _KEPT = ours("owner"), ours("everyone"), ours("joined"), ours("kept")


def people_rows(registered: Schema, read: Collection[str]) -> exp.Select:
    """The rows of the table in which everyone is, with its columns named as those of all tables."""
    name = registered.people_table
    columns = {str(registered.unit.column), *read}
    parts = [alias(column(c.removeprefix(f"{name}.")), c) for c in sorted(columns)]
    return select_from(parts, name)


def selected(derived: RowSelection, source: str | exp.Query, schema: Schema, read: Collection[str]) -> exp.Select:
    """`source` is what it reads, and `schema` what is known of that."""
    columns = [c for c in derived.columns if c.declared.name in read]
    parts: list[exp.Expr] = [] if derived.is_public else [column(derived.person)]
    parts += [alias(scalar(c.value), c.declared.name) for c in columns]
    kept = filters(derived.where, schema)
    if not derived.is_public:
        kept.append(is_present(column(derived.person)))
    return select_from(parts, source, where=kept)


def needed_by(derived: RowSelection, read: Collection[str]) -> set[str]:
    """What a selection reads, where these columns of its own are read."""
    parts = [derived.where, *(c.value for c in derived.columns if c.declared.name in read)]
    return {ref.name for part in parts if part is not None for ref in columns_in(part)}


def union_of(derived: TablesUnion, read: Collection[str], inner: Read) -> exp.Query:
    """Each part under the names of the union."""
    places = [i for i, c in enumerate(derived.columns) if c.name in read]
    selects: list[exp.Select] = []
    for part in derived.parts:
        names = {derived.columns[i].name: part.columns[i].declared.name for i in places}
        outputs = [column(part.person), *(alias(column(own), name) for name, own in names.items())]
        selects.append(select_from(outputs, inner(part, set(names.values()))))
    return exp.union(*selects, distinct=False, copy=False) if len(selects) > 1 else selects[0]


def join_of(derived: JoinedTables, read: Collection[str], inner: Read) -> exp.Select:
    """The joined rows: the owner under the name of the column of people, and the columns that are read."""
    names = sorted(set(read) - {derived.person})
    needed = {*names, *_columns_of_conditions(derived)}
    first, *others = derived.sources
    select = exp.Select(from_=exp.From(this=_item(first, derived, needed, inner)))
    for source in others:
        assert source.on is not None
        on = [_of_source(predicate(source.on), derived)]
        kind = "LEFT" if source.kind is JoinKind.LEFT else "INNER"
        join_with(select, _item(source, derived, needed, inner), on, kind)
    parts = [alias(_of_source(column(name), derived), name) for name in names]
    if derived.is_public:
        select.set("expressions", parts or [alias(exp.Null(), ours("row"))])
        return select
    owner = _owner(derived)
    select.set("expressions", [alias(owner, derived.person), *parts])
    select.set("where", exp.Where(this=is_present(owner.copy())))
    return select if derived.people is None else _of_people(select, [derived.person, *names], derived)


def _owner(derived: JoinedTables) -> exp.Column:
    source = derived.owner_source
    return column(source.person or _OWNER, source.name)


def _of_people(select: exp.Select, names: Collection[str], derived: JoinedTables) -> exp.Select:
    """The rows whose owner is one of the people."""
    assert derived.people is not None
    people, who = derived.people
    kept = exp.Select(
        expressions=[column(name, _KEPT) for name in names], from_=exp.From(this=sub_select(select, _KEPT))
    )
    same = exp.EQ(this=column(derived.person, _KEPT), expression=column(who, _PEOPLE))
    return join_with(kept, _named(table(people), _PEOPLE), [same], "SEMI")


def _item(source: JoinSource, derived: JoinedTables, needed: Collection[str], inner: Read) -> exp.Table | exp.Subquery:
    """A table under its name in the join; a sub-select; or a table beside the owners that its parents lead to."""
    if source.selection is not None:
        own = {name.removeprefix(f"{source.name}.") for name in needed if name.startswith(f"{source.name}.")}
        return sub_select(inner(source.selection, own), source.name)
    if source.name == derived.owner and not source.person:
        return sub_select(_with_owner(source, needed), source.name)
    return _named(table(source.table), source.name)


def _with_owner(source: JoinSource, needed: Collection[str]) -> exp.Select:
    """The rows of a table beside their owner, who is in the last of its parents."""
    own = sorted(name.removeprefix(f"{source.name}.") for name in needed if name.startswith(f"{source.name}."))
    called = [ours("parent", str(i)) for i in range(len(source.parents))]
    select = exp.Select(from_=exp.From(this=_named(table(source.table), _JOINED)))
    below = _JOINED
    for parent, name in zip(source.parents, called, strict=True):
        same = exp.EQ(this=column(parent.column, below), expression=column(parent.key, name))
        join_with(select, _named(table(parent.table), name), [same])
        below = name
    select.set("expressions", [alias(column(source.above, below), _OWNER), *(column(c, _JOINED) for c in own)])
    return select


def _named(read: exp.Table, name: str) -> exp.Table:
    if read.name != name:
        read.set("alias", exp.TableAlias(this=exp.to_identifier(name, quoted=True)))
    return read


def _columns_of_conditions(derived: JoinedTables) -> set[str]:
    return {ref.name for source in derived.sources if source.on is not None for ref in columns_in(source.on)}


def _of_source(tree: exp.Expr, derived: JoinedTables) -> exp.Expr:
    """With the columns of the join as those of its tables."""
    names = [source.name for source in derived.sources]

    def own(node: exp.Expr) -> exp.Expr:
        if not isinstance(node, exp.Column) or node.table:
            return node
        of = next((name for name in names if node.name.startswith(f"{name}.")), None)
        return node if of is None else column(node.name.removeprefix(f"{of}."), of)

    return tree.transform(own)
