"""Random tables and random questions about them: everything that may stand in a file, and all of the dialect."""

from __future__ import annotations

import csv
from collections.abc import Callable
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet
from hypothesis import Phase, settings
from hypothesis import strategies as st

from tests.depth import depth

Row = dict[str, Any]
Draw = Callable[[st.SearchStrategy[Any]], Any]

SOURCES = ("pandas", "csv", "parquet")


def examples(name: str) -> settings:
    """As many tables as the depth says; a table that fails is shown as it is: making it smaller takes minutes."""
    return settings(max_examples=depth(name), phases=(Phase.explicit, Phase.reuse, Phase.generate))


@dataclass(frozen=True)
class Names:
    """What a table and its columns are called: an integer, a number, a text, a truth, a level, and one undeclared."""

    table: str
    whole: str
    real: str
    group: str
    flag: str
    level: str
    note: str

    @property
    def columns(self) -> tuple[str, ...]:
        return self.whole, self.real, self.group, self.flag, self.level, self.note


NAMES = (
    Names("people", "age", "pay", "region", "member", "level", "note"),
    Names("people", "Age", "PAY", "Region Name", "order", "Level", "select"),
    Names("cells", "person", "n person", "influence", "exposure", "is matched", "k person"),  # names that plans use
    Names("matched", "count", "numbered", "cells", "s count", "n count", "matched"),
)
CATEGORIES = ("north", "South", "it's, so", "Ünï")
WHOLE_BOUNDS = ((0, 100), (-7, 4), (-5, 5), (3, 10), (-20, -3), (0, 1), (-1, 1), (-2, 9), (-12, 1))
NUMBER_BOUNDS = ((0, 1), (-1.5, 2.25), (0.1, 0.7), (-3.0, 3.0), (1000.5, 2000), (-20, -3.3), (-0.3, 0.3), (-3.7, 1.2),
                 (0, 5e-3))  # fmt: skip
MISFITS = ("abc", "?", "n/a", "", " 7 ", "2.5", "-3.5", 2.5, 7.25, "1e1", "nan", "-inf", float("nan"), float("inf"),
           "9" * 25, 2**63, -(2**70), 1e300, "1e400", -0.0, 5e-324, "12abc", True)  # fmt: skip


@dataclass(frozen=True)
class Table:
    """A schema, as a mapping, and rows as they are delivered."""

    names: Names
    schema: dict[str, Any]
    rows: tuple[Row, ...]

    def without(self, person: int) -> Table:
        return Table(self.names, self.schema, self.rows[:person] + self.rows[person + 1 :])

    def source(self, kind: str, folder: Path) -> object:
        """The rows as pandas (object columns), CSV or Parquet."""
        columns = {name: [row[name] for row in self.rows] for name in self.names.columns}
        if kind == "pandas":
            return pd.DataFrame({name: pd.Series(values, dtype=object) for name, values in columns.items()})
        path = folder / f"{self.names.table}.{kind}"
        if kind == "csv":
            with path.open("w", newline="", encoding="utf-8") as file:
                csv.writer(file).writerows([columns, *zip(*columns.values(), strict=True)])
        else:
            types = self.schema["columns"]
            stored = {name: _stored(values, types.get(name, {}).get("type")) for name, values in columns.items()}
            pyarrow.parquet.write_table(pa.table(stored), path)
        return path


def _stored(values: list[Any], declared: str | None) -> pa.Array:
    """A column by the type of its values where they have one that its declared type can be read from, else as texts."""
    kinds = {type(v) for v in values if v is not None}
    if declared in ("integer", "number") and kinds == {float}:
        return pa.array(values, pa.float64())
    if declared in ("integer", "number") and kinds == {int} and all(abs(v or 0) < 2**63 for v in values):
        return pa.array(values, pa.int64())
    if declared == "boolean" and kinds == {bool}:
        return pa.array(values, pa.bool_())
    return pa.array([None if v is None else str(v) for v in values], pa.string())


# Tables


@st.composite
def tables(draw: Draw, most: int = 12, misfits: tuple[Any, ...] = MISFITS) -> Table:
    """Few values a column, so that there are ties; most fit, some are missing, beyond the bounds, or not to be read."""
    names = draw(st.sampled_from(NAMES))
    whole = draw(st.sampled_from(WHOLE_BOUNDS))
    real = draw(st.sampled_from(NUMBER_BOUNDS))
    listed = draw(st.lists(st.sampled_from(CATEGORIES), min_size=1, max_size=3, unique=True))
    schema = _schema(names, whole, real, listed)
    eighth = (real[1] - real[0]) / 8
    values = {
        names.whole: (st.integers(whole[0], whole[1]), (*range(whole[0] - 2, whole[0]), whole[1] + 9, *misfits)),
        names.real: (st.integers(0, 8).map(lambda i: real[0] + i * eighth), (real[0] - 1, real[1] + 0.1, 1, *misfits)),
        names.group: (st.sampled_from(listed), ("elsewhere", "?", *CATEGORIES)),
        names.flag: (st.booleans(), ("yes", "F", "maybe", "?")),
        names.level: (st.sampled_from((1, 3)), (2, "3", "x", "?")),
        names.note: (st.sampled_from(("abc", "ABC", "a%c")), ("zzz", "?")),
    }
    pools = {
        name: draw(st.lists(fitting, min_size=3, max_size=5))
        + draw(st.lists(st.sampled_from((None, *odd)), max_size=2))
        for name, (fitting, odd) in values.items()
    }
    row = st.fixed_dictionaries({name: st.sampled_from(pool) for name, pool in pools.items()})
    people = draw(st.integers(0, most))
    return Table(names, schema, tuple(draw(st.lists(row, min_size=people, max_size=people))))


def table_of_everything() -> Table:
    """Every value that may stand in a file, beside ordinary ones."""
    names = NAMES[0]
    numbers = (*range(-4, 5), *MISFITS, None)
    texts = cycle((*CATEGORIES, "elsewhere", "?", None))
    truths = cycle((True, False, "yes", "F", "maybe"))
    levels = cycle((1, 3, 2, "3", "x", None))
    notes = cycle(("abc", "ABC", "a%c", "zzz", None))
    people = zip(numbers, numbers, texts, truths, levels, notes, strict=False)
    schema = _schema(names, (-3, 9), (-1.5, 2.25), list(CATEGORIES[:3]))
    return Table(names, schema, tuple(_row(names, values) for values in people))


def table_at_the_bounds(whole: tuple[int, int], real: tuple[float, float]) -> Table:
    """People at the bounds, between them and beyond them."""
    names = NAMES[0]
    ages = (*whole, sum(whole) // 2, whole[0] - 1, whole[1] + 50, None)
    pays = (*real, sum(real) / 2, real[0] - 0.1, None, real[1] + 50)
    people = zip(
        ages, pays, cycle(("north", "South")), cycle((True, False, None)), cycle((3, 1)), cycle("a"), strict=False
    )
    return Table(names, _schema(names, whole, real, ["South"]), tuple(_row(names, values) for values in people))


def _row(names: Names, values: tuple[Any, ...]) -> Row:
    return dict(zip(names.columns, values, strict=True))


def _schema(names: Names, whole: tuple[int, int], real: tuple[float, float], listed: list[str]) -> dict[str, Any]:
    columns = {
        names.whole: {"type": "integer", "bounds": list(whole)},
        names.real: {"type": "number", "bounds": list(real)},
        names.group: {"type": "text", "categories": listed},
        names.flag: {"type": "boolean"},
        names.level: {"type": "integer", "categories": [3, 1]},
    }
    return {"name": names.table, "null_values": ["?", "n/a"], "columns": columns}


# Questions


@st.composite
def questions(draw: Draw, table: Table) -> str:
    """One SELECT of the dialect: one to three aggregates, a WHERE or none, by no, one or two keys."""
    names = table.names
    summed = st.builds("{}({})".format, st.sampled_from(("SUM", "sum", "AVG", "avg")), _column(names.whole, names.real))
    counted = st.builds("COUNT({})".format, st.one_of(st.just("*"), _column(*names.columns)))
    aggregates = draw(st.lists(st.one_of(summed, counted), min_size=1, max_size=3))
    keys = draw(st.lists(_column(names.group, names.flag, names.level), max_size=2, unique=True))
    shown = [key for key in keys if draw(st.booleans())]
    items = draw(st.permutations([*(f"{a} AS a{i}" for i, a in enumerate(aggregates)), *shown]))
    sql = f"SELECT {', '.join(items)} FROM {quoted(names.table)}"
    if draw(st.booleans()):
        sql += f" WHERE {draw(conditions(table))}"
    return sql + (f" GROUP BY {', '.join(keys)}" if keys else "")


def conditions(table: Table) -> st.SearchStrategy[str]:
    """Row-wise predicates; the parts are not always in parentheses, so that precedence counts."""
    names = table.names
    wholes = st.integers(-21, 51).map(str)
    reals = st.one_of(st.sampled_from(("0.1", "2.25", "-1.5", "1000.5", "0", "1e2")), wholes)
    texts = st.sampled_from((*CATEGORIES, "elsewhere", "abc", "?")).map(
        lambda text: "'" + text.replace("'", "''") + "'"
    )
    patterns = st.sampled_from(("%", "a%", "_bc", "%c", "%S%", "Ü_ï", "")).map("'{}'".format)
    numeric = st.one_of(
        st.tuples(_column(names.whole, names.level), wholes), st.tuples(_column(names.whole, names.real), reals)
    )
    textual = st.tuples(_column(names.group, names.note), texts)
    compare = st.sampled_from(("=", "==", "<>", "!=", "<", "<=", ">", ">="))
    some = st.one_of(
        st.builds(lambda pair, op: f"{pair[0]} {op} {pair[1]}", st.one_of(numeric, textual), compare),
        st.builds(lambda pair, op: f"{pair[1]} {op} {pair[0]}", numeric, compare),
        st.builds("{} {} {}".format, _column(names.whole), compare, _column(names.real, names.level)),
        st.builds(lambda pair, end: f"{pair[0]} BETWEEN {pair[1]} AND {end}", numeric, wholes),
        st.builds(lambda pair, no, end: f"{pair[0]} {no}IN ({pair[1]}, {end})", numeric, _no(), wholes),
        st.builds(lambda pair, no, end: f"{pair[0]} {no}IN ({pair[1]}, {end})", textual, _no(), texts),
        st.builds("{} IS {}NULL".format, _column(*names.columns), _no()),
        st.builds("{} {}LIKE {}".format, _column(names.group, names.note), _no(), patterns),
        _column(names.flag),
        _column(names.flag).map("{} = TRUE".format),
    )
    return st.recursive(
        some,
        lambda part: st.one_of(
            part.map("NOT ({})".format),
            part.map("({})".format),
            part.map("NOT {}".format),
            st.builds("{} {} {}".format, part, st.sampled_from(("AND", "OR")), part),
        ),
        max_leaves=4,
    )


def quoted(name: str) -> str:
    return f'"{name}"' if not name.isidentifier() or name in ("order", "select", "count", "matched", "level") else name


def _column(*names: str) -> st.SearchStrategy[str]:
    return st.sampled_from(names).map(quoted)


def _no() -> st.SearchStrategy[str]:
    return st.sampled_from(("", "NOT "))
