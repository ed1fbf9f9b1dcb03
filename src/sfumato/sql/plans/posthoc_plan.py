"""Question and drawn outputs -> how far each output lies from the answer without each person; and its reading.

With `d` the change of a number when someone leaves and `R` how far the output lies from the true answer, a person's
cells alone are summed up: `|R + d| - |R|` of each number, or `(R + d)^2 - R^2` under Gaussian noise. All other cells
lie as far from the output without that person as with them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import add

from sqlglot import exp

from sfumato.model.facts import Cell, Summary
from sfumato.model.levels import ALL
from sfumato.model.measurement import NoisyNumber
from sfumato.model.schema import PERSON
from sfumato.model.statement import Predicate
from sfumato.sql.builder import nodes
from sfumato.sql.builder.ast import (
    alias,
    column,
    join_with,
    order_by,
    ours,
    same_columns,
    select_from,
    sub_select,
    values_table,
)
from sfumato.sql.builder.term import Term, call, col, row_count, term
from sfumato.sql.builder.values import cast, number, value
from sfumato.sql.plans.contributions import contribution_to
from sfumato.sql.plans.exposure_summary import SIDE, Rows, all_people, bins_of, moments_of, summary_of, whole
from sfumato.sql.plans.leave_one_out import LeaveOneOutPlan
from sfumato.sql.plans.rows import L2, PlanInput, rows

PRINTED, PRI, LOSS = "printed", "pri", "loss"
_ALL_PEOPLE, _MOVED, _OWN, _OUTPUT = (ours(table) for table in ("all_people", "moved", "own", "output"))
_CHANGED = ours("changed")
_SUMS, _MOVES = ours("sums"), ours("moves")
_WHICH, _SHIFT, _MOST = (ours(figure) for figure in ("which", "shift", "most"))

Residuals = Mapping[Cell, Sequence[float]]
"""How far an output lies from the true answer, in each cell that left and for each number."""


@dataclass(frozen=True)
class Yardstick:
    """Distances add up with these weights, one a number. A unit of them is a loss of `loss`, where that is known."""

    weights: tuple[float, ...]
    loss: float | None


@dataclass(frozen=True)
class PrintedFigures:
    """The answer as it is printed: which aggregates it shows, and how far it lies from the true answer in each."""

    aggregates: tuple[int, ...]
    residuals: Residuals
    distance: float


# What the people move


def movements(question: PlanInput, numbered: str, outputs: Sequence[Residuals], weights: Sequence[float]) -> exp.Select:
    """Each person in a released cell, per output: how much further it lies without them, and at most how much."""
    return _moved(question, _own_parts(question, numbered), outputs, weights)


def _printed_movements(q: PlanInput, numbered: str, printed: PrintedFigures) -> exp.Select:
    """The same of the figures that are printed: what a person changes there may depend on the others."""
    named = {position: _own(j) for j, position in enumerate(printed.aggregates)}
    own = LeaveOneOutPlan(q, each=True, source=numbered).changes(named)
    return _moved(q, own, [printed.residuals], (1.0,) * len(named))


def _moved(q: PlanInput, own: exp.Select, outputs: Sequence[Residuals], weights: Sequence[float]) -> exp.Select:
    figures = {_SHIFT: _shift(q, weights), _MOST: _sum(abs(col(_own(j), _OWN)) * w for j, w in enumerate(weights))}
    parts = [column(PERSON, _OWN), column(_WHICH, _OUTPUT), *(f.double.named(n) for n, f in figures.items())]
    select = exp.Select(expressions=parts, from_=exp.From(this=sub_select(own, _OWN)))
    select = join_with(select, _written_out(q, outputs, len(weights)), same_columns(q.keys, _OWN, _OUTPUT))
    if q.unit is None:
        return select
    sums = [col(name).total().named(name) for name in figures]
    return select_from([column(PERSON), column(_WHICH), *sums], select, by=[PERSON, _WHICH])


def _own_parts(q: PlanInput, numbered: str) -> exp.Select:
    """What leaving takes off each number of a cell, person by person, in its own units."""
    named = {n: _own(j) for j, n in enumerate(q.measurement.numbers)}
    added_up = {n: name for n, name in named.items() if n.kind.additive}
    if len(added_up) == len(named):
        return _sums(q, numbered, added_up)
    moves = LeaveOneOutPlan(q, each=True, source=numbered).moves(
        {n: name for n, name in named.items() if n not in added_up}
    )
    if not added_up:
        return moves
    keys = [*q.keys, PERSON]
    figures = [column(name, _SUMS if n in added_up else _MOVES) for n, name in named.items()]
    sums = exp.From(this=sub_select(_sums(q, numbered, added_up), _SUMS))
    select = exp.Select(expressions=[*(column(key, _SUMS) for key in keys), *figures], from_=sums)
    return join_with(select, sub_select(moves, _MOVES), same_columns(keys, _SUMS, _MOVES))


def _sums(q: PlanInput, numbered: str, named: Mapping[NoisyNumber, str]) -> exp.Select:
    own = [_in_units(n, q).double.named(name) for n, name in named.items()]
    names = [*map(column, q.keys), column(PERSON)]
    if q.unit is None:
        return select_from([*names, *own], rows(q, source=numbered, person=True))
    return select_from([*names, *own], rows(q), by=[*q.keys, PERSON])


def _in_units(n: NoisyNumber, q: PlanInput) -> Term:
    return contribution_to(n, q).double * float(n.step) if n.rounded and not n.kind.counts else contribution_to(n, q)


def _shift(q: PlanInput, weights: Sequence[float]) -> Term:
    def one(j: int, weight: float) -> Term:
        residual, own = col(_residual(j), _OUTPUT).double, col(_own(j), _OWN)
        if q.norm == L2:
            return own * (residual * 2 + own) * weight**2
        return (abs(residual + own) - abs(residual)) * weight

    return _sum(one(j, weight) for j, weight in enumerate(weights))


def _written_out(q: PlanInput, outputs: Sequence[Residuals], figures: int) -> exp.Values:
    """The cells that left, with what was drawn for them; once for each output."""
    names = [*q.keys, _WHICH, *(_residual(j) for j in range(figures))]
    written = (
        [*(value(key) for key in cell if key is not ALL), number(which), *map(number, numbers)]
        for which, output in enumerate(outputs)
        for cell, numbers in output.items()
    )
    return values_table(_OUTPUT, names, written)


def _sum(parts: Iterable[Term]) -> Term:
    return reduce(add, parts)


def _own(j: int) -> str:
    return ours("own", str(j))


def _residual(j: int) -> str:
    return ours("residual", str(j))


# The nearest and the furthest of several outputs


def extremes(question: PlanInput, numbered: str, outputs: Sequence[Residuals], weights: Sequence[float]) -> exp.Select:
    """Per output how many are in a cell that left, and the least and the most that it moves."""
    ends = [call(end, col(_SHIFT)).tree for end in ("MIN", "MAX")]
    each = movements(question, numbered, outputs, weights)
    return select_from([column(_WHICH), row_count().tree, *ends], each, by=[_WHICH])


def read_extremes(records: Rows, outputs: int, people: int) -> list[tuple[float, float]]:
    """People in none of the cells move nothing."""
    ends = [(0.0, 0.0)] * outputs
    for which, count, low, high in records:
        no_one = [] if whole(count) == people else [0.0]
        ends[whole(which)] = min([float(low), *no_one]), max([float(high), *no_one])
    return ends


# One output, person by person


@dataclass(frozen=True)
class PosthocPlan:
    """An output that left: `distance` is how far it lies from the true answer, as the yardstick has it.

    `printed` are its figures, None where they are not aggregates of the people.
    """

    question: PlanInput
    numbered: str
    residuals: Residuals
    yardstick: Yardstick
    distance: float
    printed: PrintedFigures | None = None

    def people(self, side: Predicate | None = None) -> exp.Select:
        """One row per person, those in no cell included: their figures, the most the loss could be, and their side."""
        q = self.question
        shift, most = (col(name, _MOVED).or_else(term(0).double) for name in (_SHIFT, _MOST))
        unit = self.yardstick.loss
        loss, reach = (_nothing(), _nothing()) if unit is None else (shift * unit, most * unit)
        figures = [self._pri(shift, self.distance).named(PRI), loss.named(LOSS), reach.named(_MOST)]
        if self.printed is not None:
            changed = col(_SHIFT, _CHANGED).or_else(term(0).double)
            figures.append(self._pri(changed, self.printed.distance).named(PRINTED))
        sides = [] if side is None else [column(SIDE)]
        parts = [alias(column(PERSON, _ALL_PEOPLE), "person"), *figures, *sides]
        everyone = sub_select(all_people(q.registered, self.numbered, side), _ALL_PEOPLE)
        select = exp.Select(expressions=parts, from_=exp.From(this=everyone))
        each = movements(q, self.numbered, [self.residuals], self.yardstick.weights)
        select = join_with(select, sub_select(each, _MOVED), same_columns([PERSON], _ALL_PEOPLE, _MOVED), "LEFT")
        if self.printed is None:
            return select
        changes = sub_select(_printed_movements(q, self.numbered, self.printed), _CHANGED)
        return join_with(select, changes, same_columns([PERSON], _ALL_PEOPLE, _CHANGED), "LEFT")

    def _pri(self, shift: Term, distance: float) -> Term:
        if self.question.norm == L2:
            return call("GREATEST", shift + distance**2, term(0).double).root.double
        return call("GREATEST", shift + distance, term(0).double).double

    @property
    def distances(self) -> tuple[str, ...]:
        """The figures that are distances, of the answer as it is printed first."""
        return (PRI,) if self.printed is None else (PRINTED, PRI)

    def listed(self) -> exp.Select:
        """Person, distances and loss, in order."""
        return order_by(select_from([column(n) for n in ("person", *self.distances, LOSS)], self.people()), "person")

    def summary(self) -> exp.Select:
        """People; smallest, largest, sum and sum of squares of all figures; losses above 0, and the most there is."""
        figures = [part for name in (PRI, LOSS, self.distances[0]) for part in moments_of(col(name))]
        others = [(col(LOSS) > 0).count_true().tree, call("MAX", col(_MOST)).tree]
        return select_from([row_count().tree, *figures, *others], self.people())

    def bins(self, figure: str, summary: Summary) -> exp.Select:
        return bins_of(self.people(), figure, summary.min, summary.max, row_count().tree)

    def medians(self, side: Predicate) -> exp.Select:
        """Of the distances, on either side of a condition."""
        middles: list[exp.Expr] = [nodes.MiddleValue(this=column(name)) for name in (PRI, self.distances[0])]
        return select_from([column(SIDE), *middles], self.people(side), by=[SIDE])


@dataclass(frozen=True)
class PosthocSummary:
    """Of everyone; what there is of losses is None where no loss is known, of printed figures where there are none."""

    printed: Summary | None
    pri: Summary
    loss: Summary | None
    positive: int
    most: float


def read_summary(records: Rows, plan: PosthocPlan) -> PosthocSummary:
    count, *figures, positive, most = records[0]
    people = whole(count)
    loss = None if plan.yardstick.loss is None else summary_of(people, figures[4:8])
    printed = None if plan.printed is None else summary_of(people, figures[8:])
    return PosthocSummary(printed, summary_of(people, figures[:4]), loss, whole(positive), float(most or 0.0))


@dataclass(frozen=True)
class Medians:
    """Of those who meet a condition, and of all the others; None for a group that no one is in."""

    pri: tuple[float | None, float | None]
    printed: tuple[float | None, float | None]  # the same again, where no printed figures are measured


def read_medians(records: Rows) -> Medians:
    met = {bool(side): (float(pri), float(printed)) for side, pri, printed in records}
    groups = [met.get(side, (None, None)) for side in (True, False)]
    return Medians((groups[0][0], groups[1][0]), (groups[0][1], groups[1][1]))


def _nothing() -> Term:
    return Term(lambda: cast(exp.Null(), "DOUBLE"))
