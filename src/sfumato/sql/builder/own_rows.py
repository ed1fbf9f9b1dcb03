"""Derived tables in the one spelling of a statement: what stands after FROM. It is read again, and never run."""

from __future__ import annotations

from collections.abc import Mapping

from sqlglot import exp

from sfumato.model.joined_tables import RowSelection, TablesUnion
from sfumato.model.own_rows import OwnFigure, OwnGroups, OwnKind, OwnWindows
from sfumato.model.statement import DerivedTable, Predicate, Scalar
from sfumato.sql.builder.ast import alias, column, table
from sfumato.sql.builder.canonical import predicate, scalar
from sfumato.sql.builder.joined_tables import from_select, selection, spelled, union
from sfumato.sql.builder.values import number


def from_item(name: str, derived: DerivedTable | None) -> exp.Expr:
    """The table's name, or the derived table as a sub-select."""
    match derived:
        case OwnGroups():
            return exp.Subquery(this=_groups(name, derived))
        case OwnWindows():
            return exp.Subquery(this=_windows(name, derived))
        case RowSelection():
            return exp.Subquery(this=selection(derived, name, from_item))
        case TablesUnion():
            return exp.Subquery(this=union(derived, name, from_item))
    return table(name)


def _groups(name: str, derived: OwnGroups) -> exp.Select:
    sources = {key.declared.name: scalar(key.expression) for key in derived.keys}
    sources |= {f.declared.name: own_figure(f) for f in derived.figures}

    def inside(part: Scalar | Predicate) -> exp.Expr:
        return spelled(_with_sources(as_tree(part), sources), derived.reads)

    person = spelled(column(derived.person), derived.reads)
    outputs = [_named(person, derived.person), *(_named(inside(c.value), c.declared.name) for c in derived.columns)]
    select = from_select(outputs, name, derived.reads, from_item)
    if derived.where is not None:
        select.set("where", exp.Where(this=spelled(predicate(derived.where), derived.reads)))
    keys = [person.copy(), *(spelled(scalar(key.expression), derived.reads) for key in derived.keys)]
    select.set("group", exp.Group(expressions=keys))
    if derived.having is not None:
        select.set("having", exp.Having(this=inside(derived.having)))
    return select


def _windows(name: str, derived: OwnWindows) -> exp.Select:
    windows = (spelled(own_window(f, derived.person), derived.reads) for f in derived.figures)
    figures = [_named(tree, f.declared.name) for tree, f in zip(windows, derived.figures, strict=True)]
    select = from_select([exp.Star(), *figures], name, derived.reads, from_item)
    if derived.where is not None:
        select.set("where", exp.Where(this=spelled(predicate(derived.where), derived.reads)))
    return select


def own_figure(figure: OwnFigure) -> exp.Expr:
    """A figure of a group, as a person would write it."""
    kind = figure.kind
    if kind is OwnKind.COUNT and figure.argument is None:
        return exp.Anonymous(this="COUNT", expressions=[exp.Star()])
    argument = [] if figure.argument is None else [scalar(figure.argument)]
    if kind is OwnKind.COUNT_DISTINCT:
        return exp.func("COUNT", exp.Distinct(expressions=argument))
    if kind in (OwnKind.FIRST, OwnKind.LAST):
        argument = [exp.Order(this=argument[0], expressions=_in_order(figure))]
    if kind in (OwnKind.LAG, OwnKind.LEAD) and figure.offset != 1:
        argument.append(number(figure.offset))
    return exp.Anonymous(this=kind.value, expressions=argument)


def own_window(figure: OwnFigure, person: str) -> exp.Expr:
    """A figure over a person's rows."""
    by = [column(person), *(scalar(part) for part in figure.within)]
    order = exp.Order(expressions=_in_order(figure)) if figure.order else None
    return exp.Window(this=own_figure(figure), partition_by=by, order=order)


def as_tree(part: Scalar | Predicate) -> exp.Expr:
    return predicate(part) if isinstance(part, Predicate) else scalar(part)


def _in_order(figure: OwnFigure) -> list[exp.Expr]:
    return [exp.Ordered(this=scalar(by.by), desc=by.descending, nulls_first=False) for by in figure.order]


def _named(tree: exp.Expr, name: str) -> exp.Expr:
    return tree if isinstance(tree, exp.Column) and tree.name == name else alias(tree, name)


def _with_sources(tree: exp.Expr, sources: Mapping[str, exp.Expr]) -> exp.Expr:
    """With what its names stand for."""
    return tree.transform(
        lambda node: sources[node.name].copy() if isinstance(node, exp.Column) and node.name in sources else node
    )
