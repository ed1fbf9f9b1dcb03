"""HAVING, ORDER BY and LIMIT: what is done to the noisy answer, and what names mean there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from sqlglot import exp

from sfumato.errors import QueryError
from sfumato.model.schema import Schema, Type
from sfumato.model.statement import (
    Afterwards,
    AggregateKind,
    ColumnRef,
    Computation,
    Grouping,
    Key,
    Order,
    Output,
    PairStatistic,
    Scalar,
    Source,
    SumOverGroups,
    sums_over_groups,
)
from sfumato.sql.builder.canonical import default_name, key_of
from sfumato.sql.parser.aggregates import is_aggregate
from sfumato.sql.parser.keys import FROM_1, GROUPINGS, GroupKeys
from sfumato.sql.parser.pairs import is_pair, pair_kind, pair_of, totals_of

_WINDOW = (
    "use SUM(COUNT(*)) OVER (PARTITION BY ward) for totals, ORDER BY for an order with its true ranks, and compute the "
    "rest from the released answer: that costs nothing."
)
_ADDED_UP = (AggregateKind.COUNT, AggregateKind.COUNT_DISTINCT, AggregateKind.SUM)


class AfterwardsReader(GroupKeys):
    """Reads what is applied to the answer."""

    def __init__(self, text: str, schema: Schema, present: Mapping[str, Type | None] | None) -> None:
        super().__init__(text, schema, present)
        self.answer: list[Output] | None = None  # while what is done to the answer is read: what names mean there
        self.grouped: tuple[Key, ...] = ()
        self.in_select = False
        self.expands = False  # whether the name of a computed column stands for what it is computed from

    @property
    def reads_answer(self) -> bool:
        return self.answer is not None

    def afterwards(self, select: exp.Select, visible: list[Output]) -> tuple[Afterwards, tuple[Output, ...]]:
        """What is done to the answer, and the outputs with those that only this reads."""
        assert self.answer is not None
        having = select.args.get("having")
        parse_condition = self.predicate(having.this) if having is not None else None
        if parse_condition is not None:
            self.size.require_shallow(parse_condition)
            self.size.require_brief(parse_condition, "HAVING")
        order = select.args.get("order")
        sorted_by = tuple(o for by in order.expressions for o in self.order(by, visible)) if order is not None else ()
        limit, offset = (self.whole(select.args.get(name)) for name in ("limit", "offset"))
        outputs, self.answer = tuple(self.answer), None
        hidden = tuple(output for output in outputs if output not in visible)
        return Afterwards(parse_condition, sorted_by, limit, offset or 0), (*visible, *hidden)

    def order(self, by: exp.Ordered, visible: list[Output]) -> list[Order]:
        self.only(by, "this", "desc", "nulls_first")
        descending, nulls_first = bool(by.args.get("desc")), bool(by.args.get("nulls_first"))
        if isinstance(by.this, exp.Var) and by.this.name.upper() == "ALL":
            return [Order(output.name, descending, nulls_first) for output in visible]
        if isinstance(by.this, exp.Literal) and by.this.is_int:
            position = int(by.this.this)
            if not 1 <= position <= len(visible):
                raise QueryError(f"ORDER BY {position} is not a column", where=self.place(by), hint=FROM_1)
            return [Order(visible[position - 1].name, descending, nulls_first)]
        self.expands = not isinstance(by.this, exp.Column)
        scalar = self.scalar(by.this)
        self.expands = False
        if not isinstance(scalar, ColumnRef):
            scalar = self.result_of(self.computed(scalar))
        return [Order(scalar.name, descending, nulls_first)]

    def computed(self, expression: Scalar) -> Computation:
        """A column computed from the answer. It is gone through for each row of the answer by itself."""
        self.size.require_shallow(expression)
        self.size.require_brief(expression, "A column computed from the answer")
        if len({part.within for part in sums_over_groups(expression)}) > 1:
            hint = "make each a column of its own, and compute with them from the released answer."
            raise QueryError("A column adds up groups over different keys of PARTITION BY", hint=hint)
        return Computation(expression)

    def whole(self, clause: exp.Expr | None) -> int | None:
        if clause is None:
            return None
        if isinstance(clause, exp.Fetch):  # FETCH FIRST 2 ROWS ONLY
            self.only(clause, "direction", "count", "limit_options")
            options, number = clause.args.get("limit_options"), clause.args.get("count")
            if options is not None and (options.args.get("percent") or options.args.get("with_ties")):
                self.refuse("FETCH of this kind", clause, hint="use LIMIT.")
        else:
            self.only(clause, "expression")
            number = clause.expression
        if not (isinstance(number, exp.Literal) and number.is_int):
            self.refuse(f"{clause.key.upper()} with anything but a whole number", clause, hint="write a whole number.")
        return int(number.this)

    def result(self, node: exp.Expr) -> Scalar | None:
        """The output of the answer that a name or an aggregate means; one that is not shown is added."""
        if isinstance(node, exp.Column):
            return self.result_named(node)
        if is_pair(node):
            return self.pair(node)
        if isinstance(node, exp.Window):
            return self.sum_over_groups(node)
        if not is_aggregate(node) and not isinstance(node, GROUPINGS):
            return self.result_of_key(node)
        answer, self.answer = self.answer, None
        source = self.grouping(node, self.grouped) if isinstance(node, GROUPINGS) else self.aggregate(node)
        self.answer = answer
        return self.result_of(source)

    def sum_over_groups(self, node: exp.Window) -> SumOverGroups:
        """SUM(COUNT(*)) OVER (PARTITION BY ward): what it adds up is an output, shown or not, and so are the keys."""
        call = node.this
        bare = not any(part for name, part in node.args.items() if name not in ("this", "over", "partition_by"))
        if not (bare and isinstance(call, exp.Sum) and is_aggregate(call.this)):
            if self.is_over_answer(node):
                self.refuse(
                    "A window over the answer with an order, or with another function than SUM,", node, hint=_WINDOW
                )
            self.refuse_node(node)
        answer, self.answer = self.answer, None
        added = self.aggregate(call.this)
        self.answer = answer
        if added.kind not in _ADDED_UP:
            self.refuse(f"OVER () of {added.kind}", node, hint="add up COUNT or SUM: other figures have no total.")
        keys = {self.shared_key(key).name: self.shared_key(key) for key in node.args.get("partition_by") or ()}
        within = tuple(key for _, key in sorted(keys.items()))
        select = node.find_ancestor(exp.Select)
        if select is not None and select.args.get("having"):
            self.refuse(
                "OVER () with HAVING", node, hint="leave out conditions on the answer: the sum is over all groups."
            )
        return SumOverGroups(self.result_of(added), within)

    def is_over_answer(self, node: exp.Window) -> bool:
        """Whether a window reads aggregates, or columns of the answer by name."""
        names = {output.name.lower() for output in self.answer or () if output.visible}
        parts = [part for part in node.walk() if part is not node.this]
        return any(
            is_aggregate(part) or (isinstance(part, exp.Column) and part.name.lower() in names) for part in parts
        )

    def shared_key(self, node: exp.Expr) -> ColumnRef:
        """A group key in PARTITION BY."""
        read = self.result(node)
        source = next(
            (o.source for o in self.answer or () if isinstance(read, ColumnRef) and o.name == read.name), None
        )
        if not isinstance(read, ColumnRef) or not isinstance(source, Key):
            self.refuse("PARTITION BY of anything but a group key", node, hint="name one of the GROUP BY.")
        return read

    def pair(self, node: exp.Expr) -> PairStatistic:
        """A correlation or the like: its totals are outputs that are not shown."""
        answer, self.answer = self.answer, None
        kind, (first, second) = pair_kind(node), self.pair_arguments(node)
        self.answer = answer
        pair = pair_of(kind, first, second, self.schema_here)
        for total in totals_of(pair):
            self.size.require_shallow(total.argument or first)
        return replace(pair, totals=tuple(map(self.result_of, totals_of(pair))))

    def result_of_key(self, node: exp.Expr) -> ColumnRef | None:
        """The output of a computed key, where a node is written like it."""
        if all(key.column is not None for key in self.grouped) or isinstance(node, exp.Literal):
            return None
        answer, self.answer = self.answer, None
        scalar = self.scalar_or_none(node)
        self.answer = answer
        key = None if scalar is None else key_of(scalar)
        return self.result_of(key) if key is not None and key in self.grouped else None

    def scalar_or_none(self, node: exp.Expr) -> Scalar | None:
        """An expression over columns of the table; None where it is none."""
        try:
            return self.scalar(node)
        except QueryError:
            return None

    def result_named(self, node: exp.Column) -> Scalar:
        """By a name of the answer, or a group key by the name that the table has for it; in the SELECT, that first."""
        assert self.answer is not None
        self.only(node, "this", "table")
        self.require_qualifier(node)
        outputs = [o for o in self.answer if o.visible and not node.table and o.name.lower() == node.name.lower()]
        scalar = self.known(node.name, self.scope, trust=not (self.in_select and outputs), of=node.table)
        if outputs and not (self.in_select and scalar is not None):
            source = outputs[0].source
            return source.expression if self.expands and isinstance(source, Computation) else _result(outputs[0])
        if scalar is not None and key_of(scalar) in self.grouped:
            return self.result_of(key_of(scalar))
        if self.in_select and scalar is not None:
            raise self.not_grouped(node)
        hint = f"use {', '.join(o.name for o in self.answer if o.visible)}."
        raise QueryError(f"The answer has no column '{node.name}'", where=self.place(node), hint=hint)

    def not_grouped(self, node: exp.Expr) -> QueryError:
        message = f"Column '{node.name}' is neither aggregated nor in GROUP BY"
        named = node.find_ancestor(exp.Alias)
        taken = named is not None and any(key.name.lower() == named.alias.lower() for key in self.grouped)
        if named is not None and taken:
            hint = f"give '{named.alias}' another name: GROUP BY {named.alias} means the column of the table."
            return QueryError(message, hint=hint, where=self.place(node))
        return QueryError(message, hint=f"add GROUP BY {node.name}: rows are not released.", where=self.place(node))

    def result_of(self, source: Source) -> ColumnRef:
        assert self.answer is not None
        if all(o.source != source for o in self.answer):
            name, taken = f"{default_name(source, self.answer)}, not shown", {o.name for o in self.answer}
            while name in taken:
                name += " either"
            self.answer.append(Output(name, source, visible=False))
        return _result(next(o for o in self.answer if o.source == source))

    # Names

    def require_rows(self, node: exp.Expr) -> None:
        if self.answer is not None:
            self.refuse("A sub-select over the noisy answer", node, hint="use it in the WHERE.")
        super().require_rows(node)

    def named(self, node: exp.Expr) -> Scalar | None:
        if self.answer is not None:
            return self.result(node)
        if self.own is not None:
            return self.own_part(node)
        return self.column(node) if isinstance(node, exp.Column) else None


def _result(output: Output) -> ColumnRef:
    source = output.source
    if isinstance(source, Key | Computation):
        return ColumnRef(output.name, source.type)
    whole = isinstance(source, Grouping) or source.kind.counts
    return ColumnRef(output.name, Type.INTEGER if whole else Type.NUMBER)
