"""WIDTH_BUCKET(v, low, high, n) as the CASE that it stands for."""

from __future__ import annotations

from fractions import Fraction

from sqlglot import exp

MOST_BUCKETS = 10_000


def bucket_case(
    node: exp.WidthBucket, low: Fraction, high: Fraction, count: int, lower: Fraction | None, upper: Fraction | None
) -> exp.Case:
    """0 below `low`, n + 1 from `high` on, and between them n buckets of equal width, counted from 1.

    `lower` and `upper` are the bounds of a column. Where no value within them lies below `low`, or at `high` or above,
    there is no such bucket: a value beyond the bounds is then in none, and not in the one beside it.
    """

    def value() -> exp.Expr:
        return exp.Paren(this=node.this.copy())

    def number(exact: Fraction | int) -> exp.Expr:
        text = str(exact) if Fraction(exact).denominator == 1 else repr(float(exact))
        literal = exp.Literal.number(text.removeprefix("-"))
        return exp.Neg(this=literal) if exact < 0 else literal

    below = exp.Null() if lower is not None and lower >= low else number(0)
    above = exp.Null() if upper is not None and upper < high else number(count + 1)
    share = exp.Mul(this=exp.Paren(this=exp.Sub(this=value(), expression=number(low))), expression=number(count))
    place = exp.Floor(this=exp.Div(this=share, expression=number(high - low)))
    inside = exp.Greatest(
        this=exp.Least(this=exp.Add(this=place, expression=number(1)), expressions=[number(count)]),
        expressions=[number(1)],
    )
    parts = [
        exp.If(this=exp.LT(this=value(), expression=number(low)), true=below),
        exp.If(this=exp.LT(this=value(), expression=number(high)), true=inside),
        exp.If(this=exp.GTE(this=value(), expression=number(high)), true=above),
    ]
    return exp.Case(ifs=parts)
