"""What each person carries of a statement, in whole units: a function of their own rows alone.

Sums of floats depend on the order of the rows, and so on who else is there: a person's rows are added up in whole
steps, as for a release, and what they carry over all numbers and cells in whole units.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from operator import add

from sqlglot import exp

from sfumato.model.measurement import NoisyNumber, NumberKind
from sfumato.model.schema import PERSON
from sfumato.sql.builder.ast import column, ours, select_from
from sfumato.sql.builder.term import Term, call, col, term, when
from sfumato.sql.builder.values import as_whole
from sfumato.sql.plans.levels import AtLevels
from sfumato.sql.plans.rows import L2, PlanInput, rows
from sfumato.sql.plans.totals import count_of, rounding, sum_of

CARRIED = ours("carried")


def contributions(question: PlanInput, one: int, numbered: str | None = None) -> exp.Select:
    """`CARRIED` of each person with a row that counts: their exposure, or under L2 its square, in units of 1 / `one`.

    With the table that also numbers its rows, `PERSON` says whose it is.
    """
    q = question
    own = units(q, one).named(CARRIED)
    who = [column(PERSON)] if numbered or q.unit else []
    if q.unit is None:
        return select_from([*who, own], rows(q, source=numbered, person=numbered is not None))
    at, source = AtLevels(q), rows(q)
    if at.levels:
        source = at.expanded(source, [column(PERSON), *(column(r.name) for r in q.values)], drawn_only=True)
    cells = select_from([*who, own], source, by=[*at.keys, PERSON])
    return select_from([*who, col(CARRIED).exact_total().named(CARRIED)], cells, by=[PERSON])


def units(q: PlanInput, one: int) -> Term:
    """Of a row, or of a person's rows in a cell, over all numbers."""
    return reduce(add, (_units(n, q, one) for n in q.measurement.numbers))


def _units(n: NoisyNumber, q: PlanInput, one: int) -> Term:
    """What someone carries of a number in a cell; under L2 its square. Who carries anything has a unit at least.

    A row by itself carries the same in every level that is drawn: all of them together as if there were one.
    """
    load = abs(contribution_to(n, q).double) / float(q.sensitivity_of(n) / (n.step if n.rounded else 1))
    load = load.squared if q.norm == L2 else load
    if q.unit is None and q.measurement.drawn_levels > 1:
        load = load * q.measurement.drawn_levels
    units = call("GREATEST", (load * float(n.share * one)).rounded, call("SIGN", load))
    return Term(lambda: as_whole(units.tree))


def contribution_to(n: NoisyNumber, q: PlanInput) -> Term:
    """What someone adds to a number in a cell: rounded values in whole steps of it, whole ones as they are."""
    count, total = of_one_row(n, q) if q.unit is None else of_own_rows(n, q)
    if n.kind.counts or n.kind is NumberKind.HISTOGRAM:
        return count
    return total if n.rounded else total.double - count * n.centre


def of_own_rows(n: NoisyNumber, q: PlanInput) -> Sequence[Term]:
    """How many of a person's rows count in a cell, and their sum."""
    return Term(lambda: count_of(n, q)), Term(lambda: sum_of(n, q)).or_else(0)


def of_one_row(n: NoisyNumber, q: PlanInput) -> Sequence[Term]:
    """The same where a person is a row."""
    reading = q.reading_of(n)
    if reading is None:
        return term(1), term(0)
    value = col(reading.name)
    count = when((value if reading.counted else value.there, 1), otherwise=0)
    return count, (rounding(n, reading) if n.rounded else value).or_else(0)
