"""Everyday queries: what an analyst writes on a first day is answered, and what is refused says why.

Their true answers are those of DuckDB, which runs the text as it was written; and of neighbouring tables, hostile ones
too, every noisy number moves by no more than its sensitivity.
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Sequence
from datetime import date, datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import duckdb
import pandas as pd
import pytest
import sqlglot

import sfumato as sf
from sfumato.errors import SfumatoError
from tests.depth import depth
from tests.property.tables import Row
from tests.property.test_neighbours import assert_moved_at_most, hold_totals

EVERYDAY = Path(__file__).parent / "everyday"
TABLES = ("adult", "flights", "stays")
ODD: dict[str, object] = {
    "integer": 10**9,
    "number": -1e30,
    "date": date(1800, 1, 1),
    "timestamp": datetime.fromisoformat("1800-01-01T00:00:00"),
    "boolean": None,
}
PEOPLE = 12  # of a table
NULLABLE = {"occupation", "education", "days", "arr_delay", "air_time", "note", "capital_gain"}  # no keys: see below

# What DuckDB itself reads in another way, or not at all: our answer is then held against this text.
ELSEWHERE: dict[str, str] = {
    "SELECT COUNT(*) FROM adult WHERE 3 <= education_num <= 10": (
        "SELECT COUNT(*) FROM adult WHERE education_num BETWEEN 3 AND 10"
    ),
    "SELECT width_bucket(age, 20, 80, 6) AS b, COUNT(*) FROM adult GROUP BY b": (
        "SELECT CASE WHEN age < 20 THEN 0 WHEN age >= 80 THEN 7 ELSE FLOOR((age - 20) / 10) + 1 END AS b, COUNT(*) "
        "FROM adult GROUP BY b"
    ),
    "SELECT width_bucket(cost, 0, 10000, 10) AS b, COUNT(*) FROM stays GROUP BY b": (
        "SELECT FLOOR(cost / 1000) + 1 AS b, COUNT(*) FROM stays GROUP BY b"
    ),
    "SELECT AVG(income = '>50K') AS share FROM adult": "SELECT AVG((income = '>50K')::INT) FROM adult",
    "SELECT AVG(urgent) AS share FROM stays": "SELECT AVG(urgent::INT) FROM stays",
}


def queries(name: str) -> list[str]:
    lines = (EVERYDAY / f"{name}.sql").read_text().splitlines()
    return [line for line in lines if line and not line.startswith("--")]


def refusals() -> list[tuple[str, str]]:
    """Each query that is refused, and the sentence that it is refused with, behind `-->`."""
    parts = (part.partition("\n-->") for part in (EVERYDAY / "refused.sql").read_text().strip().split("\n\n"))
    return [(sql.strip(), sentence.strip()) for sql, _, sentence in parts]


@cache
def schema(table: str) -> dict[str, Any]:
    return tomllib.loads((EVERYDAY / f"{table}.toml").read_text())


# Tables


def value(name: str, column: dict[str, Any], chance: Random, *, odd: bool) -> object:
    """A value within bounds and categories; or one that is beyond them, unlisted or missing."""
    if chance.random() < 0.2 and (odd or name in NULLABLE):
        return None
    listed, bounds, type_ = column.get("categories"), column.get("bounds", []), column.get("type", "text")
    if odd and chance.random() < 0.2:
        return ODD.get(type_, "it's Ünï \\ %")
    if listed:
        return chance.choice(listed)
    if type_ == "boolean":
        return chance.random() < 0.5
    if type_ == "date":
        first, last = map(date.fromisoformat, bounds)
        return first + timedelta(days=chance.randrange((last - first).days + 1))
    if type_ == "timestamp":
        first, last = map(datetime.fromisoformat, bounds)
        return first + timedelta(hours=chance.randrange(24 * (last - first).days))
    if bounds and type_ == "integer":
        low, high = bounds
        near = chance.choice((high, min(high, low + 40), min(high, low + 5)))
        return chance.randint(low, near)
    if bounds:
        return chance.choice((chance.uniform(*bounds), 0.5, float(bounds[1])))
    return chance.choice(("Exec-managerial", "Sales", "Tech-support", "11th", "Prof-specialty", " Sales ", "Ünï"))


def rows(table: str, *, odd: bool) -> list[Row]:
    """Of people with one or two rows, or, in an odd table, with more than may count."""
    stated, chance = schema(table), Random(f"{table} {odd}")
    unit, made = stated.get("unit"), []
    for person in range(PEOPLE):
        for _ in range(chance.choice((1, 2) if not odd else (1, 3, 9)) if unit else 1):
            row = {name: value(name, column, chance, odd=odd) for name, column in stated["columns"].items()}
            made.append(row | ({unit: f"p{person}"} if unit else {}))
    return made


def frame(table: str, made: Sequence[Row]) -> pd.DataFrame:
    types = {"integer": "Int64", "number": "Float64", "boolean": "boolean", "timestamp": "datetime64[us]"}
    columns = schema(table)["columns"]
    return pd.DataFrame(
        {
            name: pd.Series([row[name] for row in made], dtype=types.get(column.get("type", "text"), "object"))
            for name, column in columns.items()
        }
    )


@cache
def opened(table: str, odd: bool, without: int | None = None) -> sf.Dataset:
    """A table; or the same without one of its people."""
    made = rows(table, odd=odd)
    if without is not None:
        unit = schema(table).get("unit")
        made = [row for i, row in enumerate(made) if (row[unit] != f"p{without}" if unit else i != without)]
    return sf.open(frame(table, made), schema(table), ledger=":memory:")


# What is answered


@pytest.mark.parametrize("table", TABLES)
def test_each_true_answer_is_the_one_of_the_text_as_it_was_written(table: str) -> None:
    wrong = [sql for sql in queries(table) if not same_answers(table, sql)]
    assert not wrong, "\n".join(wrong)


def same_answers(table: str, sql: str) -> bool:
    query = opened(table, odd=False).query(sql)
    columns = query.measurement.columns
    given = [c for c in columns if not c.is_public and (c.visible or all(c.computed is None for c in columns))]
    visible = [i for i, column in enumerate(given) if column.visible]
    figures = [tuple(row[i] for i in visible) for row in query.answer()]
    keys = [i for i, column in enumerate(c for c in columns if c.visible) if column.is_public]
    found = duckdb_answer(table, ELSEWHERE.get(sql, sql))
    others = [tuple(v for i, v in enumerate(row) if i not in keys) for row in found]
    return same_multisets(figures, others)


def duckdb_answer(table: str, sql: str) -> list[tuple[Any, ...]]:
    """Without HAVING, ORDER BY and LIMIT of the answer: ours is the one before these."""
    tree = sqlglot.parse_one(sql, read="duckdb")
    for clause in ("having", "order", "limit", "offset"):
        tree.set(clause, None)
    with duckdb.connect() as connection:
        connection.register("frame", frame(table, rows(table, odd=False)))
        connection.execute(f"CREATE TABLE {table} AS SELECT {typed(table)} FROM frame")
        return connection.execute(tree.sql(dialect="duckdb")).fetchall()


def typed(table: str) -> str:
    columns = schema(table)["columns"].items()
    return ", ".join(f"{n}::DATE AS {n}" if c.get("type") == "date" else n for n, c in columns)


def same_multisets(ours: Sequence[tuple[Any, ...]], theirs: Sequence[tuple[Any, ...]]) -> bool:
    """Rows that have a figure, in any order: of public groups all come back, of a database those that have a row."""

    def there(answer: Sequence[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
        return sorted((row for row in map(plain, answer) if any(row)), key=repr)

    one, other = there(ours), there(theirs)
    return len(one) == len(other) and all(map(close, one, other))


def plain(row: Sequence[Any]) -> tuple[Any, ...]:
    return tuple(float(f"{float(v):.9g}") if isinstance(v, int | float | Decimal | Fraction) else v for v in row)


def close(one: tuple[Any, ...], other: tuple[Any, ...]) -> bool:
    return all(
        math.isclose(a, b, rel_tol=1e-7, abs_tol=1e-7) if isinstance(a, float) and isinstance(b, float) else a == b
        for a, b in zip(one, other, strict=True)
    )


# What no person moves too far


@pytest.mark.depth("everyday neighbours")
@pytest.mark.parametrize("table", TABLES)
def test_no_person_moves_a_number_by_more_than_its_sensitivity(table: str) -> None:
    chance = Random(f"leave {table}")
    for sql in queries(table):
        for odd in (False, True):
            everyone = hold_totals(opened(table, odd).query(sql))
            for person in chance.sample(range(PEOPLE), depth("everyday neighbours")):
                assert_moved_at_most(Fraction(1), everyone, opened(table, odd, person).query(sql))


# What is refused


def test_what_is_refused_says_why() -> None:
    for sql, sentence in refusals():
        with pytest.raises(SfumatoError) as refused:
            opened("adult", odd=False).query(sql)
        assert str(refused.value) == sentence
