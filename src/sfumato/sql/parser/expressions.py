"""Row-wise predicates and scalars of a query, by an allow-list; types come from the schema, never from values."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Sequence
from fractions import Fraction

from sqlglot import exp

from sfumato.errors import QueryError
from sfumato.model.functions import FURTHEST_DIGIT
from sfumato.model.schema import Bounds, Schema, Type
from sfumato.model.statement import (
    All,
    AnyOf,
    Arithmetic,
    Call,
    Case,
    ColumnRef,
    Compare,
    Condition,
    Constant,
    Membership,
    Missing,
    Not,
    Pattern,
    Predicate,
    Scalar,
    Truth,
)
from sfumato.privacy.key_values import is_whole
from sfumato.sql.builder.ast import COMPARE, COMPUTE
from sfumato.sql.parser.buckets import MOST_BUCKETS, bucket_case
from sfumato.sql.parser.calls import SHAPES, Calls
from sfumato.sql.parser.dates import TIMES, as_date, as_timestamp, date_function, is_time
from sfumato.sql.parser.size import DEEPEST

WHOLE_BELOW = 2**63  # a constant from here on is no whole number of 64 bits, and engines read it as a float
COMPARISONS: dict[type[exp.Expr], str] = {tree: sign for sign, tree in COMPARE.items()}
CONDITIONS = (
    *COMPARISONS, exp.NullSafeEQ, exp.NullSafeNEQ, exp.Between, exp.In, exp.Is, exp.Like, exp.ILike, exp.Not,
    exp.And, exp.Or,
)  # fmt: skip
_ARITHMETIC: dict[type[exp.Expr], str] = {tree: sign for sign, tree in COMPUTE.items()}
_TRUE, _FALSE = Constant(True, Type.BOOLEAN), Constant(False, Type.BOOLEAN)
_CAST_HINT = "use the same type or a wider one, or state the type in the schema file."
_CAST_HINTS: dict[tuple[Type | None, bool], str] = {
    (Type.NUMBER, False): "use ROUND(v) or FLOOR(v): engines cut and round in different ways.",
}
_BUCKETS = "write it as in WIDTH_BUCKET(v, 0, 100, 10)."
_WHOLE = ("bigint", "int", "smallint", "tinyint")
_REAL = ("double", "float")
_CASTS: dict[Type | None, tuple[str, ...]] = {
    Type.INTEGER: (*_WHOLE, *_REAL),
    Type.NUMBER: _REAL,
    Type.TEXT: ("text", "varchar"),
    Type.BOOLEAN: ("boolean",),
    Type.DATE: ("date",),
    Type.TIMESTAMP: TIMES,
}


def _like(left: Scalar, right: Scalar) -> str:
    """How to compare two values of different types."""
    types = {left.type, right.type}
    if Type.BOOLEAN in types:
        return "write it by itself, or compare it with TRUE or FALSE."
    if any(isinstance(side, Constant) and side.type is Type.TEXT for side in (left, right)):
        return "write the number without quotes."
    if Type.TEXT in types and any(isinstance(side, Constant) for side in (left, right)):
        return "put the value in quotes."
    return "compare values of the same type."


class Expressions(Calls):
    """Reads expressions; the subclass that reads the clauses says what a name means."""

    def __init__(self, text: str, schema: Schema) -> None:
        super().__init__(text)
        self.schema = schema

    @property
    @abstractmethod
    def schema_here(self) -> Schema:
        """What is known of the table that is being read."""

    @abstractmethod
    def named(self, node: exp.Expr) -> Scalar | None:
        """What a column (or, of a noisy answer, an aggregate) stands for; None: the node is neither."""

    @abstractmethod
    def require_typed(self, part: Scalar, node: exp.Expr) -> Scalar:
        """The same, refused where its type answers no comparison."""

    @abstractmethod
    def exists(self, node: exp.Exists) -> Predicate:
        """Whether the person has a row that meets a condition."""

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
            case exp.Exists():
                return self.exists(node)
            case exp.Is():
                return self.identity(node)
            case exp.NullSafeEQ():
                return self.same(node)
            case exp.NullSafeNEQ():
                return Not(self.same(node))
            case exp.Like() | exp.ILike():
                return self.pattern(node)
            case exp.Column() | exp.Boolean() | exp.Case() | exp.If() | exp.Cast() | exp.LogicalOr() | exp.LogicalAnd():
                return self.truth(node)
        if type(node) in COMPARISONS:
            links = self.links(node)
            return links[0] if len(links) == 1 else All(tuple(links))
        if type(node) in SHAPES:
            return self.truth(node)
        self.refuse_node(node)

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
        if isinstance(node.this, exp.Tuple):
            return self.row_membership(node.this, node)
        operand = self.scalar(node.this)
        members = []
        for item in node.expressions:
            _, member = self.matching_sides(operand, self.scalar(item), item)
            if not isinstance(member, Constant):
                self.refuse("IN with anything but constants", item, hint="compare with = and OR.")
            members.append(member)
        return Membership(operand, tuple(members))

    def row_membership(self, operands: exp.Tuple, node: exp.In) -> Predicate:
        """`(a, b) IN ((1, 2), (3, 4))`: one of the rows has both."""
        rows: list[Predicate] = []
        for row in node.expressions:
            if not isinstance(row, exp.Tuple) or len(row.expressions) != len(operands.expressions):
                what = f"Each row of this IN needs {len(operands.expressions)} values"
                raise QueryError(what, where=self.place(row), hint="write (a, b) IN ((1, 2), (3, 4)).")
            pairs = zip(operands.expressions, row.expressions, strict=True)
            rows.append(All(tuple(self.comparison("=", self.scalar(a), self.scalar(b), a) for a, b in pairs)))
        return rows[0] if len(rows) == 1 else AnyOf(tuple(rows))

    def identity(self, node: exp.Is) -> Predicate:
        self.only(node, "this", "expression")
        right = node.expression
        if isinstance(right, exp.Not) and isinstance(right.this, exp.Null):
            return Not(Missing(self.scalar(node.this)))
        if isinstance(right, exp.Boolean):
            met = self.predicate(node.this)
            return Truth(Case(((met if right.this else Not(met), _TRUE),), _FALSE, Type.BOOLEAN))
        if not isinstance(right, exp.Null):
            self.refuse("IS with anything but NULL, TRUE and FALSE", node, hint="use = instead.")
        return Missing(self.scalar(node.this))

    def same(self, node: exp.Expr) -> Predicate:
        """IS NOT DISTINCT FROM: equal, or both missing. It is never unknown."""
        left, right = self.matching_sides(self.scalar(node.this), self.scalar(node.expression), node.this)
        missing = [Missing(side) for side in (left, right) if not isinstance(side, Constant)]
        equal = All((*map(Not, missing), Compare("=", left, right)))
        return AnyOf((All(tuple(missing)), equal)) if len(missing) == 2 else equal

    def pattern(self, node: exp.Expr) -> Predicate:
        self.only(node, "this", "expression")
        operand, pattern = self.scalar(node.this), node.expression
        if not (isinstance(pattern, exp.Literal) and pattern.is_string):
            self.refuse("LIKE with anything but a text", node, hint="write the pattern in quotes.")
        if operand.type in (Type.DATE, Type.TIMESTAMP):
            self.refuse("LIKE of a date", node, hint="write YEAR(d) = 2026, or STRFTIME(d, '%Y-%m') = '2026-11'.")
        self.matching_sides(operand, Constant(pattern.this, Type.TEXT), node)
        return Pattern(operand, self.short_pattern(pattern), isinstance(node, exp.ILike))

    def zero_or_one(self, condition: Predicate) -> Scalar:
        """1 where a condition holds, 0 where it does not, and no value where that is not known."""
        one, zero = (Constant(Fraction(value), Type.INTEGER) for value in (1, 0))
        return Case(((condition, one), (Not(condition), zero)), Constant(None, Type.INTEGER), Type.INTEGER)

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
            case exp.Cast() if is_time(node):
                return self.instant(node.this.this, node)
            case exp.Cast():
                return self.cast(node, depth)
            case exp.Case():
                return self.case(node, depth)
            case exp.If():
                return self.case(exp.Case(ifs=[node], default=node.args.get("false")), depth)
            case exp.WidthBucket():
                return self.case(self.buckets(node), depth)
        function = date_function(node)
        if function is not None:
            return self.date_call(function, node, depth)
        of_dates = self.date_expression(node, depth)
        if of_dates is not None:
            return of_dates
        if isinstance(node, exp.Add | exp.Sub) and isinstance(node.expression, exp.Interval):
            sign = 1 if isinstance(node, exp.Add) else -1
            return self.interval(self.scalar(node.this, depth + 1), node.expression, sign, node)
        if type(node) in _ARITHMETIC:
            left, right = (self.scalar(part, depth + 1) for part in (node.this, node.expression))
            return self.arithmetic(_ARITHMETIC[type(node)], left, right, node)
        if type(node) in SHAPES:
            return self.call(node, depth)
        if type(node) in CONDITIONS:
            return Condition(self.predicate(node))
        self.refuse_node(node)

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

    def arithmetic(self, operator: str, left: Scalar, right: Scalar, node: exp.Expr) -> Scalar:
        if left.type is not None and left.type.temporal:
            return self.of_moments(operator, left, right, node)
        for part in (left, right):
            self.require_numeric(part, f"'{operator}'", node)
        if isinstance(left, Constant) and left.value == 0 and operator == "-" and isinstance(right, Constant):
            return Constant(-Fraction(right.value), right.type)  # type: ignore[arg-type]
        return Arithmetic(operator, left, right)

    def cast(self, node: exp.Cast, depth: int) -> Scalar:
        """A cast that cannot fail, of a type to itself or a wider one; arithmetic is done in 64 bits anyway."""
        self.only(node, "this", "to", "safe", "_type")
        scalar, to = self.require_typed(self.scalar(node.this, depth + 1), node), node.to
        if scalar.type is Type.BOOLEAN and to.is_type(*_WHOLE):
            return self.zero_or_one(Truth(scalar))
        if scalar.type is Type.NUMBER and to.is_type(*_WHOLE, "text", "varchar") and is_whole(scalar):
            scalar = Call("TRUNC", (scalar,), Type.INTEGER)
        if scalar.type is Type.INTEGER and to.is_type(*_WHOLE):
            return scalar
        if to.is_type("decimal") and scalar.type is not None and scalar.type.numeric:
            return scalar if scalar.type is Type.INTEGER else self.rounded(scalar, to)
        if scalar.type is Type.TIMESTAMP and to.is_type("date"):
            return as_date(scalar)
        if scalar.type is Type.DATE and to.is_type(*TIMES):
            return as_timestamp(scalar)
        if scalar.type in _CASTS and to.is_type(*_CASTS[scalar.type]):
            return scalar
        if to.is_type("text", "varchar") and scalar.type in (Type.INTEGER, Type.DATE, Type.BOOLEAN):
            return Call("||", (scalar, Constant("", Type.TEXT)), Type.TEXT)
        written = to.sql("duckdb")
        of = "this" if scalar.type is None else str(scalar.type)
        hint = _CAST_HINTS.get((scalar.type, to.is_type("date")), _CAST_HINT)
        self.refuse(f"A cast of {of} to {written}", node, hint=hint)

    def rounded(self, scalar: Scalar, to: exp.DataType) -> Scalar:
        """A cast to DECIMAL(p, s): to s digits; no value is refused for its size."""
        digits = int(to.expressions[1].name) if len(to.expressions) > 1 else 0
        return Call("ROUND", (scalar, Constant(Fraction(min(digits, FURTHEST_DIGIT)), Type.INTEGER)), Type.NUMBER)

    def buckets(self, node: exp.WidthBucket) -> exp.Case:
        self.only(node, "this", "min_value", "max_value", "num_buckets")
        ends = [self.scalar(node.args[name]) for name in ("min_value", "max_value", "num_buckets")]
        low, high, count = (end.value if isinstance(end, Constant) else None for end in ends)
        if not (isinstance(low, Fraction) and isinstance(high, Fraction) and isinstance(count, Fraction)):
            raise QueryError("WIDTH_BUCKET needs three constants", where=self.place(node), hint=_BUCKETS)
        if low >= high or count.denominator != 1 or not 1 <= count <= MOST_BUCKETS:
            what = f"WIDTH_BUCKET needs a lower end below the upper one, and 1 to {MOST_BUCKETS:,} buckets"
            raise QueryError(what, where=self.place(node), hint=_BUCKETS)
        counted = self.scalar(node.this)
        self.require_numeric(counted, "WIDTH_BUCKET", node)
        column = self.schema_here.column(counted.name) if isinstance(counted, ColumnRef) else None
        bounds = None if column is None else column.bounds
        lower, upper = (bounds.lower, bounds.upper) if isinstance(bounds, Bounds) else (None, None)
        return bucket_case(node, low, high, int(count), lower, upper)

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
        if a is not None and a.temporal and isinstance(right, Constant):
            right = self.like(a, right, node)
        elif b is not None and b.temporal and isinstance(left, Constant):
            left = self.like(b, left, node)
        if {left.type, right.type} == {Type.DATE, Type.TIMESTAMP}:
            left, right = as_timestamp(left), as_timestamp(right)
        a, b = left.type, right.type
        if a is None or b is None or a is b or (a.numeric and b.numeric):
            return left, right
        column = next((s for s in (left, right) if isinstance(s, ColumnRef)), None)
        hint = _like(left, right)
        if column is not None and self.schema_here.column(column.name) is None:
            hint = f"state its type under {self.schema.section(column.name)} in {self.schema.origin}."
        what = f"Column '{column.name}' is {column.type} and" if column is not None else f"The {a}"
        other = b if column is None or left is column else a
        raise QueryError(f"{what} is compared with {other}", hint=hint, where=self.place(node))
