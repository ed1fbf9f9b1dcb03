"""SQL text -> Statement, by an allow-list. Whatever is not named here is refused, by its name and its place."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any, NoReturn

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from sfumato.errors import QueryError
from sfumato.model.schema import Schema, Type
from sfumato.model.statement import (
    NOTHING,
    Afterwards,
    Aggregate,
    AggregateKind,
    All,
    ColumnRef,
    Constant,
    Order,
    Output,
    Predicate,
    Scalar,
    Statement,
    columns_in,
)
from sfumato.sql.builder.ast import canonical, default_name
from sfumato.sql.parser.scope import Names, Scope
from sfumato.sql.parser.size import LONGEST, Size, require_flat, require_short
from sfumato.sql.parser.vocabulary import AGGREGATES, FUNCTIONS

logging.getLogger("sqlglot").disabled = True  # it echoes what it cannot parse

_AGGREGATES: dict[type[exp.Expr], AggregateKind] = {
    exp.Count: AggregateKind.COUNT,
    exp.Sum: AggregateKind.SUM,
    exp.Avg: AggregateKind.AVG,
    exp.Variance: AggregateKind.VAR_SAMP,
    exp.VariancePop: AggregateKind.VAR_POP,
    exp.Stddev: AggregateKind.STDDEV_SAMP,
    exp.StddevSamp: AggregateKind.STDDEV_SAMP,
    exp.StddevPop: AggregateKind.STDDEV_POP,
    exp.Min: AggregateKind.MIN,
    exp.Max: AggregateKind.MAX,
    exp.Median: AggregateKind.QUANTILE_CONT,
    exp.PercentileCont: AggregateKind.QUANTILE_CONT,
    exp.PercentileDisc: AggregateKind.QUANTILE_DISC,
    exp.Quantile: AggregateKind.QUANTILE_DISC,  # as DuckDB has it
}
_FINEST_QUANTILE = 10**6
_SETS = (exp.Rollup, exp.Cube, exp.GroupingSets)
_NOT_BY_ROW = {
    "group": "GROUP BY",
    "having": "HAVING",
    "order": "ORDER BY",
    "limit": "LIMIT",
    "offset": "OFFSET",
    "distinct": "DISTINCT",
}
MOST_OUTPUTS = 256
_ROW_BY_ROW = "use a sub-select that works row by row."
_NAME_IT = "rename one of them with AS."
_FROM_1 = "check the position; columns of the answer count from 1."
_AGGREGATE_NAMES = "aggregates are COUNT, SUM, AVG, VAR_POP, VAR_SAMP, STDDEV, MIN, MAX, MEDIAN and QUANTILE_CONT."
_WRITE_QUANTILE = "write QUANTILE_CONT(v, 0.25), or PERCENTILE_CONT(0.25) WITHIN GROUP (ORDER BY v)."


def parse(text: str, schema: Schema, present: Mapping[str, Type | None] | None = None) -> Statement:
    """Read one SELECT of aggregates over the schema's table.

    `present` are the columns that the data really has, with their types; without it (the data is not read) a
    column that the schema does not list is taken on trust.
    """
    try:
        return _StatementReader(text, schema, present).statement()
    except RecursionError:
        raise QueryError("The query is nested too deeply", hint="simplify the query.") from None


def parse_condition(text: str, schema: Schema, present: Mapping[str, Type | None] | None = None) -> Predicate:
    """A condition on one row, as in a WHERE."""
    reader = _StatementReader(f"SELECT COUNT(*) FROM {_quote(schema.name)} WHERE {text}", schema, present)
    reader.read_as = "condition"
    try:
        statement = reader.statement()
        if statement.where is None or statement.keys or statement.afterwards != NOTHING:
            raise QueryError("The condition is followed by something else", hint="leave out the rest.")
        return statement.where
    except RecursionError:
        raise QueryError("The condition is nested too deeply", hint="simplify it.") from None
    except QueryError as wrong:
        wrong.where = f"the condition '{' '.join(text.split())}'"
        raise


def _require_few(outputs: Sequence[object]) -> None:
    """Each is held against each other: thousands would keep a server busy that others wait for."""
    if len(outputs) > MOST_OUTPUTS:
        raise QueryError(f"A query has {MOST_OUTPUTS} columns at most, not {len(outputs)}", hint="ask several queries.")


class _StatementReader(Names):
    answered = frozenset({*AGGREGATES, *FUNCTIONS})

    def __init__(self, text: str, schema: Schema, present: Mapping[str, Type | None] | None) -> None:
        super().__init__(text, schema, present)
        self.size = Size()
        self.answer: list[Output] | None = None  # while HAVING and ORDER BY are read: what names mean there
        self.grouped: tuple[ColumnRef, ...] = ()

    # The statement

    def statement(self) -> Statement:
        select = self.select()
        self.only(
            select, "expressions", "from_", "where", "group", "kind", "having", "order", "limit", "offset", "with_"
        )
        self.scope = self.source(select, {})
        where = self.row_filter(select)
        keys = self.keys(select)
        _require_few(select.expressions)
        _require_few(list(select.find_all(exp.AggFunc)))
        visible = [self.output(e, keys) for e in select.expressions]
        if not any(isinstance(o.source, Aggregate) for o in visible):
            self.refuse(
                "A SELECT without an aggregate", select, hint="ask for COUNT, SUM or AVG: rows are not released."
            )
        names = [o.name.lower() for o in visible]
        if len(set(names)) < len(names):
            raise QueryError("Two columns of the answer have the same name", hint="rename one of them with AS.")
        afterwards, outputs = self.afterwards(select, visible, keys)
        name = self.schema.name
        arguments = (o.source.argument for o in outputs if isinstance(o.source, Aggregate))
        parts = [part for part in (where, *keys, *arguments) if part is not None]
        self.size.require_within([*parts, *([afterwards.having] if afterwards.having is not None else [])])
        used = tuple(sorted({column.name for part in parts for column in columns_in(part)}))
        text = canonical(name, outputs, where, keys, afterwards)
        require_short(text)
        require_flat(text)
        return Statement(name, outputs, where, keys, used, text, afterwards)

    def select(self) -> exp.Select:
        if not isinstance(self.text, str):
            raise QueryError("A query must be text", hint=f'try "SELECT COUNT(*) FROM {self.schema.name}".')
        if len(self.text) > LONGEST:
            hint = "shorten the query."
            raise QueryError(f"The {self.read_as} is longer than {LONGEST:,} characters", hint=hint)
        if not self.text.isascii() and self.text.encode("utf-8", "replace").decode() != self.text:
            raise QueryError(f"The {self.read_as} is not UTF-8 text", hint="save it as UTF-8.")
        require_flat(self.text)
        try:
            trees = [tree for tree in sqlglot.parse(self.text, read="duckdb") if tree is not None]
        except SqlglotError as error:
            raise self.unreadable((getattr(error, "errors", None) or [{}])[0]) from None
        if not trees:
            raise QueryError("The query is empty", hint="try SELECT COUNT(*) FROM " + self.schema.name + ".")
        if len(trees) > 1:
            where = self.place(trees[1])
            raise QueryError("Several statements are not supported", hint="ask them one at a time.", where=where)
        tree = trees[0]
        while isinstance(tree, exp.Subquery) and [name for name, part in tree.args.items() if part] == ["this"]:
            tree = tree.this
        if not isinstance(tree, exp.Select):
            first = self.text.split(maxsplit=1)[0].upper()
            name = tree.key.upper() if isinstance(tree, exp.Query) or not first.isalpha() else first
            hint = f"try SELECT COUNT(*) FROM {self.schema.name}."
            raise QueryError(f"Only a SELECT is supported, not {name}", where="line 1, column 1", hint=hint)
        return tree

    def unreadable(self, error: Mapping[str, Any]) -> QueryError:
        """What the grammar stumbled over: most often it is a word of SQL where a name belongs."""
        if error.get("line"):
            return self.a_word_of_sql("select", f"line {error['line']}, column {error['col']}")
        return QueryError(f"The {self.read_as} is not valid SQL", hint="close every quote and parenthesis.")

    # What is read: the table, or row-wise selections of it

    def source(self, select: exp.Select, ctes: Mapping[str, Scope]) -> Scope:
        with_ = select.args.get("with_")
        if with_ is not None:
            self.only(with_, "expressions")
            own: set[str] = set()
            for cte in with_.expressions:
                self.only(cte, "this", "alias", "materialized")
                self.renames_nothing(cte.args["alias"])
                if cte.alias.lower() in own:
                    where = self.place(cte.args["alias"])
                    raise QueryError(f"WITH names '{cte.alias}' twice", hint="rename one of them.", where=where)
                own.add(cte.alias.lower())
                ctes = {**ctes, cte.alias.lower(): self.rowwise(cte.this, ctes).known_as(cte.alias)}
        from_ = select.args.get("from_")
        if from_ is None:
            raise QueryError("The query has no FROM", hint=f"add FROM {self.schema.name}.")
        read = from_.this
        if isinstance(read, exp.Subquery):
            self.only(read, "this", "alias")
            self.renames_nothing(read.args.get("alias"))
            return self.rowwise(read.this, ctes).known_as(read.alias)
        if not isinstance(read, exp.Table):
            self.refuse_node(read)
        if not isinstance(read.this, exp.Identifier):
            self.refuse("Table functions", read, hint=f"use {self.schema.name}, the name of the table.")
        self.only(read, "this", "alias")
        self.renames_nothing(read.args.get("alias"))
        name = read.name.lower()
        if name in ctes:
            return ctes[name].known_as(read.alias)
        if name != self.schema.name.lower():
            hint = f"use {self.schema.name}, the name of the table."
            raise QueryError(f"There is no table '{read.name}'", hint=hint, where=self.place(read))
        return Scope((name, read.alias.lower()) if read.alias else (name,))

    def renames_nothing(self, alias: exp.Expr | None) -> None:
        if alias is not None and alias.args.get("columns"):
            self.refuse("Renamed columns", alias.args["columns"][0], hint="name them with AS inside the sub-select.")

    def rowwise(self, select: exp.Expr, ctes: Mapping[str, Scope]) -> Scope:
        """A sub-select that computes from one row at a time: its names, and the rows it keeps."""
        if not isinstance(select, exp.Select) or not select.expressions:
            self.refuse_node(select, _ROW_BY_ROW)
        for clause, name in _NOT_BY_ROW.items():
            if select.args.get(clause):
                self.refuse(f"{name} inside a sub-select", select.args[clause], hint=_ROW_BY_ROW)
        self.only(select, "expressions", "from_", "where", "kind", "with_")
        outside, self.scope = self.scope, self.source(select, ctes)
        named: dict[str, Scalar] = {}
        through = None
        for expression in select.expressions:
            if isinstance(expression, exp.Star):
                self.only(expression)
                through = replace(self.scope, where=None)
                continue
            inner, name = expression.unalias(), expression.alias_or_name
            if not expression.alias and not isinstance(inner, exp.Column):
                raise QueryError("A computed column has no name", hint="name it with AS.", where=self.place(inner))
            if name.lower() in named:
                self.refuse_twice(name, inner)
            named[name.lower()] = self.by_row(inner)
        for name, meant in named.items() if through is not None else ():
            if self.known(name, self.scope, trust=False) not in (None, meant):
                self.refuse_twice(name, select)
        where = self.row_filter(select)
        self.scope = outside
        return Scope((), named, through, where)

    def refuse_twice(self, name: str, node: exp.Expr) -> NoReturn:
        """Engines differ in which of two columns a name then means."""
        raise QueryError(f"A sub-select has two columns '{name}'", hint=_NAME_IT, where=self.place(node))

    def by_row(self, node: exp.Expr) -> Scalar:
        inside = next((n for n in node.walk() if type(n) in _AGGREGATES), None)
        if inside is not None and not isinstance(node, exp.Window | exp.Filter):
            self.refuse("Aggregates inside a sub-select", inside, hint=_ROW_BY_ROW)
        return self.shallow_scalar(node)

    def row_filter(self, select: exp.Select) -> Predicate | None:
        """The WHERE, and that of what is read."""
        own = self.predicate(select.args["where"].this) if select.args.get("where") else None
        if own is not None:
            self.size.require_shallow(own)
        both = [p for p in (self.scope.where, own) if p is not None]
        if len(both) < 2:
            return both[0] if both else None
        return All(tuple(part for p in both for part in (p.parts if isinstance(p, All) else (p,))))

    # Keys and aggregates

    def keys(self, select: exp.Select) -> tuple[ColumnRef, ...]:
        group = select.args.get("group")
        if group is None:
            return ()
        self.only(group, "expressions")
        return tuple(dict.fromkeys(self.key(expression, select) for expression in group.expressions))

    def key(self, expression: exp.Expr, select: exp.Select) -> ColumnRef:
        if isinstance(expression, exp.Literal) and expression.is_int:
            position, where = int(expression.this), self.place(expression)
            if not 1 <= position <= len(select.expressions):
                raise QueryError(f"GROUP BY {position} is not a column", where=where, hint=_FROM_1)
            expression = select.expressions[position - 1].unalias()
            if any(type(node) in _AGGREGATES for node in expression.walk()):
                hint = "group by the position of a column."
                raise QueryError(f"GROUP BY {position} is an aggregate", where=where, hint=hint)
        column = self.named(self.alias_target(expression, select))
        if not isinstance(column, ColumnRef):
            what = self.name_of(expression)[0] if isinstance(expression, _SETS) else "GROUP BY an expression"
            self.refuse(what, expression, hint="group by columns.")
        return column

    def alias_target(self, expression: exp.Expr, select: exp.Select) -> exp.Expr:
        """In GROUP BY a name that the table does not have may be one that the SELECT gives."""
        name = expression.name.lower() if isinstance(expression, exp.Column) and not expression.table else ""
        if not name or self.known(name, self.scope, trust=False) is not None:
            return expression
        return next((e.unalias() for e in select.expressions if e.alias.lower() == name), expression)

    def output(self, expression: exp.Expr, keys: tuple[ColumnRef, ...]) -> Output:
        inner = expression.unalias()
        while isinstance(inner, exp.Paren):
            inner = inner.this
        if isinstance(inner, exp.Column) and not isinstance(inner.this, exp.Star):
            key = self.named(inner)
            if not isinstance(key, ColumnRef) or key not in keys:
                message = f"Column '{inner.name}' is neither aggregated nor in GROUP BY"
                hint = f"add GROUP BY {inner.name}: rows are not released."
                raise QueryError(message, hint=hint, where=self.place(inner))
            return Output(expression.alias or inner.name, key)
        aggregate = self.aggregate(inner)
        return Output(expression.alias or default_name(aggregate), aggregate)

    def aggregate(self, call: exp.Expr) -> Aggregate:
        inner = call.this if isinstance(call, exp.WithinGroup) else call
        kind = _AGGREGATES.get(type(inner))
        if kind is None:
            if not isinstance(call, exp.Window | exp.Filter) and any(type(n) in _AGGREGATES for n in call.walk()):
                self.refuse(
                    "A computation with aggregates", call, hint="ask for its parts, and compute with the answer."
                )
            self.refuse_node(call, _AGGREGATE_NAMES)
        if kind.ranks:
            argument, at = self.quantile(call, inner)
            return Aggregate(kind, self.numeric_argument(argument, kind, inner), at)
        self.only(call, "this", "big_int")
        argument = call.this
        if kind is AggregateKind.COUNT:
            return self.count(argument, call)
        if (
            isinstance(argument, exp.Distinct)
            and kind in (AggregateKind.MIN, AggregateKind.MAX)
            and len(argument.expressions) == 1
        ):
            argument = argument.expressions[0]
        return Aggregate(kind, self.numeric_argument(argument, kind, call))

    def count(self, argument: exp.Expr | None, call: exp.Expr) -> Aggregate:
        if argument is None:
            return Aggregate(AggregateKind.COUNT)
        if isinstance(argument, exp.Star):
            self.only(argument)
            return Aggregate(AggregateKind.COUNT)
        if isinstance(argument, exp.Distinct):
            if len(argument.expressions) != 1 or isinstance(argument.expressions[0], exp.Tuple):
                self.refuse("COUNT(DISTINCT ...) of several columns", call, hint="count one column.")
            if isinstance(argument.expressions[0], exp.Star):
                self.refuse("COUNT(DISTINCT *)", call, hint="count the values of one column.")
            return Aggregate(
                AggregateKind.COUNT_DISTINCT, self.require_typed(self.shallow_scalar(argument.expressions[0]), call)
            )
        counted = self.shallow_scalar(argument)
        return (
            Aggregate(AggregateKind.COUNT) if isinstance(counted, Constant) else Aggregate(AggregateKind.COUNT, counted)
        )

    def quantile(self, call: exp.Expr, inner: exp.Expr) -> tuple[exp.Expr, Fraction]:
        """What is ranked, and which quantile: QUANTILE_CONT(v, p), or PERCENTILE_CONT(p) WITHIN GROUP (ORDER BY v)."""
        if isinstance(inner, exp.Median):
            self.only(inner, "this")
            return inner.this, Fraction(1, 2)
        self.only(inner, "this", "expression", "quantile")
        written = inner.args.get("expression") or inner.args.get("quantile")
        argument = inner.this
        if isinstance(call, exp.WithinGroup):
            written, order = inner.this, call.expression
            if len(order.expressions) != 1 or order.expressions[0].args.get("desc"):
                self.refuse("WITHIN GROUP with anything but ORDER BY one column", call, hint=_WRITE_QUANTILE)
            argument = order.expressions[0].this
        number = self.scalar(written) if isinstance(written, exp.Literal) else None
        at = number.value if isinstance(number, Constant) else None
        if not isinstance(at, Fraction) or not 0 <= at <= 1 or at.denominator > _FINEST_QUANTILE:
            where = self.place(written if isinstance(written, exp.Expr) else inner)
            what = "A quantile is a number between 0 and 1, of at most six digits"
            raise QueryError(what, where=where, hint=_WRITE_QUANTILE)
        return argument, at

    def numeric_argument(self, argument: exp.Expr, kind: AggregateKind, call: exp.Expr) -> Scalar:
        """What is added up or ranked: numbers."""
        if isinstance(argument, exp.Star | exp.Distinct):
            written = self.function_name(call) if isinstance(call, exp.Func) else str(kind)
            inside = "*" if isinstance(argument, exp.Star) else "DISTINCT ..."
            self.refuse(f"{written}({inside})", call, hint=f"write {written}(v).")
        scalar = self.require_typed(self.shallow_scalar(argument), argument)
        if scalar.type is not None and not scalar.type.numeric:
            what = f"column '{scalar.name}'" if isinstance(scalar, ColumnRef) else "this"
            where = f"[columns.{scalar.name}]" if isinstance(scalar, ColumnRef) else "its column"
            hint = f'state type = "integer" or "number" under {where} in {self.schema.origin}.'
            message = f"{kind} needs numbers, but {what} is {scalar.type}"
            raise QueryError(message, hint=hint, where=self.place(argument))
        return scalar

    def shallow_scalar(self, argument: exp.Expr) -> Scalar:
        scalar = self.scalar(argument)
        self.size.require_shallow(scalar)
        return scalar

    # The noisy answer afterwards: HAVING, ORDER BY, LIMIT

    def afterwards(
        self, select: exp.Select, visible: list[Output], keys: tuple[ColumnRef, ...]
    ) -> tuple[Afterwards, tuple[Output, ...]]:
        """What is done to the answer, and the outputs with those that only this reads."""
        self.answer, self.grouped = list(visible), keys
        having = select.args.get("having")
        parse_condition = self.predicate(having.this) if having is not None else None
        if parse_condition is not None:
            self.size.require_shallow(parse_condition)
            self.size.require_brief(parse_condition)
        order = select.args.get("order")
        sorted_by = tuple(self.order(by, visible) for by in order.expressions) if order is not None else ()
        limit, offset = (self.whole(select.args.get(name)) for name in ("limit", "offset"))
        outputs, self.answer = tuple(self.answer), None
        return Afterwards(parse_condition, sorted_by, limit, offset or 0), outputs

    def order(self, by: exp.Ordered, visible: list[Output]) -> Order:
        self.only(by, "this", "desc", "nulls_first")
        if by.args.get("nulls_first"):
            self.refuse("NULLS FIRST", by, hint="leave it out: missing values come last.")
        if isinstance(by.this, exp.Literal) and by.this.is_int:
            position = int(by.this.this)
            if not 1 <= position <= len(visible):
                raise QueryError(f"ORDER BY {position} is not a column", where=self.place(by), hint=_FROM_1)
            return Order(visible[position - 1].name, bool(by.args.get("desc")))
        scalar = self.scalar(by.this)
        if not isinstance(scalar, ColumnRef):
            self.refuse("ORDER BY an expression", by, hint="order by a column of the answer, or by an aggregate.")
        return Order(scalar.name, bool(by.args.get("desc")))

    def whole(self, clause: exp.Expr | None) -> int | None:
        if clause is None:
            return None
        self.only(clause, "expression")
        number = clause.expression
        if not (isinstance(number, exp.Literal) and number.is_int):
            self.refuse(f"{clause.key.upper()} with anything but a whole number", clause, hint="write a whole number.")
        return int(number.this)

    def result(self, node: exp.Expr) -> ColumnRef | None:
        """In HAVING and ORDER BY: the output that a name or an aggregate means; one that is not shown is added."""
        if isinstance(node, exp.Column):
            return self.result_named(node)
        if type(node) not in _AGGREGATES and not isinstance(node, exp.WithinGroup):
            return None
        answer, self.answer = self.answer, None
        aggregate = self.aggregate(node)
        self.answer = answer
        return self.result_of(aggregate)

    def result_named(self, node: exp.Column) -> ColumnRef:
        """By a name of the answer; or a group key, by the name that the table has for it."""
        assert self.answer is not None
        self.only(node, "this", "table")
        self.require_qualifier(node)
        outputs = [o for o in self.answer if o.visible and not node.table and o.name.lower() == node.name.lower()]
        if outputs:
            return _result(outputs[0])
        key = self.known(node.name, self.scope, trust=True)
        if isinstance(key, ColumnRef) and key in self.grouped:
            return self.result_of(key)
        hint = f"use {', '.join(o.name for o in self.answer if o.visible)}."
        raise QueryError(f"The answer has no column '{node.name}'", where=self.place(node), hint=hint)

    def result_of(self, source: ColumnRef | Aggregate) -> ColumnRef:
        assert self.answer is not None
        if all(o.source != source for o in self.answer):
            name, taken = f"{default_name(source)}, not shown", {o.name for o in self.answer}
            while name in taken:
                name += " either"
            self.answer.append(Output(name, source, visible=False))
        return _result(next(o for o in self.answer if o.source == source))

    # Names

    def named(self, node: exp.Expr) -> Scalar | None:
        if self.answer is not None:
            return self.result(node)
        return self.column(node) if isinstance(node, exp.Column) else None


def _result(output: Output) -> ColumnRef:
    source = output.source
    if isinstance(source, ColumnRef):
        return ColumnRef(output.name, source.type)
    return ColumnRef(output.name, Type.INTEGER if source.kind.counts else Type.NUMBER)


def _quote(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
