"""SQL text -> Statement, by an allow-list. Whatever is not named here is refused, by its name and its place."""

from __future__ import annotations

import difflib
import logging
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from sfumato.errors import QueryError
from sfumato.model.dataset import Schema, Type
from sfumato.model.statement import (
    Afterwards,
    Aggregate,
    All,
    ColumnRef,
    Constant,
    Kind,
    Order,
    Output,
    Predicate,
    Scalar,
    Statement,
    columns_in,
)
from sfumato.sql.expression import Expressions
from sfumato.sql.tree import canonical, default_name

logging.getLogger("sqlglot").disabled = True  # it echoes what it cannot parse

LONGEST = 100_000  # characters of one statement
_AGGREGATES: dict[type[exp.Expr], Kind] = {
    exp.Count: Kind.COUNT,
    exp.Sum: Kind.SUM,
    exp.Avg: Kind.AVG,
    exp.Variance: Kind.VAR_SAMP,
    exp.VariancePop: Kind.VAR_POP,
    exp.Stddev: Kind.STDDEV_SAMP,
    exp.StddevSamp: Kind.STDDEV_SAMP,
    exp.StddevPop: Kind.STDDEV_POP,
    exp.Min: Kind.MIN,
    exp.Max: Kind.MAX,
    exp.Median: Kind.QUANTILE_CONT,
    exp.PercentileCont: Kind.QUANTILE_CONT,
    exp.PercentileDisc: Kind.QUANTILE_DISC,
    exp.Quantile: Kind.QUANTILE_DISC,  # as DuckDB has it
}
_FINEST_QUANTILE = 10**6


def parse(text: str, schema: Schema, present: Mapping[str, Type | None] | None = None) -> Statement:
    """Read one SELECT of aggregates over the schema's table.

    `present` are the columns that the data really has, with their types; without it (the data is not read) a
    column that the schema does not list is taken on trust.
    """
    try:
        return _Reader(text, schema, present).statement()
    except RecursionError:
        raise QueryError("The query is nested too deeply", hint="ask a simpler question.") from None


def condition(text: str, schema: Schema, present: Mapping[str, Type | None] | None = None) -> Predicate:
    """A condition on one row, as in a WHERE."""
    try:
        reader = _Reader(f"SELECT COUNT(*) FROM {_quoted(schema.name)} WHERE {text}", schema, present)
        where = reader.statement().where
    except RecursionError:
        raise QueryError("The condition is nested too deeply", hint="state a simpler one.") from None
    except QueryError as wrong:
        raise QueryError(wrong.message, hint=wrong.hint, where=f"the condition '{text}'") from None
    assert where is not None
    return where


@dataclass(frozen=True)
class _Scope:
    """What names mean in one SELECT: those it defined, then those of what it reads; and which rows that leaves."""

    qualifiers: tuple[str, ...] = ()
    named: Mapping[str, Scalar] | None = None  # None: the registered table itself
    through: _Scope | None = None  # SELECT *: whatever is not defined anew
    where: Predicate | None = None

    def known_as(self, alias: str) -> _Scope:
        return replace(self, qualifiers=(alias.lower(),)) if alias else self


class _Reader(Expressions):
    def __init__(self, text: str, schema: Schema, present: Mapping[str, Type | None] | None) -> None:
        super().__init__(text, schema)
        self.present = present
        self.scope = _Scope()
        self.answer: list[Output] | None = None  # while HAVING and ORDER BY are read: what names mean there

    # The statement

    def statement(self) -> Statement:
        select = self.select()
        self.only(
            select, "expressions", "from_", "where", "group", "kind", "having", "order", "limit", "offset", "with_"
        )
        self.scope = self.source(select, {})
        where = self.kept(select)
        keys = self.keys(select)
        shown = [self.output(e, keys) for e in select.expressions]
        if not any(isinstance(o.source, Aggregate) for o in shown):
            self.refuse(
                "A SELECT without an aggregate", select, hint="ask for COUNT, SUM or AVG: rows are not released."
            )
        names = [o.name.lower() for o in shown]
        if len(set(names)) < len(names):
            raise QueryError("Two columns of the answer have the same name", hint="rename one of them with AS.")
        afterwards, outputs = self.afterwards(select, shown, keys)
        name = self.schema.name
        parts = [where, *keys, *(o.source.argument for o in outputs if isinstance(o.source, Aggregate))]
        used = tuple(sorted({column.name for part in parts if part is not None for column in columns_in(part)}))
        text = canonical(name, outputs, where, keys, afterwards)
        return Statement(name, outputs, where, keys, used, text, afterwards)

    def select(self) -> exp.Select:
        if not isinstance(self.text, str):
            raise QueryError("A query is text", hint=f'try "SELECT COUNT(*) FROM {self.schema.name}".')
        if len(self.text) > LONGEST:
            raise QueryError(f"The query is longer than {LONGEST:,} characters", hint="ask a shorter question.")
        if not self.text.isascii() and self.text.encode("utf-8", "replace").decode() != self.text:
            raise QueryError("The query is not UTF-8 text", hint="save it as UTF-8.")
        try:
            trees = [tree for tree in sqlglot.parse(self.text, read="duckdb") if tree is not None]
        except SqlglotError as error:
            first = (getattr(error, "errors", None) or [{}])[0]
            place = f"line {first['line']}, column {first['col']}" if first.get("line") else ""
            hint = 'a name that is also a word of SQL is written in quotes: "select".'
            raise QueryError("The query is not SQL that can be read", where=place, hint=hint) from None
        if not trees:
            raise QueryError("The query is empty", hint="try SELECT COUNT(*) FROM " + self.schema.name + ".")
        if len(trees) > 1:
            raise QueryError("Two statements are not answered", hint="ask them one at a time.")
        tree = trees[0]
        if not isinstance(tree, exp.Select):
            first = self.text.split(maxsplit=1)[0].upper()
            name = tree.key.upper() if isinstance(tree, exp.Query) or not first.isalpha() else first
            raise QueryError(f"Only a SELECT is answered, not {name}", where="line 1, column 1")
        return tree

    # What is read: the table, or row-wise selections of it

    def source(self, select: exp.Select, ctes: Mapping[str, _Scope]) -> _Scope:
        with_ = select.args.get("with_")
        if with_ is not None:
            self.only(with_, "expressions")
            for cte in with_.expressions:
                self.only(cte, "this", "alias", "materialized")
                self.renames_nothing(cte.args["alias"])
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
            self.refuse(self.name_of(read), read)
        if not isinstance(read.this, exp.Identifier):
            self.refuse("Table functions", read)
        self.only(read, "this", "alias")
        self.renames_nothing(read.args.get("alias"))
        name = read.name.lower()
        if name in ctes:
            return ctes[name].known_as(read.alias)
        if name != self.schema.name.lower():
            raise QueryError(
                f"There is no table '{read.name}'",
                hint=f"the table is called {self.schema.name}.",
                where=self.place(read),
            )
        return _Scope((name, read.alias.lower()) if read.alias else (name,))

    def renames_nothing(self, alias: exp.Expr | None) -> None:
        if alias is not None and alias.args.get("columns"):
            self.refuse("Renamed columns", alias.args["columns"][0])

    def rowwise(self, select: exp.Expr, ctes: Mapping[str, _Scope]) -> _Scope:
        """A sub-select that computes from one row at a time: its names, and the rows it keeps."""
        if not isinstance(select, exp.Select):
            self.refuse(self.name_of(select), select)
        for clause in ("group", "having", "order", "limit", "offset", "distinct"):
            if select.args.get(clause):
                part = select.args[clause]
                self.refuse(f"{clause.upper()} inside a sub-select", part, hint="a sub-select works row by row.")
        self.only(select, "expressions", "from_", "where", "kind", "with_")
        outside, self.scope = self.scope, self.source(select, ctes)
        named: dict[str, Scalar] = {}
        through = None
        for expression in select.expressions:
            if isinstance(expression, exp.Star):
                self.only(expression)
                through = replace(self.scope, where=None)
                continue
            inner = expression.unalias()
            if not expression.alias and not isinstance(inner, exp.Column):
                raise QueryError("A computed column has no name", hint="name it with AS.", where=self.place(inner))
            if type(inner) in _AGGREGATES or isinstance(inner, exp.WithinGroup):
                self.refuse("Aggregates inside a sub-select", inner, hint="a sub-select works row by row.")
            named[expression.alias_or_name.lower()] = self.scalar(inner)
        where = self.kept(select)
        self.scope = outside
        return _Scope((), named, through, where)

    def kept(self, select: exp.Select) -> Predicate | None:
        """The WHERE, and that of what is read."""
        own = self.predicate(select.args["where"].this) if select.args.get("where") else None
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
            position = int(expression.this)
            if not 1 <= position <= len(select.expressions):
                raise QueryError(f"GROUP BY {position} points at no column", where=self.place(expression))
            expression = select.expressions[position - 1].unalias()
        found = self.named(expression)
        if not isinstance(found, ColumnRef):
            self.refuse("GROUP BY an expression", expression, hint="group by columns.")
        return found

    def output(self, expression: exp.Expr, keys: tuple[ColumnRef, ...]) -> Output:
        inner = expression.unalias()
        while isinstance(inner, exp.Paren):
            inner = inner.this
        if isinstance(inner, exp.Column) and not isinstance(inner.this, exp.Star):
            key = self.named(inner)
            if not isinstance(key, ColumnRef) or key not in keys:
                raise QueryError(
                    f"Column '{inner.name}' is neither aggregated nor in GROUP BY",
                    hint=f"add GROUP BY {inner.name}: rows are not released.",
                    where=self.place(inner),
                )
            return Output(expression.alias or inner.name, key)
        aggregate = self.aggregate(inner)
        return Output(expression.alias or default_name(aggregate), aggregate)

    def aggregate(self, call: exp.Expr) -> Aggregate:
        inner = call.this if isinstance(call, exp.WithinGroup) else call
        kind = _AGGREGATES.get(type(inner))
        if kind is None:
            self.refuse(self.name_of(call), call)
        if kind.ranks:
            argument, at = self.quantile(call, inner)
            return Aggregate(kind, self.measured(argument, kind, inner), at)
        self.only(call, "this", "big_int")
        argument = call.this
        if kind is Kind.COUNT:
            return self.count(argument, call)
        if isinstance(argument, exp.Distinct):
            if kind not in (Kind.MIN, Kind.MAX) or len(argument.expressions) != 1:
                self.refuse(f"{kind}(DISTINCT ...)", call)
            argument = argument.expressions[0]
        return Aggregate(kind, self.measured(argument, kind, call))

    def count(self, argument: exp.Expr, call: exp.Expr) -> Aggregate:
        if isinstance(argument, exp.Star):
            self.only(argument)
            return Aggregate(Kind.COUNT)
        if isinstance(argument, exp.Distinct):
            if len(argument.expressions) != 1:
                self.refuse("COUNT(DISTINCT ...) of several columns", call)
            return Aggregate(Kind.COUNT_DISTINCT, self.typed(self.scalar(argument.expressions[0]), call))
        counted = self.scalar(argument)
        return Aggregate(Kind.COUNT) if isinstance(counted, Constant) else Aggregate(Kind.COUNT, counted)

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
                self.refuse("WITHIN GROUP with anything but ORDER BY one column, ascending", call)
            argument = order.expressions[0].this
        number = self.scalar(written) if isinstance(written, exp.Literal) else None
        at = number.value if isinstance(number, Constant) else None
        if not isinstance(at, Fraction) or not 0 <= at <= 1 or at.denominator > _FINEST_QUANTILE:
            raise QueryError("A quantile is a number between 0 and 1, of at most six digits", where=self.place(inner))
        return argument, at

    def measured(self, argument: exp.Expr, kind: Kind, call: exp.Expr) -> Scalar:
        """What is added up or ranked: numbers."""
        if isinstance(argument, exp.Star | exp.Distinct):
            self.refuse(f"{kind} of this", call)
        found = self.typed(self.scalar(argument), argument)
        if found.type is not None and not found.type.numeric:
            what = f"column '{found.name}'" if isinstance(found, ColumnRef) else "this"
            where = f"[columns.{found.name}]" if isinstance(found, ColumnRef) else "its column"
            raise QueryError(
                f"{kind} needs numbers, but {what} is {found.type}",
                hint=f'state type = "integer" or "number" under {where} in {self.schema.origin}.',
                where=self.place(argument),
            )
        return found

    # The noisy answer afterwards: HAVING, ORDER BY, LIMIT

    def afterwards(
        self, select: exp.Select, shown: list[Output], keys: tuple[ColumnRef, ...]
    ) -> tuple[Afterwards, tuple[Output, ...]]:
        """What is done to the answer, and the outputs with those that only this reads."""
        self.answer = [*shown, *(Output(k.name, k, shown=False) for k in keys if all(o.source != k for o in shown))]
        having = select.args.get("having")
        condition = self.predicate(having.this) if having is not None else None
        order = select.args.get("order")
        sorted_by = tuple(self.order(by, shown) for by in order.expressions) if order is not None else ()
        limit, offset = (self.whole(select.args.get(name)) for name in ("limit", "offset"))
        outputs = tuple(o for o in self.answer if o.shown or isinstance(o.source, Aggregate))
        self.answer = None
        return Afterwards(condition, sorted_by, limit, offset or 0), outputs

    def order(self, by: exp.Ordered, shown: list[Output]) -> Order:
        self.only(by, "this", "desc", "nulls_first")
        if by.args.get("nulls_first") and not by.args.get("desc"):
            self.refuse("NULLS FIRST", by)
        if isinstance(by.this, exp.Literal) and by.this.is_int:
            position = int(by.this.this)
            if not 1 <= position <= len(shown):
                raise QueryError(f"ORDER BY {position} points at no column", where=self.place(by))
            return Order(shown[position - 1].name, bool(by.args.get("desc")))
        found = self.scalar(by.this)
        if not isinstance(found, ColumnRef):
            self.refuse("ORDER BY an expression", by, hint="order by a column of the answer.")
        return Order(found.name, bool(by.args.get("desc")))

    def whole(self, clause: exp.Expr | None) -> int | None:
        if clause is None:
            return None
        self.only(clause, "expression")
        number = clause.expression
        if not (isinstance(number, exp.Literal) and number.is_int):
            self.refuse(f"{clause.key.upper()} with anything but a whole number", clause)
        return int(number.this)

    def result(self, node: exp.Expr) -> ColumnRef | None:
        """In HAVING and ORDER BY: the output that a name or an aggregate means; one that is not shown is added."""
        assert self.answer is not None
        if isinstance(node, exp.Column):
            name = node.name.lower()
            keyed = [o for o in self.answer if isinstance(o.source, ColumnRef) and o.source.name.lower() == name]
            found = [o for o in self.answer if o.name.lower() == name] + keyed
            if not found:
                raise QueryError(f"The answer has no column '{node.name}'", where=self.place(node))
            return _result(found[0])
        if type(node) not in _AGGREGATES and not isinstance(node, exp.WithinGroup):
            return None
        answer, self.answer = self.answer, None
        aggregate = self.aggregate(node)
        self.answer = answer
        if not any(o.source == aggregate for o in answer):
            answer.append(Output(f"{default_name(aggregate)}, not shown", aggregate, shown=False))
        return _result(next(o for o in answer if o.source == aggregate))

    # Names

    def named(self, node: exp.Expr) -> Scalar | None:
        if self.answer is not None:
            return self.result(node)
        if not isinstance(node, exp.Column):
            return None
        self.only(node, "this", "table")
        if node.table and node.table.lower() not in self.scope.qualifiers:
            raise QueryError(f"There is no table '{node.table}'", where=self.place(node))
        if not isinstance(node.this, exp.Identifier):
            self.refuse("'*' outside COUNT(*)", node)
        return self.resolve(node.name, self.scope, node)

    def resolve(self, name: str, scope: _Scope, node: exp.Expr) -> Scalar:
        if scope.named is None:
            return self.column(name, node)
        if name.lower() in scope.named:
            return scope.named[name.lower()]
        if scope.through is not None:
            return self.resolve(name, scope.through, node)
        hint = f"it has: {', '.join(scope.named)}."
        raise QueryError(f"The sub-select has no column '{name}'", hint=hint, where=self.place(node))

    def column(self, name: str, node: exp.Expr) -> ColumnRef:
        declared = self.schema.column(name)
        if declared is not None:
            return ColumnRef(declared.name, declared.type)
        if self.present is None:
            return ColumnRef(name, None)
        for present, type_ in self.present.items():
            if present.lower() == name.lower():
                return ColumnRef(present, type_)
        close = difflib.get_close_matches(name, [*self.present, *(c.name for c in self.schema.columns)], n=1)
        hint = f"did you mean '{close[0]}'?" if close else f"{self.schema.name} has: {', '.join(self.present)}."
        raise QueryError(f"There is no column '{name}'", hint=hint, where=self.place(node))

    def typed(self, part: Scalar, node: exp.Expr) -> Scalar:
        """Refuse a column of a type that we do not know: what it does in a comparison could depend on values."""
        if self.present is not None and isinstance(part, ColumnRef) and part.type is None:
            raise QueryError(
                f"Column '{part.name}' is of a type that is only counted",
                hint=f"state its type under [columns.{part.name}] in {self.schema.origin}.",
                where=self.place(node),
            )
        return part


def _result(output: Output) -> ColumnRef:
    source = output.source
    if isinstance(source, ColumnRef):
        return ColumnRef(output.name, source.type)
    return ColumnRef(output.name, Type.INTEGER if source.kind.counts else Type.NUMBER)


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
