"""The oracle of several tables: SQLite joins them, and each person is deleted from all of them, children by parents.

It shares no code with the plans: which rows of a person count is decided in Python, by hashlib's MD5.
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import product
from typing import Any

Value = int | str | None
Rows = Sequence[tuple[Value, ...]]
Answer = dict[tuple[Value, ...], tuple[Fraction, ...]]  # by cell: the numbers that noise is added to


@dataclass(frozen=True)
class Shop:
    """Tables by name: their columns and rows, and how they hang together."""

    tables: Mapping[str, tuple[tuple[str, ...], Rows]]
    people: tuple[str, str]  # table and column of everyone
    persons: Mapping[str, str]  # the column of people of each table that has one
    parents: Mapping[str, tuple[str, str, str]] = field(default_factory=dict)  # own column, table above, key there
    max_rows: int = 3
    steps: int = 1

    def everyone(self) -> list[Any]:
        table, column = self.people
        names, rows = self.tables[table]
        return sorted({row[names.index(column)] for row in rows} - {None}, key=str)

    def owners(self, table: str) -> list[Value]:
        """Whose each row is, from the parents down."""
        names, rows = self.tables[table]
        if table in self.persons:
            return [row[names.index(self.persons[table])] for row in rows]
        if table not in self.parents:
            return [None] * len(rows)
        own, above, key = self.parents[table]
        place = self.tables[above][0].index(key)
        of_key = dict(zip((row[place] for row in self.tables[above][1]), self.owners(above), strict=True))
        return [None if row[names.index(own)] is None else of_key.get(row[names.index(own)]) for row in rows]

    def kept(self, keep: Any) -> Shop:
        """The rows of whom `keep` says, and all public ones; rows of no one stay with everybody else."""
        tables = {}
        for name, (names, rows) in self.tables.items():
            private = name in self.persons or name in self.parents
            whose = self.owners(name)
            left = [row for row, owner in zip(rows, whose, strict=True) if not private or keep(owner)]
            tables[name] = (names, left)
        return Shop(tables, self.people, self.persons, self.parents, self.max_rows, self.steps)

    def without(self, person: Value) -> Shop:
        return self.kept(lambda owner: owner != person)

    def only(self, person: Value) -> Shop:
        return self.kept(lambda owner: owner == person)


@dataclass(frozen=True)
class Aggregate:
    kind: str  # COUNT, SUM or AVG
    column: str = ""  # of the relation
    low: int = 0
    high: int = 0

    def numbers(self, values: Sequence[Value]) -> tuple[Fraction, ...]:
        """COUNT(*): rows; SUM: of clamped values; AVG: their sum from the middle, and how many there are."""
        if not self.column:
            return (Fraction(len(values)),)
        there = [Fraction(min(max(int(v), self.low), self.high)) for v in values if v is not None]
        if self.kind == "COUNT":
            return (Fraction(len(there)),)
        if self.kind == "SUM":
            return (sum(there, Fraction(0)),)
        middle = Fraction(self.low + self.high, 2)
        return (sum((v - middle for v in there), Fraction(0)), Fraction(len(there)))

    @property
    def reaches(self) -> tuple[Fraction, ...]:
        """By how much one row moves each number at most."""
        if self.kind == "COUNT":
            return (Fraction(1),)
        if self.kind == "SUM":
            return (Fraction(max(abs(self.low), abs(self.high))),)
        return (Fraction(self.high - self.low, 2), Fraction(1))


@dataclass(frozen=True)
class JoinQuestion:
    """A question in the user's SQL, and as the oracle asks it: the joined rows in SQLite's SQL, with their owner."""

    sql: str
    relation: str  # a SELECT with the owner as `who` and what is read
    read: Mapping[str, str]  # columns that are read, by the names that the statement has for them
    aggregates: tuple[Aggregate, ...]
    keys: Mapping[str, tuple[Value, ...]] = field(default_factory=dict)  # columns of the relation, and their values
    one_row_each: bool = False
    name: str = "shop"  # of the dataset: the public key of the digests

    @property
    def present(self) -> str | None:
        """The value without which a row is left out: where all that is asked is about one value."""
        columns = {a.column for a in self.aggregates}
        return next(iter(columns)) if len(columns) == 1 and "" not in columns else None

    def max_rows(self, shop: Shop) -> int:
        return 1 if self.one_row_each else shop.max_rows

    def answer(self, shop: Shop) -> Answer:
        """The numbers of each cell, of the rows that count."""
        connection = sqlite3.connect(":memory:")
        for table, (columns, stored) in shop.tables.items():
            quoted, places = ", ".join(f'"{name}"' for name in columns), ", ".join("?" * len(columns))
            connection.execute(f'CREATE TABLE "{table}" ({quoted})')
            connection.executemany(f'INSERT INTO "{table}" VALUES ({places})', stored)
        found = connection.execute(self.relation)
        names = [column[0] for column in found.description]
        rows = [dict(zip(names, row, strict=True)) for row in found]
        connection.close()
        everyone = set(shop.everyone())
        kept = [row for row in rows if row["who"] in everyone and self._counts(row)]
        cells = list(product(*self.keys.values()))
        counting = self._first(kept, self.max_rows(shop))
        return {
            cell: tuple(
                number
                for a in self.aggregates
                for number in a.numbers(
                    [row[a.column] if a.column else 1 for row in counting if self._cell(row) == cell]
                )
            )
            for cell in cells
        }

    def _cell(self, row: Mapping[str, Value]) -> tuple[Value, ...]:
        return tuple(row[key] for key in self.keys)

    def _counts(self, row: Mapping[str, Value]) -> bool:
        listed = all(row[key] in values for key, values in self.keys.items())
        return listed and (self.present is None or row[self.present] is not None)

    def _first(self, rows: Sequence[Mapping[str, Value]], most: int) -> list[Mapping[str, Value]]:
        """At most so many rows of each person: the least digests of what is read and the number of the copy."""
        people: dict[Value, list[Mapping[str, Value]]] = defaultdict(list)
        for row in rows:
            people[row["who"]].append(row)
        counting: list[Mapping[str, Value]] = []
        for person, own in people.items():
            copies: Counter[str] = Counter()
            order = []
            for place, row in enumerate(own):
                text = _fields([None if row[c] is None else str(row[c]) for _, c in sorted(self.read.items())])
                copies[text] += 1
                digest = hashlib.md5((_fields([self.name, str(person)]) + text + _fields([str(copies[text])])).encode())
                order.append((digest.hexdigest(), place))
            counting += [own[place] for _, place in sorted(order)[:most]]
        return counting


def _fields(texts: Sequence[str | None]) -> str:
    return "".join("-" if text is None else f"{len(text.encode())}:{text}" for text in texts)


@dataclass(frozen=True)
class Found:
    """What the oracle finds of everyone, of everyone but one, and of one alone."""

    people: list[Any]
    everyone: Answer
    without: list[Answer]
    alone: list[Answer]

    def changes(self, place: int) -> list[tuple[Fraction, ...]]:
        return [
            tuple(a - b for a, b in zip(numbers, self.without[place][cell], strict=True))
            for cell, numbers in self.everyone.items()
        ]

    def own_parts(self, place: int) -> list[tuple[Fraction, ...]]:
        return [self.alone[place][cell] for cell in self.everyone]


def leave_one_out(shop: Shop, question: JoinQuestion) -> Found:
    people = shop.everyone()
    return Found(
        people,
        question.answer(shop),
        [question.answer(shop.without(person)) for person in people],
        [question.answer(shop.only(person)) for person in people],
    )


def exposures(shop: Shop, question: JoinQuestion, found: Found) -> list[Fraction]:
    """Each person's share of the most that a person may move: the noisy numbers have equal shares of epsilon."""
    most = [r * question.max_rows(shop) * shop.steps for a in question.aggregates for r in a.reaches]
    return [
        sum((abs(change) / d for row in found.changes(p) for change, d in zip(row, most, strict=True)), Fraction(0))
        / len(most)
        for p in range(len(found.people))
    ]
