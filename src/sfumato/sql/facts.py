"""Question -> the SQL that says how much each person carries, summarised; and the reading of its rows."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from sqlglot import exp

from sfumato.model.dataset import PERSON
from sfumato.model.facts import Bin, Cell, Distribution, Summary
from sfumato.model.measurement import NumberKind
from sfumato.model.statement import ColumnRef, Kind, Predicate
from sfumato.sql.leaving import EXPOSURE, INFLUENCE, PEOPLE, Leaving
from sfumato.sql.rows import L2, Question, conditions, there
from sfumato.sql.tree import column, double, number, ours, predicate, scalar, table

Rows = Sequence[tuple[Any, ...]]
Tree = exp.Select

MOST_EXPOSED = 20
_EVERYBODY, _FIGURES = ours("everybody"), ours("figures")


# How many people there are


def people_count(question: Question) -> exp.Select:
    """Everybody whom the table is about, matched or not."""
    unit = question.unit
    who = exp.Star() if unit is None else exp.Distinct(expressions=[column(unit)])
    return exp.select(exp.func("COUNT", who)).from_(table(question.statement.table))


def matched(question: Question) -> exp.Select:
    """How many rows the question keeps."""
    counted = exp.select(exp.func("COUNT", exp.Star())).from_(table(question.statement.table))
    return counted.where(*conditions(question))


# What is the same for everybody, or follows from one figure


def uniform(question: Question) -> tuple[float, float] | None:
    """Influence and exposure of whoever is matched, where that is the same for all: rows that are only counted."""
    q = question
    kinds = {a.kind for a in q.statement.aggregates}
    if q.unit is not None or kinds != {Kind.COUNT} or (q.readings and not q.only_present):
        return None
    aggregates, numbers = len(q.statement.aggregates), q.measurement.numbers
    if q.norm == L2:
        loads = sum(float(n.share) / float(n.sensitivity) ** 2 for n in numbers)
        return aggregates**0.5, loads**0.5
    return float(aggregates), float(sum(n.share / n.sensitivity for n in numbers))


def proportional(question: Question) -> Fraction | None:
    """Exposure over influence, where all of it is one number that simply adds up: a COUNT or a SUM."""
    q = question
    if len(q.statement.aggregates) > 1 or len(q.measurement.numbers) > 1 or not q.measurement.additive:
        return None
    return 1 / q.measurement.numbers[0].sensitivity


# The least and the most exposed, where two values say it


def ends(question: Question) -> exp.Select | None:
    """How many have the value, the smallest and the largest of it: what COUNT, SUM and AVG of a column need.

    Clamping keeps the order, so it is done to the two ends afterwards, and an engine may read them off a file's
    statistics.
    """
    q = question
    single = q.unit is None and q.only_present and len(q.statement.aggregates) == 1
    argument = q.values[0].argument if single else None
    if not isinstance(argument, ColumnRef) or q.statement.aggregates[0].kind not in (Kind.SUM, Kind.AVG):
        return None
    tree = scalar(argument)
    parts = [exp.func("COUNT", exp.Star()), *(exp.func(f, tree.copy()) for f in ("MIN", "MAX"))]
    return exp.select(*parts).from_(table(q.statement.table)).where(*conditions(q))


def read_ends(rows: Rows, question: Question, people: int) -> tuple[float, float] | None:
    """The smallest and the largest exposure; None where the smallest does not follow."""
    count, *found = rows[0]
    if not count:
        return 0.0, 0.0
    numbers = question.measurement.numbers
    varying = next(n for n in numbers if n.kind is not NumberKind.COUNT)
    assert varying.bounds is not None
    lower, upper, centre = float(varying.bounds.lower), float(varying.bounds.upper), float(varying.centre)
    low, high = (min(max(float(end), lower), upper) for end in found)
    loads = sorted(
        _load(question, [1.0 if n.kind is NumberKind.COUNT else abs(end - centre) for n in numbers])
        for end in (low, high)
    )
    if count < people:
        return 0.0, loads[1]
    return (loads[0], loads[1]) if centre <= low or centre >= high else None


def _load(question: Question, parts: Sequence[float]) -> float:
    """The exposure of somebody who adds so much to each noisy number."""
    numbers = question.measurement.numbers
    loads = [part / float(n.sensitivity) for part, n in zip(parts, numbers, strict=True)]
    if question.norm == L2:
        return math.sqrt(sum(float(n.share) * x * x for x, n in zip(loads, numbers, strict=True)))
    return sum(float(n.share) * x for x, n in zip(loads, numbers, strict=True))


# Everybody, summarised


def moments(question: Question) -> exp.Select:
    """People, then smallest, largest, sum and sum of squares of influence and, where it does not follow, exposure."""
    plan = Leaving(question, by_value=_has_cells(question))
    weight = column(PEOPLE) if plan.grouped else None
    figures = [INFLUENCE] if proportional(question) is not None else [INFLUENCE, EXPOSURE]
    return _from(plan, [_people(plan), *(part for figure in figures for part in _moments(figure, weight))])


def _moments(figure: str, weight: exp.Expr | None) -> list[exp.Expr]:
    tree = column(figure)
    once = tree if weight is None else weight.copy() * tree.copy()
    parts = [exp.func(name, tree.copy()) for name in ("MIN", "MAX")]
    return [*parts, exp.func("SUM", once), exp.func("SUM", once.copy() * tree.copy())]


def read_moments(rows: Rows, question: Question, people: int) -> tuple[Summary, Summary]:
    """Influence and exposure; whoever is in no cell counts with zero."""
    count, *figures = rows[0]
    left_out = people - whole(count)
    quads = [figures[i : i + 4] for i in range(0, len(figures), 4)]
    influence, *rest = (_summary(whole(count), quad).and_zeros(left_out) for quad in quads)
    return influence, rest[0] if rest else influence.scaled(float(proportional(question) or 0))


def _summary(count: int, figures: Sequence[Any]) -> Summary:
    return Summary(count, *(float(f) for f in figures)) if count else Summary.nobody()


def bins(question: Question, figure: str, low: float, high: float) -> exp.Select:
    """How many people lie where between the smallest and the largest figure, in narrow bins."""
    plan = Leaving(question)
    tree, count = column(figure), Distribution.BARS * Distribution.FINE
    scaled = exp.Paren(this=tree - number(low)) * number(count / (high - low) if high > low else 0.0)
    place = exp.cast(exp.func("LEAST", exp.func("FLOOR", scaled), number(count - 1)), "INTEGER")
    ends = [exp.func(name, tree.copy()) for name in ("MIN", "MAX")]
    select = _from(plan, [exp.alias_(place, ours("bin"), quoted=True), *ends, _people(plan)])
    return select.group_by(column(ours("bin"))).order_by(column(ours("bin")))


def read_bins(rows: Rows, people: int) -> Distribution:
    """The bins, and those whom the question leaves out at 0."""
    found = [Bin(float(low), float(high), whole(count)) for _, low, high, count in rows]
    left_out = people - sum(b.people for b in found)
    nobody = [Bin(0.0, 0.0, left_out)] if left_out else []
    return Distribution(tuple(sorted([*nobody, *found], key=lambda b: (b.low, b.high))))


def reach(question: Question, figure: str) -> exp.Select:
    """People, and the smallest and the largest of one figure."""
    plan = Leaving(question, by_value=_has_cells(question))
    return _from(plan, [_people(plan), *(exp.func(name, column(figure)) for name in ("MIN", "MAX"))])


def _people(plan: Leaving) -> exp.Expr:
    return exp.func("SUM", column(PEOPLE)) if plan.grouped else exp.func("COUNT", exp.Star())


def _has_cells(question: Question) -> bool:
    return any(a.kind not in (Kind.COUNT, Kind.SUM) for a in question.statement.aggregates)


def _from(plan: Leaving, parts: Sequence[exp.Expr]) -> exp.Select:
    """Aggregates over what the people carry, its tables ahead of them."""
    carried = plan.carried()
    with_ = carried.args.pop("with_")
    select = exp.select(*parts).from_(carried.subquery(exp.to_identifier(_FIGURES, quoted=True)))
    select.set("with_", with_)
    return select


# One by one


def people(question: Question, numbered: str, side: Predicate | None = None) -> exp.Select:
    """One row per person, those whom the WHERE leaves out included: person, influence, exposure."""
    q = question
    plan = Leaving(q, each=True, source=numbered)
    sides = [] if side is None else [exp.func("COALESCE", predicate(side), exp.false())]
    if q.unit is None:
        extra = [exp.alias_(tree, ours("side"), quoted=True) for tree in sides]
        everybody = exp.select(column(PERSON), *extra).from_(table(numbered))
    else:
        extra = [exp.alias_(exp.func("LOGICAL_OR", tree), ours("side"), quoted=True) for tree in sides]
        unit = column(q.unit)
        everybody = exp.select(exp.alias_(unit, PERSON, quoted=True), *extra).from_(table(q.statement.table))
        everybody = everybody.where(there(unit.copy())).group_by(unit.copy())
    carried = plan.carried()
    with_ = carried.args.pop("with_")
    same = exp.EQ(this=column(PERSON, _EVERYBODY), expression=column(PERSON, _FIGURES))
    figures = [
        exp.alias_(exp.func("COALESCE", column(name, _FIGURES), double(number(0))), name)
        for name in (INFLUENCE, EXPOSURE)
    ]
    found = exp.alias_(column(PERSON, _EVERYBODY), "person")
    select = (
        exp.select(found, *figures, *(column(e.alias_or_name) for e in extra))
        .from_(everybody.subquery(exp.to_identifier(_EVERYBODY, quoted=True)))
        .join(carried.subquery(exp.to_identifier(_FIGURES, quoted=True)), on=same, join_type="LEFT")
    )
    select.set("with_", with_)
    return select


def most_exposed(question: Question, numbered: str) -> exp.Select:
    """The few people who carry most; where all who are matched carry the same, the first of them."""
    plan = Leaving(question, each=True, source=numbered)
    who = exp.alias_(column(PERSON), "person")
    select = _from(plan, [who, column(INFLUENCE), column(EXPOSURE)]).limit(MOST_EXPOSED)
    if uniform(question) is not None:
        return select
    order = [exp.Ordered(this=column(name), desc=True, nulls_first=False) for name in (EXPOSURE, INFLUENCE)]
    return select.order_by(*order, exp.column("person"))


def medians(question: Question, numbered: str, side: Predicate, figure: str, *, lower: bool) -> exp.Select:
    """Per side of a condition: the median of a figure (of an even number of people, or the lower of the two)."""
    listed = people(question, numbered, side)
    tree = column(figure)
    middle = exp.Anonymous(this="QUANTILE_DISC", expressions=[tree, number(0.5)]) if lower else exp.func("MEDIAN", tree)
    with_ = listed.args.pop("with_")
    select = exp.select(column(ours("side")), middle)
    select = select.from_(listed.subquery(exp.to_identifier(_FIGURES, quoted=True))).group_by(column(ours("side")))
    select.set("with_", with_)
    return select


# The answer


def answer(question: Question) -> exp.Select:
    return Leaving(question).answer()


def read_answer(rows: Rows, question: Question) -> tuple[tuple[object, ...], ...]:
    """One row per cell, one figure per aggregate; None where it does not exist."""
    width = len(question.keys)
    found: dict[Cell, tuple[Any, ...]] = {tuple(row[:width]): row[width:] for row in rows}
    kinds = [a.kind for a in question.statement.aggregates]
    nothing = [None] * len(kinds)
    cells = question.measurement.cells
    listed = sorted(found, key=repr) if cells is None else cells
    return tuple(
        tuple(whole(f) if kind.counts else f for kind, f in zip(kinds, found.get(cell, nothing), strict=True))
        for cell in listed
    )


def whole(total: Any) -> int:
    """A whole number that an engine returned, of whatever type; nothing is 0."""
    return int(total) if total is not None else 0
