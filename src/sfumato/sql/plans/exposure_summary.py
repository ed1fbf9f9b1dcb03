"""Question -> the SQL that says how much each person carries, summarised; and the reading of its rows."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

from sqlglot import exp

from sfumato.model.facts import EXPOSURE, INFLUENCE, Bin, Cell, Distribution, Summary
from sfumato.model.measurement import NumberKind
from sfumato.model.schema import PERSON, Schema
from sfumato.model.statement import AggregateKind, ColumnRef, Predicate, columns_in
from sfumato.sql.builder import nodes
from sfumato.sql.builder.ast import (
    alias,
    column,
    join_with,
    order_by,
    ours,
    predicate,
    same_columns,
    scalar,
    select_from,
    sub_select,
)
from sfumato.sql.builder.term import Term, call, col, distinct, row_count, term
from sfumato.sql.builder.values import as_whole, function, number
from sfumato.sql.plans.joined_tables import people_rows
from sfumato.sql.plans.leave_one_out import PEOPLE, LeaveOneOutPlan
from sfumato.sql.plans.levels import AtLevels
from sfumato.sql.plans.row_values import is_present
from sfumato.sql.plans.rows import L2, PlanInput, conditions, rows

Rows = Sequence[tuple[Any, ...]]
Tree = exp.Select

MOST_EXPOSED = 20
SIDE = ours("side")
_ALL_PEOPLE, _FIGURES = ours("all_people"), ours("figures")


# How many people there are


def people_count(question: PlanInput) -> exp.Select:
    """Everyone whom the table is about, matched or not."""
    schema = question.registered
    who = row_count() if schema.unit.column is None else distinct(col(schema.people_column))
    return select_from([who.tree], schema.people_table)


def matched_rows(question: PlanInput) -> exp.Select:
    """How many rows the question keeps, group by group; also of keys that are not listed, where some are."""
    q = question
    keys = [scalar(key.expression) for key in q.statement.keys]
    kept = conditions(q, any_key=q.measurement.cells is not None)
    named = [alias(key, name) for key, name in zip(keys, q.keys, strict=True)]
    return select_from([*named, row_count().tree], q.source, where=kept, by=q.keys)


def read_matched_rows(records: Rows, question: PlanInput) -> int:
    """Those with listed keys."""
    cells = None if question.measurement.cells is None else set(question.measurement.cells)
    return sum(whole(many) for *cell, many in records if cells is None or tuple(cell) in cells)


# What is the same for everyone, or follows from one figure


def uniform(question: PlanInput) -> tuple[float, float] | None:
    """Influence and exposure of the matched people, where they are the same for all: rows that are only counted."""
    q = question
    kinds = {a.kind for a in q.statement.aggregates}
    if q.unit is not None or kinds != {AggregateKind.COUNT} or (q.readings and not q.only_present):
        return None
    if q.measurement.levels is not None:
        return None
    aggregates, numbers = len(q.statement.aggregates), q.measurement.numbers
    if q.norm == L2:
        loads = sum(float(n.share) / float(n.sensitivity) ** 2 for n in numbers)
        return aggregates**0.5, loads**0.5
    return float(aggregates), float(sum(n.share / n.sensitivity for n in numbers))


def proportional(question: PlanInput) -> Fraction | None:
    """Exposure over influence, where all of it is one number that simply adds up: a COUNT or a SUM."""
    q = question
    if len(q.statement.aggregates) > 1 or len(q.measurement.numbers) > 1 or not q.measurement.additive:
        return None
    if q.measurement.levels is not None or q.measurement.numbers[0].kind is NumberKind.HISTOGRAM:
        return None
    return 1 / q.sensitivity_of(q.measurement.numbers[0])


# The least and the most exposed, where two values say it


def ends(question: PlanInput) -> exp.Select | None:
    """How many have the value, the smallest and the largest of it: what COUNT, SUM and AVG of a column need.

    Clamping keeps the order, so it is done to the two ends afterwards, and an engine may read them off a file's
    statistics.
    """
    q = question
    single = q.unit is None and q.only_present and len(q.statement.aggregates) == 1 and q.measurement.levels is None
    argument = q.values[0].argument if single else None
    if not isinstance(argument, ColumnRef) or q.statement.aggregates[0].kind not in (
        AggregateKind.SUM,
        AggregateKind.AVG,
    ):
        return None
    value = col(argument.name)
    parts = [row_count(), call("MIN", value), call("MAX", value)]
    return select_from([part.tree for part in parts], q.source, where=conditions(q))


def read_ends(records: Rows, question: PlanInput, people: int) -> tuple[float, float] | None:
    """The smallest and the largest exposure; None where the smallest does not follow."""
    count, *extremes = records[0]
    if not count:
        return 0.0, 0.0
    numbers = question.measurement.numbers
    varying = next(n for n in numbers if n.kind is not NumberKind.COUNT)
    assert varying.bounds is not None
    lower, upper, centre = float(varying.bounds.lower), float(varying.bounds.upper), float(varying.centre)
    low, high = (min(max(float(end), lower), upper) for end in extremes)
    loads = sorted(
        _load(question, [1.0 if n.kind is NumberKind.COUNT else abs(end - centre) for n in numbers])
        for end in (low, high)
    )
    if count < people:
        return 0.0, loads[1]
    return (loads[0], loads[1]) if centre <= low or centre >= high else None


def _load(question: PlanInput, parts: Sequence[float]) -> float:
    """The exposure of someone who adds so much to each noisy number."""
    numbers = question.measurement.numbers
    loads = [part / float(n.sensitivity) for part, n in zip(parts, numbers, strict=True)]
    if question.norm == L2:
        return math.sqrt(sum(float(n.share) * x * x for x, n in zip(loads, numbers, strict=True)))
    return sum(float(n.share) * x for x, n in zip(loads, numbers, strict=True))


# Everyone, summarised


def moments(question: PlanInput) -> exp.Select:
    """People, then smallest, largest, sum and sum of squares of influence and, where it does not follow, exposure."""
    plan = LeaveOneOutPlan(question, by_value=question.compares_with_cell)
    weight = col(PEOPLE) if plan.grouped else None
    figures = [INFLUENCE] if proportional(question) is not None else [INFLUENCE, EXPOSURE]
    return _from(plan, [_people(plan), *(part for figure in figures for part in moments_of(col(figure), weight))])


def moments_of(figure: Term, weight: Term | None = None) -> list[exp.Expr]:
    """Smallest, largest, sum and sum of squares of a figure."""
    once = figure if weight is None else weight * figure
    parts = [call("MIN", figure), call("MAX", figure), once.total(), (once * figure).total()]
    return [part.tree for part in parts]


def read_moments(records: Rows, question: PlanInput, people: int) -> tuple[Summary, Summary]:
    """Influence and exposure; people in no cell count with zero."""
    count, *figures = records[0]
    left_out = people - whole(count)
    quads = [figures[i : i + 4] for i in range(0, len(figures), 4)]
    influence, *rest = (summary_of(whole(count), quad).and_zeros(left_out) for quad in quads)
    return influence, rest[0] if rest else influence.scaled(float(proportional(question) or 0))


def summary_of(count: int, figures: Sequence[Any]) -> Summary:
    """The summary that `moments_of` reads, of this many people."""
    return Summary(count, *(float(f) for f in figures)) if count else Summary.empty()


def bins(question: PlanInput, figure: str, low: float, high: float) -> exp.Select:
    """How many people lie where between the smallest and the largest figure, in narrow bins."""
    plan = LeaveOneOutPlan(question)
    return _ahead(plan.carried(), lambda carried: bins_of(carried, figure, low, high, _people(plan)))


def bins_of(source: exp.Select, figure: str, low: float, high: float, people: exp.Expr) -> exp.Select:
    """Bins of a figure that a select has: their place, the two ends of what is in them, and how many people that is."""
    value, count, place = col(figure), Distribution.BARS * Distribution.FINE, ours("bin")
    scaled = (value - low) * (count / (high - low) if high > low else 0.0)
    whole_part = call("LEAST", call("FLOOR", scaled), count - 1)
    ends = [call(name, value).tree for name in ("MIN", "MAX")]
    return select_from([alias(as_whole(whole_part.tree, "INTEGER"), place), *ends, people], source, by=[place])


def read_bins(records: Rows, people: int) -> Distribution:
    """The bins, and those whom the question leaves out at 0."""
    filled = [Bin(float(low), float(high), whole(count)) for _, low, high, count in records]
    left_out = people - sum(b.people for b in filled)
    no_one = [Bin(0.0, 0.0, left_out)] if left_out else []
    return Distribution(tuple(sorted([*no_one, *filled], key=lambda b: (b.low, b.high))))


def reach(question: PlanInput, figure: str) -> exp.Select:
    """People, and the smallest and the largest of one figure."""
    plan = LeaveOneOutPlan(question, by_value=question.compares_with_cell)
    return _from(plan, [_people(plan), *(call(name, col(figure)).tree for name in ("MIN", "MAX"))])


def _people(plan: LeaveOneOutPlan) -> exp.Expr:
    return (col(PEOPLE).total() if plan.grouped else row_count()).tree


def _from(plan: LeaveOneOutPlan, parts: Sequence[exp.Expr]) -> exp.Select:
    """Aggregates over what the people carry."""
    return _ahead(plan.carried(), lambda carried: select_from(parts, carried))


def _ahead(select: exp.Select, use: Callable[[exp.Select], exp.Select]) -> exp.Select:
    """A select that uses another one; the tables of that one stand ahead of both."""
    tables = select.args.pop("with_")
    outer = use(select)
    outer.set("with_", tables)
    return outer


# One by one


def people(question: PlanInput, numbered: str, side: Predicate | None = None) -> exp.Select:
    """One row per person, those whom the WHERE leaves out included: person, influence, exposure."""
    whole_table = all_people(question.registered, numbered, side)
    figures = [col(name, _FIGURES).or_else(term(0).double).named(name) for name in (INFLUENCE, EXPOSURE)]
    sides = [] if side is None else [column(SIDE)]
    parts = [alias(column(PERSON, _ALL_PEOPLE), "person"), *figures, *sides]

    def use(carried: exp.Select) -> exp.Select:
        select = exp.Select(expressions=parts, from_=exp.From(this=sub_select(whole_table, _ALL_PEOPLE)))
        return join_with(select, sub_select(carried, _FIGURES), same_columns([PERSON], _ALL_PEOPLE, _FIGURES), "LEFT")

    return _ahead(LeaveOneOutPlan(question, each=True, source=numbered).carried(), use)


def people_in_order(question: PlanInput, numbered: str) -> exp.Select:
    """The same, in order."""
    return order_by(people(question, numbered), "person")


def all_people(schema: Schema, numbered: str, side: Predicate | None = None) -> exp.Select:
    """All the people, and on which side of a condition they are: a person by any of their rows."""
    unit = schema.unit.column
    met = [] if side is None else [function("COALESCE", predicate(side), exp.false())]
    if unit is None:
        return select_from([column(PERSON), *(alias(tree, SIDE) for tree in met)], numbered)
    sides = [alias(nodes.AnyTrue(this=tree), SIDE) for tree in met]
    read = {ref.name for ref in columns_in(side)} if side is not None else set[str]()
    everyone = people_rows(schema, read) if schema.tables else schema.name
    return select_from([alias(column(unit), PERSON), *sides], everyone, where=[is_present(column(unit))], by=[unit])


def most_exposed(question: PlanInput, numbered: str) -> exp.Select:
    """The few people who carry most; where all who are matched carry the same, the first of them."""
    plan = LeaveOneOutPlan(question, each=True, source=numbered)
    select = _from(plan, [alias(column(PERSON), "person"), column(INFLUENCE), column(EXPOSURE)])
    if uniform(question) is None:
        order = [exp.Ordered(this=column(name), desc=True, nulls_first=False) for name in (EXPOSURE, INFLUENCE)]
        select.set("order", exp.Order(expressions=[*order, exp.Ordered(this=column("person"), nulls_first=False)]))
    select.set("limit", exp.Limit(expression=number(MOST_EXPOSED)))
    return select


def medians(question: PlanInput, numbered: str, side: Predicate, figure: str, *, lower: bool) -> exp.Select:
    """Per side of a condition: the median of a figure (of an even number of people, or the lower of the two)."""
    tree = column(figure)
    middle = nodes.LowerMiddle(this=tree) if lower else nodes.MiddleValue(this=tree)
    return _ahead(
        people(question, numbered, side), lambda figures: select_from([column(SIDE), middle], figures, by=[SIDE])
    )


def group_reach(question: PlanInput, numbered: str, met: Predicate, figure: str) -> exp.Select:
    """How many people meet a condition, and the smallest and the largest of a figure of them."""
    ends = [row_count().tree, *(call(name, col(figure)).tree for name in ("MIN", "MAX"))]
    return _ahead(people(question, numbered, met), lambda figures: select_from(ends, figures, where=[column(SIDE)]))


def group_bins(question: PlanInput, numbered: str, met: Predicate, figure: str, low: float, high: float) -> exp.Select:
    """Their figures in narrow bins, as of everyone."""

    def use(figures: exp.Select) -> exp.Select:
        group = select_from([column(figure)], figures, where=[column(SIDE)])
        return bins_of(group, figure, low, high, row_count().tree)

    return _ahead(people(question, numbered, met), use)


def singletons(question: PlanInput) -> exp.Select | None:
    """In how many cells a single person is all there is: without them a mean or a quantile does not exist.

    None where everything that is asked for exists without anyone: counts and sums.
    """
    readings = [r for a, r in question.readings.items() if not a.kind.counts and a.kind is not AggregateKind.SUM]
    if not readings:
        return None
    people = row_count() if question.unit is None else distinct(col(PERSON))
    at, kept = AtLevels(question), rows(question)
    if at.levels:
        who = [] if question.unit is None else [column(PERSON)]
        kept = at.expanded(kept, [*who, column(readings[0].name)])
    cells = select_from([people.named(PEOPLE)], kept, where=[col(readings[0].name).there.tree], by=at.keys)
    return select_from([row_count().tree], cells, where=[col(PEOPLE).equals(1).tree])


# The answer


def answer(question: PlanInput) -> exp.Select:
    return LeaveOneOutPlan(question).answer()


def read_answer(records: Rows, question: PlanInput) -> tuple[tuple[object, ...], ...]:
    """One row per cell, one figure per aggregate; None where it does not exist."""
    at = AtLevels(question)
    width = len(at.keys)
    figures: dict[Cell, tuple[Any, ...]] = {at.cell(row): row[width:] for row in records}
    kinds = [a.kind for a in question.statement.aggregates]
    nothing = [None] * len(kinds)
    keys = sorted(figures, key=repr) if question.measurement.cells is None else question.measurement.shown_cells
    return tuple(
        tuple(whole(f) if kind.counts else f for kind, f in zip(kinds, figures.get(cell, nothing), strict=True))
        for cell in keys
    )


def whole(total: Any) -> int:
    """A whole number that an engine returned, of whatever type; nothing is 0."""
    return int(total) if total is not None else 0
