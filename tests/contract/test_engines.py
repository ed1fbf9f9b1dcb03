"""Every engine says what the oracle and DuckDB say, of any stored value: to 1e-9, and totals to the last bit."""

from __future__ import annotations

import logging
import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sfumato as sf
from sfumato.errors import EngineFailure
from sfumato.model.choice import Noise
from sfumato.model.facts import EXPOSURE, INFLUENCE
from sfumato.release.data_quality import exact_counts
from sfumato.signals.exact_answer import block_tables
from sfumato.sql.builder.ast import column, select_from
from sfumato.sql.builder.nodes import OWN
from sfumato.sql.builder.values import nearest
from sfumato.sql.lowering.spelling import printer_of
from tests.contract import test_total_sql as total
from tests.engines import ENGINES, Opening
from tests.property.own_questions import ROWS, group_questions, person_questions, row_questions, with_own_bounds
from tests.property.questions import AGGREGATES, questions
from tests.property.tables import examples, tables
from tests.property.test_oracle import assert_opened_says

SECRET = "secret-3.14159"
TYPED = 'SELECT COUNT(price), COUNT("from"), COUNT(d) FROM data'  # texts that are read as numbers and as days
DATES = (
    "SELECT COUNT_IF(d - INTERVAL 1 MONTH < '2024-01-30'), COUNT_IF(d + INTERVAL 40 DAY = '2024-04-09'), "
    "COUNT_IF(LAST_DAY(d) = d), COUNT(d - INTERVAL 3 YEAR), COUNT(d + INTERVAL 9000 YEAR), COUNT_IF(YEAR(d) = 2024), "
    "COUNT_IF(DATE_TRUNC('quarter', d) < '2024-02-01'), COUNT_IF(DATE_DIFF('week', d, '2024-03-10') = 1), "
    "COUNT_IF(d::TIMESTAMP - INTERVAL 3 HOUR < '2024-02-29') FROM data WHERE DAYNAME(d) <> 'Sunday' OR n > 3"
)
FAR = "1e300"  # in these queries numbers grow beyond what every engine can hold


@pytest.fixture(scope="module", params=ENGINES)
def opening(request: pytest.FixtureRequest) -> Iterator[Opening]:
    with ENGINES[request.param]() as opened:
        yield opened


@pytest.mark.parametrize("dialect", ["duckdb", *ENGINES])
def test_every_node_of_our_own_is_lowered(dialect: str) -> None:
    assert set(printer_of(dialect).TRANSFORMS) >= OWN


def stored() -> pa.Table:
    """Hostile values in every column; and a text that would be known again."""
    table = total.table()
    place = table.schema.get_field_index("t")
    texts = [SECRET if i % 17 == 0 else text for i, text in enumerate(table["t"].to_pylist())]
    return table.set_column(place, "t", pa.array(texts, pa.string()))


def facts(dataset: sf.Dataset, sql: str) -> dict[str, Any]:
    """Everything that is read for a query; of people whom no column names, without their numbers."""
    query = dataset.query(sql)
    found: dict[str, Any] = {}
    for noise in (Noise(), Noise("gaussian", 1e-6)):
        survey, side = query._bound.look(noise), dataset._context.condition("n > 3")
        people = survey.people().to_pydict()
        whole = dataset.schema.unit.column is not None
        found[f"facts {noise}"] = [list(vars(survey.facts.summary(f)).values()) for f in (INFLUENCE, EXPOSURE)]
        found[f"people {noise}"] = sorted(map(str, people["person"])) if whole else len(people["person"])
        found[f"exposures {noise}"] = sorted(people["exposure"])
        found[f"medians {noise}"] = [sorted(survey.medians(side, f).items()) for f in (INFLUENCE, EXPOSURE)]
        found[f"group {noise}"] = survey.group(side, EXPOSURE).people
        found[f"distribution {noise}"] = [survey.distribution(f).people for f in (INFLUENCE, EXPOSURE)]
        found[f"most {noise}"] = survey.most_exposed()["exposure"].to_pylist()
        found[f"worlds {noise}"] = sorted(world.mass for world, _ in survey.worlds())
        cells = dict.fromkeys(query.measurement.drawn_cells, [0.5] * len(query.measurement.numbers))
        found[f"moves {noise}"] = survey.largest_moves([cells], [1.0] * len(query.measurement.numbers))
        found[f"singletons {noise}"] = survey.singletons
        if query.measurement.additive:
            found[f"bins {noise}"], found[f"moments {noise}"] = survey.people_by_bin(20), survey.moments
            found[f"blocks {noise}"] = [sorted(map(str, t.rows)) for t in block_tables(query._bound, 3, "key")]
    found["answer"] = query.answer()
    return found


def assert_close(ours: Any, other: Any, what: str) -> None:
    if isinstance(ours, float) or isinstance(other, float):
        assert math.isclose(float(ours), float(other), rel_tol=1e-9, abs_tol=1e-9), (what, ours, other)
    elif isinstance(ours, Mapping):
        assert ours.keys() == other.keys(), what
        for key, value in ours.items():
            assert_close(value, other[key], f"{what} {key}")
    elif isinstance(ours, list | tuple):
        assert len(ours) == len(other), (what, ours, other)
        for one, another in zip(ours, other, strict=True):
            assert_close(one, another, what)
    else:
        assert ours == other, what


@pytest.mark.parametrize("people", total.SCHEMAS)
def test_every_plan_reads_every_value_as_duckdb_does(
    people: str, opening: Opening, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    """Totals to the last bit; nothing fails, and no value is said to anyone."""
    caplog.set_level(logging.DEBUG)
    schema = {"name": "data", "null_values": ["?", "n/a"], **total.SCHEMAS[people]}
    own = total.OWN_ROWS if "unit" in schema else ()
    with opening(stored(), schema) as dataset:
        assert [sql for sql in (TYPED, DATES, *total.QUERIES, *own) if fails(dataset, sql)] == []
    table = moderate(stored())
    embedded = sf.open(table, schema, ledger=":memory:")
    with opening(table, schema) as dataset:
        for sql in (TYPED, DATES, *total.QUERIES, *own):
            if FAR not in sql:
                assert dataset.query(sql)._bound.totals() == embedded.query(sql)._bound.totals(), sql
        for sql in (*total.IN_FULL, *own) if people in total.TYPES_OF else ():
            assert_close(facts(dataset, sql), facts(embedded, sql), sql)
        assert dataset.check() == embedded.check()
        assert exact_counts(dataset._context) == exact_counts(embedded._context)
        ours, other = (sorted(d.per_person().people()["epsilon"].to_pylist()) for d in (dataset, embedded))
        assert_close(ours, other, "per person")
    said = capfd.readouterr()
    assert SECRET not in caplog.text + said.out + said.err


def fails(dataset: sf.Dataset, sql: str) -> bool:
    try:
        dataset.query(sql)._bound.totals()
    except EngineFailure:
        return True
    return False


def moderate(table: pa.Table) -> pa.Table:
    """Values that every engine holds as they are: texts without the character 0, numbers between 1e-150 and 1e150."""

    def held(value: object) -> object:
        if isinstance(value, str):
            return value.replace("\0", "")
        far = isinstance(value, float) and value and math.isfinite(value) and not 1e-150 < abs(value) < 1e150
        return math.copysign(1e140 if abs(value) > 1 else 1e-140, value) if far and isinstance(value, float) else value

    return pa.table({f.name: pa.array(map(held, table[f.name].to_pylist()), f.type) for f in table.schema})


def test_halves_are_rounded_up_in_every_engine(opening: Opening) -> None:
    halves = [-2.5, -1.5, -0.5, 0.5, 1.5, 2.5, 4503599627370495.5, None]
    schema = {"name": "t", "columns": {"x": {"type": "number"}}}
    with opening(pa.table({"x": halves}), schema) as dataset:
        engine = dataset._context.engine
        rounded = engine.rows(engine.spell(select_from([nearest(column("x"))], "t")))
    expected = [None if x is None else float(math.floor(x + 0.5)) for x in halves]
    assert sorted(map(str, (row[0] for row in rounded))) == sorted(map(str, expected))


@pytest.mark.depth("engine tables")
@examples("engine tables")
@given(data=st.data(), aggregate=st.sampled_from(list(AGGREGATES)), gaussian=st.booleans())
def test_an_engine_says_what_the_oracle_says(
    opening: Opening, data: st.DataObject, aggregate: str, gaussian: bool
) -> None:
    table = data.draw(tables(units=True))
    question = data.draw(questions(table, aggregate, levels=True))
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
    with opening(table.source("arrow", Path()), table.schema) as dataset:
        assert_opened_says(dataset, table, question.sql, gaussian, question.literal, in_places=False)


@pytest.mark.depth("engine tables")
@examples("engine tables")
@given(data=st.data())
def test_the_same_rows_of_a_person_count_in_every_engine(opening: Opening, data: st.DataObject) -> None:
    table = data.draw(tables(crowded=True, groups=True))
    sql = data.draw(st.sampled_from(COUNTED)).format(**{k: f'"{v}"' for k, v in vars(table.names).items()})
    source = table.source("arrow", Path())
    embedded = sf.open(source, table.schema, ledger=":memory:")
    with opening(source, table.schema) as dataset:
        assert dataset.query(sql)._bound.totals() == embedded.query(sql)._bound.totals()


COUNTED = (
    "SELECT SUM({whole}), SUM({real}) FROM {table}",
    "SELECT {level}, SUM({real}), COUNT({note}), COUNT(DISTINCT {day}) FROM {table} GROUP BY {level}",
    "SELECT {flag}, AVG({whole}) FROM {table} WHERE {real} > 0 OR {note} <> 'zzz' GROUP BY {flag}",
)
