"""Sub-selects over each person's own rows: GROUP BY the person, windows over a person's rows, EXISTS and IN.

Inside them every row of a person is read, whatever `max_rows` says, and no row of anyone else
(docs/theory/own-rows.md).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from fractions import Fraction

from sqlglot import exp

from sfumato.errors import QueryError
from sfumato.model.own_rows import DerivedColumn, DerivedKey, OwnFigure, OwnGroups, OwnKind, OwnWindows, Sorted
from sfumato.model.schema import Schema, SchemaColumn, Type
from sfumato.model.statement import (
    Case,
    ColumnRef,
    Condition,
    Constant,
    DerivedTable,
    Predicate,
    Scalar,
)
from sfumato.privacy.own_ranges import computed_column, figure_column, step_of
from sfumato.sql.builder.canonical import plain_sql, scalar
from sfumato.sql.builder.own_rows import own_figure, own_window
from sfumato.sql.parser.aggregates import Aggregates
from sfumato.sql.parser.scope import Scope

_OWN_KINDS: dict[type[exp.Expr], OwnKind] = {
    exp.Count: OwnKind.COUNT,
    exp.CountIf: OwnKind.COUNT,
    exp.Sum: OwnKind.SUM,
    exp.Avg: OwnKind.AVG,
    exp.Min: OwnKind.MIN,
    exp.Max: OwnKind.MAX,
    exp.First: OwnKind.FIRST,
    exp.Last: OwnKind.LAST,
    exp.ArgMin: OwnKind.FIRST,
    exp.ArgMax: OwnKind.LAST,
    exp.RowNumber: OwnKind.ROW_NUMBER,
    exp.Rank: OwnKind.RANK,
    exp.DenseRank: OwnKind.DENSE_RANK,
    exp.Lag: OwnKind.LAG,
    exp.Lead: OwnKind.LEAD,
}
_MOST_FIGURES = 64
_PER_PERSON = "use COUNT, SUM, AVG, MIN, MAX, FIRST(v ORDER BY d), LAST, ARG_MIN and ARG_MAX."
_WINDOWS = "use COUNT, SUM, AVG, MIN, MAX, ROW_NUMBER, RANK, DENSE_RANK, LAG and LEAD."
_ONE = Constant(Fraction(1), Type.INTEGER)


@dataclass
class _Figures:
    """The figures that a sub-select asks for, while it is read."""

    person: str
    schema: Schema  # of what it reads
    windows: bool
    reserved: frozenset[str]  # names that stand for something else
    figures: list[OwnFigure] = field(default_factory=list)
    values: dict[str, Scalar] = field(default_factory=dict)  # what the names that the SELECT gives are computed from

    def add(self, figure: OwnFigure, name: str) -> ColumnRef:
        """The figure under this name, or the one that is it already."""
        for known in self.figures:
            if replace(known, declared=figure.declared) == figure:
                return ColumnRef(known.declared.name, known.declared.type)
        taken = self.reserved | {known.declared.name.lower() for known in self.figures}
        while name.lower() in taken:
            name += " again"
        declared = figure_column(name, figure.kind, figure.argument, self.schema)
        self.figures.append(replace(figure, declared=declared))
        return ColumnRef(name, declared.type)


@dataclass
class _Grouped(_Figures):
    """With what rows are grouped by, and the columns that were read."""

    keys: list[tuple[exp.Expr, Scalar, str]] = field(default_factory=list)  # as written, what it means, its name
    named: dict[str, Scalar] = field(default_factory=dict)  # what a name means outside

    @property
    def declared_keys(self) -> tuple[DerivedKey, ...]:
        own = [(meant, name) for _, meant, name in self.keys if name != self.person]
        return tuple(DerivedKey(computed_column(name, meant, self.schema), meant) for meant, name in own)


def _any_or_all(node: exp.LogicalOr | exp.LogicalAnd) -> exp.Expr:
    """BOOL_OR(c) and BOOL_AND(c): the largest or smallest of 1 where it holds and 0 where it does not."""
    number = exp.Case(
        ifs=[
            exp.If(this=exp.Paren(this=node.this.copy()), true=exp.Literal.number(1)),
            exp.If(this=exp.Not(this=exp.Paren(this=node.this.copy())), true=exp.Literal.number(0)),
        ]
    )
    extreme = exp.Max if isinstance(node, exp.LogicalOr) else exp.Min
    return exp.EQ(this=extreme(this=number), expression=exp.Literal.number(1))


class OwnRows(Aggregates):
    """Reads what is computed from the rows of one person."""

    own: _Figures | None = None  # while a sub-select over a person's own rows is read

    def require_person(self, what: str, node: exp.Expr) -> str:
        """The column that names people."""
        person = self.schema.unit.column
        if person is None:
            hint = f'state a column that names people, unit = "COLUMN" in {self.schema.origin}.'
            message = f"{what} is not supported: each row of {self.schema.name} is a person of its own"
            raise QueryError(message, where=self.place(node), hint=hint)
        return person

    @property
    def schema_here(self) -> Schema:
        return self.schema_read(self.scope.derived)

    @property
    def a_table(self) -> str:
        """A table that hints name."""
        return self.schema.people_table

    def schema_read(self, derived: DerivedTable | None) -> Schema:
        return self.schema if derived is None else derived.schema(self.schema)

    # GROUP BY the person

    def own_groups(self, select: exp.Select, where: Predicate | None) -> Scope:
        """One row for each person, and of each person one for each of the other keys; `self.scope` is what it reads."""
        written = self.group_nodes(select)
        person = self.require_person("GROUP BY inside a sub-select", written[0] if written else select)
        reading = _Grouped(person, self.schema_read(self.scope.derived), windows=False, reserved=frozenset())
        for node in written:
            meant = self.shallow_scalar(node)
            is_person = isinstance(meant, ColumnRef) and meant.name == person
            name = meant.name if isinstance(meant, ColumnRef) else plain_sql(scalar(meant))
            if not is_person:
                self.require_typed(meant, node)
            reading.keys.append((node, meant, name))
        if person not in (name for _, _, name in reading.keys):
            self.refuse_across_people(select, person)
        reading.reserved = frozenset(name.lower() for _, _, name in reading.keys)
        columns: list[DerivedColumn] = []
        with self.reading_own(reading):
            for expression in select.expressions:
                self.own_column(expression, reading, columns)
            having = select.args.get("having")
            kept = self.predicate(having.this) if having is not None else None
            if kept is not None:
                self.size.require_shallow(kept)
        derived = OwnGroups(
            person, reading.declared_keys, tuple(reading.figures), tuple(columns), self.scope.derived, where, kept
        )
        return Scope((), reading.named, None, None, derived)

    def group_nodes(self, select: exp.Select) -> list[exp.Expr]:
        """What a sub-select groups by: GROUP BY, or every column of a DISTINCT."""
        columns = [expression.unalias() for expression in select.expressions]
        distinct, group = select.args.get("distinct"), select.args.get("group")
        if distinct is not None and group is None:
            self.only(distinct)
            if any(isinstance(column, exp.Star) for column in columns):
                self.refuse("SELECT DISTINCT *", select, hint="name the columns.")
            return columns
        if distinct is not None:
            self.refuse("DISTINCT with GROUP BY inside a sub-select", select, hint="leave DISTINCT out.")
        if group is None:
            return []
        if group.args.get("all"):
            return [c for c in columns if not any(type(n) in _OWN_KINDS for n in c.walk())]
        self.only(group, "expressions")
        return [self.group_node(node, select) for node in group.expressions]

    def group_node(self, node: exp.Expr, select: exp.Select) -> exp.Expr:
        """A key, a position in the SELECT, or a name that the SELECT gives."""
        if isinstance(node, exp.Literal) and node.is_int:
            position = int(node.this)
            if not 1 <= position <= len(select.expressions):
                hint = "check the position; columns count from 1."
                raise QueryError(f"GROUP BY {position} is not a column", where=self.place(node), hint=hint)
            expression: exp.Expr = select.expressions[position - 1]
            return expression.unalias()
        if isinstance(node, exp.Column) and not node.table and self.known(node.name, self.scope, trust=False) is None:
            name = node.name.lower()
            return next((e.unalias() for e in select.expressions if e.alias.lower() == name), node)
        return node

    def own_column(self, expression: exp.Expr, reading: _Grouped, columns: list[DerivedColumn]) -> None:
        inner, name = expression.unalias(), expression.alias_or_name
        if isinstance(inner, exp.Star):
            self.refuse("SELECT * with GROUP BY inside a sub-select", inner, hint="name the columns.")
        value = self.shallow_scalar(inner)
        if not expression.alias and not isinstance(inner, exp.Column):
            name = value.name if isinstance(value, ColumnRef) else ""
        if not name:
            raise QueryError("A computed column has no name", hint="name it with AS.", where=self.place(inner))
        if name.lower() in reading.named:
            where = self.place(inner)
            raise QueryError(f"A sub-select has two columns '{name}'", hint="rename one of them with AS.", where=where)
        reading.values[name.lower()] = value
        if isinstance(value, ColumnRef) and value.name == reading.person:
            reading.named[name.lower()] = value
            return
        if name.lower() == reading.person.lower():
            hint = "give it another name with AS."
            raise QueryError(f"'{name}' is the column that names people", hint=hint, where=self.place(inner))
        hidden = OwnGroups(reading.person, reading.declared_keys, tuple(reading.figures), ()).inner_schema(self.schema)
        declared = computed_column(name, value, replace(hidden, rows_per_person=None))
        columns.append(DerivedColumn(declared, value))
        reading.named[name.lower()] = ColumnRef(name, declared.type)

    # Windows over a person's rows

    def reading_windows(self, select: exp.Select) -> _Figures | None:
        """Where a SELECT has windows: what collects them."""
        inside = [*select.expressions, *([select.args["qualify"]] if select.args.get("qualify") else [])]
        first = next((n for e in inside for n in e.find_all(exp.Window)), None)
        if first is None:
            return None
        person = self.require_person("A window", first)
        schema = self.schema_read(self.scope.derived)
        taken = frozenset(name.lower() for name in (*self.names(Scope()), *(c.name for c in schema.columns)))
        return _Figures(person, schema, windows=True, reserved=taken)

    def own_windows(self, reading: _Figures, where: Predicate | None) -> DerivedTable:
        return OwnWindows(reading.person, tuple(reading.figures), self.scope.derived, where)

    # What a name, an aggregate or a window stands for while a sub-select is read

    @contextmanager
    def reading_own(self, reading: _Figures | None) -> Iterator[None]:
        before, self.own = self.own, reading
        try:
            yield
        finally:
            self.own = before

    def own_part(self, node: exp.Expr) -> Scalar | None:
        """A key or figure of the sub-select that is being read; None: the node is neither."""
        reading = self.own
        assert reading is not None
        if isinstance(reading, _Grouped):
            return self.grouped_part(node, reading)
        if not isinstance(node, exp.Window):
            return self.own_name(node, reading) if isinstance(node, exp.Column) else None
        return self.figure(node, reading)

    def own_name(self, node: exp.Column, reading: _Figures) -> Scalar:
        """What a name means: a column of what is read, or a name that the SELECT gives, as QUALIFY may use it."""
        known = self.known(node.name, self.scope, trust=False, of=node.table)
        if known is None and not node.table and node.name.lower() in reading.values:
            return reading.values[node.name.lower()]
        return self.column(node)

    def grouped_part(self, node: exp.Expr, reading: _Grouped) -> Scalar | None:
        if isinstance(node, exp.LogicalOr | exp.LogicalAnd):
            return Condition(self.predicate(_any_or_all(node)))
        key = next(((meant, name) for written, meant, name in reading.keys if node == written), None)
        if key is None and isinstance(node, exp.Column):
            with self.reading_own(None):
                meant = self.own_name(node, reading)
            if node.name.lower() in reading.values and meant == reading.values[node.name.lower()]:
                return meant
            key = next(((m, name) for _, m, name in reading.keys if m == meant), None)
            if key is None:
                what = f"Column '{node.name}' is neither aggregated nor in GROUP BY"
                hint = f"add it to the GROUP BY, or aggregate it, as in MAX({node.name})."
                raise QueryError(what, hint=hint, where=self.place(node))
        if key is not None:
            return ColumnRef(key[1], key[0].type)
        if isinstance(node, exp.Window):
            self.refuse("A window beside GROUP BY", node, hint="use a sub-select of its own.")
        if isinstance(node, exp.Filter | exp.AggFunc) or type(node) in _OWN_KINDS:
            return self.figure(node, reading)
        return None

    def figure(self, node: exp.Expr, reading: _Figures, name: str = "") -> ColumnRef:
        """One figure of a person's own rows; its arguments are read as those of one row."""
        if len(reading.figures) >= _MOST_FIGURES:
            raise QueryError(f"A sub-select has at most {_MOST_FIGURES} figures of a person", hint="use fewer.")
        with self.reading_own(None):
            figure = self.read_figure(node, reading)
        tree = own_window(figure, reading.person) if reading.windows else own_figure(figure)
        free = name if name.lower() not in reading.reserved else ""
        return reading.add(figure, free or plain_sql(tree))

    def read_figure(self, node: exp.Expr, reading: _Figures) -> OwnFigure:
        window = node if isinstance(node, exp.Window) else None
        call = node.this if window is not None else node
        only = None
        if isinstance(call, exp.Filter):
            only = self.predicate(call.expression.this)
            call = call.this
        kind = _OWN_KINDS.get(type(call))
        if kind is None and isinstance(call, exp.AggFunc):
            self.refuse(f"{self.function_name(call)}() of a person's own rows", call, hint=_PER_PERSON)
        if kind is None or (window is None and kind.needs_window):
            self.refuse_node(call, _WINDOWS if reading.windows else _PER_PERSON)
        if window is not None and kind in (OwnKind.FIRST, OwnKind.LAST):
            self.refuse_node(call, _WINDOWS)
        kind, argument, order, offset = self.own_call(call, kind)
        if only is not None:
            if kind.needs_window:
                self.refuse("FILTER of a place", node, hint="use a WHERE before.")
            argument = Case(
                ((only, argument or _ONE),),
                Constant(None, (argument or _ONE).type or Type.TEXT),
                (argument or _ONE).type or Type.TEXT,
            )
        within: tuple[Scalar, ...] = ()
        if window is not None:
            within, order = self.own_window(window, kind, reading)
        step = step_of(argument, reading.schema) if kind.adds_up and argument is not None else None
        return OwnFigure(SchemaColumn("", Type.TEXT), kind, argument, step, order, within, offset)

    def own_call(self, call: exp.Expr, kind: OwnKind) -> tuple[OwnKind, Scalar | None, tuple[Sorted, ...], int]:
        """The kind, the argument, the order of FIRST and LAST, and the offset of LAG and LEAD."""
        if kind in (OwnKind.ROW_NUMBER, OwnKind.RANK, OwnKind.DENSE_RANK):
            self.only(call)
            return kind, None, (), 1
        if isinstance(call, exp.ArgMin | exp.ArgMax):
            self.only(call, "this", "expression")
            return kind, self.value(call.this), (Sorted(self.value(call.expression)),), 1
        if kind in (OwnKind.FIRST, OwnKind.LAST):
            self.only(call, "this")
            ordered = call.this
            if not isinstance(ordered, exp.Order) or len(ordered.expressions) != 1:
                written = self.function_name(call) if isinstance(call, exp.Func) else str(kind)
                self.refuse(f"{written} without an order", call, hint=f"write {written}(v ORDER BY d).")
            return kind, self.value(ordered.this), self.own_order(ordered), 1
        if kind in (OwnKind.LAG, OwnKind.LEAD):
            self.only(call, "this", "offset")
            return kind, self.value(call.this), (), self.own_offset(call)
        self.only(call, "this", "big_int")
        if kind is OwnKind.COUNT or kind.adds_up:
            aggregate = self.aggregate(call)
            return OwnKind(aggregate.kind.value), aggregate.argument, (), 1
        return kind, self.value(call.this), (), 1

    def value(self, node: exp.Expr) -> Scalar:
        return self.require_typed(self.shallow_scalar(node), node)

    def own_offset(self, call: exp.Expr) -> int:
        offset = call.args.get("offset")
        if offset is None:
            return 1
        if not (isinstance(offset, exp.Literal) and offset.is_int and int(offset.this) <= 1_000_000):
            self.refuse("An offset that is no whole number", call, hint="write LAG(v, 2).")
        return int(offset.this)

    def own_order(self, order: exp.Order) -> tuple[Sorted, ...]:
        parts = []
        for by in order.expressions:
            self.only(by, "this", "desc", "nulls_first")
            if by.args.get("nulls_first"):
                self.refuse("NULLS FIRST", by, hint="leave it out: missing values come last.")
            parts.append(Sorted(self.value(by.this), bool(by.args.get("desc"))))
        return tuple(parts)

    def own_window(
        self, window: exp.Window, kind: OwnKind, reading: _Figures
    ) -> tuple[tuple[Scalar, ...], tuple[Sorted, ...]]:
        """What the rows of a window have in common besides the person, and their order."""
        if window.args.get("alias") is not None:
            self.refuse("A named window", window, hint="write OVER (PARTITION BY ...) in full.")
        if window.args.get("spec") is not None:
            hint = "leave the frame out: a window with ORDER BY reads up to the current row."
            self.refuse("A window with a frame", window, hint=hint)
        self.only(window, "this", "partition_by", "order", "over")
        parts = [self.value(part) for part in window.args.get("partition_by") or []]
        within = tuple(p for p in parts if not (isinstance(p, ColumnRef) and p.name == reading.person))
        if len(within) == len(parts):
            hint = f"write PARTITION BY {reading.person} in it: then it reads the rows of one {reading.person}."
            what = "A window over the rows of several people"
            raise QueryError(
                f"{what} is not supported: one person would change the figures of all others",
                where=self.place(window),
                hint=hint,
            )
        order = window.args.get("order")
        if order is None and kind.needs_order:
            self.refuse(
                f"{kind} without an order",
                window,
                hint=f"add ORDER BY: {kind}() OVER (PARTITION BY {reading.person} ORDER BY d).",
            )
        return within, () if order is None else self.own_order(order)

    def refuse_across_people(self, select: exp.Select, person: str) -> None:
        node = select.args.get("group") or select
        clause = "GROUP BY" if select.args.get("group") else "DISTINCT"
        raise QueryError(
            f"A sub-select with {clause} over the rows of several people is not supported: one row of it would mix "
            "them",
            hint=f"add {person} to it: then each row is about one {person}.",
            where=self.place(node),
        )
