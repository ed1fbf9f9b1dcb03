"""Question -> how many values lie below, at and between the candidates of a value that is selected by its rank."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from itertools import groupby
from typing import Any

from sqlglot import exp

from sfumato.model.facts import Cell, Counts
from sfumato.model.measurement import NoisyNumber
from sfumato.model.schema import PERSON
from sfumato.sql.builder.ast import column, order_by, ours, select_from
from sfumato.sql.builder.term import Term, call, col, row_count, term, when
from sfumato.sql.builder.values import as_whole
from sfumato.sql.plans.exposure_summary import whole
from sfumato.sql.plans.rows import PlanInput, rows

_PLACE = ours("place")
_NEAR = Fraction(1, 10**9)  # share of the way to the next candidate; a value this near to one is at it


def counts(question: PlanInput, number: NoisyNumber) -> exp.Select:
    """Per cell and place, how many; cell by cell. Numbers that agree in what they rank have the same counts."""
    q = question
    reading = q.reading_of(number)
    assert reading is not None
    value = col(reading.name)
    placed = select_from(
        [*map(column, q.keys), _place(number, value).named(_PLACE)], _values(q, number, value), where=[value.there.tree]
    )
    select = select_from([*map(column, q.keys), column(_PLACE), row_count().tree], placed, by=[*q.keys, _PLACE])
    return order_by(select, *q.keys) if q.keys else select


def read_counts(rows: Iterable[tuple[Any, ...]]) -> Iterator[tuple[Cell, Counts]]:
    """One cell after the other: no more than one is held at a time."""
    for cell, places in groupby(rows, key=lambda row: row[:-2]):
        yield cell, {whole(place): whole(many) for *_, place, many in places}


def bins_of(number: NoisyNumber, counts: Counts) -> dict[int, int]:
    """How many values lie in each bin of a histogram, from how many lie at and between its candidates."""
    bins: dict[int, int] = {}
    for place, many in counts.items():
        position = min(max(0, (place - 1) // 2), number.bins - 1)
        bins[position] = bins.get(position, 0) + many
    return bins


def _values(q: PlanInput, number: NoisyNumber, value: Term) -> exp.Select:
    """The values that are counted: all that count, or of a minimum or maximum one a person."""
    kept = rows(q)
    extreme = None if number.selects is None else number.selects.extreme
    if q.unit is None or extreme is None:
        return kept
    names, name = [*q.keys, PERSON], value.tree.name
    one = call(extreme.value, value).named(name)
    return select_from([*map(column, names), one], kept, by=names)


def _place(number: NoisyNumber, value: Term) -> Term:
    """From this record alone: twice the candidates below it, one more where it is at one, two where it is beyond."""
    assert number.bounds is not None
    along = (value.double - number.bounds.lower) / term(number.apart).double
    passed = call("FLOOR", along + _NEAR)
    beyond = when((along - passed <= _NEAR, 1), otherwise=2)
    inside = call("LEAST", call("GREATEST", passed * 2 + beyond, 0), 2 * number.candidates)
    return Term(lambda: as_whole(inside.tree))
