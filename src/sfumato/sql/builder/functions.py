"""Calls of functions as trees. Operands are kept within the domain: no order of evaluation is relied on."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from sqlglot import exp

from sfumato.model.functions import LARGEST_OPERAND, LARGEST_RESULT, power_ends
from sfumato.model.schema import Type
from sfumato.model.statement import Call, Constant, Scalar
from sfumato.sql.builder import nodes
from sfumato.sql.builder.values import as_whole, cast, double, function, number, typed

Inner = Callable[[Scalar], exp.Expr]
Build = Callable[[Call, Inner], exp.Expr]
"""Of a call, and how the operands in it are read."""


def call(part: Call, inner: Inner, letters: Inner) -> exp.Expr:
    """The tree of a call; of texts that it reads letter by letter, `letters` says how."""
    if part.name in _OF_TEXT:
        return _OF_TEXT[part.name](part, letters)
    return _BUILD[part.name](part, inner)


# Operands within the domain


def _if(condition: Callable[[exp.Expr], exp.Expr], operand: Callable[[], exp.Expr]) -> exp.Expr:
    """An operand where a condition on it holds; missing elsewhere."""
    return exp.Case(ifs=[exp.If(this=condition(operand()), true=operand())])


def _between(low: float, high: float, *, above: bool = False) -> Callable[[exp.Expr], exp.Expr]:
    def within(tree: exp.Expr) -> exp.Expr:
        if not above:
            return exp.Between(this=tree, low=number(low), high=number(high))
        after = exp.GT(this=tree, expression=number(low))
        return exp.and_(after, exp.LTE(this=tree.copy(), expression=number(high)), copy=False)

    return within


def _not_zero(tree: exp.Expr) -> exp.Expr:
    return function("NULLIF", tree, number(0))


# Numbers


def _absolute(part: Call, inner: Inner) -> exp.Expr:
    operand = part.arguments[0]
    if operand.type is Type.INTEGER:  # that of -2**63 does not fit into 64 bits
        return function("ABS", as_whole(inner(operand), "INT128"))
    return function("ABS", inner(operand))


def _sign(part: Call, inner: Inner) -> exp.Expr:
    return as_whole(function("SIGN", double(inner(part.arguments[0]))))


def _to_whole(how: Callable[[exp.Expr], exp.Expr]) -> Build:
    """A function that makes a number whole: a whole one is so already."""

    def build(part: Call, inner: Inner) -> exp.Expr:
        operand = part.arguments[0]
        return inner(operand) if operand.type is Type.INTEGER else as_whole(how(double(inner(operand))))

    return build


def _rounded(part: Call, inner: Inner) -> exp.Expr:
    operand = part.arguments[0]
    if len(part.arguments) == 1:
        if operand.type is Type.INTEGER:
            return inner(operand)
        return as_whole(_half_away(lambda: double(inner(operand))))
    digits, furthest = int(_exact(part.arguments[1])), 10.0**LARGEST_RESULT
    scale = cast(number(10 ** abs(digits)), "DOUBLE")
    into, back = (exp.Mul, exp.Div) if digits >= 0 else (exp.Div, exp.Mul)

    def scaled() -> exp.Expr:
        read = _if(_between(-furthest, furthest), lambda: double(inner(operand)))
        return exp.Paren(this=into(this=exp.Paren(this=read), expression=scale.copy()))

    return exp.Paren(this=back(this=_half_away(scaled), expression=scale))


def _half_away(operand: Callable[[], exp.Expr]) -> exp.Expr:
    """To the nearest whole number, a half away from zero; from 2**52 on every float is whole."""
    up = exp.Add(this=function("ABS", operand()), expression=number(0.5))
    rounded = exp.Mul(this=function("SIGN", operand()), expression=function("FLOOR", up))
    small = exp.LT(this=function("ABS", operand()), expression=number(2**52))
    return exp.Paren(this=exp.Case(ifs=[exp.If(this=small, true=rounded)], default=operand()))


def _remainder(part: Call, inner: Inner) -> exp.Expr:
    divided, by = part.arguments
    if part.type is Type.INTEGER:
        by_whole = _not_zero(as_whole(inner(by), "INT128"))
        return as_whole(nodes.Remainder(this=as_whole(inner(divided), "INT128"), expression=by_whole))
    small = _if(_between(-LARGEST_OPERAND, LARGEST_OPERAND), lambda: double(inner(divided)))
    return nodes.Remainder(this=exp.Paren(this=small), expression=_not_zero(double(inner(by))))


def _quotient(part: Call, inner: Inner) -> exp.Expr:
    divided, by = part.arguments
    if all(operand.type is Type.INTEGER for operand in part.arguments):
        by_whole = _not_zero(as_whole(inner(by), "INT128"))
        return as_whole(nodes.WholeQuotient(this=as_whole(inner(divided), "INT128"), expression=by_whole))
    exact = exp.Paren(this=exp.Div(this=double(inner(divided)), expression=_not_zero(double(inner(by)))))
    return as_whole(nodes.CutOff(this=exact))


def _of_domain(kind: Callable[[exp.Expr], exp.Expr], low: float, high: float, *, above: bool = False) -> Build:
    def build(part: Call, inner: Inner) -> exp.Expr:
        return kind(_if(_between(low, high, above=above), lambda: double(inner(part.arguments[0]))))

    return build


def _exponential(part: Call, inner: Inner) -> exp.Expr:
    small = _if(_between(-LARGEST_OPERAND, 345), lambda: double(inner(part.arguments[0])))
    return function("EXP", function("GREATEST", small, number(-345)))


def _power(part: Call, inner: Inner) -> exp.Expr:
    base, exponent = part.arguments[0], _exact(part.arguments[1])
    low, high = power_ends(exponent)
    within = _between(low, high)

    def in_domain(tree: exp.Expr) -> exp.Expr:
        return within(function("ABS", tree) if exponent.denominator == 1 else tree)

    operand = _if(in_domain, lambda: double(inner(base)))
    return function("POWER", operand, cast(number(exponent), "DOUBLE"))


def _exact(constant: Scalar) -> Fraction:
    assert isinstance(constant, Constant)
    assert isinstance(constant.value, Fraction)
    return constant.value


# Any values


def _of_one_type(name: str) -> Build:
    def build(part: Call, inner: Inner) -> exp.Expr:
        return function(name, *_in_one_type(part, inner))

    return build


def _in_one_type(part: Call, inner: Inner) -> list[exp.Expr]:
    """Whole and other numbers are compared as floats."""
    mixed = part.type is Type.NUMBER or len({a.type for a in part.arguments}) > 1
    as_floats = mixed and all(a.type is not None and a.type.numeric for a in part.arguments)
    return [double(inner(a)) if as_floats else inner(a) for a in part.arguments]


# Texts


def _own(kind: type[nodes.Own], *names: str) -> Build:
    """A node of our own; its operands under these names."""

    def build(part: Call, letters: Inner) -> exp.Expr:
        return kind(**dict(zip(names, map(letters, part.arguments), strict=False)))

    return build


def _printed(part: Scalar, letters: Inner) -> exp.Expr:
    """A value as a text: decimal, ISO date, true or false."""
    return letters(part) if part.type is Type.TEXT else typed(letters(part), "TEXT")


def _joined(part: Call, letters: Inner) -> exp.Expr:
    return nodes.Joined(expressions=[_printed(a, letters) for a in part.arguments])


def _linked(part: Call, letters: Inner) -> exp.Expr:
    left, right = (_printed(a, letters) for a in part.arguments)
    return nodes.Linked(this=left, expression=right)


def _trimmed(*, before: bool, after: bool) -> Build:
    return lambda part, letters: nodes.Trimmed(this=letters(part.arguments[0]), before=before, after=after)


def _left(part: Call, letters: Inner) -> exp.Expr:
    text, length = part.arguments
    return nodes.Excerpt(this=letters(text), start=number(1), length=letters(length))


_BUILD: dict[str, Build] = {
    "ABS": _absolute,
    "SIGN": _sign,
    "ROUND": _rounded,
    "FLOOR": _to_whole(lambda tree: function("FLOOR", tree)),
    "CEIL": _to_whole(lambda tree: function("CEIL", tree)),
    "TRUNC": _to_whole(lambda tree: nodes.CutOff(this=tree)),
    "%": _remainder,
    "//": _quotient,
    "SQRT": _of_domain(lambda tree: function("SQRT", tree), 0, LARGEST_OPERAND),
    "LN": _of_domain(lambda tree: nodes.Logarithm(this=tree), 0, LARGEST_OPERAND, above=True),
    "LOG10": _of_domain(lambda tree: nodes.Logarithm(this=tree, base=number(10)), 0, LARGEST_OPERAND, above=True),
    "LOG2": _of_domain(lambda tree: nodes.Logarithm(this=tree, base=number(2)), 0, LARGEST_OPERAND, above=True),
    "EXP": _exponential,
    "POWER": _power,
    "COALESCE": lambda part, inner: function("COALESCE", *map(inner, part.arguments)),
    "NULLIF": _of_one_type("NULLIF"),
    "GREATEST": _of_one_type("GREATEST"),
    "LEAST": _of_one_type("LEAST"),
}
_OF_TEXT: dict[str, Build] = {
    "LOWER": _own(nodes.Lowered, "this"),
    "UPPER": _own(nodes.Uppered, "this"),
    "LENGTH": _own(nodes.Letters, "this"),
    "SUBSTR": _own(nodes.Excerpt, "this", "start", "length"),
    "LEFT": _left,
    "RIGHT": _own(nodes.LastLetters, "this", "length"),
    "TRIM": _trimmed(before=True, after=True),
    "LTRIM": _trimmed(before=True, after=False),
    "RTRIM": _trimmed(before=False, after=True),
    "REPLACE": _own(nodes.Replaced, "this", "expression", "replacement"),
    "CONCAT": _joined,
    "||": _linked,
    "STARTS_WITH": _own(nodes.Starts, "this", "expression"),
    "ENDS_WITH": _own(nodes.Ends, "this", "expression"),
    "CONTAINS": _own(nodes.Contains, "this", "expression"),
    "REGEXP_MATCHES": _own(nodes.Found, "this", "expression"),
    "REGEXP_FULL_MATCH": _own(nodes.FoundWhole, "this", "expression"),
}
