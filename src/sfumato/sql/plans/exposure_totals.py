"""Question -> how exposed the people are in all, in whole units: what a private selection draws noise around."""

from __future__ import annotations

import math

from sqlglot import exp

from sfumato.sql.builder.ast import column, select_from
from sfumato.sql.builder.term import Term, call, col, row_count, term
from sfumato.sql.builder.values import as_whole
from sfumato.sql.plans.contributions import CARRIED, contributions, units
from sfumato.sql.plans.exposure_summary import Rows, whole
from sfumato.sql.plans.leave_one_out import PEOPLE
from sfumato.sql.plans.rows import L2, PlanInput, rows


def moments(question: PlanInput, one: int) -> exp.Select:
    """The sum, and the sum of squares, of what is carried: exactly, in whole units, of no one more than may be.

    Where few values are possible, rows with the same value are counted first.
    """
    q = question
    if q.unit is None and q.narrow:
        values = [reading.name for reading in q.values]
        counted = select_from([*map(column, values), row_count().named(PEOPLE)], rows(q), by=values)
        each, many = select_from([units(q, one).named(CARRIED), column(PEOPLE)], counted), col(PEOPLE)
    else:
        each, many = contributions(q, one), term(1)
    own = Term(lambda: as_whole(call("LEAST", col(CARRIED), _most(q, one)).tree, "INT128"))
    return select_from([(many * own).exact_total().tree, (many * own * own).exact_total().tree], each)


def read_moments(records: Rows) -> tuple[int, int]:
    total, squares = records[0]
    return whole(total), whole(squares)


def moments_alike(question: PlanInput, exposure: float, matched: int, one: int) -> tuple[int, int]:
    """The same, where all who are matched have the same exposure."""
    own = min(_most(question, one), math.floor((exposure**2 if question.norm == L2 else exposure) * one + 0.5))
    return matched * own, matched * own**2


def _most(question: PlanInput, one: int) -> int:
    """What anyone carries at most: all of it, or where people are replaced half. Rounding, cell by cell, may add."""
    return one // question.schema.relation.steps ** (2 if question.norm == L2 else 1)
