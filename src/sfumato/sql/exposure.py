"""Question -> everybody's exposure in whole units: a function of their own rows, whoever else is there.

Sums of floats depend on the order of the rows, and so on who else is there: a person's rows are added up in whole
steps, as for a release, and what they carry over all numbers and cells in whole units.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from operator import add

from sqlglot import exp

from sfumato.model.dataset import PERSON
from sfumato.model.measurement import NoisyNumber
from sfumato.sql.facts import Rows, whole
from sfumato.sql.leaving import PEOPLE
from sfumato.sql.rows import L2, Question, rows
from sfumato.sql.term import Term, call, col, rows_counted, term, when
from sfumato.sql.totals import count_of, rounded, sum_of
from sfumato.sql.tree import cast, column, ours, selected

CARRIED = ours("carried")


def carried(question: Question, one: int) -> exp.Select:
    """What each person whom the question keeps carries: `one` is an exposure of 1, under Gaussian noise its square."""
    q = question
    each = _carried(q, one)
    if q.unit is None:
        return selected([each.named(CARRIED)], rows(q))
    cells = selected([column(PERSON), each.named(CARRIED)], rows(q), by=[*q.keys, PERSON])
    return selected([col(CARRIED).total().named(CARRIED)], cells, by=[PERSON])


def moments(question: Question, one: int) -> exp.Select:
    """The sum, and the sum of squares, of what is carried: exactly, in whole units, nobody with more than `one`.

    Where few values are possible, rows with the same value are counted first.
    """
    q = question
    if q.unit is None and q.narrow:
        values = [reading.name for reading in q.values]
        counted = selected([*map(column, values), rows_counted().named(PEOPLE)], rows(q), by=values)
        each = selected([_carried(q, one).named(CARRIED), column(PEOPLE)], counted)
        many = col(PEOPLE)
    else:
        each, many = carried(q, one), term(1)
    units = Term(lambda: cast(call("LEAST", col(CARRIED), one).tree, "HUGEINT"))
    return selected([(many * units).total().tree, (many * units * units).total().tree], each)


def read_moments(found: Rows) -> tuple[int, int]:
    total, squares = found[0]
    return whole(total), whole(squares)


def moments_alike(question: Question, exposure: float, matched: int, one: int) -> tuple[int, int]:
    """The same, where all who are matched have the same exposure."""
    units = min(one, round((exposure**2 if question.norm == L2 else exposure) * one))
    return matched * units, matched * units**2


def _carried(q: Question, one: int) -> Term:
    """Of a row, or of a person's rows in a cell: over all numbers."""
    return reduce(add, (_units(n, q, one) for n in q.measurement.numbers))


def _units(n: NoisyNumber, q: Question, one: int) -> Term:
    """What somebody carries of a number in a cell; under L2 its square. Who carries anything has a unit at least."""
    load = abs(_added(n, q)).double / float(n.steps if n.rounded else n.sensitivity)
    load = load.squared if q.norm == L2 else load
    units = call("GREATEST", call("ROUND", load * float(n.share * one)), call("SIGN", load))
    return Term(lambda: cast(units.tree, "BIGINT"))


def _added(n: NoisyNumber, q: Question) -> Term:
    """What somebody adds to a number in a cell: rounded values in whole steps of it, whole ones as they are."""
    count, total = _of_one_row(n, q) if q.unit is None else _of_own_rows(n, q)
    if n.kind.counts:
        return count
    return total if n.rounded else total.double - count * n.centre


def _of_own_rows(n: NoisyNumber, q: Question) -> Sequence[Term]:
    """How many of a person's rows count in a cell, and their sum."""
    return Term(lambda: count_of(n, q)), Term(lambda: sum_of(n, q)).or_else(0)


def _of_one_row(n: NoisyNumber, q: Question) -> Sequence[Term]:
    """The same where a person is a row."""
    reading = q.reading_of(n)
    if reading is None:
        return term(1), term(0)
    value = col(reading.name)
    count = when((value if reading.counted else value.there, 1), otherwise=0)
    return count, (rounded(n, reading) if n.rounded else value).or_else(0)
