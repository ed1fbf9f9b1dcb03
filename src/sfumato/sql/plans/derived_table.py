"""A derived table as a select: what stands after FROM in place of the registered table.

A person's values are clamped one by one, rounded to whole steps and added up as whole numbers, and divided once: sums
of floats depend on the order of the rows, and so on who else is there (docs/theory/own-rows.md).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence

from sqlglot import exp

from sfumato.model.joined_tables import JoinedTables, RowSelection, TablesUnion
from sfumato.model.own_rows import OwnFigure, OwnGroups, OwnKind, OwnWindows
from sfumato.model.schema import PERSON, Schema
from sfumato.model.statement import DerivedTable, Predicate, Scalar, columns_in
from sfumato.sql.builder import nodes
from sfumato.sql.builder.ast import alias, column, ours, scalar, select_from, with_tables
from sfumato.sql.builder.term import Term, call, col, distinct, row_count, term, when
from sfumato.sql.builder.values import as_whole
from sfumato.sql.plans.joined_tables import join_of, needed_by, selected, union_of
from sfumato.sql.plans.row_values import clamped_value, filters, is_present

Source = str | exp.Query
Over = Callable[[Term], Term]
"""How an aggregate is asked for: as it is, or over a window."""


def derived_table(derived: DerivedTable, table: str, registered: Schema, read: Iterable[str]) -> exp.Select:
    """The select of a derived table: the person, and of its other columns those that are read."""

    def inner(reads: DerivedTable, columns: Collection[str]) -> exp.Select:
        return derived_table(reads, table, registered, columns)

    match derived:
        case OwnGroups():
            return _groups(derived, table, registered, set(read))
        case OwnWindows():
            return _windows(derived, table, registered, set(read))
        case JoinedTables():
            return join_of(derived, set(read), inner)
        case RowSelection():
            wanted = set(read)
            source, schema = _source(derived.reads, table, registered, needed_by(derived, wanted))
            return selected(derived, source, schema, wanted)
        case TablesUnion():
            outputs = [column(derived.person), *map(column, sorted(set(read) - {derived.person}))]
            return select_from(outputs, union_of(derived, set(read), inner))
    raise TypeError(f"no plan for {type(derived).__name__}")


def ahead_of(select: exp.Select, name: str, derived: exp.Select) -> exp.Select:
    """A select with the derived table ahead of it, which an engine is to compute once."""
    with_ = select.args.get("with_")
    tables = [] if with_ is None else with_.expressions
    select = with_tables(select, [(name, derived, True)])
    select.args["with_"].expressions.extend(tables)
    return select


def _source(reads: DerivedTable | None, table: str, registered: Schema, read: Collection[str]) -> tuple[Source, Schema]:
    if reads is None:
        return table, registered
    return derived_table(reads, table, registered, read), reads.schema(registered)


# Groups of a person's rows


def _groups(derived: OwnGroups, table: str, registered: Schema, read: Collection[str]) -> exp.Select:
    """Three selects: the values of each row; the figures of each group; the columns that are computed from these."""
    columns = [c for c in derived.columns if c.declared.name in read]
    needed = _names([*(c.value for c in columns), derived.having])
    keys, figures = derived.keys, [f for f in derived.figures if f.declared.name in needed]
    inner = _names([derived.where, *(key.expression for key in keys), *_expressions(figures)])
    source, schema = _source(derived.reads, table, registered, inner)

    values = [alias(column(derived.person), PERSON)]
    values += [alias(scalar(key.expression), _key(i)) for i, key in enumerate(keys)]
    for i, figure in enumerate(figures):
        values += _values(figure, i, schema)
    kept = [*filters(derived.where, schema), is_present(column(derived.person))]
    rows = select_from(values, source, where=kept)

    grouped = [PERSON, *(_key(i) for i in range(len(keys)))]
    parts = [alias(column(PERSON), derived.person)]
    parts += [alias(column(_key(i)), key.declared.name) for i, key in enumerate(keys)]
    parts += [_figure(figure, i).named(figure.declared.name) for i, figure in enumerate(figures)]
    groups = select_from(parts, rows, by=grouped)

    outputs = [column(derived.person), *(alias(scalar(c.value), c.declared.name) for c in columns)]
    return select_from(outputs, groups, where=filters(derived.having, derived.inner_schema(registered)))


def _at_once(aggregate: Term) -> Term:
    return aggregate


def _key(i: int) -> str:
    return ours("own key", str(i))


def _value(i: int) -> str:
    return ours("own value", str(i))


def _unrounded(i: int) -> str:
    return ours("own number", str(i))


def _order(i: int, j: int = 0) -> str:
    return ours("own order", str(i), str(j))


def _values(figure: OwnFigure, i: int, schema: Schema) -> list[exp.Expr]:
    """What a figure reads of each row."""
    values = [] if figure.argument is None else [alias(_argument(figure, schema), _value(i))]
    if _in_steps(figure):
        values.append(alias(_clamped(figure, schema), _unrounded(i)))
    return [*values, *(alias(scalar(by.by), _order(i, j)) for j, by in enumerate(figure.order))]


def _argument(figure: OwnFigure, schema: Schema) -> exp.Expr:
    """As it is; or, to be added up, clamped and in whole steps."""
    if figure.step is None:
        assert figure.argument is not None
        return scalar(figure.argument)
    if not _in_steps(figure):
        return _clamped(figure, schema)
    return as_whole((Term(lambda: _clamped(figure, schema)).double / term(figure.step).double).rounded.tree)


def _clamped(figure: OwnFigure, schema: Schema) -> exp.Expr:
    """What is added up, with every column in it within its bounds."""
    assert figure.argument is not None
    return scalar(figure.argument, leaf=lambda leaf: clamped_value(leaf, schema))


def _in_steps(figure: OwnFigure) -> bool:
    """Whether values are rounded before they are added up; whole numbers are not."""
    return figure.step not in (None, 1)


def _figure(figure: OwnFigure, i: int, over: Over = _at_once) -> Term:
    """A figure of the rows in a group; `over` says how each aggregate in it is asked for."""
    value, order, kind = col(_value(i)), col(_order(i)), figure.kind
    if kind.adds_up:
        figures = _from_steps(figure, over(value.exact_total()), over(value.count()))
        return _unless_equal(figure, figures, i, over) if _in_steps(figure) else figures
    if kind in (OwnKind.FIRST, OwnKind.LAST):
        first = (kind is OwnKind.FIRST) != figure.order[0].descending
        chosen = nodes.FirstOf if first else nodes.LastOf
        return over(Term(lambda: chosen(this=value.tree, by=order.tree)))
    if kind in (OwnKind.LAG, OwnKind.LEAD):
        return over(call(kind.value, value, figure.offset))
    if kind.needs_window:
        return over(call(kind.value))
    if kind is OwnKind.COUNT_DISTINCT:
        return over(distinct(value))
    if figure.argument is None:
        return over(row_count())
    return over(call(kind.value, value))


def _from_steps(figure: OwnFigure, total: Term, count: Term) -> Term:
    """A sum or a mean from a whole number of steps: it is multiplied, and divided, once."""
    assert figure.step is not None
    if figure.kind is OwnKind.SUM and figure.step == 1:
        return Term(lambda: as_whole(total.tree))
    scaled = total.double * float(figure.step)
    return scaled if figure.kind is OwnKind.SUM else scaled / call("NULLIF", count, 0)


def _unless_equal(figure: OwnFigure, added_up: Term, i: int, over: Over) -> Term:
    """The figure of rows whose values are equal: unrounded, so that no row lies above the mean of itself."""
    least, most = (over(call(name, col(_unrounded(i)).double)) for name in ("MIN", "MAX"))
    alike = least if figure.kind is not OwnKind.SUM else least * over(col(_unrounded(i)).count()).double
    return when((least.equals(most), alike), otherwise=added_up)


# Windows over a person's rows


def _windows(derived: OwnWindows, table: str, registered: Schema, read: Collection[str]) -> exp.Select:
    """Two selects: the values of each row, beside the columns that are read on; then the figures over them.

    Rows of equal order are told apart by all that is read of them, so that rows which agree in all of that get the
    same figures in whatever order the engine finds them.
    """
    figures = [f for f in derived.figures if f.declared.name in read]
    beside = set(read) - {f.declared.name for f in derived.figures} - {derived.person}
    inner = beside | _names([derived.where, *_expressions(figures)])
    source, schema = _source(derived.reads, table, registered, inner)

    values: list[exp.Expr] = [column(derived.person), *map(column, sorted(inner - {derived.person}))]
    for i, figure in enumerate(figures):
        values += _values(figure, i, schema)
        values += [alias(scalar(part), _within(i, j)) for j, part in enumerate(figure.within)]
    kept = [*filters(derived.where, schema), is_present(column(derived.person))]
    rows = select_from(values, source, where=kept)

    told_apart = sorted(inner - {derived.person})
    parts: list[exp.Expr] = [column(derived.person), *map(column, sorted(beside))]
    for i, figure in enumerate(figures):
        over = _window(figure, i, derived.person, told_apart)
        parts.append(_figure(figure, i, over).named(figure.declared.name))
    return select_from(parts, rows)


def _within(i: int, j: int) -> str:
    return ours("own window", str(i), str(j))


def _window(figure: OwnFigure, i: int, person: str, told_apart: Sequence[str]) -> Over:
    """The window of a figure: the person's rows, those that agree in what it is within, in its order."""

    def over(aggregate: Term) -> Term:
        by = [column(person), *(column(_within(i, j)) for j in range(len(figure.within)))]
        in_order = [
            exp.Ordered(this=column(_order(i, j)), desc=part.descending, nulls_first=False)
            for j, part in enumerate(figure.order)
        ]
        if figure.kind.places:
            in_order += [exp.Ordered(this=column(name), nulls_first=False) for name in told_apart]
        order = exp.Order(expressions=in_order) if in_order else None
        return Term(lambda: exp.Window(this=aggregate.tree, partition_by=by, order=order))

    return over


def _names(parts: Iterable[Scalar | Predicate | None]) -> set[str]:
    return {ref.name for part in parts if part is not None for ref in columns_in(part)}


def _expressions(figures: Sequence[OwnFigure]) -> list[Scalar]:
    """Everything that figures read of a row."""
    return [
        part
        for f in figures
        for part in (*([] if f.argument is None else [f.argument]), *(by.by for by in f.order), *f.within)
    ]
