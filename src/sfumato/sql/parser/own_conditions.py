"""EXISTS and IN over a person's own rows: how many of these rows meet a condition, beside each row."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from sqlglot import exp

from sfumato.errors import QueryError
from sfumato.model.joined_tables import JoinedTables, JoinKind, JoinSource, RowSelection
from sfumato.model.own_rows import OwnFigure, OwnGroups, OwnKind, OwnWindows
from sfumato.model.schema import Type
from sfumato.model.statement import (
    All,
    Case,
    ColumnRef,
    Compare,
    Constant,
    DerivedTable,
    Missing,
    Not,
    Predicate,
    Scalar,
    replaced,
    with_values,
)
from sfumato.privacy.own_ranges import figure_column
from sfumato.sql.builder.canonical import plain_sql
from sfumato.sql.builder.own_rows import own_window
from sfumato.sql.parser.relations import Relations
from sfumato.sql.parser.scope import Scope

_ONE, _NONE = Constant(Fraction(1), Type.INTEGER), Constant(Fraction(0), Type.INTEGER)


class OwnConditions(Relations):
    """Reads EXISTS and IN where they are about the rows of the same person."""

    def exists(self, node: exp.Exists) -> Predicate:
        person = self.require_person("EXISTS", node)
        self.require_rows(node)
        select = node.this.this if isinstance(node.this, exp.Subquery) else node.this
        if not isinstance(select, exp.Select):
            self.refuse_node(node)
        self.only(select, "expressions", "from_", "where", "kind", "distinct", "joins")
        outer, ctes = self.scope, self.ctes
        inner = self.source(select, ctes)
        inner = inner.known_as(select.args["from_"].this.alias)  # its name then stands for the outer table
        written = select.args.get("where")
        parts = (
            []
            if written is None
            else list(written.this.flatten() if isinstance(written.this, exp.And) else [written.this])
        )
        same = [part for part in parts if self.is_correlation(part, inner, outer, person)]
        if not same:
            what = "EXISTS over the rows of other people is not supported"
            raise QueryError(what, hint=self.how_to_correlate(inner, outer, person), where=self.place(node))
        rest = [part for part in parts if not any(part is one for one in same)]
        for column in (column for part in rest for column in part.find_all(exp.Column)):
            if column.table.lower() in outer.qualifiers and column.table.lower() not in inner.qualifiers:
                hint = f"compare with a window in a sub-select, such as MAX(v) OVER (PARTITION BY {person})."
                self.refuse("EXISTS that compares more than the person with the row outside", column, hint=hint)
        self.scope = inner
        conditions = [self.predicate(part) for part in rest]
        inner = self.scope
        self.scope, self.ctes = outer, ctes
        return self.own_condition(inner, conditions, node)

    def how_to_correlate(self, inner: Scope, outer: Scope, person: str) -> str:
        """The condition that makes the inner rows those of the same person."""
        if not self.schema.tables:
            same = f"own.{person} = {next(iter(outer.qualifiers), self.schema.name)}.{person}"
            return f"name the inner table, as in FROM {self.schema.name} AS own, and add {same} to its WHERE."
        own, other = inner.names_of(person), outer.names_of(person)
        if not own or not other:
            lacking = "outer" if own else "inner"
            return f"join a table with {self.people_names()} to the {lacking} ones, and compare the person in both."
        if own[0].partition(".")[0] == other[0].partition(".")[0]:
            return "give the inner table another name with AS, and compare the person in both."
        return f"add {own[0]} = {other[0]} to its WHERE."

    def is_correlation(self, part: exp.Expr, inner: Scope, outer: Scope, person: str) -> bool:
        """Whether it says that an inner row is the same person's as the outer one."""
        sides = [part.this, part.expression] if isinstance(part, exp.EQ) else []
        columns = [side for side in sides if isinstance(side, exp.Column)]
        own = [column for column in columns if not column.table or column.table.lower() in inner.qualifiers]
        others = [column for column in columns if column.table.lower() in outer.qualifiers and column not in own]
        if len(own) != 1 or len(others) != 1:
            return False
        meant = [
            self.known(own[0].name, inner, trust=False, of=own[0].table),
            self.known(others[0].name, outer, trust=False, of=others[0].table),
        ]
        return all(isinstance(column, ColumnRef) and column.name == person for column in meant)

    def membership(self, node: exp.In) -> Predicate:
        query = node.args.get("query")
        if query is None:
            return super().membership(node)
        self.only(node, "this", "query")
        person = self.require_person("IN with a sub-select", node)
        self.require_rows(node)
        operand = self.scalar(node.this)
        if not isinstance(operand, ColumnRef) or operand.name != person:
            hint = f"compare {person}, as in {person} IN (SELECT {person} FROM ...), or list the values."
            self.refuse("IN with a sub-select over the rows of other people", node, hint=hint)
        select = query.this if isinstance(query, exp.Subquery) else query
        inner = self.rowwise(select, self.ctes)
        values = list((inner.named or {}).values())
        if inner.through is not None or values != [operand]:
            self.refuse("IN with a sub-select of anything else", node, hint=f"write SELECT {person} FROM ... in it.")
        return self.own_condition(inner, [], node)

    def require_rows(self, node: exp.Expr) -> None:
        """Refuse a condition over a person's rows where no rows are read."""
        if self.own is not None:
            self.refuse("A sub-select in this place", node, hint="use it in the WHERE of a sub-select.")

    def own_condition(self, inner: Scope, met: list[Predicate], node: exp.Expr) -> Predicate:
        """Whether the person has a row in the inner table that meets the conditions: a figure beside each row."""
        if isinstance(self.scope.derived, JoinedTables):
            return self.joined_condition(inner, met, self.scope.derived)
        if not _all_rows(self.scope.derived):
            hint = "use it in the WHERE of the sub-select."
            self.refuse("A sub-select over a person's rows beside a sub-select that groups them", node, hint=hint)
        read = inner.derived
        conditions = [*([] if inner.where is None else [inner.where]), *met]
        ordered = isinstance(read, OwnGroups) and any(figure.order for figure in read.figures)
        if isinstance(read, OwnGroups) and not read.keys and not ordered and _all_rows(read.reads):
            return self.group_condition(read, conditions)
        if not _all_rows(read):
            hint = f"group its sub-select by {self.schema.unit.column} alone, or filter in the WHERE."
            self.refuse("A sub-select of this kind in a condition", node, hint=hint)
        self.scope = replace(self.scope, derived=_together(self.scope.derived, read))
        counted = self.beside(OwnKind.COUNT, _where(conditions, None))
        return Compare(">", counted, _NONE)

    def joined_condition(self, inner: Scope, met: list[Predicate], outer: JoinedTables) -> Predicate:
        """Beside joined tables: who has such a row is a table with one row for each person, and is joined as well."""
        conditions = [*([] if inner.where is None else [inner.where]), *met]
        where = None if not conditions else conditions[0] if len(conditions) == 1 else All(tuple(conditions))
        whose = RowSelection(outer.person, (), OwnGroups(outer.person, (), (), (), inner.derived, where))
        known = next((s for s in outer.sources if s.selection == whose and s.may_be_missing), None)
        person = self.schema.column(outer.person)
        assert person is not None
        if known is None:
            taken = {source.name for source in outer.sources}
            name = next(n for i in range(len(taken) + 1) if (n := f"own {i + 1}") not in taken)
            owner = ColumnRef(outer.owner_source.column(outer.owner_source.person), person.type)
            same = Compare("=", ColumnRef(f"{name}.{outer.person}", person.type), owner)
            known = JoinSource(name, "", whose, JoinKind.LEFT, same, outer.person)
            joined = replace(outer, sources=(*outer.sources, known))
            self.scope = replace(self.scope, derived=joined)
        return Not(Missing(ColumnRef(known.column(outer.person), person.type)))

    def group_condition(self, read: OwnGroups, conditions: list[Predicate]) -> Predicate:
        """Whether the person's group exists, is kept by its HAVING, and meets the conditions."""
        self.scope = replace(self.scope, derived=_together(self.scope.derived, read.reads))
        where = [] if read.where is None else [read.where]
        exists = Compare(">", self.beside(OwnKind.COUNT, _where(where, None)), _NONE)
        figures: dict[ColumnRef, Scalar] = {}
        for figure in read.figures:
            argument = _where(where, figure.argument)
            figures[ColumnRef(figure.declared.name, figure.declared.type)] = self.beside(figure.kind, argument, figure)
        columns = {ColumnRef(c.declared.name, c.declared.type): with_values(c.value, figures) for c in read.columns}
        kept = [] if read.having is None else [replaced(read.having, figures)]
        return All((exists, *kept, *(replaced(condition, columns) for condition in conditions)))

    def beside(self, kind: OwnKind, argument: Scalar | None, like: OwnFigure | None = None) -> ColumnRef:
        """A figure over all rows of the person, beside each of them."""
        schema, person = self.schema_read(self.scope.derived), str(self.schema.unit.column)
        draft = figure_column("", kind, argument, schema)
        figure = OwnFigure(
            draft, kind, argument, None if like is None else like.step, () if like is None else like.order
        )
        name = plain_sql(own_window(figure, person))
        known = schema.column(name)
        if known is None:
            figure = replace(figure, declared=replace(draft, name=name))
            self.scope = replace(self.scope, derived=OwnWindows(person, (figure,), self.scope.derived))
        return ColumnRef(name, draft.type)


def _all_rows(derived: DerivedTable | None) -> bool:
    """Whether it has every row of the registered table."""
    return derived is None or (isinstance(derived, OwnWindows) and derived.where is None and _all_rows(derived.reads))


def _together(one: DerivedTable | None, other: DerivedTable | None) -> DerivedTable | None:
    """Every row with the figures of both."""
    if other is None or one == other:
        return one
    assert isinstance(other, OwnWindows)
    before = _together(one, other.reads)
    known = set() if not isinstance(before, OwnWindows) else _figures_of(before)
    added = tuple(figure for figure in other.figures if figure.declared.name not in known)
    return replace(other, figures=added, reads=before) if added else before


def _figures_of(derived: DerivedTable | None) -> set[str]:
    if not isinstance(derived, OwnWindows):
        return set()
    return {figure.declared.name for figure in derived.figures} | _figures_of(derived.reads)


def _where(conditions: list[Predicate], argument: Scalar | None) -> Scalar | None:
    """An argument in the rows that meet the conditions; missing in the others."""
    if not conditions:
        return argument
    met = conditions[0] if len(conditions) == 1 else All(tuple(conditions))
    value = argument or _ONE
    type_ = value.type or Type.TEXT
    return Case(((met, value),), Constant(None, type_), type_)
