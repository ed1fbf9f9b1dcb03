"""Whoever sees only what leaves tells two neighbours apart by nothing but noise: no error, shape or charge differs."""

from __future__ import annotations

import datetime
import json
import traceback
from collections.abc import Iterable, Iterator
from copy import deepcopy
from dataclasses import replace
from fractions import Fraction
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sfumato as sf
from sfumato.errors import QueryError
from sfumato.model.facts import Cell, Totals
from sfumato.model.measurement import NumberKind
from sfumato.privacy.noise.rank_selection import scores
from sfumato.privacy.sensitivity import measure
from sfumato.release.noise import level_totals
from sfumato.schema.read import from_dict
from sfumato.sql.parser.statement import parse
from sfumato.sql.plans.ranks import bins_of
from tests.property.own_questions import group_questions, person_questions, row_questions, with_own_bounds
from tests.property.questions import plain_questions, quoted, releasable_questions
from tests.property.tables import (
    MISFITS,
    NUMBER_BOUNDS,
    SOURCES,
    WHOLE_BOUNDS,
    Row,
    Table,
    examples,
    other_rows,
    table_at_the_bounds,
    tables,
)

Outside = dict[str, Any]


@pytest.mark.depth("neighbour tables")
@examples("neighbour tables")
@given(data=st.data(), kind=st.sampled_from(SOURCES), preference=st.sampled_from(["epsilon", "gap"]))
def test_neighbours_look_alike_from_outside(data: st.DataObject, kind: str, preference: str) -> None:
    table = data.draw(tables(most=4))
    sql = data.draw(plain_questions(table)).sql

    def seen(table: Table) -> tuple[Outside, Totals]:
        with TemporaryDirectory() as folder:
            return released(table.source(kind, Path(folder)), table.schema, sql, preference)

    expected, totals = seen(table)
    for person in range(len(table.rows)):
        outside, others = seen(table.without(person))
        assert outside == expected
        assert_moved_within_sensitivity(totals, others, expected)
    nobody, _ = seen(Table(table.names, table.schema, ()))
    assert nobody == expected


@pytest.mark.parametrize(("whole", "real"), [*zip(WHOLE_BOUNDS, NUMBER_BOUNDS, strict=True)], ids=str)
def test_nobody_moves_a_number_by_more_than_its_sensitivity(
    whole: tuple[int, int], real: tuple[float, float], tmp_path: Path
) -> None:
    table, sql = table_at_the_bounds(whole, real), "SELECT SUM(age), SUM(pay) FROM people"
    expected, totals = released(table.source("pandas", tmp_path), table.schema, sql)
    for person in range(len(table.rows)):
        _, others = released(table.without(person).source("pandas", tmp_path), table.schema, sql)
        assert_moved_within_sensitivity(totals, others, expected)


# By leaving, and by being replaced


@pytest.mark.depth("neighbour totals")
@examples("neighbour totals")
@given(data=st.data(), kind=st.sampled_from(SOURCES))
def test_nobody_moves_the_totals_by_more_than_the_sensitivity(data: st.DataObject, kind: str) -> None:
    """The theorem behind every release, whoever leaves, however many rows they have, and whatever replaces them."""
    table = data.draw(st.one_of(tables(crowded=True, groups=True), tables(units=True)))
    if "unit" in table.schema and data.draw(st.booleans()):
        table = with_own_bounds(table)
        sql = data.draw(st.one_of(person_questions(table), row_questions(table), group_questions(table))).sql
    else:
        sql = data.draw(releasable_questions(table, levels=True)).sql

    def asked(rows: tuple[Row, ...]) -> sf.Query:
        with TemporaryDirectory() as folder:
            query = opened(Table(table.names, table.schema, rows), kind, Path(folder)).query(sql)
            return hold_totals(query)

    everybody = asked(table.rows)
    relation, newcomer = everybody.measurement.steps, {"integer": 77, "text": "new"}
    for person, places in table.people().items():
        rest = table.without(*places)
        others = asked(rest.rows)
        assert_moved_at_most(Fraction(person is not None, relation), everybody, others)
        if person is not None:
            named = table.schema["columns"][table.names.who]["type"]
            who = data.draw(st.sampled_from((newcomer[named], table.rows[places[0]][table.names.who])))
            rows = data.draw(other_rows(table, who))
            if "unit" not in table.schema:
                rows = rows[:1]
            instead = asked((*rows, *rest.rows))
            assert_moved_at_most(Fraction(1, relation), instead, others)
            assert_moved_at_most(Fraction(2, relation), instead, everybody)


@pytest.mark.parametrize("relation", ["add-remove", "replace"])
@pytest.mark.parametrize("max_rows", [1, 3])
@pytest.mark.parametrize(
    "sql",
    [
        "SELECT COUNT(*), COUNT(days), COUNT(DISTINCT who), COUNT(DISTINCT note), SUM(days) FROM visits",
        "SELECT AVG(days), VAR_POP(days), STDDEV(price), AVG(price) FROM visits WHERE who <> 'Cy'",
        "SELECT SUM(days * 2 + price), VAR_SAMP(-price), SUM(CASE WHEN note <> 'x' THEN price / 4 END) FROM visits",
        "SELECT place, COUNT(*), COUNT(DISTINCT who), AVG(days), SUM(ABS(price)) FROM visits GROUP BY place",
        "SELECT SUM(days), COUNT(DISTINCT who), COUNT(DISTINCT note) FROM visits GROUP BY place, who",
        "SELECT street, COUNT(*), SUM(days) FROM visits GROUP BY street",
        "SELECT MEDIAN(days), QUANTILE_CONT(price, 0.9), MAX(days) FROM visits",
        "SELECT place, MEDIAN(days), MAX(price) FROM visits GROUP BY place",
        "SELECT APPROX_QUANTILE(days, 0.5), APPROX_QUANTILE(price, 0.9), COUNT(days) FROM visits",
        "SELECT place, APPROX_QUANTILE(price, 0.1), MEDIAN(price) FROM visits GROUP BY place",
    ],
)
def test_somebody_moves_each_number_by_its_whole_sensitivity(sql: str, max_rows: int, relation: str) -> None:
    """With nine rows beyond every bound, of which `max_rows` count: a sensitivity is no larger than it has to be."""
    schema = VISITS | {"max_rows": max_rows, "relation": relation}
    others = [visit("Al", 0), visit("Bo", 50), visit("Bo", 50), visit("Cy", -7), visit(None, 3), visit("?", 3)]
    everybody = [*others, *(visit("Zoe", 10**6, i) for i in range(9))]
    one, other = (sf.open(frame(rows), schema, ledger=":memory:").query(sql) for rows in (others, everybody))
    assert moved(one, other) == [n.steps / one.measurement.steps for n in one.measurement.numbers]


@pytest.mark.parametrize("relation", ["add-remove", "replace"])
@pytest.mark.parametrize(
    "sql",
    [
        "SELECT place, COUNT(*), COUNT(DISTINCT who), SUM(days), AVG(price) FROM visits GROUP BY place",
        "SELECT place, COUNT(days), VAR_POP(days), COUNT(DISTINCT note) FROM visits GROUP BY place",
        "SELECT street, COUNT(*), COUNT(DISTINCT who) FROM visits GROUP BY street",
        "SELECT MAX(price), MIN(days), MEDIAN(days) FROM visits GROUP BY place",
        "SELECT COUNT(DISTINCT who), SUM(price) FROM visits GROUP BY who, place",
    ],
)
def test_somebody_in_as_many_groups_as_may_count_moves_all_of_them(sql: str, relation: str) -> None:
    """Three rows in two groups: as many as count."""
    schema = VISITS | {"max_rows": 3, "max_groups": 2, "relation": relation}
    others = [visit("Al", 0), visit("Bo", 50), visit("Cy", -7)]
    everybody = [*others, *(visit("Zoe", 10**6, place) | {"note": f"{place} {n}"} for n, place in enumerate((4, 5, 5)))]
    one, other = (sf.open(frame(rows), schema, ledger=":memory:").query(sql) for rows in (others, everybody))
    assert moved(one, other) == [n.steps / one.measurement.steps for n in one.measurement.numbers]
    many = [*everybody, *(visit("Zoe", 10**6, place) for place in range(9))]
    assert_moved_at_most(
        Fraction(1, one.measurement.steps), one, sf.open(frame(many), schema, ledger=":memory:").query(sql)
    )


@pytest.mark.parametrize("relation", ["add-remove", "replace"])
@pytest.mark.parametrize("places", [(4, 5, 5), (4, 5, 6), (4, 4, 4)], ids=str)
def test_nobody_moves_the_groups_further_than_gaussian_noise_covers(places: tuple[int, ...], relation: str) -> None:
    """As a distance over all groups: rows by as many as count, in one group; persons by the root of the groups."""
    sql = "SELECT place, COUNT(DISTINCT who), COUNT(*), SUM(days), COUNT(DISTINCT note) FROM visits GROUP BY place"
    schema = VISITS | {"max_rows": 3, "max_groups": 2, "relation": relation}
    rows = [visit("Zoe", 10**6, place) | {"note": f"{place} {n}"} for n, place in enumerate(places)]
    one, other = (
        sf.open(frame(r), schema, ledger=":memory:").query(sql) for r in ([visit("Al", 0)], [visit("Al", 0), *rows])
    )
    cells, numbers = one.measurement.public_cells, one.measurement.numbers
    for i, number in enumerate(numbers):
        squares = sum(_apart(one, other, i, cell) ** 2 for cell in cells)
        most = number.euclidean / number.step / one.measurement.steps
        assert squares <= most**2
        reached = len(set(places)) >= 2 if number.kind is NumberKind.PERSONS else len(set(places)) == 1
        assert not reached or squares >= (most - 1) ** 2


def test_somebody_who_is_replaced_moves_a_sum_by_two_steps() -> None:
    schema = VISITS | {"max_rows": 3, "relation": "replace"}
    low, high = ([visit("Al", 0), *(visit("Zoe", days, i) for i in range(9))] for days in (-(10**6), 10**6))
    sql = "SELECT SUM(days), SUM(price), SUM(days + price) FROM visits"
    one, other = (sf.open(frame(rows), schema, ledger=":memory:").query(sql) for rows in (low, high))
    assert moved(one, other) == [n.steps for n in one.measurement.numbers]


def test_columns_are_clamped_before_they_are_computed_with() -> None:
    rows = [visit("Al", 10**6), visit("Bo", -(10**6)), visit("Cy", 30)]
    query = sf.open(frame(rows), VISITS, ledger=":memory:").query("SELECT SUM(days - price) FROM visits")
    (total,) = query._bound.totals().cells[()]
    assert total * query.measurement.numbers[0].step == pytest.approx((100 - 8) + (-100 + 8) + (30 - 8), abs=1e-3)


VISITS = {
    "name": "visits",
    "unit": "WHO",
    "max_rows": 1,
    "null_values": ["?"],
    "columns": {
        "who": {"type": "text", "categories": ["Al", "Zoe"]},
        "days": {"type": "integer", "bounds": [-100, 100]},
        "price": {"type": "number", "bounds": [-8, 8]},
        "place": {"type": "text", "categories": [f"place {i}" for i in range(9)]},
        "street": {"type": "text", "keys": "private"},
    },
}


def visit(who: str | None, days: int, place: int = 0) -> Row:
    where = {"place": f"place {place}", "street": f"street {place}"}
    return {"who": who, "days": days, "price": days * 1.5, "note": f"{who} {place}"} | where


def opened(table: Table, kind: str, folder: Path) -> sf.Dataset:
    return sf.open(table.source(kind, folder), table.schema, ledger=":memory:")


def hold_totals(query: sf.Query) -> sf.Query:
    """Read its totals at every level once, while its file is there."""
    if "totals" in vars(query._bound):
        return query
    totals = query._bound.totals()
    totals = replace(totals, cells=level_totals(dict(totals.cells), query.measurement))
    query._bound.totals = lambda: totals  # type: ignore[method-assign]
    return query


def moved(one: sf.Query, other: sf.Query) -> list[int]:
    """How far two tables are apart in each noisy number, over all its cells, in steps of its grid or of its score."""
    one, other = hold_totals(one), hold_totals(other)
    cells = sorted({*one._bound.totals().cells, *other._bound.totals().cells}, key=repr)
    numbers = one.measurement.numbers
    assert one.measurement.cells is None or len(cells) == len(one.measurement.drawn_cells)
    return [sum(_apart(one, other, i, cell) for cell in cells) for i in range(len(numbers))]


def _apart(one: sf.Query, other: sf.Query, position: int, cell: Cell) -> int:
    """In one cell; of a selection the furthest that a candidate's score moves, of a histogram all nodes of its tree.

    Where nobody is, all is 0.
    """
    number = one.measurement.numbers[position]
    if not number.kind.is_ranked:
        nothing = (0,) * len(one.measurement.numbers)
        totals = [query._bound.totals().cells.get(cell, nothing)[position] for query in (one, other)]
        return abs(totals[0] - totals[1])
    counts = [query._bound.totals().counts[position].get(cell, {}) for query in (one, other)]
    if number.kind is NumberKind.HISTOGRAM:
        nodes = zip(*(number.tree.counts(bins_of(number, counted)) for counted in counts), strict=True)
        return int(sum(abs(a - b) for a, b in nodes) / number.step)
    good, other_good = (scores(number, counted, epsilon=0.5) for counted in counts)
    return max(abs(a - b) for a, b in zip(good, other_good, strict=True))


def assert_moved_at_most(share: Fraction, one: sf.Query, other: sf.Query) -> None:
    """By no more than this share of the sensitivity, in every number."""
    numbers = one.measurement.numbers
    assert all(m <= share * n.steps for m, n in zip(moved(one, other), numbers, strict=True)), one.sql


# What is seen from outside


def released(source: object, schema: Any, sql: str, preference: str = "epsilon") -> tuple[Outside, Totals]:
    """All that can be seen of a release but its noise; and the totals behind it, which cannot."""
    dataset = sf.open(source, schema, ledger=":memory:")
    query = dataset.query(sql)
    if preference == "epsilon":
        release = query.release(epsilon=0.5)
    else:
        release = query.release(query.choose(sf.gap(1.2, worst_case=True)))
    certificate = release.certificate.as_dict()
    assert certificate["guarantee"] == "dp"
    del certificate["released_at"], certificate["planned_at"]
    certificate["noise_90"] = len(certificate["noise_90"])  # of a mean it follows from the noisy numbers
    keys = [column.key is not None for column in query.measurement.columns]
    outside = {
        "columns": release.columns,
        "rows": [[v if key else type(v) for v, key in zip(row, keys, strict=True)] for row in release.rows],
        "certificate": certificate,
        "ledger": [(entry.draft.event, entry.draft.nano_epsilon) for entry in dataset.ledger.entries],
        "spent": dataset.ledger.total,
    }
    return outside, query._bound.totals()


def assert_moved_within_sensitivity(one: Totals, other: Totals, seen: Outside) -> None:
    """A person moves each noisy number, over all its cells, by at most the sensitivity on the certificate."""
    assert one.cells.keys() == other.cells.keys()
    changes = [[abs(a - b) for a, b in zip(one.cells[c], other.cells[c], strict=True)] for c in one.cells]
    moved = [sum(steps) for steps in zip(*changes, strict=True)]
    step, most = seen["certificate"]["grid_step"], seen["certificate"]["sensitivity"]
    assert all(m * s <= d for m, s, d in zip(moved, step, most, strict=True))


# One person whose values fit nowhere, beside others of one kind

SCHEMA = {
    "name": "people",
    "null_values": ["99"],
    "columns": {
        "age": {"type": "integer", "bounds": [0, 100]},
        "region": {"type": "text", "categories": ["True", "north"]},
    },
}
SQL = "SELECT region, SUM(age), COUNT(*) FROM people WHERE note <> 'x' OR note IS NULL GROUP BY region"
OTHERS: dict[str, Row] = {
    "whole": {"age": 99, "region": "north", "note": "a"},
    "halves": {"age": 12.5, "region": "north", "note": "a"},
    "truths": {"age": True, "region": True, "note": True},
    "nothing": {"age": None, "region": None, "note": None},
}
ODD: Row = {
    "text": "abc", "missing": "99", "half": 12.5, "nan": float("nan"), "inf": float("inf"), "-0": -0.0, "2^63": 2**63,
    "2^127": 2**127, "2^2000": -(2**2000), "1e308": 1e308, "true": True, "bytes": b"abc", "surrogate": "\ud800",
    "lines": "a\nb", "nul": "a\x00b", "empty": "", "date": datetime.date(2026, 11, 15), "list": [1, 2], "none": None,
}  # fmt: skip
ODD_LINES = {
    "quoted line break": b'1,"a\nb",c', "not UTF-8": b"1,\xff\xfe,c", "too long": b"1,a,b,c,d", "too short": b"1",
    "quote inside": b'1,a"b,c', "nul": b"1,a\x00b,c", "huge": b"1," + b"x" * 3_000_000 + b",c", "empty": b",,",
}  # fmt: skip


@pytest.mark.parametrize("odd", ODD)
@pytest.mark.parametrize("others", OTHERS)
def test_an_odd_value_changes_nothing_for_the_others(others: str, odd: str) -> None:
    alike, totals = five_alike(others)
    outside, more = released(frame([*[OTHERS[others]] * 5, dict.fromkeys(OTHERS[others], ODD[odd])]), SCHEMA, SQL)
    assert outside == alike
    assert_moved_within_sensitivity(totals, more, alike)


@pytest.mark.parametrize("width", [pa.float32(), pa.float64()], ids=str)
@pytest.mark.parametrize("declared", ["number", "integer"])
def test_what_is_not_a_number_is_missing_whatever_others_have(
    declared: str, width: pa.DataType, tmp_path: Path
) -> None:
    """The statistics of a Parquet file know no NaN, and change with everybody who is in it."""
    schema = {"name": "people", "columns": {"pay": {"type": declared, "bounds": [0, 8]}}}
    path, nan = tmp_path / "people.parquet", float("nan")
    for others in ([], [4], [4, 2], [0], [0, 8, None], [4, float("inf")], [-float("inf"), 2]):
        pyarrow.parquet.write_table(pa.table({"pay": pa.array([*[nan] * 9, *others], width)}), path)
        query = sf.open(path, schema, ledger=":memory:").query("SELECT COUNT(pay), SUM(pay), COUNT(*) FROM people")
        finite = [v for v in others if v is not None and (declared == "number" or abs(v) < 9)]
        found = [
            int(t * n.step) for t, n in zip(query._bound.totals().cells[()], query.measurement.numbers, strict=True)
        ]
        assert found == [len(finite), sum(min(max(v, 0), 8) for v in finite), 9 + len(others)]


@cache
def five_alike(others: str) -> tuple[Outside, Totals]:
    return released(frame([OTHERS[others]] * 5), SCHEMA, SQL)


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT SUM(ABS(age)) FROM people",
        "SELECT COUNT(ABS(age)), COUNT(DISTINCT age * age), COUNT(*) FROM people WHERE ABS(age) <> 3 OR age IS NULL",
        "SELECT AVG(age / pay), VAR_POP(pay * pay) FROM people",
        "SELECT COUNT(*) FROM people WHERE age * 1e300 / pay - pay * 1e300 <> 1 OR age + pay IS NULL",
        "SELECT SUM(CASE WHEN pay > age THEN age ELSE COALESCE(pay, 3) END) FROM people",
        "SELECT COUNT(1 / age), COUNT(1 / 0), COUNT(age / 0), COUNT(*) FROM people WHERE 1 / age > 0 OR 1 / 0 IS NULL",
        "SELECT SUM(CASE WHEN age * age * age * age * age > 9 THEN 1 / pay ELSE -age END), COUNT(*) FROM people",
        "SELECT COUNT(DISTINCT -age), COUNT(CASE WHEN age < pay * pay THEN ABS(age) / pay ELSE age END) FROM people",
    ],
)
def test_nothing_that_is_computed_fails_on_a_value(sql: str) -> None:
    """Whether there is an answer must not tell about anybody: the smallest whole number has no opposite."""
    columns = {"age": {"type": "integer", "bounds": [0, 100]}, "pay": {"type": "number", "bounds": [0.5, 4]}}
    others: list[Row] = [{"age": 12, "pay": 2.0}, {"age": 99, "pay": None}]
    alike, totals = released(frame(others), SCHEMA | {"columns": columns}, sql)
    for odd in (*ODD.values(), -(2**63), 0, 5e-324, -float("inf"), 1.7e308):
        with_one = [*others, {"age": odd, "pay": odd}]
        outside, more = released(frame(with_one), SCHEMA | {"columns": columns}, sql)
        assert outside == alike
        assert_moved_within_sensitivity(totals, more, alike)


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT COUNT(*) FROM people WHERE ABS(CASE WHEN name = 'Alice' AND v = 7 THEN {} ELSE 1 END) > 0",
        "SELECT COUNT(ABS(CASE WHEN name = 'Alice' THEN {} ELSE v END)) FROM people",
        "SELECT COUNT(DISTINCT ABS(CASE WHEN name = 'Alice' THEN {} ELSE v END)) FROM people",
        "SELECT SUM(CASE WHEN ABS(CASE WHEN name = 'Alice' THEN {} ELSE 1 END) > 0 THEN v ELSE 0 END) FROM people",
        "SELECT COUNT(*) FROM people WHERE ABS(CASE WHEN v = 7 THEN CASE WHEN v > 1 THEN -{} END ELSE 1 END) > 0",
        "SELECT COUNT(*) FROM people WHERE ABS(COALESCE(v, {})) > 0",
    ],
)
@pytest.mark.parametrize("constant", ["1e39", str(2**127), str(2**63), "1e308"])
def test_a_constant_beyond_64_bits_tells_nobody_apart(sql: str, constant: str) -> None:
    """Read as a whole number, it made the query fail if and only if Alice is there: an exact answer at any epsilon."""
    columns = {"name": {"type": "text"}, "v": {"type": "integer", "bounds": [0, 100]}}
    others: list[Row] = [{"name": "Bob", "v": 12}, {"name": "Cy", "v": 99}]
    with_one = [*others, {"name": "Alice", "v": 7}, {"name": None, "v": None}]
    schema, asked = {"name": "people", "columns": columns}, sql.format(constant)
    alike, _ = released(frame(others), schema, asked)
    assert released(frame(with_one), schema, asked)[0] == alike


@pytest.mark.parametrize("odd", ODD_LINES)
def test_an_odd_line_changes_nothing_for_the_others(odd: str, tmp_path: Path) -> None:
    ordinary = [b"age,region,note", b"12,north,a", b"13,True,b", b"14,north,c"]
    one, other = tmp_path / "one.csv", tmp_path / "other.csv"
    one.write_bytes(b"\n".join([*ordinary, b""]))
    other.write_bytes(b"\n".join([*ordinary[:2], ODD_LINES[odd], *ordinary[2:], b""]))
    alike, totals = released(one, SCHEMA, SQL)
    outside, more = released(other, SCHEMA, SQL)
    assert outside == alike
    assert_moved_within_sensitivity(totals, more, alike)


def test_a_text_of_many_lines_is_one_person(tmp_path: Path) -> None:
    """As any program writes it: whoever may type line breaks must not become many people."""
    people = [OTHERS["whole"] | {"age": 50}] * 3
    many = OTHERS["whole"] | {"note": "\n".join(["first", *["50,north,a"] * 9, "last"])}
    one, other = tmp_path / "one.csv", tmp_path / "other.csv"
    frame(people).to_csv(one, index=False)
    frame([*people, many]).to_csv(other, index=False)
    alike, totals = released(one, SCHEMA, SQL)
    outside, more = released(other, SCHEMA, SQL)
    assert outside == alike
    assert_moved_within_sensitivity(totals, more, alike)


def frame(rows: list[Row]) -> pd.DataFrame:
    return pd.DataFrame({name: pd.Series([row[name] for row in rows], dtype=object) for name in rows[0]})


# Nothing that is printed quotes the data

MARKS = ("zebra-crossing", "987654321")


@pytest.mark.depth("neighbour tables")
@examples("neighbour tables")
@given(data=st.data(), kind=st.sampled_from(SOURCES))
def test_nothing_printed_quotes_a_value(data: st.DataObject, kind: str) -> None:
    table = data.draw(tables(most=3, misfits=(*MISFITS, *MARKS, 987654321)))
    names, schema = table.names, deepcopy(table.schema)
    schema["columns"][names.whole]["bounds"] = [0, 10**9]  # so wide that the largest influence is a value itself
    rows = [dict.fromkeys(names.columns, mark) for mark in (*MARKS, 987654321)]
    sum_of_values = f"SELECT SUM({quoted(names.whole)}) FROM {quoted(names.table)}"
    sql = data.draw(st.one_of(plain_questions(table).map(lambda q: q.sql), st.just(sum_of_values)))
    if refused(sql, schema):  # a key computed from the wide column has too many values
        sql = sum_of_values
    with TemporaryDirectory() as folder:
        source = Table(names, schema, (*table.rows, *rows)).source(kind, Path(folder))
        assert_quotes_nothing(printed(source, schema, sql))


def refused(sql: str, schema: Any) -> bool:
    try:
        stated = from_dict(schema)
        measure(parse(sql, stated), stated)
    except QueryError:
        return True
    return False


def printed(source: object, schema: Any, sql: str) -> Iterator[str]:
    """Every text that people other than the controller may come to see."""
    dataset = sf.open(source, schema, ledger=":memory:")
    query = dataset.query(sql)
    choices = [query.choose(sf.gap(1.2, worst_case=True)), query.choose(sf.ratio(0.5), candidates="paper")]
    releases = [query.release(choice, allow_no_guarantee=True) for choice in choices if choice.epsilon is not None]
    risk = query.risk()
    shown: list[Any] = [dataset, query, dataset.ledger, *dataset.ledger.entries, *choices, *releases]
    shown += [release.certificate for release in releases]
    shown += [risk, risk.influence, risk.exposure, risk.at(1.0), query._bound.totals(), dataset.check()]
    for thing in shown:
        yield repr(thing)
        yield str(thing)
    for release in releases:
        yield json.dumps(release.as_dict())
        yield release._repr_html_()
        yield release.certificate._repr_html_()
    yield dataset.ledger._repr_html_()


@pytest.mark.parametrize("broken", ["no.parquet", "torn.parquet", "headless.csv", "unnamed.csv"])
def test_an_error_quotes_no_value(broken: str, tmp_path: Path) -> None:
    path = tmp_path / broken
    line = ",".join(MARKS).encode()
    if broken == "torn.parquet":
        frame([{"age": "12" * 40, "region": "north", "note": "a"}] * 50).to_parquet(path, compression=None)
        stored = path.read_bytes()
        path.write_bytes(stored[:4] + (line * 9)[:99] + stored[103:])
    else:
        path.write_bytes({"unnamed.csv": b",\n"}.get(broken, b"") + line + b"\n" + line + b"\n")
    with pytest.raises(sf.SfumatoError) as error:
        list(printed(path, SCHEMA, SQL))
    assert_quotes_nothing(traceback.format_exception(error.value))


def test_what_an_engine_says_of_a_value_is_not_passed_on() -> None:
    marked = frame([{"age": 1, "region": MARKS[0], "note": MARKS[1]}])
    dataset = sf.open(marked, SCHEMA, ledger=":memory:")
    with pytest.raises(sf.SfumatoError) as error:
        dataset._context.engine.rows('SELECT CAST(region AS INTEGER) FROM "people"')
    assert_quotes_nothing(traceback.format_exception(error.value))
    assert error.value.__context__ is None


def assert_quotes_nothing(texts: Iterable[str]) -> None:
    for text in texts:
        assert not any(mark in text.replace(",", "").replace("_", "") for mark in MARKS)
