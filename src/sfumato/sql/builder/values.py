"""Constants, casts and calls as trees: what every expression is built from."""

from __future__ import annotations

from datetime import date, datetime
from fractions import Fraction

from sqlglot import exp

from sfumato.model.schema import Type
from sfumato.sql.builder import nodes

SQL_TYPES = {
    Type.INTEGER: "BIGINT",
    Type.NUMBER: "DOUBLE",
    Type.TEXT: "TEXT",
    Type.BOOLEAN: "BOOLEAN",
    Type.DATE: "DATE",
    Type.TIMESTAMP: "TIMESTAMP",
}


def number(value: Fraction | float | int) -> exp.Expr:
    """A number literal; anything but a whole one is written with an exponent, or engines read a DECIMAL."""
    exact = Fraction(value)
    if exact.denominator == 1 and abs(exact) < 2**63:
        return exp.Literal.number(str(exact))
    text = repr(float(exact))
    literal = exp.Literal.number((text if "e" in text else f"{text}e0").removeprefix("-"))
    return exp.Neg(this=literal) if exact < 0 else literal


def value(constant: bool | Fraction | str | date | int | None) -> exp.Expr:
    if constant is None:
        return exp.Null()
    if isinstance(constant, bool):
        return exp.Boolean(this=constant)
    if isinstance(constant, datetime):
        return cast(exp.Literal.string(constant.isoformat(sep=" ")), "TIMESTAMP")
    if isinstance(constant, date):
        return cast(exp.Literal.string(constant.isoformat()), "DATE")
    if isinstance(constant, str):
        return exp.Literal.string(constant)
    return number(constant)


def cast(tree: exp.Expr, to: str) -> exp.Expr:
    """A cast that cannot fail: of a constant, of NULL, or of a column to the type that it has or a wider one."""
    return exp.Cast(this=tree, to=exp.DataType.build(to))


def double(tree: exp.Expr) -> exp.Expr:
    """A number as a float: no number of an engine is too large for one."""
    return cast(tree, "DOUBLE")


def as_whole(tree: exp.Expr, to: str = "BIGINT") -> exp.Expr:
    """A number as a whole number, NULL where it does not fit: an error would tell that someone has such a value."""
    return typed(tree, to)


def typed(tree: exp.Expr, to: str, source: Type | None = None) -> exp.Expr:
    """A value as another type, NULL where it does not fit. `source` is its own type, unless it is a number."""
    own = {} if source is None else {"source": exp.Literal.string(source.value)}
    return nodes.Typed(this=tree, to=exp.DataType.build(to), **own)


def nearest(tree: exp.Expr) -> exp.Expr:
    """The whole number nearest to a float, itself as a float; of two that are as near, the larger one."""
    return function("FLOOR", exp.Add(this=tree, expression=number(0.5)))


def function(name: str, *arguments: exp.Expr) -> exp.Expr:
    return exp.func(name, *arguments, copy=False)
