"""Question -> the exact totals that a release draws noise around, in whole steps of each number's grid."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from sqlglot import exp

from sfumato.model.dataset import PERSON, Bounds
from sfumato.model.facts import Totals
from sfumato.model.measurement import NoisyNumber, NumberKind
from sfumato.sql.facts import Rows, whole
from sfumato.sql.rows import Question, Reading, rows, there
from sfumato.sql.tree import column, double, number, ours


def totals(question: Question) -> exp.Select:
    """Per cell, the exact sum and count behind each noisy number."""
    q = question
    keys = [column(k) for k in q.keys]
    parts = [part for n in q.measurement.numbers for part in (_sum_of(n, q), _count_of(n, q))]
    kept = rows(q).subquery(exp.to_identifier(ours("rows"), quoted=True))
    return exp.select(*keys, *parts).from_(kept).group_by(*(k.copy() for k in keys))


def read_totals(rows: Rows, question: Question) -> Totals:
    """Whole steps of each number's grid, for every public cell; zero where the data has nobody."""
    width, numbers = len(question.keys), question.measurement.numbers
    found = {tuple(row[:width]): _in_steps(row[width:], numbers) for row in rows}
    nothing = (0,) * len(numbers)
    return Totals({cell: found.get(cell, nothing) for cell in question.measurement.public_cells})


def _in_steps(values: Sequence[Any], numbers: Sequence[NoisyNumber]) -> tuple[int, ...]:
    pairs = zip(values[::2], values[1::2], strict=True)
    return tuple(_steps(n, whole(total), whole(count)) for n, (total, count) in zip(numbers, pairs, strict=True))


def _steps(n: NoisyNumber, total: int, count: int) -> int:
    if n.rounded:
        return total  # the engine has rounded to whole steps already, value by value
    return int(((count if n.kind.counts else total) - n.centre * count * (not n.kind.counts)) / n.step)


def _sum_of(n: NoisyNumber, q: Question) -> exp.Expr:
    reading = q.reading_of(n)
    if n.kind.counts or reading is None:
        return exp.Null()
    return exp.func("SUM", _rounded(n, reading) if n.rounded else column(reading.name))


def _count_of(n: NoisyNumber, q: Question) -> exp.Expr:
    if n.kind is NumberKind.PERSONS:
        return exp.func("COUNT", exp.Distinct(expressions=[column(PERSON)]))
    reading = q.reading_of(n)
    if reading is None:
        return exp.func("COUNT", exp.Star())
    if n.kind is NumberKind.DISTINCT:
        return exp.func("COUNT", exp.Distinct(expressions=[column(reading.name)]))
    return exp.func("COUNT_IF" if reading.counted else "COUNT", column(reading.name))


def _rounded(n: NoisyNumber, reading: Reading) -> exp.Expr:
    """What a row adds, in whole steps and within bounds: a function of this record alone."""
    off = double(column(reading.name)) - number(n.centre)
    added: exp.Expr = exp.Paren(this=off)
    bounds = n.bounds or Bounds(-n.sensitivity, n.sensitivity)
    low, high = bounds.lower - n.centre, bounds.upper - n.centre
    if n.kind is NumberKind.SQUARES:
        added = exp.Paren(this=exp.Paren(this=off) * exp.Paren(this=off.copy()) - number(n.offset))
        low, high = -n.offset, n.offset
    steps = exp.func("ROUND", exp.Div(this=added, expression=double(number(n.step))))
    ends = [Fraction(round(end / n.step)) for end in (low, high)]
    inside = exp.func("LEAST", exp.func("GREATEST", steps, number(ends[0])), number(ends[1]))
    return exp.case().when(there(column(reading.name)), exp.cast(inside, "BIGINT"))
