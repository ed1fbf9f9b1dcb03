"""Question -> what the answer would be without each person: people who are alike together."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from operator import add
from typing import Any

from sqlglot import exp

from sfumato.model.facts import Cell
from sfumato.model.levels import Level, group_of
from sfumato.model.measurement import NoisyNumber
from sfumato.model.possible_worlds import World
from sfumato.model.schema import PERSON
from sfumato.sql.builder import nodes
from sfumato.sql.builder.ast import alias, column, ours, select_from
from sfumato.sql.builder.term import Term, call, col, row_count, when
from sfumato.sql.plans.contributions import of_one_row, of_own_rows
from sfumato.sql.plans.exposure_summary import Rows, whole
from sfumato.sql.plans.leave_one_out import PEOPLE
from sfumato.sql.plans.rows import PlanInput, rows
from sfumato.sql.plans.totals import in_steps

_CELLS = ours("cells")
OwnCell = tuple[int, tuple[int, ...], Sequence[Any]]
"""Which cell, what someone adds to its numbers in whole steps, and their counts."""


def alike(question: PlanInput, numbered: str) -> exp.Select:
    """One of them, how many they are, then what each has in one cell: its keys and, of each number, sum and count.

    Where a person has rows in several cells, it is a list of such.
    """
    q = question
    names = [*q.keys, *(name for i in range(len(q.measurement.numbers)) for name in (_sum(i), _count(i)))]
    parts: list[exp.Expr] = [column(PERSON)]
    for i, n in enumerate(q.measurement.numbers):
        parts += [part.named(name) for part, name in zip(_own(n, q), (_sum(i), _count(i)), strict=True)]
    if q.unit is None:
        each = select_from([*map(column, q.keys), *parts], rows(q, source=numbered, person=True))
    else:
        each = select_from([*map(column, q.keys), *parts], rows(q), by=[*q.keys, PERSON])
    if several_cells(q):
        cells = nodes.SortedRows(expressions=[column(name) for name in names])
        each, names = select_from([column(PERSON), alias(cells, _CELLS)], each, by=[PERSON]), [_CELLS]
    outputs = [call("MIN", col(PERSON)).tree, row_count().named(PEOPLE), *map(column, names)]
    return select_from(outputs, each, by=names)


def _own(n: NoisyNumber, q: PlanInput) -> tuple[Term, Term]:
    """Sum and count of someone's rows in a cell; of what is no sum, whether they have any that counts."""
    count, total = of_one_row(n, q) if q.unit is None else of_own_rows(n, q)
    nothing, reading = Term(exp.Null), q.reading_of(n)
    if n.kind.is_sum:
        return nothing if n.kind.counts else total, count
    assert reading is not None
    value = col(reading.name)
    return nothing, when((value.there if q.unit is None else value.count() > 0, 1), otherwise=0)


def several_cells(q: PlanInput) -> bool:
    """Whether one person may be in several cells."""
    return bool(q.unit and q.keys and q.schema.unit.groups > 1)


def read_alike(records: Rows, question: PlanInput, people: int) -> list[tuple[World, object]]:
    """The worlds in which one person is missing, and who; people whom the question leaves out change nothing."""
    q = question
    cells = {cell: i for i, cell in enumerate(q.measurement.public_cells)}
    drawn = {cell: i for i, cell in enumerate(q.measurement.drawn_cells)}
    worth = [float(n.share / n.steps) if n.kind.is_sum and n.steps else None for n in q.measurement.numbers]
    worlds = []
    for person, many, *own in records:
        each = own[0] if several_cells(q) else [own]
        kept = [part for part in map(_values, each) if tuple(part[: len(q.keys)]) in cells]
        own_cells = [_cell(part, q, cells) for part in kept]
        if q.measurement.levels is not None:
            own_cells = _at_levels(own_cells, q.measurement.levels.drawn, q.measurement.public_cells, drawn)
        worlds.append((_world(own_cells, whole(many), q, worth), person))
    left_out = people - sum(int(world.mass) for world, _ in worlds)
    return [*worlds, *([(World((), float(left_out)), None)] if left_out else [])]


def _values(part: Any) -> Sequence[Any]:
    return list(part.values()) if isinstance(part, dict) else list(part)


def _cell(values: Sequence[Any], q: PlanInput, cells: dict[Any, int]) -> OwnCell:
    width = len(q.keys)
    numbers = values[width:]
    return cells[tuple(values[:width])], in_steps(numbers, q.measurement.numbers), numbers[1::2]


def _at_levels(
    own: Sequence[OwnCell], levels: Sequence[Level], leaves: Sequence[Cell], places: dict[Any, int]
) -> list[OwnCell]:
    """What someone has in the groups of each drawn level: the sums of what they have in the leaves."""
    sums: dict[int, tuple[int, ...]] = {}
    for leaf, steps, _ in own:
        for level in levels:
            place = places[group_of(leaves[leaf], level)]
            before = sums.get(place, (0,) * len(steps))
            sums[place] = tuple(map(add, before, steps))
    return [(place, steps, ()) for place, steps in sums.items()]


def _world(own: Sequence[OwnCell], many: int, q: PlanInput, worth: Sequence[float | None]) -> World:
    """Without them every number is smaller by what they add, in steps of which each is `worth` so much of epsilon."""
    numbers, loads, touched = q.measurement.numbers, [], set[int]()
    for cell, steps, counts in sorted(own):
        for i, of_epsilon in enumerate(worth):
            if of_epsilon is not None:
                loads.append((cell * len(numbers) + i, -steps[i] * of_epsilon))
            elif not numbers[i].kind.is_sum and whole(counts[i]):
                touched.add(i)
    apart = sum((numbers[i].share for i in touched), Fraction(0)) / q.measurement.steps if touched else 0
    return World(tuple(loads), float(many), apart=float(apart))


def _sum(i: int) -> str:
    return ours("sum", str(i))


def _count(i: int) -> str:
    return ours("count", str(i))
