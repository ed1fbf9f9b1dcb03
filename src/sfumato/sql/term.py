"""An expression that computes like a number: formulas in Python read like those in the papers, and come out as SQL."""

from __future__ import annotations

from fractions import Fraction

from sqlglot import exp

from sfumato.sql.tree import column, double, number


class Term:
    """Every operand is copied and, where it is itself computed, parenthesised."""

    def __init__(self, tree: exp.Expr) -> None:
        self._tree = tree

    @property
    def tree(self) -> exp.Expr:
        """A copy of its own: a tree has one place only."""
        return self._tree.copy()

    def named(self, name: str) -> exp.Expr:
        return exp.alias_(self.tree, name, quoted=True)

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
        return Term(double(self.tree))

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
        return Term(exp.Is(this=self.tree, expression=exp.Null()))

    @property
    def there(self) -> Term:
        return Term(exp.Not(this=self.missing.tree))

    def both(self, other: Term) -> Term:
        return Term(exp.and_(self.tree, other.tree))

    # What stands in for something that is missing, or aggregates over rows

    def or_else(self, other: Term | Fraction | float) -> Term:
        return call("COALESCE", self, other)

    def total(self) -> Term:
        return call("SUM", self)

    def counted(self) -> Term:
        return call("COUNT", self)


def term(value: Term | Fraction | float) -> Term:
    return value if isinstance(value, Term) else Term(number(value))


def col(name: str, of: str | None = None) -> Term:
    return Term(column(name, of))


def call(name: str, *arguments: Term | Fraction | float) -> Term:
    return Term(exp.func(name, *(term(a).tree for a in arguments)))


def rows_counted() -> Term:
    return Term(exp.func("COUNT", exp.Star()))


def distinct(value: Term) -> Term:
    return Term(exp.func("COUNT", exp.Distinct(expressions=[value.tree])))


def when(*branches: tuple[Term, Term | Fraction | float], otherwise: Term | Fraction | float | None = None) -> Term:
    """CASE WHEN ... THEN ... ELSE ... END."""
    case = exp.case()
    for condition, result in branches:
        case = case.when(condition.tree, term(result).tree)
    return Term(exp.Paren(this=case if otherwise is None else case.else_(term(otherwise).tree)))


def _binary(kind: type[exp.Binary], left: Term, right: Term | Fraction | float) -> Term:
    sides = [
        exp.Paren(this=t) if isinstance(t, exp.Binary | exp.Not | exp.Is) else t for t in (left.tree, term(right).tree)
    ]
    return Term(kind(this=sides[0], expression=sides[1]))
