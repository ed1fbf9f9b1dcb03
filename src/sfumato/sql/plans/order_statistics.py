"""What sums do not tell: who holds a value alone, and what lies at a rank. Tables of their own, beside the others."""

from __future__ import annotations

from sqlglot import exp

from sfumato.model.schema import PERSON
from sfumato.model.statement import Aggregate, AggregateKind
from sfumato.sql.builder.ast import column, join_with, ours, same_columns, select_from, table
from sfumato.sql.builder.term import Term, call, col, distinct, row_count, term, when
from sfumato.sql.plans.rows import ROWS, PlanInput

Tables = list[tuple[str, exp.Select, bool | None]]
"""Name, select, and whether an engine is to keep it; None: as it likes."""

ANSWER, ALONE, HOLDERS = ours("answer"), ours("alone"), ours("holders")
_COUNT, _UPTO, _ALL, _REST, _PART = ours("c"), ours("upto"), ours("m"), ours("rest"), ours("part")
_LOW, _HIGH = ours("low"), ours("high")


def name(what: str, position: int) -> str:
    """A table of the aggregate at this position."""
    return ours(what, str(position))


def of_all(position: int) -> str:
    return name("of all", position)


def needs_more(question: PlanInput, aggregate: Aggregate) -> bool:
    """Whether an aggregate needs more than sums."""
    return aggregate.kind.ranks or (
        aggregate.kind is AggregateKind.COUNT_DISTINCT and not question.is_persons(aggregate)
    )


def tables(question: PlanInput, aggregate: Aggregate, position: int) -> Tables:
    if aggregate.kind is AggregateKind.COUNT_DISTINCT:
        return _values(question, aggregate, position)
    ranks = _ranks(question, aggregate, position)
    return ranks if question.unit is None else [*ranks, *_ranks_without(question, aggregate, position)]


# COUNT DISTINCT


def _values(q: PlanInput, a: Aggregate, position: int) -> Tables:
    """The values of each cell, and how many of them a person holds alone (of rows: whether a value is held alone)."""
    value, values = col(q.readings[a].name), name("values", position)
    holders = row_count() if q.unit is None else distinct(col(PERSON))
    who = [] if q.unit is None else [call("MIN", col(PERSON)).named(PERSON)]
    names = [*q.keys, q.readings[a].name]
    holdings = select_from(
        [*map(column, names), *who, holders.named(HOLDERS)], ROWS, where=[value.there.tree], by=names
    )
    counted = select_from([*map(column, q.keys), row_count().named(ANSWER)], values, by=q.keys)
    names = [*q.keys, PERSON if q.unit else q.readings[a].name]
    parts = [*map(column, names), row_count().named(ALONE)]
    alone = select_from(parts, values, where=[col(HOLDERS).equals(1).tree], by=names)
    return [(values, holdings, True), (of_all(position), counted, None), (name("alone", position), alone, None)]


# Quantiles


def rank_moves(q: PlanInput, position: int, value: Term) -> Term:
    """From the quantile of all to that of the others.

    Where each row is a person: without a value up to the order statistic of a rank, the next one takes its place.
    """
    every = of_all(position)
    answer = col(ANSWER, every).double
    if q.unit is not None:
        without = name("without", position)
        return when((col(_REST, without).missing, 0), otherwise=answer - col(ANSWER, without).double.or_else(0))
    low, high = (
        when((value <= col(rank, every), col(f"{rank} next", every)), otherwise=col(rank, every)).double
        for rank in (_LOW, _HIGH)
    )
    moved = answer - (low + col(_PART, every) * (high - low))
    return when((value.missing, 0), (col(_ALL, every).equals(1), answer), otherwise=moved)


def _ranks(q: PlanInput, a: Aggregate, position: int) -> Tables:
    """The values of each cell with their ranks; the answer, and the order statistics around that of all but one row."""
    value = q.readings[a].name
    values, ranked = name("values", position), name("ranked", position)
    names = [*q.keys, value]
    counted = select_from(
        [*map(column, names), row_count().named(_COUNT)], ROWS, where=[col(value).there.tree], by=names
    )
    upwards, all_ = _window("SUM", _COUNT, q, value), _window("SUM", _COUNT, q, None)
    upto = select_from([*map(column, names), upwards.named(_UPTO), all_.named(_ALL)], values)
    m = col(_ALL)
    parts = [_quantile(a, value, m).named(ANSWER), _part_way(a, m - 1).named(_PART)]
    for place, rank in zip((_LOW, _HIGH), _between(a, m - 1), strict=True):
        parts += [_statistic(value, rank).named(place), _statistic(value, rank + 1).named(f"{place} next")]
    names = [*q.keys, _ALL]
    statistics = select_from([*map(column, names), *parts], ranked, by=names)
    return [(values, counted, None), (ranked, upto, True), (of_all(position), statistics, True)]


def _ranks_without(q: PlanInput, a: Aggregate, position: int) -> Tables:
    """The quantile without each person: only values near the rank can take its place.

    A person has at most `max_rows` rows, so the value that takes the place lies at most that many ranks away.
    """
    value, most = q.readings[a].name, q.schema.unit.max_rows
    ranked, near, counted = (name(what, position) for what in ("ranked", "near", "counted"))
    m, upto, below = col(_ALL), col(_UPTO), ours("below")
    lowest, highest = _between(a, call("GREATEST", m - most, 1))[0], _between(a, m)[1]
    before = _window("LAG", _UPTO, q, value).or_else(0)
    ranks = select_from([exp.Star(), before.named(below)], ranked)
    close = select_from([exp.Star()], ranks, where=[(upto >= lowest).tree, (col(below) < highest + most).tree])

    own, other = col(value, ROWS), col(value, near)
    left = upto - (own <= other).count_true()
    rest = m - own.count()
    parts = [other.named(value), left.named(_UPTO), rest.named(_REST)]
    each = select_from([*(column(k, ROWS) for k in q.keys), column(PERSON), *parts], ROWS, where=[own.there.tree])
    each = join_with(each, table(near), same_columns(q.keys, ROWS, near))
    group = [*(column(k, ROWS) for k in q.keys), column(PERSON), other.tree, upto.tree, m.tree]
    each.set("group", exp.Group(expressions=group))

    some = when((col(_REST) > 0, _quantile(a, value, col(_REST))))
    names = [*q.keys, PERSON, _REST]
    without = select_from([*map(column, names), some.named(ANSWER)], counted, by=names)
    return [(near, close, True), (counted, each, None), (name("without", position), without, None)]


def _quantile(a: Aggregate, value: str, m: Term) -> Term:
    low, high = (_statistic(value, rank).double for rank in _between(a, m))
    return low + _part_way(a, m) * (high - low)


def _statistic(value: str, rank: Term) -> Term:
    """The order statistic of a rank: the smallest value that so many do not exceed."""
    return call("MIN", when((col(_UPTO) >= rank, col(value))))


def _between(a: Aggregate, m: Term) -> tuple[Term, Term]:
    """The ranks between which a quantile of m values lies, from 1, in whole numbers: p is exactly as written."""
    assert a.at is not None
    top, bottom = term(a.at.numerator), a.at.denominator
    if a.kind is AggregateKind.QUANTILE_CONT:
        low = (top * (m - 1)) // bottom + 1
        return low, call("LEAST", low + 1, m)
    rank = call("GREATEST", (top * m + (bottom - 1)) // bottom, 1)
    return rank, rank


def _part_way(a: Aggregate, m: Term) -> Term:
    """How far between the two ranks a quantile lies."""
    assert a.at is not None
    if a.kind is AggregateKind.QUANTILE_DISC:
        return term(0)
    return ((term(a.at.numerator) * (m - 1)) % a.at.denominator).double / a.at.denominator


def _window(function: str, of: str, q: PlanInput, order: str | None) -> Term:
    def build() -> exp.Expr:
        upwards = [] if order is None else [exp.Ordered(this=column(order), nulls_first=False)]
        ordered = exp.Order(expressions=upwards) if upwards else None
        return exp.Window(this=call(function, col(of)).tree, partition_by=[*map(column, q.keys)], order=ordered)

    return Term(build)
