"""An expression that computes like a number: formulas in Python read like those in the papers, and come out as SQL."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import TypeAlias, Union

from sqlglot import exp

from sfumato.sql.builder import nodes
from sfumato.sql.builder.ast import alias, column
from sfumato.sql.builder.values import double as as_double
from sfumato.sql.builder.values import function, nearest, number

Operand: TypeAlias = Union["Term", Fraction, float]


def _operator(kind: type[exp.Binary] | type[nodes.Own]) -> Callable[[Term, Operand], Term]:
    """A binary operator; operands that are themselves computed are parenthesised."""

    def side(operand: Term) -> exp.Expr:
        tree = operand.tree
        return exp.Paren(this=tree) if isinstance(tree, exp.Binary | exp.Not | exp.Is) else tree

    return lambda left, right: Term(lambda: kind(this=side(left), expression=side(term(right))))


class Term:
    """Describes a tree; each use of it builds one of its own, so that nothing is ever copied."""

    def __init__(self, build: Callable[[], exp.Expr]) -> None:
        self._build = build

    @property
    def tree(self) -> exp.Expr:
        return self._build()

    def named(self, name: str) -> exp.Expr:
        return alias(self.tree, name)

    # Arithmetic

    __add__ = _operator(exp.Add)
    __sub__ = _operator(exp.Sub)
    __mul__ = _operator(exp.Mul)
    __truediv__ = _operator(exp.Div)
    __floordiv__ = _operator(nodes.WholeQuotient)
    __mod__ = _operator(exp.Mod)

    def __abs__(self) -> Term:
        return call("ABS", self)

    @property
    def double(self) -> Term:
        return Term(lambda: as_double(self.tree))

    @property
    def root(self) -> Term:
        return call("SQRT", self)

    @property
    def rounded(self) -> Term:
        """To the nearest whole number."""
        return Term(lambda: nearest(self.tree))

    @property
    def squared(self) -> Term:
        return self * self

    # Conditions

    __le__ = _operator(exp.LTE)
    __lt__ = _operator(exp.LT)
    __ge__ = _operator(exp.GTE)
    __gt__ = _operator(exp.GT)
    equals = _operator(exp.EQ)
    both = _operator(exp.And)

    @property
    def missing(self) -> Term:
        return Term(lambda: exp.Is(this=self.tree, expression=exp.Null()))

    @property
    def there(self) -> Term:
        return Term(lambda: exp.Not(this=self.missing.tree))

    # What stands in for something that is missing, and aggregates over rows

    def or_else(self, other: Operand) -> Term:
        return call("COALESCE", self, other)

    def total(self) -> Term:
        return call("SUM", self)

    def exact_total(self) -> Term:
        """Of whole numbers, however large the sum."""
        return self.within(nodes.ExactSum)

    def count(self) -> Term:
        return call("COUNT", self)

    def count_true(self) -> Term:
        return self.within(nodes.CountTrue)

    def within(self, kind: type[nodes.Own]) -> Term:
        """In a node of our own that takes one operand."""
        return Term(lambda: kind(this=self.tree))


def term(value: Operand) -> Term:
    return value if isinstance(value, Term) else Term(lambda: number(value))


def col(name: str, of: str | None = None) -> Term:
    return Term(lambda: column(name, of))


def call(name: str, *arguments: Operand) -> Term:
    return Term(lambda: function(name, *(term(a).tree for a in arguments)))


def row_count() -> Term:
    return Term(lambda: function("COUNT", exp.Star()))


def distinct(value: Term) -> Term:
    return Term(lambda: function("COUNT", exp.Distinct(expressions=[value.tree])))


def when(*branches: tuple[Term, Operand], otherwise: Operand | None = None) -> Term:
    """CASE WHEN ... THEN ... ELSE ... END."""

    def build() -> exp.Expr:
        ifs = [exp.If(this=condition.tree, true=term(result).tree) for condition, result in branches]
        return exp.Paren(this=exp.Case(ifs=ifs, default=None if otherwise is None else term(otherwise).tree))

    return Term(build)
