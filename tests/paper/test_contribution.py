"""Contribution bounds: which rows of a person count, and what that leaves of a mean (docs/theory/rows.md)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import duckdb
import pandas as pd
import pytest

import sfumato as sf
from sfumato.sql.contribution import digest, field, public_field
from sfumato.sql.tree import cast, value

golden = pytest.mark.golden
NINE_SHORT_ONE_LONG = [1] * 9 + [60]


def stays(people: Sequence[tuple[str, Sequence[int]]], max_rows: int, most: int = 60) -> sf.Dataset:
    """A dataset with the public name `k`, of people and the days of each of their stays."""
    frame = pd.DataFrame([(who, days) for who, own in people for days in own], columns=["person", "days"])
    columns = {"person": {"type": "text"}, "days": {"type": "integer", "bounds": [0, most]}}
    return sf.open(frame, {"name": "k", "unit": "person", "max_rows": max_rows, "columns": columns}, ledger=":memory:")


def asked(dataset: sf.Dataset, aggregate: str, who: str | None = None) -> Any:
    where = "" if who is None else f" WHERE person = '{who}'"
    [[figure]] = dataset.query(f"SELECT {aggregate} FROM k{where}").answer()
    return figure


@golden("rows_digest")
def test_a_row_has_a_digest() -> None:
    """Of the key, the person, the columns of the row, the second of which is NULL, and the copy number."""
    fields = [value("p1"), value("60"), cast(value(None), "TEXT"), value("1")]
    tree = digest([value(public_field("k")), *(piece for one in fields for piece in field(one))])
    with duckdb.connect() as connection:
        [(found,)] = connection.execute(f"SELECT {tree.sql('duckdb')}").fetchall()
    assert found == "b79efdbd2abfaa717468f502c7ee780e"


@golden("rows_kept")
def test_of_ten_stays_the_two_with_the_least_digests_count() -> None:
    """Of the first eighteen people two short stays, of the nineteenth a short one and the long one."""
    dataset = stays([(f"p{n}", NINE_SHORT_ONE_LONG) for n in range(1, 20)], 2)
    assert [asked(dataset, "SUM(days)", f"p{n}") for n in range(1, 20)] == [2] * 18 + [61]


@golden("rows_unbiased")
def test_the_mean_of_the_rows_that_count_is_near_that_of_all() -> None:
    """Of 20,000 people 6.56 where 6.9 is expected; by content alone, of two different stays either, 30.5 would be."""
    mean = asked(stays([(f"p{n}", NINE_SHORT_ONE_LONG) for n in range(1, 20_001)], 1), "AVG(days)")
    assert mean == pytest.approx(6.56, abs=0.005)
    assert abs(mean - 6.9) < abs(mean - 30.5) / 50


@golden("rows_weighting")
@pytest.mark.parametrize(("max_rows", "mean"), [(1, 5.0), (2, 6.666666666666667), (10, 9.090909090909092)])
def test_people_with_few_rows_weigh_more_where_few_count(max_rows: int, mean: float) -> None:
    """Half of the people have one row of 0, half ten rows of 10; the mean of all rows is that of max_rows = 10."""
    people = [(f"p{n}", [10] * 10 if n % 2 else [0]) for n in range(40)]
    assert asked(stays(people, max_rows), "AVG(days)") == pytest.approx(mean, rel=1e-12)
