"""Question -> the exact totals that a release draws noise around, in whole steps of each number's lattice."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from typing import Any

from sqlglot import exp

from sfumato.model.facts import Cell
from sfumato.model.measurement import NoisyNumber, NumberKind
from sfumato.model.schema import PERSON, Bounds, Type
from sfumato.sql.builder.ast import column, select_from
from sfumato.sql.builder.term import Term, call, col, distinct, row_count, term, when
from sfumato.sql.builder.values import as_whole
from sfumato.sql.plans.exposure_summary import whole
from sfumato.sql.plans.rows import PlanInput, Reading, rows


def totals(question: PlanInput) -> exp.Select:
    """Per cell, the exact sum and count behind each noisy number."""
    q = question
    parts = [part for n in q.measurement.numbers for part in (sum_of(n, q), count_of(n, q))]
    return select_from([*map(column, q.keys), *parts], rows(q, any_key=q.measurement.cells is not None), by=q.keys)


def read_totals(rows: Iterable[tuple[Any, ...]], question: PlanInput) -> Iterator[tuple[Cell, tuple[int, ...]]]:
    """Whole steps of each number's lattice, for every public cell, zero where no one is; else for those that there are.

    Where group keys are private, no more than one cell is held at a time; else no more than the public ones.
    """
    width, numbers, cells = len(question.keys), question.measurement.numbers, question.measurement.cells
    if cells is None:
        for row in rows:
            yield row[:width], in_steps(row[width:], numbers)
        return
    totals = dict.fromkeys(cells, (0,) * len(numbers))
    for row in rows:
        if row[:width] in totals:
            totals[row[:width]] = in_steps(row[width:], numbers)
    yield from totals.items()


def in_steps(values: Sequence[Any], numbers: Sequence[NoisyNumber]) -> tuple[int, ...]:
    """Of each number its sum and count, as whole steps of its lattice."""
    pairs = zip(values[::2], values[1::2], strict=True)
    return tuple(_steps(n, whole(total), whole(count)) for n, (total, count) in zip(numbers, pairs, strict=True))


def _steps(n: NoisyNumber, total: int, count: int) -> int:
    if n.rounded:
        return total  # the engine has rounded to whole steps already, value by value
    if n.kind.counts:
        return count * n.step.denominator // n.step.numerator
    return int((total - n.centre * count) / n.step)


def sum_of(n: NoisyNumber, q: PlanInput) -> exp.Expr:
    reading = q.reading_of(n)
    if n.kind.counts or n.kind.is_ranked or reading is None:
        return exp.Null()
    return (rounding(n, reading) if n.rounded else col(reading.name)).exact_total().tree


def count_of(n: NoisyNumber, q: PlanInput) -> exp.Expr:
    reading = q.reading_of(n)
    if n.kind is NumberKind.SELECTION:
        return exp.Null()
    if n.kind is NumberKind.PERSONS:
        counted = distinct(col(PERSON))
    elif reading is None:
        counted = row_count()
    elif n.kind is NumberKind.DISTINCT:
        counted = distinct(col(reading.name))
    else:
        counted = col(reading.name).count_true() if reading.counted else col(reading.name).count()
    return counted.tree


def rounding(n: NoisyNumber, reading: Reading) -> Term:
    """What a row adds, in whole steps and within bounds: a function of this record alone."""
    value = col(reading.name)
    whole_part = math.floor(n.centre) if reading.argument.type is Type.INTEGER else 0  # doubles are whole up to 2**53
    off = (value - whole_part).double - (n.centre - whole_part) if whole_part else value.double - n.centre
    bounds = n.bounds or Bounds(-n.sensitivity, n.sensitivity)
    added, low, high = off, bounds.lower - n.centre, bounds.upper - n.centre
    if n.kind is NumberKind.SQUARES:
        added, low, high = off.squared - n.offset, -n.offset, n.offset
    steps = (added / term(n.step).double).rounded
    ends = [Fraction(round(end / n.step)) for end in (low, high)]
    inside = call("LEAST", call("GREATEST", steps, ends[0]), ends[1])
    return when((value.there, Term(lambda: as_whole(inside.tree))))
