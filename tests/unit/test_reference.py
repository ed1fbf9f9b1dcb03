"""The oracle on tables so small that every figure can be worked out by hand (docs/theory/influence.md)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import pytest

from sfumato.model.schema import Bounds, PrivacyUnit, Relation, Schema
from sfumato.model.statement import AggregateKind
from sfumato.schema.read import from_dict
from tests.property.oracle import Literal, OracleAggregate, OracleFindings, leave_one_out, people_of


def schema(who: PrivacyUnit | None = None, relation: Relation = Relation.ADD_REMOVE) -> Schema:
    read = from_dict(
        {
            "name": "people",
            "columns": {
                "age": {"type": "integer", "bounds": [0, 10]},
                "Pay Grade": {"type": "number", "bounds": [-2, 2]},
                "region": {"categories": ["north", "south"]},
                "who": {"type": "text"},
            },
        }
    )
    return Schema(read.name, read.columns, who or PrivacyUnit(), relation)


def asked(sql: str | Literal, ages: Sequence[Any], **columns: Sequence[Any]) -> OracleFindings:
    return leave_one_out(rows(age=ages, **columns), schema(), sql)


def answer(oracle: OracleFindings) -> list[tuple[Any, ...]]:
    """One tuple per cell."""
    return list(oracle.answer)


def rows(**columns: Sequence[Any]) -> list[dict[str, Any]]:
    return [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]


def fractions(*figures: str | int) -> list[Fraction]:
    return [Fraction(figure) for figure in figures]


# Each row of the table in docs/theory/influence.md


@pytest.mark.parametrize(
    ("aggregate", "ages", "expected", "influences"),
    [
        ("COUNT(*)", [1, None, 3], 3, [1, 1, 1]),
        ("COUNT(age)", [1, None, 3], 2, [1, 0, 1]),
        ("COUNT(DISTINCT age)", [1, 1, 3, None, 99], 3, [0, 0, 1, 0, 1]),  # as it is, not clamped
        ("SUM(age)", [1, None, 3, 99, -5], 14, [1, 0, 3, 10, 0]),  # clamped to 10 and 0
        ("AVG(age)", [1, 3, 8], 4, ["3/2", "1/2", 2]),
        ("AVG(age)", [1], 1, [1]),  # none is left: counts as 0
        ("VAR_POP(age)", [1, 3, 8], "26/3", ["29/12", "43/12", "23/3"]),
        ("VAR_SAMP(age)", [1, 3, 8], 13, ["1/2", "23/2", 11]),
        ("VARIANCE(age)", [1, 3], 2, [2, 2]),  # one value has no variance of a sample: counts as 0
        ("STDDEV_POP(age)", [1, 3], 1, [1, 1]),
        ("MIN(age)", [2, 5, 9], 2, [3, 0, 0]),
        ("MIN(age)", [2, 2, 9], 2, [0, 0, 0]),  # a tie
        ("MAX(age)", [2, 5, 99], 10, [0, 0, 5]),
        ("MEDIAN(age)", [1, 3, 4, 9], "7/2", ["1/2", "1/2", "1/2", "1/2"]),  # even: the same for everyone
        ("MEDIAN(age)", [1, 3, 4], 3, ["1/2", "1/2", 1]),  # odd: (v3 - v2)/2, |(v1 + v3)/2 - v2|, (v2 - v1)/2
        ("MEDIAN(age)", [7], 7, [7]),
        ("QUANTILE_CONT(age, 0.25)", [0, 2, 8], 1, [2.5, 1, 0.5]),
        ("QUANTILE_CONT(age, 0)", [4, 2, 8], 2, [0, 2, 0]),
        ("QUANTILE_DISC(age, 0.5)", [1, 3, 4, 9], 3, [1, 1, 0, 0]),  # the second; then the second of three
        ("QUANTILE_DISC(age, 0.1)", [1, 3, 4], 1, [2, 0, 0]),
        ("QUANTILE_DISC(age, 1)", [1, 3, 4], 4, [0, 0, 1]),
    ],
)
def test_each_aggregate_by_hand(
    aggregate: str, ages: Sequence[Any], expected: str | int, influences: Sequence[Any]
) -> None:
    oracle = asked(f"SELECT {aggregate} FROM people", ages)
    assert answer(oracle) == [(Fraction(expected),)]
    assert oracle.influences() == fractions(*influences)


def test_a_standard_deviation_is_the_root_of_the_exact_variance() -> None:
    oracle = asked("SELECT STDDEV(age) FROM people", [1, 3, 8])
    assert answer(oracle) == [(Fraction(math.sqrt(13)),)]
    assert oracle.influences()[1] == Fraction(math.sqrt(24.5)) - Fraction(math.sqrt(13))


@pytest.mark.parametrize("aggregate", ["SUM(age)", "AVG(age)", "VAR_POP(age)", "MIN(age)", "MEDIAN(age)"])
def test_of_nobody_there_is_no_figure(aggregate: str) -> None:
    assert answer(asked(f"SELECT {aggregate}, COUNT(*) FROM people", [])) == [(None, 0)]
    missing = asked(f"SELECT {aggregate}, COUNT(*) FROM people", [None])
    assert answer(missing) == [(None, 1)]
    assert missing.influences() == [1]


def test_changes_add_up_over_cells_and_aggregates() -> None:
    regions = ["north", "south", "south", "elsewhere", None]
    sql = "SELECT region, SUM(age), MAX(age) FROM people WHERE age > 1 GROUP BY region"
    oracle = asked(sql, [4, 6, 9, 10, 10], region=regions)
    assert answer(oracle) == [(4, 4), (15, 9)]
    assert oracle.influences() == [8, 6, 12, 0, 0]
    assert oracle.influences_l2()[2] == math.sqrt(9**2 + 3**2)
    assert oracle.outputs == 4


def test_where_reads_values_as_they_are() -> None:
    assert answer(asked("SELECT SUM(age) FROM people WHERE age > 10", [99, 10])) == [(10,)]


# Exposures: equal parts of epsilon to every noisy number


def test_a_mean_is_a_centred_sum_and_a_count() -> None:
    oracle = asked("SELECT AVG(age) FROM people", [5, 10, None])
    assert oracle.exposures() == fractions("1/2", 1, 0)
    assert oracle.exposures_l2() == pytest.approx([math.sqrt(1 / 2), 1, 0])
    assert oracle.outputs == 2


def test_a_number_that_serves_twice_is_drawn_once() -> None:
    sql = "SELECT AVG(age), COUNT(age), VAR_POP(age), STDDEV(age), SUM(age) FROM people"
    oracle = asked(sql, [5, 10, 0])
    assert oracle.outputs == 4  # squares, centred sum, count, sum
    assert oracle.exposures() == [(1 + 0 + 1 + Fraction(1, 2)) / 4, 1, Fraction(3, 4)]
    assert asked("SELECT MEDIAN(age), QUANTILE_CONT(age, 0.5), MIN(age) FROM people", [5]).outputs == 2


def test_what_is_not_additive_counts_by_its_change() -> None:
    assert asked("SELECT MIN(age) FROM people", [2, 5]).exposures() == fractions("3/10", 0)
    assert asked("SELECT COUNT(DISTINCT age) FROM people", [2, 2, 3]).exposures() == [0, 0, 1]
    assert asked('SELECT MAX("Pay Grade") FROM people', [1, 1], **{"Pay Grade": [-2, 2]}).exposures() == [0, 1]


def test_replacing_a_person_is_two_steps() -> None:
    table, sql = rows(age=[10, 5]), "SELECT SUM(age) FROM people"
    assert leave_one_out(table, schema(relation=Relation.REPLACE), sql).exposures() == fractions("1/2", "1/4")


# Several rows a person

VISITS = rows(
    who=["bo", "al", "al", None, "bo", "cy"],
    age=[2, 4, 6, 10, 8, 10],
    region=["north", "north", "south", "north", "north", "south"],
)


def visits(sql: str, people: Sequence[object] | None = None) -> OracleFindings:
    return leave_one_out(VISITS, schema(PrivacyUnit("who", max_rows=2)), sql, people=people)


@pytest.mark.parametrize(
    ("aggregate", "expected", "influences"),
    [
        ("COUNT(*)", 5, [2, 2, 1]),
        ("SUM(age)", 30, [10, 10, 10]),
        ("AVG(age)", 6, ["2/3", "2/3", 1]),  # |s_u - n_u mean| / (m - n_u)
        ("VAR_POP(age)", 8, ["32/9", "16/9", 3]),
        ("MIN(age)", 2, [0, 2, 0]),
        ("MEDIAN(age)", 6, [2, 0, 1]),
        ("COUNT(DISTINCT age)", 5, [2, 2, 1]),
        ("COUNT(DISTINCT who)", 3, [1, 1, 1]),
    ],
)
def test_the_rows_of_a_person_leave_together(aggregate: str, expected: int, influences: Sequence[Any]) -> None:
    oracle = visits(f"SELECT {aggregate} FROM people")
    assert oracle.people == ("al", "bo", "cy")
    assert answer(oracle) == [(expected,)]
    assert oracle.influences() == fractions(*influences)


def test_exposures_are_out_of_all_rows_that_a_person_may_have() -> None:
    assert visits("SELECT COUNT(*) FROM people").exposures() == fractions(1, 1, "1/2")
    assert visits("SELECT SUM(age) FROM people").exposures() == fractions("1/2", "1/2", "1/2")
    assert visits("SELECT AVG(age) FROM people").exposures() == fractions("1/2", "1/2", "1/2")
    by_region = visits("SELECT region, SUM(age) FROM people GROUP BY region")
    assert by_region.exposures() == fractions("1/2", "1/2", "1/2")


def test_a_person_is_one_person_but_may_be_in_several_cells() -> None:
    assert visits("SELECT COUNT(DISTINCT who) FROM people").exposures() == [1, 1, 1]
    by_region = visits("SELECT COUNT(DISTINCT who), region FROM people GROUP BY region")
    assert answer(by_region) == [(2,), (2,)]
    assert by_region.influences() == [2, 1, 1]
    assert by_region.exposures() == fractions(1, "1/2", "1/2")


def test_a_cell_that_the_condition_excludes_is_none_that_a_person_may_be_in() -> None:
    persons = OracleAggregate(AggregateKind.COUNT_DISTINCT, '"who"')
    north = Literal((persons,), "people WHERE region = 'north'", ("region",), (("north",),))
    oracle = leave_one_out(VISITS, schema(PrivacyUnit("who", max_rows=2)), north)
    assert answer(oracle) == [(2,)]
    assert oracle.exposures() == fractions(1, 1, 0)


def test_people_without_a_row_that_counts_are_there_all_the_same() -> None:
    oracle = visits("SELECT COUNT(*) FROM people", people=["al", "bo", "cy", "di"])
    assert oracle.influences() == [2, 2, 1, 0]
    assert people_of(VISITS, schema()) == [1, 2, 3, 4, 5, 6]


# What plain SQL does not say: expressions and sub-selects


def test_columns_are_clamped_inside_an_expression() -> None:
    total = OracleAggregate(
        AggregateKind.SUM, "age * 2 - 1", '"age, clamped" * 2 - 1', Bounds(Fraction(-1), Fraction(19))
    )
    oracle = asked(Literal((total,), "people WHERE age > 1"), [1, 3, 99])
    assert answer(oracle) == [(24,)]
    assert oracle.influences() == [0, 5, 19]
    assert oracle.exposures() == fractions(0, "5/19", 1)


def test_a_sub_select_carries_the_clamped_column_along() -> None:
    mean = OracleAggregate(AggregateKind.AVG, "x", '"x, clamped"', Bounds(Fraction(1), Fraction(11)))
    inner = 'SELECT age + 1 AS x, "age, clamped" + 1 AS "x, clamped", region FROM people WHERE age > 1'
    oracle = asked(Literal((mean,), f"({inner}) WHERE x > 4", ("region",)), [1, 3, 5, 99], region=["north"] * 4)
    assert answer(oracle) == [(Fraction(17, 2),), (None,)]
    assert oracle.influences() == fractions(0, 0, "5/2", "5/2")


def test_quoted_names_and_upper_case() -> None:
    sql = 'SELECT sum(AGE), avg("pay grade") FROM people'
    assert answer(asked(sql, [1, 4], **{"Pay Grade": [2, 1]})) == [(5, Fraction(3, 2))]
