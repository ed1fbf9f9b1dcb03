"""Row-wise predicates and scalars of a query, by an allow-list; types come from the schema, never from values."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Sequence
from datetime import date
from fractions import Fraction

from sqlglot import exp

from sfumato.errors import QueryError
from sfumato.model.schema import Schema, Type
from sfumato.model.statement import (
    All,
    AnyOf,
    Arithmetic,
    Call,
    Case,
    ColumnRef,
    Compare,
    Constant,
    Membership,
    Missing,
    Not,
    Pattern,
    Predicate,
    Scalar,
    Truth,
)
from sfumato.sql.builder.ast import COMPARE, COMPUTE
from sfumato.sql.parser.size import DEEPEST
from sfumato.sql.parser.source import Text

WHOLE_BELOW = 2**63  # a constant from here on is no whole number of 64 bits, and engines read it as a float
COMPARISONS: dict[type[exp.Expr], str] = {tree: sign for sign, tree in COMPARE.items()}
_ARITHMETIC: dict[type[exp.Expr], str] = {tree: sign for sign, tree in COMPUTE.items()}
_CALLS: dict[type[exp.Expr], str] = {exp.Abs: "ABS", exp.Coalesce: "COALESCE", exp.Lower: "LOWER", exp.Upper: "UPPER"}
_FUNCTIONS = "functions are ABS, COALESCE, LOWER and UPPER."


class Expressions(Text):
    """Reads expressions; the subclass that reads the clauses says what a name means."""

    def __init__(self, text: str, schema: Schema) -> None:
        super().__init__(text)
        self.schema = schema

    @abstractmethod
    def named(self, node: exp.Expr) -> Scalar | None:
        """What a column (or, of a noisy answer, an aggregate) stands for; None: the node is neither."""

    @abstractmethod
    def require_typed(self, part: Scalar, node: exp.Expr) -> Scalar:
        """The same, refused where its type answers no comparison."""

    # Predicates

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
            case exp.Column() | exp.Boolean() | exp.Case() | exp.Coalesce():
                return self.truth(node)
        if type(node) in COMPARISONS:
            links = self.links(node)
            return links[0] if len(links) == 1 else All(tuple(links))
        self.refuse_node(node, _FUNCTIONS)

    def links(self, node: exp.Expr) -> list[Compare]:
        """`30 <= age <= 40` as the papers write it: its links, one comparison each. Every operand is read once."""
        chain = [node]
        while type(chain[-1].this) in COMPARISONS:
            chain.append(chain[-1].this)
            if len(chain) > DEEPEST:
                raise RecursionError
        links, left_node = [], chain[-1].this
        left = self.scalar(left_node)
        for link in reversed(chain):
            right = self.scalar(link.expression)
            links.append(self.comparison(COMPARISONS[type(link)], left, right, left_node))
            left, left_node = right, link.expression
        return links

    def comparison(self, operator: str, left: Scalar, right: Scalar, node: exp.Expr) -> Compare:
        return Compare(operator, *self.matching_sides(left, right, node))

    def between(self, node: exp.Between) -> Predicate:
        self.only(node, "this", "low", "high")
        operand, low, high = (self.scalar(part) for part in (node.this, node.args["low"], node.args["high"]))
        return All((self.comparison(">=", operand, low, node.this), self.comparison("<=", operand, high, node.this)))

    def membership(self, node: exp.In) -> Predicate:
        if node.args.get("query") is not None or node.args.get("unnest") is not None:
            self.refuse("IN with a sub-select", node, hint="list the values.")
        self.only(node, "this", "expressions")
        operand = self.scalar(node.this)
        members = []
        for item in node.expressions:
            _, member = self.matching_sides(operand, self.scalar(item), item)
            if not isinstance(member, Constant):
                self.refuse("IN with anything but constants", item, hint="compare with = and OR.")
            members.append(member)
        return Membership(operand, tuple(members))

    def identity(self, node: exp.Is) -> Predicate:
        self.only(node, "this", "expression")
        right = node.expression
        if isinstance(right, exp.Not) and isinstance(right.this, exp.Null):
            return Not(Missing(self.scalar(node.this)))
        if not isinstance(right, exp.Null):
            self.refuse("IS with anything but NULL", node, hint="use = instead.")
        return Missing(self.scalar(node.this))

    def pattern(self, node: exp.Expr) -> Predicate:
        self.only(node, "this", "expression")
        operand, pattern = self.scalar(node.this), node.expression
        if not (isinstance(pattern, exp.Literal) and pattern.is_string):
            self.refuse("LIKE with anything but a text", node, hint="write the pattern in quotes.")
        self.matching_sides(operand, Constant(pattern.this, Type.TEXT), node)
        return Pattern(operand, self.short_pattern(pattern), isinstance(node, exp.ILike))

    def truth(self, node: exp.Expr) -> Predicate:
        operand = self.require_typed(self.scalar(node), node)
        if operand.type not in (Type.BOOLEAN, None):
            hint = "compare it with a value."
            raise QueryError("A condition must be true or false", where=self.place(node), hint=hint)
        return Truth(operand)

    # Scalars

    def scalar(self, node: exp.Expr, depth: int = 0) -> Scalar:
        if depth > DEEPEST:
            raise RecursionError
        named = self.named(node)
        if named is not None:
            return named
        match node:
            case exp.Paren():
                return self.scalar(node.this, depth + 1)
            case exp.Boolean():
                return Constant(bool(node.this), Type.BOOLEAN)
            case exp.Literal():
                return Constant(self.short_text(node), Type.TEXT) if node.is_string else self.number(node)
            case exp.Neg():
                zero = Constant(Fraction(0), Type.INTEGER)
                return self.arithmetic("-", zero, self.scalar(node.this, depth + 1), node)
            case exp.Cast() if isinstance(node.this, exp.Literal) and node.to.is_type("date"):
                return self.day(node.this.this, node)
            case exp.Case():
                return self.case(node, depth)
        if type(node) in _ARITHMETIC:
            left, right = (self.scalar(part, depth + 1) for part in (node.this, node.expression))
            return self.arithmetic(_ARITHMETIC[type(node)], left, right, node)
        if type(node) in _CALLS:
            return self.call(node, depth)
        self.refuse_node(node, _FUNCTIONS)

    def number(self, node: exp.Literal) -> Constant:
        try:
            double = float(node.this)
        except ValueError:
            raise QueryError(f"The {self.read_as} is not valid SQL", where=self.place(node)) from None
        if math.isinf(double):
            raise QueryError("The number is too large", where=self.place(node))
        digits = node.this.lstrip("0") or "0"  # Python reads a few thousand digits, leading zeros among them
        exact = Fraction(int(digits)) if digits.isdigit() else Fraction(repr(double))
        is_whole = exact.denominator == 1 and exact < WHOLE_BELOW
        return Constant(exact, Type.INTEGER if is_whole else Type.NUMBER)

    def day(self, text: str, node: exp.Expr) -> Constant:
        try:
            return Constant(date.fromisoformat(text), Type.DATE)
        except ValueError:
            raise QueryError("The date is not valid; dates look like 2026-11-15", where=self.place(node)) from None

    def arithmetic(self, operator: str, left: Scalar, right: Scalar, node: exp.Expr) -> Scalar:
        for part in (left, right):
            self.require_numeric(part, f"'{operator}'", node)
        if isinstance(left, Constant) and left.value == 0 and operator == "-" and isinstance(right, Constant):
            return Constant(-Fraction(right.value), right.type)  # type: ignore[arg-type]
        return Arithmetic(operator, left, right)

    def call(self, node: exp.Expr, depth: int) -> Scalar:
        self.only(node, "this", "expressions", "is_nvl", "is_null")
        name = _CALLS[type(node)]
        parts = tuple(self.scalar(part, depth + 1) for part in (node.this, *node.expressions))
        for part in parts:
            self.require_typed(part, node)
        if name == "ABS":
            self.require_numeric(parts[0], name, node)
        elif name in ("LOWER", "UPPER") and parts[0].type not in (Type.TEXT, None):
            raise QueryError(f"{name} needs a text, not {parts[0].type}", where=self.place(node))
        return Call(name, parts, self.one_type(parts, node))

    def case(self, node: exp.Case, depth: int) -> Scalar:
        self.only(node, "this", "ifs", "default")
        subject = None if node.this is None else self.scalar(node.this, depth + 1)
        branches: list[tuple[Predicate, Scalar | None]] = []
        for branch in node.args["ifs"]:
            case = branch.this
            met = (
                self.predicate(case) if subject is None else self.comparison("=", subject, self.scalar(case), node.this)
            )
            branches.append((met, self.branch(branch.args["true"], depth)))
        default = node.args.get("default")
        results = [result for _, result in branches] + ([self.branch(default, depth)] if default is not None else [])
        values = [result for result in results if result is not None]
        if not values:
            self.refuse("A CASE with NULL in every branch", node, hint="use a value that is not NULL.")
        type_ = self.one_type(values, node)
        nothing = Constant(None, type_)
        chosen = tuple((met, nothing if result is None else result) for met, result in branches)
        otherwise = results[-1] if default is not None else None
        return Case(chosen, nothing if otherwise is None else otherwise, type_)

    def branch(self, node: exp.Expr, depth: int) -> Scalar | None:
        return None if isinstance(node, exp.Null) else self.require_typed(self.scalar(node, depth + 1), node)

    # Types

    def one_type(self, parts: Sequence[Scalar], node: exp.Expr) -> Type:
        """The type that several results share; whole and other numbers are numbers."""
        types = {part.type for part in parts if part.type is not None}
        if len(types) == 1:
            return types.pop()
        if types and all(type_.numeric for type_ in types):
            return Type.NUMBER
        what = " and ".join(sorted(str(type_) for type_ in types)) or "types that are not known"
        hint = "use the same type in every branch."
        raise QueryError(f"One expression gives {what}", hint=hint, where=self.place(node))

    def require_numeric(self, part: Scalar, who: str, node: exp.Expr) -> None:
        self.require_typed(part, node)
        if part.type is not None and not part.type.numeric:
            raise QueryError(f"{who} needs numbers, not {part.type}", where=self.place(node))

    def matching_sides(self, left: Scalar, right: Scalar, node: exp.Expr) -> tuple[Scalar, Scalar]:
        """The two sides of a comparison, of one type."""
        a, b = self.require_typed(left, node).type, self.require_typed(right, node).type
        if a is Type.DATE and b is Type.TEXT and isinstance(right, Constant):
            return left, self.day(str(right.value), node)
        if b is Type.DATE and a is Type.TEXT and isinstance(left, Constant):
            return self.day(str(left.value), node), right
        if a is None or b is None or a is b or (a.numeric and b.numeric):
            return left, right
        column = next((s for s in (left, right) if isinstance(s, ColumnRef)), None)
        hint = "compare values of the same type; write text in quotes."
        if column is not None and self.schema.column(column.name) is None:
            hint = f"state its type under [columns.{column.name}] in {self.schema.origin}."
        what = f"Column '{column.name}' is {column.type} and" if column is not None else f"The {a}"
        other = b if column is None or left is column else a
        raise QueryError(f"{what} is compared with {other}", hint=hint, where=self.place(node))
