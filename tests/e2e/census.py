"""PRI's data and queries (6.2.3, 6.2.4): age, sex, race and income of people who do not exist, or of UCI Adult."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow.csv
import pyarrow.parquet as pq

from sfumato import demo

COLUMNS = ("age", "sex", "race", "income")
SCHEMA = """
name = "adult"

[rule]
epsilon = 0.1

[columns.age]
type = "integer"
bounds = [17, 90]

[columns.sex]
categories = ["Female", "Male"]

[columns.race]
categories = ["White", "Asian-Pac-Islander", "Amer-Indian-Eskimo", "Other", "Black"]

[columns.income]
categories = [">50K", "<=50K"]
"""
QUERIES = (
    "SELECT COUNT(*) FROM adult WHERE age BETWEEN 20 AND 30",
    "SELECT race, COUNT(*) FROM adult GROUP BY race",
    "SELECT COUNT(*) FROM adult WHERE sex = 'Female' AND income = '>50K'",
)
Truth = list[dict[tuple[str, ...], int]]
"""Of each query, the counts by what they are grouped by."""


def written(folder: Path, rows: int = demo.ROWS) -> tuple[Path, Path]:
    """The embedded population, with four columns: a CSV file and its schema."""
    whole, _ = demo.write(folder, rows)
    data, schema = folder / "four.csv", folder / "four.toml"
    pyarrow.csv.write_csv(pq.read_table(whole, columns=list(COLUMNS)), data)
    schema.write_text(SCHEMA, "utf-8")
    return data, schema


def truth(data: Path) -> Truth:
    table = pyarrow.csv.read_csv(data).to_pylist()
    people: list[Mapping[str, Any]] = [{name.strip(): _plain(value) for name, value in row.items()} for row in table]
    races = ("White", "Asian-Pac-Islander", "Amer-Indian-Eskimo", "Other", "Black")
    return [
        {(): sum(20 <= one["age"] <= 30 for one in people)},
        {(race,): sum(one["race"] == race for one in people) for race in races},
        {(): sum(one["sex"] == "Female" and one["income"] == ">50K" for one in people)},
    ]


def counted(answers: list[Mapping[str, Any]]) -> list[dict[tuple[str, ...], float]]:
    """Released answers, as the truth is told."""
    return [{tuple(row[:-1]): row[-1] for row in answer["rows"]} for answer in answers]


def _plain(value: Any) -> Any:
    return value.strip() if isinstance(value, str) else value
