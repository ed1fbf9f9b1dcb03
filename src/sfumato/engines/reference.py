"""The oracle: literal leave-one-out. It runs the user's SQL once per person and shares no code with the plan.

Slow and exact: SQLite takes each person out, asks, and puts them back; sums and means are added up as fractions.
"""

from __future__ import annotations

import math
import re
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

from sfumato.model.confidential import Confidential
from sfumato.model.dataset import Bounds, Category, Schema, Type

Figure = Fraction | None
Answer = tuple[tuple[Figure, ...], ...]  # one row per public cell, in the schema's order; one figure per aggregate
Value = int | float | str | None

_SELECT = re.compile(r"\s*SELECT\s(.+?)\sFROM\s", re.IGNORECASE | re.DOTALL)
_GROUP_BY = re.compile(r"\sGROUP\s+BY\s(.+)$", re.IGNORECASE | re.DOTALL)
_AGGREGATE = re.compile(r'\b(COUNT|SUM|AVG)\s*\(\s*(\*|\w+|"[^"]+")\s*\)', re.IGNORECASE)
_NUMBER = re.compile(r"[+-]?((\d+\.?\d*|\.\d+)(e[+-]?\d+)?|inf|infinity)", re.IGNORECASE | re.ASCII)
_TRUTHS = dict.fromkeys(("true", "t", "yes", "y", "1"), 1) | dict.fromkeys(("false", "f", "no", "n", "0"), 0)


@dataclass(frozen=True)
class Asked:
    """One aggregate of the SELECT, as it is spelled: its kind, its column, and the bounds of what it adds up."""

    kind: str
    column: str
    bounds: Bounds | None

    def carried(self, figure: Figure) -> dict[tuple[object, ...], Fraction]:
        """What a person whose own answer this is adds to each noisy number, in units of its sensitivity."""
        if self.kind == "COUNT":
            return {("count", self.column): figure or Fraction(0)}
        assert self.bounds is not None
        if self.kind == "SUM":
            return {("sum", self.column, Fraction(0)): (figure or 0) / self.bounds.reach}
        middle = self.bounds.middle
        centred = Fraction(0) if figure is None else (figure - middle) / self.bounds.half_width
        return {("sum", self.column, middle): centred, ("count", self.column): Fraction(figure is not None)}


@dataclass(frozen=True, repr=False)
class LeaveOneOut(Confidential):
    """What the SQL says of everybody, of everybody but one, and of that one alone; people in the order of the rows."""

    asked: tuple[Asked, ...]
    answer: Answer
    without: tuple[Answer, ...]
    alone: tuple[Answer, ...]

    def influences(self) -> list[Fraction]:
        """By how much the answer moves when each person leaves, in all (L1, Laplace)."""
        return [sum(map(abs, self._changes(rest)), Fraction(0)) for rest in self.without]

    def influences_l2(self) -> list[float]:
        """The same as a distance (L2, Gaussian)."""
        return [math.sqrt(sum(change**2 for change in self._changes(rest))) for rest in self.without]

    def exposures(self) -> list[Fraction]:
        """Each person's share of the worst case: equal parts of it to every noisy number that is drawn."""
        return [sum(map(abs, parts), Fraction(0)) / self.numbers for parts in map(self._parts, self.alone)]

    def exposures_l2(self) -> list[float]:
        return [math.sqrt(sum(part**2 for part in parts) / self.numbers) for parts in map(self._parts, self.alone)]

    @property
    def numbers(self) -> int:
        """How many noisy numbers a cell has; one that serves two aggregates is drawn once."""
        return len({number for asked in self.asked for number in asked.carried(None)})

    @property
    def outputs(self) -> int:
        return len(self.answer) * self.numbers

    def _changes(self, rest: Answer) -> list[Fraction]:
        pairs = zip(_flat(self.answer), _flat(rest), strict=True)
        return [(before or Fraction(0)) - (after or Fraction(0)) for before, after in pairs]  # none counts as 0

    def _parts(self, own: Answer) -> list[Fraction]:
        parts: dict[tuple[object, ...], Fraction] = {}
        for cell, figures in enumerate(own):
            for asked, figure in zip(self.asked, figures, strict=True):
                parts |= {(cell, *number): part for number, part in asked.carried(figure).items()}
        return list(parts.values())


def leave_one_out(
    rows: Sequence[Mapping[str, object]], schema: Schema, sql: str, columns: Sequence[str] = ()
) -> LeaveOneOut:
    """Ask about everybody, then once per person without them and once about them alone.

    `columns` are those that the table has beside the declared ones.
    """
    table = _quoted(schema.name)
    names = list(dict.fromkeys([*(column.name for column in schema.columns), *columns]))
    stored = [*map(_quoted, names), *(_quoted(_added_up(name)) for name in names)]
    connection = sqlite3.connect(":memory:", isolation_level=None)
    connection.execute("PRAGMA case_sensitive_like = ON")
    replace: Callable[[str, int, type[_Sum]], None] = connection.create_aggregate  # type: ignore[assignment]
    replace("SUM", 1, _Sum)
    replace("AVG", 1, _Mean)
    connection.execute(f"CREATE TABLE {table} ({', '.join(stored)})")
    for row in rows:
        read = {name: _read(row.get(name), schema, name) for name in names}
        values = [*read.values(), *(_clamped(value, schema, name) for name, value in read.items())]
        connection.execute(f"INSERT INTO {table} VALUES ({', '.join('?' * len(values))})", values)

    question = _Question(sql, schema)

    def ask(removed: str = "FALSE", person: int = 0) -> Answer:
        connection.execute("BEGIN")
        connection.execute(f"DELETE FROM {table} WHERE {removed}", {"person": person})
        found = connection.execute(question.sql).fetchall()
        connection.execute("ROLLBACK")
        return question.answer(found)

    people = range(1, len(rows) + 1)
    without = tuple(ask("rowid = :person", person) for person in people)
    alone = tuple(ask("rowid <> :person", person) for person in people)
    whole = ask()
    connection.close()
    return LeaveOneOut(question.asked, whole, without, alone)


class _Question:
    """The user's SQL but for two things: keys come first in each row, and what is added up is the clamped value."""

    def __init__(self, sql: str, schema: Schema) -> None:
        select = _SELECT.match(sql)
        grouped = _GROUP_BY.search(sql)
        assert select is not None
        keys = [_plain(key) for key in grouped[1].split(",")] if grouped else []
        items = [_AGGREGATE.search(item) for item in select[1].split(",")]
        first = "".join(f"{_quoted(key)}, " for key in keys)
        self.sql = _AGGREGATE.sub(_of_clamped, f"SELECT {first}{sql[select.start(1) :]}")
        self.asked = tuple(_asked(item, schema) for item in items if item)
        self._width = len(keys)
        self._positions = [len(keys) + i for i, item in enumerate(items) if item]
        self._cells = list(product(*(_categories(key, schema) for key in keys)))

    def answer(self, found: Sequence[tuple[Value, ...]]) -> Answer:
        """The rows that were found, for every public cell and no other."""
        figures = {row[: self._width]: tuple(_exact(row[i]) for i in self._positions) for row in found}
        nothing = tuple(Fraction(0) if asked.kind == "COUNT" else None for asked in self.asked)
        return tuple(figures.get(cell, nothing) for cell in self._cells)


class _Sum:
    """SUM, exactly: fractions travel through SQLite as text."""

    def __init__(self) -> None:
        self.values: list[Fraction] = []

    def step(self, value: str | None) -> None:
        if value is not None:
            self.values.append(Fraction(value))

    def finalize(self) -> str | None:
        return str(sum(self.values)) if self.values else None


class _Mean(_Sum):
    def finalize(self) -> str | None:
        return str(sum(self.values, Fraction(0)) / len(self.values)) if self.values else None


# Cleaning: what a delivered value means


def cleaned(rows: Sequence[Mapping[str, object]], schema: Schema) -> list[dict[str, Value]]:
    """The declared columns with the schema's types: what does not fit is missing, like the declared missing texts."""
    return [{c.name: _read(row.get(c.name), schema, c.name) for c in schema.columns} for row in rows]


def _read(value: object, schema: Schema, name: str) -> Value:
    """A value as its column's type, from the way it is written; None where it is missing or does not fit."""
    column, text = schema.column(name), str(value)
    if value is None or text in schema.null_values:
        return None
    match column.type if column else Type.TEXT:
        case Type.INTEGER:
            return _whole(text.strip())
        case Type.NUMBER:
            return float(text) if _NUMBER.fullmatch(text.strip()) else None
        case Type.BOOLEAN:
            return _TRUTHS.get(text.lower())
    return text


def _whole(text: str) -> int | None:
    """A whole number of 64 bits, however it is written; None for anything else."""
    if not _NUMBER.fullmatch(text) or "inf" in text.lower():
        return None
    exact = Fraction(text)
    return int(exact) if exact.denominator == 1 and -(2**63) <= exact < 2**63 else None


def _clamped(value: Value, schema: Schema, name: str) -> str | None:
    """What SUM and AVG add up, as text; a WHERE reads the value as it is."""
    column = schema.column(name)
    if value is None or isinstance(value, str) or column is None or column.bounds is None:
        return None
    low, high = column.bounds.lower, column.bounds.upper
    return str(low if value < low else high if value > high else Fraction(value))


# Reading the SQL: by pattern, as little as will do


def _asked(item: re.Match[str], schema: Schema) -> Asked:
    kind, name = item[1].upper(), _plain(item[2])
    return Asked(kind, name.lower(), None if kind == "COUNT" else schema.bounds_of(name))


def _of_clamped(item: re.Match[str]) -> str:
    return item[0] if item[1].upper() == "COUNT" else f"{item[1]}({_quoted(_added_up(_plain(item[2])))})"


def _categories(key: str, schema: Schema) -> tuple[Category, ...]:
    column = schema.column(key)
    return () if column is None or column.keys is None else column.keys


def _exact(figure: Value) -> Figure:
    return None if figure is None else Fraction(figure)


def _flat(answer: Answer) -> list[Figure]:
    return [figure for row in answer for figure in row]


def _added_up(name: str) -> str:
    return f"{name}, clamped"


def _plain(name: str) -> str:
    return name.strip().strip('"')


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
