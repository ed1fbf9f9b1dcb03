"""One pass of the engine says what literal leave-one-out says: answers, influences and exposures, person by person."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import sfumato as sf
from sfumato.engines.reference import Answer, LeaveOneOut, leave_one_out
from sfumato.model.choice import Noise
from sfumato.model.facts import Summary
from sfumato.session import assemble, gather
from tests.property.tables import (
    NUMBER_BOUNDS,
    SOURCES,
    WHOLE_BOUNDS,
    Table,
    examples,
    questions,
    table_at_the_bounds,
    table_of_everything,
    tables,
)

CLOSE = 1e-9  # relative; of a figure near zero, relative to the largest that the bounds allow


@pytest.mark.depth("oracle tables")
@examples("oracle tables")
@given(data=st.data(), kind=st.sampled_from(SOURCES), gaussian=st.booleans())
def test_the_engine_says_what_the_oracle_says(data: st.DataObject, kind: str, gaussian: bool) -> None:
    table = data.draw(tables())
    sql = data.draw(questions(table))
    with TemporaryDirectory() as folder:
        assert_same_facts(table, sql, table.source(kind, Path(folder)), gaussian)


@pytest.mark.parametrize("kind", SOURCES)
@pytest.mark.parametrize(
    "sql",
    [
        "SELECT COUNT(*), COUNT(age), COUNT(pay), SUM(age), AVG(pay) FROM people",
        "SELECT AVG(age) AS a, SUM(pay) AS b FROM people WHERE age > -3 AND pay < 2.5 OR note IS NULL",
        "SELECT region, COUNT(region) FROM people WHERE note LIKE 'a%' GROUP BY region",
        "SELECT SUM(age), member FROM people WHERE NOT note LIKE '%c' OR pay >= 100 GROUP BY member, level",
    ],
)
def test_no_value_is_too_odd(sql: str, kind: str, tmp_path: Path) -> None:
    table = table_of_everything()
    assert_same_facts(table, sql, table.source(kind, tmp_path), gaussian=False)


@pytest.mark.parametrize(("whole", "real"), [*zip(WHOLE_BOUNDS, NUMBER_BOUNDS, strict=True)], ids=str)
def test_bounds_may_lie_anywhere(whole: tuple[int, int], real: tuple[float, float]) -> None:
    table = table_at_the_bounds(whole, real)
    for sql in ("SELECT SUM(age), AVG(pay) FROM people", "SELECT SUM(pay), AVG(age) FROM people"):
        assert_same_facts(table, sql, table.source("pandas", Path()), gaussian=False)


def assert_same_facts(table: Table, sql: str, source: object, gaussian: bool) -> None:
    dataset = sf.open(source, table.schema, ledger=":memory:")
    query = dataset.query(sql)
    oracle = leave_one_out(table.rows, dataset.schema, sql, table.names.columns)
    reach = max(float(asked.bounds.reach) if asked.bounds else 1.0 for asked in oracle.asked)

    answer = gather.facts(dataset._engine, query.statement, query.measurement, Noise()).answer
    assert_same_answer(answer, oracle.answer, within=CLOSE * reach)
    rounding = max(float(number.step) for number in query.measurement.numbers) * len(table.rows) / 2
    assert_same_answer(released_without_noise(query), nothing_as_released(oracle), within=rounding)

    risk = query.risk(mechanism="gaussian", delta=1e-6) if gaussian else query.risk()
    influences = oracle.influences_l2() if gaussian else oracle.influences()
    exposures = oracle.exposures_l2() if gaussian else oracle.exposures()
    assert risk.people_count == len(table.rows)
    assert risk.outputs == oracle.outputs
    assert_same_summary(risk.influence, influences, reach)
    assert_same_summary(risk.exposure, exposures, 1.0)
    people = risk.people().to_pydict()
    assert people["person"] == list(range(1, len(table.rows) + 1))
    assert_same(people["influence"], influences, within=CLOSE * reach)
    assert_same(people["exposure"], exposures, within=CLOSE)


def released_without_noise(query: sf.Query) -> list[list[Any]]:
    """What would be released if the noise were 0: the totals that noise is added to, put together."""
    measurement = query.measurement
    rows = assemble.answer(measurement, [query.totals().cells[cell] for cell in measurement.cells], None).rows
    return [[v for v, c in zip(row, measurement.columns, strict=True) if c.key is None] for row in rows]


def nothing_as_released(oracle: LeaveOneOut) -> Answer:
    """The answer with what a release shows of nobody: a sum of 0, a mean in the middle of its bounds."""
    nothing = [a.bounds.middle if a.kind == "AVG" and a.bounds else Fraction(0) for a in oracle.asked]
    return tuple(tuple(f if f is not None else n for f, n in zip(row, nothing, strict=True)) for row in oracle.answer)


def assert_same_answer(ours: Sequence[Sequence[Any]], theirs: Answer, within: float) -> None:
    for row, expected in zip(ours, theirs, strict=True):
        assert [figure is None for figure in row] == [figure is None for figure in expected]
        assert_same([f or 0 for f in row], [f or Fraction(0) for f in expected], within)


def assert_same_summary(ours: object, figures: Sequence[Fraction | float], scale: float) -> None:
    assert isinstance(ours, Summary)
    people, total, squares = len(figures), math.fsum(figures), math.fsum(f * f for f in figures)
    extremes = [min(figures, default=0.0), max(figures, default=0.0)]
    assert ours.people == people
    assert_same([ours.min, ours.max], extremes, within=CLOSE * scale)
    assert_same([ours.sum, ours.mean], [total, total / max(people, 1)], within=CLOSE * scale)
    assert_same([ours.sum_sq], [squares], within=CLOSE * scale**2)


def assert_same(ours: Sequence[float], theirs: Sequence[Fraction | float], within: float) -> None:
    assert list(ours) == pytest.approx([float(figure) for figure in theirs], rel=CLOSE, abs=within)
