"""Question -> how many values lie below, at and between the candidates of a value that is selected by its rank."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from sqlglot import exp

from sfumato.model.dataset import PERSON
from sfumato.model.facts import Cell
from sfumato.model.measurement import NoisyNumber
from sfumato.sql.facts import Rows, whole
from sfumato.sql.rows import Question, rows
from sfumato.sql.term import Term, call, col, rows_counted, term, when
from sfumato.sql.tree import as_whole, column, ours, selected

_PLACE = ours("place")
_NEAR = Fraction(1, 10**9)  # of the way to the next candidate: what is so near to one is at it


def counts(question: Question, number: NoisyNumber) -> exp.Select:
    """Per cell and place, how many: place 0 lies below the first candidate, 1 at it, 2 between it and the next."""
    q = question
    reading = q.reading_of(number)
    assert reading is not None
    value = col(reading.name)
    placed = selected(
        [*map(column, q.keys), _place(number, value).named(_PLACE)], _values(q, number, value), where=[value.there.tree]
    )
    return selected([*map(column, q.keys), column(_PLACE), rows_counted().tree], placed, by=[*q.keys, _PLACE])


def read_counts(found: Rows, number: NoisyNumber) -> dict[Cell, Sequence[int]]:
    counted: dict[Cell, list[int]] = {}
    for *key, place, many in found:
        counted.setdefault(tuple(key), [0] * (2 * number.candidates + 1))[whole(place)] = whole(many)
    return dict(counted)


def _values(q: Question, number: NoisyNumber, value: Term) -> exp.Select:
    """The values that are counted: all that count, or of a minimum or maximum one a person."""
    assert number.selects is not None
    kept = rows(q)
    extreme = number.selects.extreme
    if q.unit is None or extreme is None:
        return kept
    names, name = [*q.keys, PERSON], value.tree.name
    one = call(extreme.value, value).named(name)
    return selected([*map(column, names), one], kept, by=names)


def _place(number: NoisyNumber, value: Term) -> Term:
    """From this record alone: twice the candidates below it, one more where it is at one, two where it is beyond."""
    assert number.bounds is not None
    along = (value.double - number.bounds.lower) / term(number.apart).double
    passed = call("FLOOR", along + _NEAR)
    beyond = when((along - passed <= _NEAR, 1), otherwise=2)
    inside = call("LEAST", call("GREATEST", passed * 2 + beyond, 0), 2 * number.candidates)
    return Term(lambda: as_whole(inside.tree))
