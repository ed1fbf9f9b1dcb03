"""People with many rows: which of them count, what that does to everybody else, and what each person carries."""

from __future__ import annotations

import random
from collections import Counter
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sfumato as sf
from sfumato.sql.builder.ast import column
from sfumato.sql.plans.rows import PlanInput, rows
from tests.property.questions import AGGREGATES, questions, releasable_questions
from tests.property.tables import SOURCES, Table, examples, tables
from tests.property.test_oracle import assert_same_facts

Kept = Counter[tuple[object, ...]]
TAG = "tag"


# Which rows count


@pytest.mark.depth("crowded tables")
@examples("crowded tables")
@given(data=st.data(), shuffle=st.randoms(use_true_random=False))
def test_a_person_counts_with_at_most_max_rows(data: st.DataObject, shuffle: random.Random) -> None:
    """Whoever else is there, in whatever order the rows lie: otherwise one who leaves would draw everybody anew."""
    table = data.draw(tables(crowded=True))
    sql = data.draw(st.sampled_from(tuple(AGGREGATES)).flatmap(lambda aggregate: questions(table, aggregate))).sql
    kept, matched = kept_rows(table, sql), kept_rows(with_max_rows(table, 10**9), sql)
    most = table.schema["max_rows"]
    assert kept <= matched
    assert kept_of_each(kept) == {who: min(n, most) for who, n in kept_of_each(matched).items()}
    for person, places in table.people().items():
        others = Counter({row: n for row, n in kept.items() if row[-1] != person})
        assert kept_rows(table.without(*places), sql) == others
    assert kept_rows(shuffled(table, shuffle), sql) == kept


@pytest.mark.depth("crowded tables")
@examples("crowded tables")
@given(data=st.data(), kind=st.sampled_from(SOURCES[1:]))
def test_the_same_rows_count_wherever_they_come_from(data: st.DataObject, kind: str) -> None:
    table = data.draw(tables(crowded=True))
    sql = data.draw(releasable_questions(table)).sql
    assert kept_rows(table, sql, kind) == kept_rows(table, sql)


def test_nobody_draws_the_others_anew() -> None:
    """Of nine rows each two count, and the same two without any of the others, and in any order of the file."""
    people = ("Al", "Bo", "Cy", "Di")
    visits = pd.DataFrame([{"who": who, "n": n} for n in range(9) for who in people])
    schema = {"name": "t", "unit": "who", "max_rows": 2, "columns": {"who": {"type": "text"}, "n": {"type": "integer"}}}
    sql = "SELECT COUNT(DISTINCT n) FROM t"
    kept = kept_in(visits, schema, sql)
    assert kept_of_each(kept) == dict.fromkeys(people, 2)
    assert kept_in(visits.sort_values("n", ascending=False), schema, sql) == kept
    for person in people:
        others = Counter({row: n for row, n in kept.items() if row[-1] != person})
        assert kept_in(visits[visits.who != person], schema, sql) == others


@pytest.mark.parametrize("width", [pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.float32(), pa.float64()], ids=str)
def test_the_same_rows_count_however_wide_they_are_stored(width: pa.DataType) -> None:
    values = [v for v in range(-20, 20) if v]
    stored = pa.table({"who": ["Al", "Bo"] * 19 + ["Al"], "n": pa.array(values, width), "x": pa.array(values, width)})
    schema = {
        "name": "t",
        "unit": "who",
        "max_rows": 3,
        "columns": {"who": {"type": "text"}, "n": {"type": "integer"}, "x": {"type": "number"}},
    }
    wide = stored.set_column(1, "n", pa.array(values, pa.int64())).set_column(2, "x", pa.array(values, pa.float64()))
    sql = "SELECT COUNT(DISTINCT n), COUNT(DISTINCT x) FROM t"
    assert kept_in(stored, schema, sql) == kept_in(wide, schema, sql)


def test_rows_without_a_person_count_nowhere() -> None:
    schema = {"name": "t", "unit": "who", "max_rows": 2, "columns": {"who": {"type": "integer"}}}
    who = [7, "7", " 7 ", "7.0", "7.5", "x", None, float("nan"), 2**70, 8]
    frame = pd.DataFrame({"who": pd.Series(who, dtype=object)})
    assert kept_in(frame, schema, "SELECT COUNT(*) FROM t") == Counter({(7,): 2, (8,): 1})


def kept_rows(table: Table, sql: str, kind: str = "pandas") -> Kept:
    with TemporaryDirectory() as folder:
        return kept_in(table.source(kind, Path(folder)), table.schema, sql)


def kept_in(source: object, schema: Any, sql: str) -> Kept:
    """The rows that count, as often as they do: keys, values, then the person."""
    dataset = sf.open(source, schema, ledger=":memory:")
    question = asked(dataset, sql)
    person = len(question.keys)
    found = dataset._context.engine.rows(dataset._context.engine.spell(rows(question)))
    return Counter((*row[:person], *row[person + 1 :], row[person]) for row in found)


def asked(dataset: sf.Dataset, sql: str) -> PlanInput:
    query = dataset.query(sql)
    return PlanInput(dataset.schema, query.statement, query.measurement)


def kept_of_each(kept: Kept) -> Counter[object]:
    """How many rows of each person count."""
    return sum((Counter({row[-1]: n}) for row, n in kept.items()), Counter[object]())


def with_max_rows(table: Table, most: int) -> Table:
    return Table(table.names, table.schema | {"max_rows": most}, table.rows)


def shuffled(table: Table, shuffle: random.Random) -> Table:
    return Table(table.names, table.schema, tuple(shuffle.sample(table.rows, len(table.rows))))


# What a person carries


@pytest.mark.depth("crowded tables")
@examples("crowded tables")
@given(data=st.data(), gaussian=st.booleans())
def test_the_oracle_agrees_on_the_rows_that_count(data: st.DataObject, gaussian: bool) -> None:
    """People whose rows do not count are there all the same, and carry nothing."""
    table = data.draw(tables(crowded=True, groups=True))
    question = data.draw(st.sampled_from(tuple(AGGREGATES)).flatmap(lambda aggregate: questions(table, aggregate)))
    source = table.source("pandas", Path())
    counting = [table.rows[place] for place in places_of_kept(source, table.schema, question.sql)]
    assert_same_facts(table, question.sql, source, gaussian, question.literal, counting)


def places_of_kept(source: Any, schema: Any, sql: str) -> list[int]:
    """The places of the rows that count. Of rows that agree in all that is read, it does not matter which."""
    tagged = source.assign(**{TAG: range(len(source))})
    dataset = sf.open(tagged, schema, ledger=":memory:")
    counting = rows(asked(dataset, sql), beside=[column(TAG)])
    return [int(str(row[-1])) for row in dataset._context.engine.rows(dataset._context.engine.spell(counting))]


@pytest.mark.depth("crowded tables")
@examples("crowded tables")
@given(data=st.data())
def test_exposure_is_what_leaving_does_to_the_totals(data: st.DataObject) -> None:
    """Over all noisy numbers and cells, |change| over the noise scale, at epsilon 1: nobody's odds move by more."""
    table = data.draw(st.one_of(tables(crowded=True, groups=True), tables(units=True)))
    sql = data.draw(releasable_questions(table, additive=True)).sql
    query = opened(table).query(sql)
    carried = query.risk().people().to_pydict()
    leaving = {person: places for person, places in table.people().items() if person is not None}
    who = dict(zip(sorted(leaving), carried["exposure"], strict=True))
    for person, places in leaving.items():
        rest = opened(table.without(*places)).query(sql)
        loads, rounding = loads_of_leaving(query, rest, len(places))
        assert who[person] == pytest.approx(float(loads), abs=rounding)


def loads_of_leaving(query: sf.Query, rest: sf.Query, places: int) -> tuple[Fraction, float]:
    """How far the odds move at epsilon 1, and how much of it may come from rounding rows to the grid."""
    numbers, cells = query.measurement.numbers, query._bound.totals().cells
    changes = [[abs(a - b) for a, b in zip(cells[c], rest._bound.totals().cells[c], strict=True)] for c in cells]
    moved = [sum(column) for column in zip(*changes, strict=True)]
    loads = [m * n.step / (n.sensitivity / n.share) for m, n in zip(moved, numbers, strict=True)]
    rounding = sum(places * n.share / n.steps for n in numbers if n.rounded)
    return sum(loads, Fraction(0)), float(rounding) + 1e-9


def opened(table: Table) -> sf.Dataset:
    return sf.open(table.source("pandas", Path()), table.schema, ledger=":memory:")
