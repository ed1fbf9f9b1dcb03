"""What each person carries, in one pass.

People who are alike (the same keys and values; or all rows of one person in a cell) stand in one row of `alike`; what
everyone has together, cell by cell, stands in `cells`; joined, they give each person's influence and exposure. With
several levels `alike` has a row for each of them, and a person's figures are added up over all.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, reduce
from operator import add

from sqlglot import exp

from sfumato.model.facts import EXPOSURE, INFLUENCE
from sfumato.model.measurement import NoisyNumber, NumberKind
from sfumato.model.schema import PERSON
from sfumato.model.statement import Aggregate, AggregateKind
from sfumato.sql.builder.ast import alias, column, join_with, ours, select_from, table, with_tables
from sfumato.sql.builder.term import Term, call, col, row_count, term, when
from sfumato.sql.plans import order_statistics
from sfumato.sql.plans.influence import (
    Parts,
    added_up,
    extreme,
    extreme_moves,
    mean_moves,
    needed,
    of_one,
    of_several,
    parts_of,
    spread,
    spread_moves,
    together,
)
from sfumato.sql.plans.levels import AtLevels
from sfumato.sql.plans.order_statistics import Tables
from sfumato.sql.plans.rows import L2, ROWS, PlanInput, Reading, rows

PEOPLE = ours("people")
_ALIKE, _CELLS, _CARRIED = ours("alike"), ours("cells"), ours("carried")
_LEAVES = ours("leaves")
_OWN_ROWS, _ALL_ROWS, _PERSONS = ours("own rows"), ours("all rows"), ours("persons")


@dataclass(frozen=True)
class LeaveOneOutPlan:
    """The plan of one question. `each`: one row per person, with their names; else people who are alike share one."""

    question: PlanInput
    each: bool = False
    source: str | None = None  # the table that also numbers its rows, where people are rows
    by_value: bool = True  # group rows by value where few values are possible

    def carried(self) -> exp.Select:
        """Influence and exposure, and of how many people; with `each` of whom."""
        figures = [col(name).root.named(name) if self.question.norm == L2 else column(name) for name in _FIGURES]
        return with_tables(select_from([*self._who(), column(PEOPLE), *figures], _CARRIED), self._tables())

    def answer(self) -> exp.Select:
        """The answer as it would be released without noise: the cells' keys, then one figure per aggregate."""
        q = self.question
        figures = [self._figure(a, i).tree for i, a in enumerate(q.statement.aggregates)]
        select = select_from([*(column(k, _CELLS) for k in self._keys), *figures], _CELLS)
        for position, a in enumerate(q.statement.aggregates):
            if order_statistics.needs_more(q, a):
                select = self._joined(select, order_statistics.of_all(position), _CELLS, kind="LEFT")
        return with_tables(select, self._tables()[:-1])

    def moves(self, named: Mapping[NoisyNumber, str]) -> exp.Select:
        """Cell by cell and person by person: what leaving takes off each of these numbers, which are no sums."""
        q = self.question
        moved = [self._signed(q.statement.aggregates[_position(q, n)], _position(q, n)) for n in named]
        figures = [taken.double.named(name) for taken, name in zip(moved, named.values(), strict=True)]
        keys = [column(key, _ALIKE) for key in q.keys]
        select = self._beside(select_from([*keys, *self._who(_ALIKE), *figures], _ALIKE))
        return with_tables(select, self._tables()[:-1])

    def changes(self, named: Mapping[int, str]) -> exp.Select:
        """Cell by cell and person by person: what leaving takes off these aggregates, by their positions."""
        q = self.question
        taken = [self._taken(q.statement.aggregates[i], i).double.named(name) for i, name in named.items()]
        keys = [column(key, _ALIKE) for key in q.keys]
        select = self._beside(select_from([*keys, *self._who(_ALIKE), *taken], _ALIKE))
        return with_tables(select, self._tables()[:-1])

    @property
    def grouped(self) -> bool:
        """Whether people who are alike share a row: with several levels, always, as the row says who they are."""
        if self.each or self.question.unit is not None:
            return False
        return bool(self._at.levels) or (self.by_value and self.question.narrow)

    @cached_property
    def _at(self) -> AtLevels:
        return AtLevels(self.question)

    @property
    def _keys(self) -> tuple[str, ...]:
        """The columns that name a cell."""
        return self._at.keys

    # The tables, one from the other

    def _tables(self) -> Tables:
        q = self.question
        alike, kept = self._persons() if q.unit else self._rows(), bool(q.unit) or self.grouped
        tables: Tables = [(ROWS, rows(q, source=self.source, person=self.each), self._rows_kept)]
        if self._at.levels:
            tables += [(_LEAVES, alike, True), (_ALIKE, self._leveled(), None)]
        else:
            tables.append((_ALIKE, alike, kept))
        tables.append((_CELLS, self._cells(), None))
        for position, a in enumerate(q.statement.aggregates):
            if order_statistics.needs_more(q, a):
                tables += order_statistics.tables(q, a, position)
        return [*tables, (_CARRIED, self._carried(), None)]

    @property
    def _rows_kept(self) -> bool | None:
        """Whether an engine is to keep the rows: those of a derived table are not computed twice."""
        if self.question.unit is not None:
            return None
        return self.question.statement.derived is not None

    def _rows(self) -> exp.Select:
        """People are rows: one by one, or those with the same keys and values together."""
        q = self.question
        names = [*q.keys, *([PERSON] if self.each else []), *(r.name for r in q.values)]
        if not self.grouped:
            return select_from([*map(column, names), term(1).named(PEOPLE)], ROWS)
        return select_from([*map(column, names), row_count().named(PEOPLE)], ROWS, by=names)

    def _persons(self) -> exp.Select:
        """People have several rows: what they have in each cell."""
        q = self.question
        parts = [row_count().named(_OWN_ROWS)]
        for reading in q.values:
            own = of_several(reading, col(reading.name))
            parts += [own[part].named(f"{reading.name} {part}") for part in _needed(q, reading)]
        names = [*q.keys, PERSON]
        return select_from([*map(column, names), term(1).named(PEOPLE), *parts], ROWS, by=names)

    def _leveled(self) -> exp.Select:
        """What people have in each cell of each level: of people with several rows, added up."""
        q = self.question
        if q.unit is None:
            who = [column(PERSON)] if self.each else self._same
            return self._at.expanded(_LEAVES, [*who, *(column(r.name) for r in q.values), column(PEOPLE)])
        names = [_OWN_ROWS, *(f"{r.name} {part}" for r in q.values for part in _needed(q, r))]
        every = self._at.expanded(_LEAVES, [column(PERSON), *map(column, names)])
        sums = [added_up(name).named(name) for name in names]
        by = [*self._keys, PERSON]
        return select_from([*map(column, by), term(1).named(PEOPLE), *sums], every, by=by)

    @property
    def _same(self) -> list[exp.Expr]:
        """The keys of people who are alike, under names that no level changes."""
        return [alias(column(key), _leaf_name(key)) for key in self.question.keys]

    def _cells(self) -> exp.Select:
        """What everyone has together, cell by cell."""
        q = self.question
        parts = [(col(PEOPLE) * self._own_rows()).total().named(_ALL_ROWS), row_count().named(_PERSONS)]
        for reading in q.values:
            own = self._own(reading)
            for part in _needed(q, reading):
                parts.append(together(part, own[part], col(PEOPLE)).named(f"{_of_all(reading)} {part}"))
        return select_from([*map(column, self._keys), *parts], _ALIKE, by=self._keys)

    def _carried(self) -> exp.Select:
        q = self.question
        moved = self._at.where_shown(self._norm(self._changes()), _ALIKE)
        load = self._at.where_drawn(self._norm(self._loads()), _ALIKE)
        figures = [moved.named(INFLUENCE), load.named(EXPOSURE)]
        same = self._alike_names if self._at.levels else []
        select = self._beside(select_from([*self._who(_ALIKE), *same, column(PEOPLE), *figures], _ALIKE))
        in_all = [col(name).total().named(name) for name in _FIGURES]
        if q.unit is not None or (self._at.levels and self.each):
            return select_from([column(PERSON), term(1).named(PEOPLE), *in_all], select, by=[PERSON])
        if not self._at.levels:
            return select
        names = [tree.alias_or_name for tree in same]
        return select_from([call("MIN", col(PEOPLE)).named(PEOPLE), *in_all], select, by=names)

    @property
    def _alike_names(self) -> list[exp.Expr]:
        """What says that rows of several levels are of the same people."""
        q = self.question
        if q.unit is not None or self.each:
            return []
        return [column(name, _ALIKE) for name in (*map(_leaf_name, q.keys), *(r.name for r in q.values))]

    def _beside(self, select: exp.Select) -> exp.Select:
        """With what everyone has in the cell, and what sums do not tell."""
        q = self.question
        if q.compares_with_cell:
            select = self._joined(select, _CELLS, _ALIKE)
        for position, a in enumerate(q.statement.aggregates):
            if not order_statistics.needs_more(q, a):
                continue
            if a.kind is AggregateKind.COUNT_DISTINCT:
                also = PERSON if q.unit else q.readings[a].name
                select = self._joined(select, order_statistics.name("alone", position), _ALIKE, also, kind="LEFT")
                continue
            select = self._joined(select, order_statistics.of_all(position), _ALIKE, kind="LEFT")
            if q.unit is not None:
                select = self._joined(select, order_statistics.name("without", position), _ALIKE, PERSON, kind="LEFT")
        return select

    def _joined(self, select: exp.Select, name: str, base: str, *also: str, kind: str = "INNER") -> exp.Select:
        """Joined on the cell's keys, and on whatever else the two tables share."""
        on = [exp.EQ(this=column(c, base), expression=column(c, name)) for c in (*self._keys, *also)]
        return join_with(select, table(name), on, kind)

    def _who(self, of: str | None = None) -> list[exp.Expr]:
        return [column(PERSON, of)] if self.each or self.question.unit else []

    # One's own, and each person's

    def _own(self, reading: Reading) -> Parts:
        if self.question.unit is None:
            return of_one(reading, col(reading.name, _ALIKE), always=self.question.only_present)
        return parts_of(reading.name, _ALIKE)

    def _own_rows(self) -> Term:
        return term(1) if self.question.unit is None else col(_OWN_ROWS)

    # Influence: by how much each aggregate of the cell moves (the papers' per-instance sensitivity)

    def _changes(self) -> list[Term]:
        return [self._change(a, position) for position, a in enumerate(self.question.statement.aggregates)]

    def _change(self, a: Aggregate, position: int) -> Term:
        counted = a.kind is AggregateKind.COUNT or self.question.is_persons(a)
        taken = self._taken(a, position)
        return taken if counted else abs(taken.double)

    def _taken(self, a: Aggregate, position: int) -> Term:
        """What leaving takes off an aggregate: that of all people less that of the others."""
        q = self.question
        if q.is_persons(a):
            return term(1)
        if a.argument is None:
            return self._own_rows()
        reading = q.readings[a]
        own, all_people = self._own(reading), parts_of(_of_all(reading))
        if a.kind is AggregateKind.COUNT:
            return own["n"]
        if a.kind is AggregateKind.SUM:
            return own["s"].double
        if a.kind is AggregateKind.AVG:
            return mean_moves(own, all_people)
        if a.kind.spreads:
            return spread_moves(reading, own, all_people, a.kind)
        return self._signed(a, position)

    def _signed(self, a: Aggregate, position: int) -> Term:
        """The change of an answer that is no sum over people, from all people to the others."""
        reading = self.question.readings[a]
        if a.kind is AggregateKind.COUNT_DISTINCT:
            return col(order_statistics.ALONE, order_statistics.name("alone", position)).or_else(0)
        if a.kind.ranks:
            return order_statistics.rank_moves(self.question, position, col(reading.name, _ALIKE))
        return extreme_moves(self._own(reading), parts_of(_of_all(reading)), _end(a.kind), col(PEOPLE))

    # Exposure: the share of the worst case

    def _loads(self) -> list[Term]:
        """`w_j |phi_ij| / D_j` of each noisy number; of what is not additive, the change over the largest possible."""
        return [self._load(n) for n in self.question.measurement.numbers]

    def _load(self, n: NoisyNumber) -> Term:
        q = self.question
        weight = float(n.share) ** (0.5 if q.norm == L2 else 1)
        if not n.kind.additive:
            return self._changes()[_position(q, n)] * (weight / float(n.largest))
        return self._added(n) * (weight / float(q.sensitivity_of(n)))

    def _added(self, n: NoisyNumber) -> Term:
        """How much a person adds to a number, either way."""
        reading = self.question.reading_of(n)
        if n.kind is NumberKind.PERSONS:
            return term(1)
        if reading is None:
            return self._own_rows()
        own = self._own(reading)
        if n.kind in (NumberKind.COUNT, NumberKind.HISTOGRAM):
            return own["n"]
        if n.kind is NumberKind.SUM:
            return abs(own["s"].double)
        if n.kind is NumberKind.CENTRED_SUM:
            return abs(own["s"].double - own["n"] * n.centre)
        return abs(own["q"] - own["n"] * n.offset)

    def _norm(self, parts: list[Term]) -> Term:
        """Their sum; under L2 the sum of their squares, whose root is taken when a person is complete."""
        return reduce(add, [part.double.squared for part in parts] if self.question.norm == L2 else parts).double

    # The answer of a cell

    def _figure(self, a: Aggregate, position: int) -> Term:
        q = self.question
        if q.is_persons(a):
            return col(_PERSONS)
        if a.argument is None:
            return col(_ALL_ROWS)
        if order_statistics.needs_more(q, a):
            return col(order_statistics.ANSWER, order_statistics.of_all(position))
        reading = q.readings[a]
        all_people = parts_of(_of_all(reading))
        n = all_people["n"]
        if a.kind is AggregateKind.COUNT:
            return n
        if a.kind in (AggregateKind.SUM, AggregateKind.AVG):
            return when((n > 0, all_people["s"].double / (1 if a.kind is AggregateKind.SUM else n)))
        if a.kind.spreads:
            return when((n > a.kind.lost, spread(reading, all_people, a.kind)))
        return extreme(all_people, _end(a.kind))


_FIGURES = (INFLUENCE, EXPOSURE)


def _needed(q: PlanInput, reading: Reading) -> list[str]:
    parts = [part for a, r in q.readings.items() if r == reading for part in needed(a.kind)]
    histograms = (n for n in q.measurement.numbers if n.kind is NumberKind.HISTOGRAM)
    counted = ["n"] if any(q.reading_of(n) == reading for n in histograms) else []
    return list(dict.fromkeys([*parts, *counted]))


def _leaf_name(key: str) -> str:
    return f"{key} of all levels"


def _of_all(reading: Reading) -> str:
    return f"{reading.name} of all"


def _end(kind: AggregateKind) -> str:
    return "lo" if kind is AggregateKind.MIN else "hi"


def _position(q: PlanInput, n: NoisyNumber) -> int:
    """Which aggregate a number that is not additive belongs to."""
    aggregates = [c for c in q.measurement.columns if c.numbers]
    return next(i for i, c in enumerate(aggregates) if q.measurement.numbers[c.numbers[0]] == n)
