"""Random tables, with everything that may stand in a file."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache
from itertools import cycle
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet
from hypothesis import Phase, settings
from hypothesis import strategies as st

from sfumato.schema.read import from_dict
from tests.depth import depth
from tests.property.oracle import clean_rows

Row = dict[str, Any]
Draw = Callable[[st.SearchStrategy[Any]], Any]

SOURCES = ("pandas", "csv", "parquet", "polars", "arrow", "folder")


def examples(name: str) -> settings:
    """As many tables as the depth says; a table that fails is shown as it is: making it smaller takes minutes."""
    return settings(max_examples=depth(name), phases=(Phase.explicit, Phase.reuse, Phase.generate))


@dataclass(frozen=True)
class Names:
    """What a table and its columns are called: an integer, a number, a text, a truth, a level, a day, who it is about,
    and one that is not declared."""

    table: str
    whole: str
    real: str
    group: str
    flag: str
    level: str
    note: str
    day: str
    who: str

    @property
    def columns(self) -> tuple[str, ...]:
        return self.whole, self.real, self.group, self.flag, self.level, self.note, self.day, self.who

    @property
    def keys(self) -> tuple[str, ...]:
        return self.group, self.flag, self.level


NAMES = (
    Names("people", "age", "pay", "region", "member", "level", "note", "born", "who"),
    Names("people", "Age", "PAY", "Region Name", "order", "Level", "select", "date", "User Id"),
    # names that plans use
    Names("cells", "person", "n person", "influence", "exposure", "is matched", "k person", "rows", "unit"),
    Names("matched", "count", "numbered", "cells", "s count", "n count", "matched", "value", "people"),
)
CATEGORIES = ("north", "South", "it's, so", "Ünï")
WHOLE_BOUNDS = ((0, 100), (-7, 4), (-5, 5), (3, 10), (-20, -3), (0, 1), (-1, 1), (-2, 9), (-12, 1))
NUMBER_BOUNDS = ((0, 1), (-1.5, 2.25), (0.1, 0.7), (-3.0, 3.0), (1000.5, 2000), (-20, -3.3), (-0.3, 0.3), (-3.7, 1.2),
                 (0, 5e-3))  # fmt: skip
MISFITS = ("abc", "?", "n/a", "", " 7 ", "2.5", "-3.5", 2.5, 7.25, "1e1", "nan", "-inf", float("nan"), float("inf"),
           "9" * 25, 2**63, -(2**70), 1e300, "1e400", -0.0, 5e-324, "12abc", True)  # fmt: skip
DAYS = (date(2020, 2, 29), date(1999, 12, 31), date(2026, 11, 15))
PERSONS: dict[str, tuple[Any, ...]] = {"integer": (3, -1, 20, "7", 1), "text": ("bo", "Al", "Ünï", "al", "10", "9")}


@dataclass(frozen=True)
class Table:
    """A schema, as a mapping, and rows as they are delivered."""

    names: Names
    schema: dict[str, Any]
    rows: tuple[Row, ...]

    def without(self, *places: int) -> Table:
        """Without the rows at these places, counted from 0."""
        return Table(self.names, self.schema, tuple(row for i, row in enumerate(self.rows) if i not in places))

    def people(self) -> dict[Any, tuple[int, ...]]:
        """Everybody, with the places of their rows; rows that name nobody are under None."""
        stated = from_dict(self.schema)
        unit = stated.unit.column
        if unit is None:
            return {place: (place,) for place in range(len(self.rows))}
        found: dict[Any, tuple[int, ...]] = {}
        for place, row in enumerate(clean_rows(self.rows, stated)):
            found[row[unit]] = (*found.get(row[unit], ()), place)
        return found

    def source(self, kind: str, folder: Path) -> object:
        """The rows as pandas (object columns), CSV, Parquet, Polars, Arrow, or a folder of Parquet files."""
        columns = {name: [row[name] for row in self.rows] for name in self.names.columns}
        if kind == "pandas":
            return pd.DataFrame({name: pd.Series(values, dtype=object) for name, values in columns.items()})
        path = folder / f"{self.names.table}.{kind}"
        if kind == "csv":
            with path.open("w", newline="", encoding="utf-8") as file:
                csv.writer(file).writerows([columns, *zip(*columns.values(), strict=True)])
            return path
        types = self.schema["columns"]
        stored = pa.table({name: _stored(values, types.get(name, {}).get("type")) for name, values in columns.items()})
        if kind in ("polars", "arrow"):
            return pl.from_arrow(stored) if kind == "polars" else stored
        if kind == "parquet":
            pyarrow.parquet.write_table(stored, path)
            return path
        third = len(self.rows) // 3
        for number, part in enumerate((stored[:third], stored[third : 2 * third], stored[2 * third :])):
            pyarrow.parquet.write_table(part, folder / f"part-{number}.parquet")
        return folder


def _stored(values: list[Any], declared: str | None) -> pa.Array:
    """A column by the type of its values where they have one that its declared type can be read from, else as texts."""
    kinds = {type(v) for v in values if v is not None}
    if declared in ("integer", "number") and kinds == {float}:
        return pa.array(values, pa.float64())
    if declared in ("integer", "number") and kinds == {int} and all(abs(v or 0) < 2**63 for v in values):
        return pa.array(values, pa.int64())
    if declared == "boolean" and kinds == {bool}:
        return pa.array(values, pa.bool_())
    if declared == "date" and kinds == {date}:
        return pa.array(values, pa.date32())
    return pa.array([None if v is None else str(v) for v in values], pa.string())


# Tables

_INDEX = st.integers(0, 999)
_FEW, _HARDLY_ANY = st.lists(_INDEX, min_size=3, max_size=5), st.lists(_INDEX, max_size=2)
_LENGTH = st.sampled_from((9, 12, 5, 3, 11, 7, 10, 8, 6, 4, 1, 2, 0))
_UNIT = st.tuples(
    st.sampled_from(("column", "row")), st.sampled_from((3, 4, 2, 1)), st.sampled_from(("add-remove", "replace"))
)

_MAX_GROUPS = st.sampled_from((1, 2, 3))


@cache
def _indices(length: int) -> st.SearchStrategy[list[int]]:
    return st.lists(_INDEX, min_size=length, max_size=length)


@st.composite
def tables(
    draw: Draw,
    most: int = 12,
    misfits: tuple[Any, ...] = MISFITS,
    units: bool = False,
    crowded: bool = False,
    groups: bool = False,
) -> Table:
    """Few values a column, so that there are ties; most fit, some are missing, beyond the bounds, or not to be read.

    With `units` a person is a row or, as often, up to `max_rows` rows (and nobody has more), and two neighbours differ
    by a person added or replaced. `crowded`: a person has several rows, of which `max_rows` count; some twice.
    `groups`: and they count in at most `max_groups` groups.
    """
    names = draw(st.sampled_from(NAMES))
    whole = draw(st.sampled_from(WHOLE_BOUNDS))
    real = draw(st.sampled_from(NUMBER_BOUNDS))
    listed = draw(st.lists(st.sampled_from(CATEGORIES), min_size=1, max_size=3, unique=True))
    named = draw(st.sampled_from(tuple(PERSONS)))
    schema = _schema(names, whole, real, listed, named)
    eighth = (real[1] - real[0]) / 8
    values: dict[str, tuple[Sequence[Any], Sequence[Any]]] = {
        names.whole: (range(whole[0], whole[1] + 1), (*range(whole[0] - 2, whole[0]), whole[1] + 9, *misfits)),
        names.real: ([real[0] + i * eighth for i in range(9)], (real[0] - 1, real[1] + 0.1, 1, *misfits)),
        names.group: (listed, ("elsewhere", "?", *CATEGORIES)),
        names.flag: ((True, False), ("yes", "F", "maybe", "?")),
        names.level: ((1, 3), (2, "3", "x", "?")),
        names.note: (("abc", "ABC", "a%c"), ("zzz", "?")),
        names.day: (DAYS, ("2021-07-01", "2021-13-01", "?")),
        names.who: (PERSONS[named], ("?", *PERSONS[named])),
    }
    pools = {
        name: [fitting[i % len(fitting)] for i in draw(_FEW)]
        + [(None, *odd)[i % (len(odd) + 1)] for i in draw(_HARDLY_ANY)]
        for name, (fitting, odd) in values.items()
    }
    length = draw(_LENGTH) % (most + 1)
    columns = {name: [pool[i % len(pool)] for i in draw(_indices(length))] for name, pool in pools.items()}
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    if units or crowded:
        unit, max_rows, relation = draw(_UNIT)
        schema["relation"] = relation
        if crowded:
            schema |= {"unit": names.who.swapcase(), "max_rows": max_rows}
            schema |= {"max_groups": draw(_MAX_GROUPS)} if groups else {}
            rows += rows[: draw(_LENGTH) % (length + 1)]
        elif unit == "column":
            schema |= {"unit": names.who, "max_rows": max_rows}
            rows = _at_most(max_rows, names.who, rows)
    return Table(names, schema, tuple(rows))


@st.composite
def other_rows(draw: Draw, table: Table, who: Any) -> tuple[Row, ...]:
    """Rows of somebody, put together from values that the table has, the ends of the bounds and nothing."""
    names, columns = table.names, table.schema["columns"]
    pools = {name: [None, *(row[name] for row in table.rows)] for name in names.columns}
    for name in (names.whole, names.real):
        low, high = columns[name]["bounds"]
        pools[name] += [low, high, low, high, high + 1]
    for key in names.keys:
        pools[key] += columns[key].get("categories", [True, False]) * 2
    places = st.lists(st.lists(_INDEX, min_size=len(pools), max_size=len(pools)), max_size=6)
    rows = [
        {name: pool[i % len(pool)] for (name, pool), i in zip(pools.items(), row, strict=True)} for row in draw(places)
    ]
    return tuple(row | {names.who: who} for row in rows)


def _at_most(max_rows: int, who: str, rows: list[Row]) -> list[Row]:
    """The rows without those that a person has beyond `max_rows`."""
    had: Counter[str] = Counter()
    kept = []
    for row in rows:
        had[str(row[who])] += 1
        if had[str(row[who])] <= max_rows or row[who] is None:
            kept.append(row)
    return kept


def table_of_everything() -> Table:
    """Every value that may stand in a file, beside ordinary ones."""
    names = NAMES[0]
    numbers = (*range(-4, 5), *MISFITS, None)
    texts = cycle((*CATEGORIES, "elsewhere", "?", None))
    truths = cycle((True, False, "yes", "F", "maybe"))
    levels = cycle((1, 3, 2, "3", "x", None))
    notes = cycle(("abc", "ABC", "a%c", "zzz", None))
    days = cycle((*DAYS, "2021-13-01", "n/a", None))
    persons = cycle((*PERSONS["integer"], "Al", None))
    people = zip(numbers, numbers, texts, truths, levels, notes, days, persons, strict=False)
    schema = _schema(names, (-3, 9), (-1.5, 2.25), list(CATEGORIES[:3]))
    return Table(names, schema, tuple(_row(names, values) for values in people))


def table_at_the_bounds(whole: tuple[int, int], real: tuple[float, float]) -> Table:
    """People at the bounds, between them and beyond them."""
    names = NAMES[0]
    ages = (*whole, sum(whole) // 2, whole[0] - 1, whole[1] + 50, None)
    pays = (*real, sum(real) / 2, real[0] - 0.1, None, real[1] + 50)
    others = (("north", "South"), (True, False, None), (3, 1), ("a",), DAYS, (1, 2))
    people = zip(ages, pays, *map(cycle, others), strict=False)
    return Table(names, _schema(names, whole, real, ["South"]), tuple(_row(names, values) for values in people))


def _row(names: Names, values: tuple[Any, ...]) -> Row:
    return dict(zip(names.columns, values, strict=True))


def _schema(
    names: Names, whole: tuple[int, int], real: tuple[float, float], listed: list[str], named: str = "integer"
) -> dict[str, Any]:
    columns = {
        names.whole: {"type": "integer", "bounds": list(whole)},
        names.real: {"type": "number", "bounds": list(real)},
        names.group: {"type": "text", "categories": listed},
        names.flag: {"type": "boolean"},
        names.level: {"type": "integer", "categories": [3, 1]},
        names.day: {"type": "date", "bounds": ["2020-01-01", "2026-12-31"]},
        names.who: {"type": named},
    }
    return {"name": names.table, "null_values": ["?", "n/a"], "columns": columns}
