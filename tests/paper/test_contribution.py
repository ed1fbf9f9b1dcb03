"""Contribution bounds: which rows of a person count, what that leaves of a mean (docs/theory/rows.md), and how far one
person moves the groups of an answer (docs/theory/groups.md)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import duckdb
import pandas as pd
import pytest

import sfumato as sf
from sfumato.model.choice import Noise
from sfumato.model.measurement import Measurement
from sfumato.privacy.noise.calibration import threshold
from sfumato.privacy.sensitivity import measure
from sfumato.schema.read import from_dict
from sfumato.sql.builder.values import cast, value
from sfumato.sql.lowering.spelling import spell
from sfumato.sql.parser.statement import parse
from sfumato.sql.plans.contribution_bounds import digest, field, public_field

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
        [(found,)] = connection.execute(f"SELECT {spell(tree, 'duckdb')}").fetchall()
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


# Groups


def by_group(figures: str, cells: int | None, relation: str = "add-remove", **bounds: int) -> Measurement:
    """The noisy numbers of figures by so many public groups, or by private ones."""
    group = {"type": "text", "keys": "private"} if cells is None else {"categories": [f"g{n}" for n in range(cells)]}
    columns = {"u": {"type": "integer"}, "g": group}
    schema = from_dict({"name": "t", "unit": "u", "relation": relation, "columns": columns} | bounds)
    return measure(parse(f"SELECT g, {figures} FROM t GROUP BY g", schema), schema)


@golden("groups_sens_3cells")
def test_of_three_groups_one_person_is_in_three_at_most() -> None:
    """Of 100 rows that count, all may lie in one group; as a distance that is no less."""
    persons, rows = by_group("COUNT(DISTINCT u), COUNT(*)", 3, max_rows=100).numbers
    assert [persons.sensitivity, rows.sensitivity, rows.euclidean] == [3, 100, 100]
    assert float(persons.euclidean) == pytest.approx(1.7320508075688772, abs=1 / 1024)
    assert float(persons.euclidean) >= 1.7320508075688772


@golden("groups_l2_wrong")
def test_five_rows_may_share_a_group() -> None:
    """The root of five, 2.23606797749979, would be too little."""
    [rows] = by_group("COUNT(*)", 12, max_rows=5, max_groups=5).numbers
    assert rows.euclidean == 5.0


def test_of_many_groups_one_person_is_in_as_many_as_may_count() -> None:
    persons, rows = by_group("COUNT(DISTINCT u), COUNT(*)", 12, max_rows=10, max_groups=3).numbers
    assert [persons.sensitivity, rows.sensitivity] == [3, 10]
    assert float(persons.euclidean) == pytest.approx(math.sqrt(3), abs=1 / 1024)


def thresholds(epsilon: float, figures: str = "COUNT(DISTINCT u)", **bounds: Any) -> tuple[float, int]:
    """How many noisy persons a private group must have: as drawn, and where noise is whole.

    The product adds one step of the grid, for rounding; where noise is whole, that is taken off here.
    """
    fine = by_group(figures, None, **bounds)
    coarse = replace(fine, numbers=tuple(replace(number, step=Fraction(1)) for number in fine.numbers))
    noise = Noise("laplace", 1e-6)
    found, whole = threshold(fine, noise, epsilon), threshold(coarse, noise, epsilon)
    assert found is not None
    assert whole is not None
    return float(found), int(whole) - 1


@pytest.mark.parametrize(
    ("groups", "whole", "drawn"),
    [
        pytest.param(1, 28, 27.2461, marks=golden("threshold_1")),
        pytest.param(3, 87, 86.3271, marks=golden("threshold_3")),
        pytest.param(10, 310, 309.5, marks=golden("threshold_10")),
        pytest.param(100, 3548, 3546.5078, marks=golden("threshold_100")),
    ],
)
def test_a_private_group_shows_from_a_threshold_on(groups: int, whole: int, drawn: float) -> None:
    """Of as many groups as one person counts in, however many rows count."""
    found, coarse = thresholds(0.5, max_rows=100, max_groups=groups)
    assert coarse == whole
    assert found == pytest.approx(drawn, abs=0.002)


@golden("threshold_today")
def test_a_bound_on_groups_lowers_the_threshold() -> None:
    found = [thresholds(0.1, max_rows=100, max_groups=groups)[1] for groups in (100, 3)]
    assert found == [17730, 429]


@golden("threshold_replace")
def test_a_threshold_where_people_are_replaced() -> None:
    """Two steps, of which each has half of the epsilon of the count of persons: one of two numbers."""
    bounds: dict[str, Any] = {"max_rows": 9, "max_groups": 3, "relation": "replace"}
    assert thresholds(1.0, "COUNT(*)", **bounds)[1] == 184
