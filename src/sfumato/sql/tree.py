"""Our own predicates as SQL trees. SQL is never put together from strings."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date
from fractions import Fraction

from sqlglot import exp
from sqlglot.tokens import Tokenizer

from sfumato.model.dataset import Category, Type
from sfumato.model.statement import (
    Aggregate,
    All,
    AnyOf,
    Arithmetic,
    ColumnRef,
    Comparison,
    Constant,
    Membership,
    Missing,
    Not,
    Output,
    Pattern,
    Predicate,
    Scalar,
    Truth,
)

_COMPARE: dict[str, type[exp.Binary]] = {
    "=": exp.EQ, "<>": exp.NEQ, "<": exp.LT, "<=": exp.LTE, ">": exp.GT, ">=": exp.GTE,
}  # fmt: skip
_PLAIN = re.compile("[a-z_][a-z0-9_]*", re.IGNORECASE)
_COMPUTE: dict[str, type[exp.Binary]] = {"+": exp.Add, "-": exp.Sub, "*": exp.Mul, "/": exp.Div}


def column(name: str) -> exp.Column:
    return exp.column(name, quoted=True)


def number(value: Fraction | float | int) -> exp.Expr:
    """A number literal; anything but a whole one is written with an exponent, or engines read a DECIMAL."""
    exact = Fraction(value)
    if exact.denominator == 1 and abs(exact) < 2**63:
        return exp.Literal.number(str(exact))
    text = repr(float(exact))
    literal = exp.Literal.number((text if "e" in text else f"{text}e0").removeprefix("-"))
    return exp.Neg(this=literal) if exact < 0 else literal


def value(constant: bool | Fraction | str | date | int) -> exp.Expr:
    if isinstance(constant, bool):
        return exp.Boolean(this=constant)
    if isinstance(constant, date):
        return exp.cast(exp.Literal.string(constant.isoformat()), "DATE")
    if isinstance(constant, str):
        return exp.Literal.string(constant)
    return number(constant)


def double(expression: exp.Expr) -> exp.Expr:
    return exp.cast(expression, "DOUBLE")


def scalar(part: Scalar) -> exp.Expr:
    match part:
        case ColumnRef(name):
            return column(name)
        case Constant(constant):
            return value(constant)
        case Arithmetic("/", left, right):
            divisor = exp.func("NULLIF", double(scalar(right)), number(0))
            return exp.Paren(this=exp.Div(this=double(scalar(left)), expression=divisor))
        case Arithmetic(operator, left, right):
            tree = _COMPUTE[operator](this=double(scalar(left)), expression=double(scalar(right)))
            return exp.Paren(this=tree)


def predicate(part: Predicate) -> exp.Expr:
    """A predicate, parenthesised wherever it is combined."""
    match part:
        case Comparison(operator, left, right):
            return _COMPARE[operator](this=scalar(left), expression=scalar(right))
        case Membership(operand, members):
            return exp.In(this=scalar(operand), expressions=[value(m.value) for m in members])
        case Missing(operand):
            return exp.Is(this=scalar(operand), expression=exp.Null())
        case Pattern(operand, pattern, ignore_case):
            kind = exp.ILike if ignore_case else exp.Like
            return kind(this=scalar(operand), expression=exp.Literal.string(pattern))
        case Truth(operand):
            return scalar(operand)
        case Not(negated):
            return exp.Not(this=exp.Paren(this=predicate(negated)))
        case All(parts):
            return exp.and_(*map(predicate, parts))
        case AnyOf(parts):
            return exp.or_(*map(predicate, parts))


def listed(tree: exp.Expr, categories: Sequence[Category]) -> exp.Expr:
    return exp.In(this=tree, expressions=[value(c) for c in categories])


def aggregate(part: Aggregate) -> exp.Expr:
    argument = exp.Star() if part.argument is None else column(part.argument.name)
    return exp.func(part.kind.value, argument)


def canonical(name: str, outputs: Sequence[Output], where: Predicate | None, keys: Sequence[ColumnRef]) -> str:
    """The statement as we read it, in one spelling: what is hashed, recorded and shown. It is never run."""
    select = exp.select(*map(_named, outputs)).from_(exp.Table(this=exp.to_identifier(name, quoted=True)))
    if where is not None:
        select = select.where(predicate(where))
    return _plainly(select.group_by(*(column(k.name) for k in keys))).sql(dialect="duckdb")


def default_name(source: ColumnRef | Aggregate) -> str:
    """What a column of the answer is called when nobody names it."""
    if isinstance(source, ColumnRef):
        return source.name
    return f"{source.kind.lower()}({source.argument.name if source.argument else '*'})"


def _named(output: Output) -> exp.Expr:
    source = output.source
    tree = column(source.name) if isinstance(source, ColumnRef) else aggregate(source)
    return tree if output.name == default_name(source) else exp.alias_(tree, output.name, quoted=True)


def _plainly(tree: exp.Select) -> exp.Select:
    """Without the quotes that a name does not need."""
    for identifier in tree.find_all(exp.Identifier):
        plain = _PLAIN.fullmatch(identifier.name) and identifier.name.upper() not in Tokenizer.KEYWORDS
        identifier.set("quoted", not plain)
    return tree


SQL_TYPES = {
    Type.INTEGER: "BIGINT",
    Type.NUMBER: "DOUBLE",
    Type.TEXT: "TEXT",
    Type.BOOLEAN: "BOOLEAN",
    Type.DATE: "DATE",
}
