"""Question -> how many people stand in which public bin of exposure: what a private sketch draws noise around.

Which bin somebody is in must be a function of their own rows. Sums of floats depend on the order of the rows, and so on
who else is there: a person's rows are added up in whole steps, as for a release, and what they carry over all numbers
and cells in whole units, of which the width of a bin has FINE.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from operator import add

from sqlglot import exp

from sfumato.model.dataset import PERSON
from sfumato.model.measurement import NoisyNumber
from sfumato.sql.facts import Rows, whole
from sfumato.sql.rows import L2, Question, rows
from sfumato.sql.term import Term, call, col, rows_counted, term, when
from sfumato.sql.totals import count_of, rounded, sum_of
from sfumato.sql.tree import cast, column, ours, selected

FINE = 2**32  # 200 bins squared have 2**48 units: few enough for a float to hold each
_CARRIED, _BIN = ours("carried"), ours("bin")


def people_by_bin(question: Question, bins: int) -> exp.Select:
    """Bins and the people in them: bin i holds the exposures above (i - 1) / bins, up to i / bins; bin 0 those at 0."""
    q = question
    carried = reduce(add, (_units(n, q, bins) for n in q.measurement.numbers))
    if q.unit is None:
        each = selected([carried.named(_CARRIED)], rows(q))
    else:
        cells = selected([column(PERSON), carried.named(_CARRIED)], rows(q), by=[*q.keys, PERSON])
        each = selected([col(_CARRIED).total().named(_CARRIED)], cells, by=[PERSON])
    widths = col(_CARRIED).double / FINE
    place = call("LEAST", call("CEIL", widths.root if q.norm == L2 else widths), bins)
    placed = selected([Term(lambda: cast(place.tree, "INTEGER")).named(_BIN)], each)
    return selected([column(_BIN), rows_counted().tree], placed, by=[_BIN])


def read_people_by_bin(found: Rows, people: int, bins: int) -> tuple[int, ...]:
    """How many are in each bin; whoever is in none of the rows that count is at 0."""
    counts = {whole(place): whole(count) for place, count in found}
    above = [counts.get(place, 0) for place in range(1, bins + 1)]
    return (people - sum(above), *above)


def _units(n: NoisyNumber, q: Question, bins: int) -> Term:
    """What somebody carries of a number in a cell; under L2 its square. Who carries anything has a unit at least."""
    load = abs(_added(n, q)).double / float(n.steps if n.rounded else n.sensitivity)
    load, one = (load.squared, bins**2 * FINE) if q.norm == L2 else (load, bins * FINE)
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
