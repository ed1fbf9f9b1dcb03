"""CORR, COVAR and REGR: the noisy totals that they are computed from (docs/theory/pairs.md)."""

from __future__ import annotations

from fractions import Fraction

from sqlglot import exp

from sfumato.errors import QueryError
from sfumato.model.schema import Schema, Type
from sfumato.model.statement import (
    Aggregate,
    AggregateKind,
    All,
    Arithmetic,
    Call,
    Case,
    Constant,
    Missing,
    Not,
    PairKind,
    PairStatistic,
    Scalar,
)
from sfumato.privacy.expression_ranges import bounded_interval, may_vanish

PAIRS: dict[type[exp.Expr], PairKind] = {
    exp.Corr: PairKind.CORR,
    exp.CovarPop: PairKind.COVAR_POP,
    exp.CovarSamp: PairKind.COVAR_SAMP,
    exp.RegrSlope: PairKind.REGR_SLOPE,
    exp.RegrIntercept: PairKind.REGR_INTERCEPT,
    exp.RegrR2: PairKind.REGR_R2,
}


def is_pair(node: exp.Expr) -> bool:
    """Whether a node is one of them, with a FILTER or without."""
    return type(node.this if isinstance(node, exp.Filter) else node) in PAIRS


def pair_kind(node: exp.Expr) -> PairKind:
    return PAIRS[type(node.this if isinstance(node, exp.Filter) else node)]


def pair_of(kind: PairKind, first: Scalar, second: Scalar, schema: Schema) -> PairStatistic:
    """A statistic of two columns without its totals, refused where one of them is the same for everyone."""
    bounds = [bounded_interval(argument, schema) for argument in (first, second)]
    for argument, inside in zip((first, second), bounds, strict=True):
        if inside.lower == inside.upper:
            raise QueryError(f"{kind} of {argument.words} is the same for everyone", hint="leave it out.")
        if may_vanish(argument):
            what = f"{kind} of {argument.words}, which may be missing where its columns are there"
            raise QueryError(f"{what}, is not supported", hint="use columns, or what always has a value.")
    x, y = bounds
    return PairStatistic(kind, first, second, (), (x.middle, y.middle), (x.half_width, y.half_width))


def totals_of(pair: PairStatistic) -> list[Aggregate]:
    """Over the rows that have both values: how many, and sums of what lies as far below 0 as above."""
    x, y = (
        Arithmetic("-", argument, Constant(middle, Type.NUMBER)) if middle else argument
        for argument, middle in zip((pair.first, pair.second), pair.middles, strict=True)
    )
    sums = [x, y, Arithmetic("*", x, y)]
    for centred, half_width in list(zip((y, x), reversed(pair.half_widths), strict=True))[: pair.kind.squares]:
        square = Call("POWER", (centred, Constant(Fraction(2), Type.INTEGER)), Type.NUMBER)
        sums.append(Arithmetic("-", square, Constant(half_width**2 / 2, Type.NUMBER)))
    present = All(tuple(Not(Missing(argument)) for argument in dict.fromkeys((pair.first, pair.second))))

    def both(value: Scalar) -> Scalar:
        type_ = value.type or Type.NUMBER
        return Case(((present, value),), Constant(None, type_), type_)

    counted = Aggregate(AggregateKind.COUNT, both(Constant(Fraction(1), Type.INTEGER)))
    return [counted, *(Aggregate(AggregateKind.SUM, both(value)) for value in sums)]
