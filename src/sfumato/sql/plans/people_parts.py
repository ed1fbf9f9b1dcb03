"""A question about people with several rows, asked of one part of the people after the other; how the parts add up.

Which part someone is in follows from who they are, so all their rows are in one part, and what counts of them is what
counts when everyone is asked about at once. Whatever is counted, added up, or the smallest or largest of something
over the people is then that of the parts together (docs/theory/parts.md).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from operator import add
from typing import Any

from sqlglot import exp

from sfumato.model.measurement import NumberKind
from sfumato.model.schema import Schema
from sfumato.sql.builder import nodes
from sfumato.sql.builder.ast import column, select_from, sub_select
from sfumato.sql.builder.values import SQL_TYPES, cast, number
from sfumato.sql.plans.row_values import is_present
from sfumato.sql.plans.rows import PlanInput

Row = tuple[Any, ...]
Merge = Callable[[Any, Any], Any]
SUM: Merge = add
MIN: Merge = min
MAX: Merge = max


@dataclass(frozen=True)
class PeoplePart:
    """Those of the people whose hash leaves this number when it is divided by how many parts there are."""

    number: int
    of: int

    @property
    def halves(self) -> tuple[PeoplePart, PeoplePart]:
        return PeoplePart(self.number, 2 * self.of), PeoplePart(self.number + self.of, 2 * self.of)


@dataclass(frozen=True)
class Merging:
    """How rows of the parts become those of everyone: the first columns say of what, and each other one has its way.

    Where there are more columns than ways, the last way is that of all the others.
    """

    keys: int
    ways: tuple[Merge, ...]

    def add(self, merged: dict[Row, list[Any]], rows: Iterable[Row]) -> None:
        for row in rows:
            key, figures = row[: self.keys], row[self.keys :]
            known = merged.get(key)
            merged[key] = list(figures) if known is None else self._together(known, figures)

    def _together(self, one: Sequence[Any], other: Sequence[Any]) -> list[Any]:
        """NULL is what no one has."""
        ways = (*self.ways, *self.ways[-1:] * len(one))[: len(one)]
        return [b if a is None else a if b is None else way(a, b) for way, a, b in zip(ways, one, other, strict=True)]

    def rows(self, merged: dict[Row, list[Any]]) -> list[Row]:
        """Rows that agree in all but the last key lie together, as where an engine has put them in order."""
        places: dict[Row, int] = {}
        for key in merged:
            places.setdefault(key[:-1], len(places))
        return [(*key, *merged[key]) for key in sorted(merged, key=lambda key: places[key[:-1]])]


def has_parts(question: PlanInput) -> bool:
    """Whether people are told apart by a column, not row by row."""
    return question.registered.unit.column is not None


def adds_up(question: PlanInput) -> bool:
    """Whether totals of everyone are those of the parts added up: a value that two people have is one value."""
    return has_parts(question) and all(n.kind is not NumberKind.DISTINCT for n in question.measurement.numbers)


def of_part(tree: exp.Select, question: PlanInput, part: PeoplePart) -> exp.Select:
    """The same plan, for which the table has no one but these people."""
    if part.of == 1:
        return tree
    restricted, schema = tree.copy(), question.registered
    people = {table.name: table.person for table in schema.all_tables if table.person is not None}
    for read in list(restricted.find_all(exp.Table)):
        if read.name in people:
            read.replace(sub_select(_people_of(schema, read.name, people[read.name], part), read.alias_or_name))
    return restricted


def _people_of(schema: Schema, table: str, person: str, part: PeoplePart) -> exp.Select:
    """The rows of these people; rows below a parent come along with it."""
    unit = schema.column(str(schema.unit.column))
    who = column(person) if unit is None or not unit.type.numeric else cast(column(person), SQL_TYPES[unit.type])
    rest = exp.Mod(this=nodes.RowHash(expressions=[who]), expression=number(part.of))
    in_part = exp.EQ(this=rest, expression=number(part.number))
    return select_from([exp.Star()], table, where=[is_present(column(person)), in_part])
