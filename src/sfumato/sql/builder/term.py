"""An expression that computes like a number: formulas in Python read like those in the papers, and come out as SQL."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from sqlglot import exp

from sfumato.sql.builder.ast import alias, column, function, number
from sfumato.sql.builder.ast import double as as_double


class Term:
    """Describes a tree; each use of it builds one of its own, so that nothing is ever copied.

    Operands that are themselves computed are parenthesised.
    """

    def __init__(self, build: Callable[[], exp.Expr]) -> None:
        self._build = build

    @property
    def tree(self) -> exp.Expr:
        return self._build()

    def named(self, name: str) -> exp.Expr:
        return alias(self.tree, name)

    # Arithmetic

    def __add__(self, other: Term | Fraction | float) -> Term:
        return _binary(exp.Add, self, other)

    def __sub__(self, other: Term | Fraction | float) -> Term:
        return _binary(exp.Sub, self, other)

    def __mul__(self, other: Term | Fraction | float) -> Term:
        return _binary(exp.Mul, self, other)

    def __truediv__(self, other: Term | Fraction | float) -> Term:
        return _binary(exp.Div, self, other)

    def __floordiv__(self, other: Term | Fraction | float) -> Term:
        return _binary(exp.IntDiv, self, other)

    def __mod__(self, other: Term | Fraction | float) -> Term:
        return _binary(exp.Mod, self, other)

    def __abs__(self) -> Term:
        return call("ABS", self)

    @property
    def double(self) -> Term:
        return Term(lambda: as_double(self.tree))

    @property
    def root(self) -> Term:
        return call("SQRT", self)

    @property
    def squared(self) -> Term:
        return self * self

    # Conditions

    def __le__(self, other: Term | Fraction | float) -> Term:
        return _binary(exp.LTE, self, other)

    def __lt__(self, other: Term | Fraction | float) -> Term:
        return _binary(exp.LT, self, other)

    def __ge__(self, other: Term | Fraction | float) -> Term:
        return _binary(exp.GTE, self, other)

    def __gt__(self, other: Term | Fraction | float) -> Term:
        return _binary(exp.GT, self, other)

    def equals(self, other: Term | Fraction | float) -> Term:
        return _binary(exp.EQ, self, other)

    @property
    def missing(self) -> Term:
        return Term(lambda: exp.Is(this=self.tree, expression=exp.Null()))

    @property
    def there(self) -> Term:
        return Term(lambda: exp.Not(this=self.missing.tree))

    def both(self, other: Term) -> Term:
        return _binary(exp.And, self, other)

    # What stands in for something that is missing, and aggregates over rows

    def or_else(self, other: Term | Fraction | float) -> Term:
        return call("COALESCE", self, other)

    def total(self) -> Term:
        return call("SUM", self)

    def count(self) -> Term:
        return call("COUNT", self)


def term(value: Term | Fraction | float) -> Term:
    return value if isinstance(value, Term) else Term(lambda: number(value))


def col(name: str, of: str | None = None) -> Term:
    return Term(lambda: column(name, of))


def call(name: str, *arguments: Term | Fraction | float) -> Term:
    return Term(lambda: function(name, *(term(a).tree for a in arguments)))


def row_count() -> Term:
    return Term(lambda: function("COUNT", exp.Star()))


def distinct(value: Term) -> Term:
    return Term(lambda: function("COUNT", exp.Distinct(expressions=[value.tree])))


def when(*branches: tuple[Term, Term | Fraction | float], otherwise: Term | Fraction | float | None = None) -> Term:
    """CASE WHEN ... THEN ... ELSE ... END."""

    def build() -> exp.Expr:
        ifs = [exp.If(this=condition.tree, true=term(result).tree) for condition, result in branches]
        return exp.Paren(this=exp.Case(ifs=ifs, default=None if otherwise is None else term(otherwise).tree))

    return Term(build)


def _binary(kind: type[exp.Binary], left: Term, right: Term | Fraction | float) -> Term:
    def side(operand: Term) -> exp.Expr:
        tree = operand.tree
        return exp.Paren(this=tree) if isinstance(tree, exp.Binary | exp.Not | exp.Is) else tree

    return Term(lambda: kind(this=side(left), expression=side(term(right))))
