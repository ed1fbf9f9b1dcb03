"""SQL text -> Statement, by an allow-list. Whatever is not named here is refused, by its name and its place."""

from __future__ import annotations

import difflib
import logging
import math
import re
from collections.abc import Iterator, Mapping
from datetime import date
from fractions import Fraction
from typing import NoReturn

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from sfumato.errors import QueryError
from sfumato.model.dataset import Schema, Type
from sfumato.model.statement import (
    Aggregate,
    All,
    AnyOf,
    Arithmetic,
    ColumnRef,
    Comparison,
    Constant,
    Kind,
    Membership,
    Missing,
    Not,
    Output,
    Pattern,
    Predicate,
    Scalar,
    Statement,
    Truth,
)
from sfumato.sql.tree import canonical, default_name

logging.getLogger("sqlglot").disabled = True  # it echoes what it cannot parse

LONGEST = 100_000  # characters of one statement
DEEPEST = 50  # operations inside one another
_AGGREGATES: dict[type[exp.Expr], Kind] = {exp.Count: Kind.COUNT, exp.Sum: Kind.SUM, exp.Avg: Kind.AVG}
_COMPARISONS: dict[type[exp.Expr], str] = {
    exp.EQ: "=",
    exp.NEQ: "<>",
    exp.LT: "<",
    exp.LTE: "<=",
    exp.GT: ">",
    exp.GTE: ">=",
}
_ARITHMETIC: dict[type[exp.Expr], str] = {exp.Add: "+", exp.Sub: "-", exp.Mul: "*", exp.Div: "/"}
_CLAUSES = {
    "all": "GROUP BY ALL", "db": "A qualified table name", "distinct": "SELECT DISTINCT", "having": "HAVING",
    "into": "INTO", "joins": "JOIN", "laterals": "LATERAL", "limit": "LIMIT", "locks": "FOR UPDATE",
    "offset": "OFFSET", "order": "ORDER BY", "pivots": "PIVOT", "qualify": "QUALIFY", "sample": "SAMPLE",
    "windows": "WINDOW", "with_": "WITH",
}  # fmt: skip


def parse(text: str, schema: Schema, present: Mapping[str, Type | None] | None = None) -> Statement:
    """Read one SELECT of aggregates over the schema's table.

    `present` are the columns that the data really has, with their types; without it (the data is not read) a
    column that the schema does not list is taken on trust.
    """
    try:
        return _Reader(text, schema, present).statement()
    except RecursionError:
        raise QueryError("The query is nested too deeply", hint="ask a simpler question.") from None


class _Reader:
    def __init__(self, text: str, schema: Schema, present: Mapping[str, Type | None] | None) -> None:
        self.text = text
        self.schema = schema
        self.present = present
        self.table_names: tuple[str, ...] = (schema.name.lower(),)
        self.columns: dict[str, ColumnRef] = {}

    # The statement

    def statement(self) -> Statement:
        select = self.select()
        self.only(select, "expressions", "from_", "where", "group", "kind")
        self.table(select.args.get("from_"))
        where = self.predicate(select.args["where"].this) if select.args.get("where") else None
        keys = self.keys(select)
        outputs = tuple(self.output(e, keys) for e in select.expressions)
        if not any(isinstance(o.source, Aggregate) for o in outputs):
            self.refuse(
                "A SELECT without an aggregate", select, hint="ask for COUNT, SUM or AVG: rows are not released."
            )
        names = [o.name.lower() for o in outputs]
        if len(set(names)) < len(names):
            raise QueryError("Two columns of the answer have the same name", hint="rename one of them with AS.")
        name = self.schema.name
        used = tuple(sorted(self.columns))
        return Statement(name, outputs, where, keys, used, canonical(name, outputs, where, keys))

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
            raise QueryError("The query is not SQL that can be read", where=place) from None
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

    def table(self, source: exp.Expr | None) -> None:
        if source is None:
            raise QueryError("The query has no FROM", hint=f"add FROM {self.schema.name}.")
        table = source.this
        if not isinstance(table, exp.Table):
            self.refuse("Sub-selects", source)
        if not isinstance(table.this, exp.Identifier):
            self.refuse("Table functions", table)
        self.only(table, "this", "alias")
        if table.alias_column_names:
            self.refuse("Renamed columns", table.args["alias"].args["columns"][0])
        if table.name.lower() != self.schema.name.lower():
            raise QueryError(
                f"There is no table '{table.name}'",
                hint=f"the table is called {self.schema.name}.",
                where=self.place(table),
            )
        if table.alias:
            self.table_names += (table.alias.lower(),)

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
        if not isinstance(expression, exp.Column):
            self.refuse("GROUP BY an expression", expression, hint="group by columns.")
        return self.column(expression)

    def output(self, expression: exp.Expr, keys: tuple[ColumnRef, ...]) -> Output:
        inner = expression.unalias()
        while isinstance(inner, exp.Paren):
            inner = inner.this
        if isinstance(inner, exp.Column) and not isinstance(inner.this, exp.Star):
            key = self.column(inner)
            if key not in keys:
                raise QueryError(
                    f"Column '{key.name}' is neither aggregated nor in GROUP BY",
                    hint=f"add GROUP BY {key.name}: rows are not released.",
                    where=self.place(inner),
                )
            return Output(expression.alias or default_name(key), key)
        aggregate = self.aggregate(inner)
        return Output(expression.alias or default_name(aggregate), aggregate)

    def aggregate(self, call: exp.Expr) -> Aggregate:
        kind = _AGGREGATES.get(type(call))
        if kind is None:
            self.refuse(self.name_of(call), call)
        self.only(call, "this", "big_int")
        argument = call.this
        if isinstance(argument, exp.Star) and kind is Kind.COUNT:
            self.only(argument)
            return Aggregate(kind)
        if isinstance(argument, exp.Distinct):
            self.refuse(f"{kind}(DISTINCT ...)", call)
        if not isinstance(argument, exp.Column):
            self.refuse(f"{kind} of an expression", call, hint=f"{kind} takes one column.")
        column = self.column(argument)
        if kind is not Kind.COUNT and column.type is not None and not column.type.numeric:
            raise QueryError(
                f"{kind} needs numbers, but column '{column.name}' is {column.type}",
                hint=f'state type = "integer" or "number" under [columns.{column.name}] in {self.schema.origin}.',
                where=self.place(argument),
            )
        return Aggregate(kind, column)

    # Predicates and scalars

    def predicate(self, node: exp.Expr) -> Predicate:
        if node.args.get("negate"):  # NOT LIKE
            plain = node.copy()
            plain.set("negate", None)
            return Not(self.predicate(plain))
        match node:
            case exp.Paren():
                return self.predicate(node.this)
            case exp.And():
                parts = [self.predicate(part) for part in node.flatten()]
                return All(tuple(p for part in parts for p in (part.parts if isinstance(part, All) else (part,))))
            case exp.Or():
                return AnyOf(tuple(self.predicate(part) for part in node.flatten()))
            case exp.Not():
                return Not(self.predicate(node.this))
            case exp.Between():
                return self.between(node)
            case exp.In():
                return self.membership(node)
            case exp.Is():
                return self.identity(node)
            case exp.Like() | exp.ILike():
                return self.pattern(node)
            case exp.Column() | exp.Boolean():
                return self.truth(node)
        if type(node) in _COMPARISONS:
            links = tuple(self.links(node))
            return links[0] if len(links) == 1 else All(links)
        self.refuse(self.name_of(node), node)

    def links(self, node: exp.Expr) -> Iterator[Comparison]:
        """`30 <= age <= 40` as the papers write it: its links, one comparison each."""
        left = node.this
        if type(left) in _COMPARISONS:
            yield from self.links(left)
            left = left.expression
        yield self.comparison(_COMPARISONS[type(node)], left, node.expression)

    def comparison(self, operator: str, left: exp.Expr, right: exp.Expr) -> Comparison:
        a, b = self.matching(self.scalar(left), self.scalar(right), left)
        return Comparison(operator, a, b)

    def between(self, node: exp.Between) -> Predicate:
        self.only(node, "this", "low", "high")
        low, high = node.args["low"], node.args["high"]
        return All((self.comparison(">=", node.this, low), self.comparison("<=", node.this, high)))

    def membership(self, node: exp.In) -> Predicate:
        if node.args.get("query") is not None or node.args.get("unnest") is not None:
            self.refuse("IN with a sub-select", node)
        self.only(node, "this", "expressions")
        operand = self.scalar(node.this)
        members = []
        for item in node.expressions:
            _, member = self.matching(operand, self.scalar(item), item)
            if not isinstance(member, Constant):
                self.refuse("IN with anything but a constant", item)
            members.append(member)
        return Membership(operand, tuple(members))

    def identity(self, node: exp.Is) -> Predicate:
        self.only(node, "this", "expression")
        right = node.expression
        if isinstance(right, exp.Not) and isinstance(right.this, exp.Null):
            return Not(Missing(self.scalar(node.this)))
        if not isinstance(right, exp.Null):
            self.refuse("IS with anything but NULL", node)
        return Missing(self.scalar(node.this))

    def pattern(self, node: exp.Expr) -> Predicate:
        self.only(node, "this", "expression")
        operand, pattern = self.scalar(node.this), node.expression
        if not (isinstance(pattern, exp.Literal) and pattern.is_string):
            self.refuse("LIKE with anything but a text", node)
        self.matching(operand, Constant(pattern.this, Type.TEXT), node)
        return Pattern(operand, pattern.this, isinstance(node, exp.ILike))

    def truth(self, node: exp.Expr) -> Predicate:
        operand = self.typed(self.scalar(node), node)
        if not isinstance(operand, ColumnRef | Constant) or operand.type not in (Type.BOOLEAN, None):
            raise QueryError(
                "A condition must be true or false", where=self.place(node), hint="compare it with something."
            )
        return Truth(operand)

    def scalar(self, node: exp.Expr, depth: int = 0) -> Scalar:
        if depth > DEEPEST:
            raise RecursionError
        match node:
            case exp.Paren():
                return self.scalar(node.this, depth + 1)
            case exp.Column():
                return self.column(node)
            case exp.Boolean():
                return Constant(bool(node.this), Type.BOOLEAN)
            case exp.Literal():
                return Constant(node.this, Type.TEXT) if node.is_string else self.number(node)
            case exp.Neg():
                zero = Constant(Fraction(0), Type.INTEGER)
                return self.computed("-", zero, self.scalar(node.this, depth + 1), node)
            case exp.Cast() if isinstance(node.this, exp.Literal) and node.to.is_type("date"):
                return self.day(node.this.this, node)
        if type(node) in _ARITHMETIC:
            left, right = (self.scalar(part, depth + 1) for part in (node.this, node.expression))
            return self.computed(_ARITHMETIC[type(node)], left, right, node)
        self.refuse(self.name_of(node), node)

    def number(self, node: exp.Literal) -> Constant:
        try:
            double = float(node.this)
        except ValueError:
            raise QueryError("The query is not SQL that can be read", where=self.place(node)) from None
        if math.isinf(double):
            raise QueryError("A number is too large", where=self.place(node))
        exact = Fraction(int(node.this)) if node.this.isdigit() else Fraction(repr(double))
        return Constant(exact, Type.INTEGER if exact.denominator == 1 else Type.NUMBER)

    def day(self, text: str, node: exp.Expr) -> Constant:
        try:
            return Constant(date.fromisoformat(text), Type.DATE)
        except ValueError:
            raise QueryError("A date is written as 2026-11-15", where=self.place(node)) from None

    def computed(self, operator: str, left: Scalar, right: Scalar, node: exp.Expr) -> Scalar:
        for part in (left, right):
            self.typed(part, node)
            if part.type is not None and not part.type.numeric:
                raise QueryError(f"'{operator}' needs numbers", where=self.place(node))
        if isinstance(left, Constant) and left.value == 0 and operator == "-" and isinstance(right, Constant):
            return Constant(-Fraction(right.value), right.type)  # type: ignore[arg-type]
        return Arithmetic(operator, left, right)

    def matching(self, left: Scalar, right: Scalar, node: exp.Expr) -> tuple[Scalar, Scalar]:
        """The two sides of a comparison, of one type; decided from the schema, never from values."""
        a, b = self.typed(left, node).type, self.typed(right, node).type
        if a is Type.DATE and b is Type.TEXT and isinstance(right, Constant):
            return left, self.day(str(right.value), node)
        if b is Type.DATE and a is Type.TEXT and isinstance(left, Constant):
            return self.day(str(left.value), node), right
        if a is None or b is None or a is b or (a.numeric and b.numeric):
            return left, right
        column = next((s for s in (left, right) if isinstance(s, ColumnRef)), None)
        hint = "compare like with like."
        if column is not None and self.schema.column(column.name) is None:
            hint = f"state its type under [columns.{column.name}] in {self.schema.origin}."
        what = f"Column '{column.name}' is {column.type} and" if column is not None else f"The {a}"
        other = b if column is None or left is column else a
        raise QueryError(f"{what} is compared with {other}", hint=hint, where=self.place(node))

    def typed(self, part: Scalar, node: exp.Expr) -> Scalar:
        """Refuse a column of a type that we do not know: what it does in a comparison could depend on values."""
        if self.present is not None and isinstance(part, ColumnRef) and part.type is None:
            raise QueryError(
                f"Column '{part.name}' is of a type that is only counted",
                hint=f"state its type under [columns.{part.name}] in {self.schema.origin}.",
                where=self.place(node),
            )
        return part

    def column(self, node: exp.Column) -> ColumnRef:
        self.only(node, "this", "table")
        if node.table and node.table.lower() not in self.table_names:
            raise QueryError(f"There is no table '{node.table}'", where=self.place(node))
        if not isinstance(node.this, exp.Identifier):
            self.refuse("'*' outside COUNT(*)", node)
        reference = self.resolve(node.name, node)
        self.columns[reference.name] = reference
        return reference

    def resolve(self, name: str, node: exp.Expr) -> ColumnRef:
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

    # Refusals

    def only(self, node: exp.Expr, *allowed: str) -> None:
        """Refuse a node that carries anything beyond what we read."""
        for name, part in node.args.items():
            if part and name not in allowed:
                what = _CLAUSES.get(name, f"{name.strip('_').upper()} in {self.name_of(node)}")
                self.refuse(what, part[0] if isinstance(part, list) else part if isinstance(part, exp.Expr) else node)

    def refuse(self, what: str, node: object, hint: str = "") -> NoReturn:
        where = (self.place(node) if isinstance(node, exp.Expr) else "") or self.place_of_word(
            what.split(maxsplit=1)[0]
        )
        verb = "are" if what.endswith("s") else "is"
        raise QueryError(f"{what} {verb} not answered", hint=hint, where=where)

    def name_of(self, node: exp.Expr) -> str:
        """What a sentence calls something that is not answered: by its name in the text where it has one."""
        match node:
            case exp.Window():
                return "Window functions"
            case exp.Subquery() | exp.Select() | exp.Exists():
                return "Sub-selects"
            case exp.Placeholder() | exp.Parameter():
                return "Parameters"
            case exp.Star():
                return "SELECT *"
            case exp.Column() if isinstance(node.this, exp.Star):
                return "SELECT *"
            case exp.Case():
                return "CASE"
            case exp.Func():
                start, end = node.meta.get("start"), node.meta.get("end")
                written = self.text[start : end + 1] if start is not None and end is not None else node.sql_name()
                return f"{written.upper()}()"
        return node.key.upper()

    def place(self, node: exp.Expr) -> str:
        """Line and column of the first character of a node that remembers where it stood."""
        starts = [n.meta["start"] for n in node.walk() if "start" in n.meta]
        if not starts:
            return ""
        return self.line_and_column(min(starts))

    def place_of_word(self, word: str) -> str:
        """The same for what remembers nothing: where its first word stands; of parameters, their sign."""
        found = re.search(r"[$?:@]" if word == "Parameters" else rf"\b{re.escape(word)}\b", self.text, re.IGNORECASE)
        return self.line_and_column(found.start()) if found else ""

    def line_and_column(self, start: int) -> str:
        before = self.text[:start]
        return f"line {before.count(chr(10)) + 1}, column {len(before) - before.rfind(chr(10))}"
