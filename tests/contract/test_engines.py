"""Every engine says what the oracle and DuckDB say, of any stored value: to 1e-9, and totals to the last bit."""

from __future__ import annotations

import logging
import math
import re
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import sfumato as sf
from sfumato.auditing import engine_rows as rows
from sfumato.auditing.engine_facts import agree, survey_facts
from sfumato.errors import EngineFailure
from sfumato.release.data_quality import exact_counts
from sfumato.sql.builder.ast import column, select_from
from sfumato.sql.builder.nodes import OWN
from sfumato.sql.builder.values import nearest
from sfumato.sql.lowering.spelling import printer_of
from tests.engines import ENGINES, Opening
from tests.property.own_questions import ROWS, group_questions, person_questions, row_questions, with_own_bounds
from tests.property.questions import AGGREGATES, questions
from tests.property.tables import Table, examples, tables
from tests.property.test_oracle import assert_opened_says

SECRET = "secret-3.14159"


@pytest.fixture(scope="module", params=ENGINES)
def opening(request: pytest.FixtureRequest) -> Iterator[Opening]:
    with ENGINES[request.param]() as opened:
        yield opened


@pytest.mark.parametrize("dialect", ["duckdb", *ENGINES])
def test_every_node_of_our_own_is_lowered(dialect: str) -> None:
    assert set(printer_of(dialect).TRANSFORMS) >= OWN


def stored() -> pa.Table:
    """Hostile values in every column; and a text that would be known again."""
    table = rows.table()
    place = table.schema.get_field_index("t")
    texts = [SECRET if i % 17 == 0 else text for i, text in enumerate(table["t"].to_pylist())]
    return table.set_column(place, "t", pa.array(texts, pa.string()))


@pytest.mark.parametrize("people", rows.SCHEMAS)
def test_every_plan_reads_every_value_as_duckdb_does(
    people: str, opening: Opening, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    """Totals to the last bit; nothing fails, and no value is said to anyone."""
    caplog.set_level(logging.DEBUG)
    schema, queries = rows.schema_of(people), rows.queries_of(people)
    with opening(stored(), schema) as dataset:
        assert [sql for sql in queries if fails(dataset, sql)] == []
    table = rows.moderate(stored())
    embedded = sf.open(table, schema, ledger=":memory:")
    with opening(table, schema) as dataset:
        for sql in queries:
            if rows.FAR not in sql:
                assert dataset.query(sql)._bound.totals() == embedded.query(sql)._bound.totals(), sql
        for sql in rows.surveyed_queries_of(people) if people in rows.TYPES_OF else ():
            theirs = dict(survey_facts(embedded._context, sql))
            for fact, find in survey_facts(dataset._context, sql):
                assert agree(find(), theirs[fact]()), (sql, fact)
        assert dataset.check() == embedded.check()
        assert exact_counts(dataset._context) == exact_counts(embedded._context)
        ours, other = (sorted(d.per_person().people()["epsilon"].to_pylist()) for d in (dataset, embedded))
        assert agree(ours, other), "per person"
    said = capfd.readouterr()
    assert SECRET not in caplog.text + said.out + said.err


def fails(dataset: sf.Dataset, sql: str) -> bool:
    try:
        dataset.query(sql)._bound.totals()
    except EngineFailure:
        return True
    return False


def test_halves_are_rounded_up_in_every_engine(opening: Opening) -> None:
    halves = [-2.5, -1.5, -0.5, 0.5, 1.5, 2.5, 4503599627370495.5, None]
    schema = {"name": "t", "columns": {"x": {"type": "number"}}}
    with opening(pa.table({"x": halves}), schema) as dataset:
        engine = dataset._context.engine
        rounded = engine.rows(engine.spell(select_from([nearest(column("x"))], "t")))
    expected = [None if x is None else float(math.floor(x + 0.5)) for x in halves]
    assert sorted(map(str, (row[0] for row in rounded))) == sorted(map(str, expected))


def is_read_alike(table: Table, sql: str) -> bool:
    """Whether no difference of docs/engines.md matters: letters that LOWER leaves, numbers held as infinite."""
    letters = re.search(r"LOWER|UPPER|ILIKE", sql, re.IGNORECASE) is not None
    values = [value for row in table.rows for value in row.values()]
    return not (letters and not (sql + str(values)).isascii()) and not any(
        isinstance(value, float) and 1e150 < abs(value) < math.inf for value in values
    )


@pytest.mark.depth("engine tables")
@examples("engine tables")
@given(data=st.data(), aggregate=st.sampled_from(list(AGGREGATES)), gaussian=st.booleans())
def test_an_engine_says_what_the_oracle_says(
    opening: Opening, data: st.DataObject, aggregate: str, gaussian: bool
) -> None:
    table = data.draw(tables(units=True))
    question = data.draw(questions(table, aggregate, levels=True))
    assume(is_read_alike(table, question.sql))
    with opening(table.source("arrow", Path()), table.schema) as dataset:
        assert_opened_says(dataset, table, question.sql, gaussian, question.literal, in_places=False)


@pytest.mark.depth("engine tables")
@examples("engine tables")
@given(data=st.data(), gaussian=st.booleans())
def test_an_engine_reads_the_rows_of_a_person_as_the_oracle_does(
    opening: Opening, data: st.DataObject, gaussian: bool
) -> None:
    crowded = data.draw(tables(crowded=True))
    alone = data.draw(st.booleans())
    table = with_own_bounds(crowded) if alone else with_own_bounds(crowded, max_rows=ROWS)
    kinds = (person_questions,) if alone else (row_questions, group_questions)
    question = data.draw(st.one_of(*(kind(table) for kind in kinds)))
    assume(is_read_alike(table, question.sql))
    with opening(table.source("arrow", Path()), table.schema) as dataset:
        assert_opened_says(dataset, table, question.sql, gaussian, question.literal, in_places=False)


@pytest.mark.depth("engine tables")
@examples("engine tables")
@given(data=st.data())
def test_the_same_rows_of_a_person_count_in_every_engine(opening: Opening, data: st.DataObject) -> None:
    table = data.draw(tables(crowded=True, groups=True))
    sql = data.draw(st.sampled_from(COUNTED)).format(**{k: f'"{v}"' for k, v in vars(table.names).items()})
    assume(is_read_alike(table, sql))
    source = table.source("arrow", Path())
    embedded = sf.open(source, table.schema, ledger=":memory:")
    with opening(source, table.schema) as dataset:
        assert dataset.query(sql)._bound.totals() == embedded.query(sql)._bound.totals()


COUNTED = (
    "SELECT SUM({whole}), SUM({real}) FROM {table}",
    "SELECT {level}, SUM({real}), COUNT({note}), COUNT(DISTINCT {day}) FROM {table} GROUP BY {level}",
    "SELECT {flag}, AVG({whole}) FROM {table} WHERE {real} > 0 OR {note} <> 'zzz' GROUP BY {flag}",
)
