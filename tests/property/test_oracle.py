"""One pass of the engine says what literal leave-one-out says: answers, influences and exposures, person by person."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, cast

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sfumato as sf
from sfumato.model.statement import AggregateKind
from sfumato.release import answer
from sfumato.release.noise import Noisy, level_totals
from tests.property.oracle import Literal, OracleAggregate, OracleFindings, leave_one_out, people_of
from tests.property.own_questions import ROWS, group_questions, person_questions, row_questions, with_own_bounds
from tests.property.questions import AGGREGATES, SEVERAL, questions
from tests.property.tables import (
    NUMBER_BOUNDS,
    SOURCES,
    WHOLE_BOUNDS,
    Row,
    Table,
    examples,
    table_at_the_bounds,
    table_of_everything,
    tables,
)

CLOSE = 1e-9  # relative; of a figure near zero, relative to the largest that the bounds allow
ROOT_CLOSE = 1e-6  # of the root of a variance that is 0 and that floats see as 1e-16
BIN = 1 / 3840  # of the range of a figure: how exact its quantiles are
SPREADS = (AggregateKind.VAR_POP, AggregateKind.VAR_SAMP, AggregateKind.STDDEV_POP, AggregateKind.STDDEV_SAMP)
ROOTS = (AggregateKind.STDDEV_POP, AggregateKind.STDDEV_SAMP)
ADDITIVE = (AggregateKind.COUNT, AggregateKind.SUM, AggregateKind.AVG, *SPREADS)


@pytest.mark.depth("oracle tables")
@pytest.mark.parametrize("aggregate", [*AGGREGATES, SEVERAL])
@examples("oracle tables")
@given(data=st.data(), kind=st.sampled_from(SOURCES), gaussian=st.booleans())
def test_the_engine_says_what_the_oracle_says(aggregate: str, data: st.DataObject, kind: str, gaussian: bool) -> None:
    table = data.draw(tables(units=True))
    question = data.draw(questions(table, aggregate, levels=True))
    with TemporaryDirectory() as folder:
        assert_same_facts(table, question.sql, table.source(kind, Path(folder)), gaussian, question.literal)


@pytest.mark.depth("own rows tables")
@examples("own rows tables")
@given(data=st.data(), gaussian=st.booleans())
def test_every_row_of_a_person_counts_in_a_sub_select(data: st.DataObject, gaussian: bool) -> None:
    """The oracle deletes each person and computes the sub-select anew; a person has more rows than `max_rows`."""
    table = with_own_bounds(data.draw(tables(crowded=True)))
    question = data.draw(person_questions(table))
    assert_same_facts(table, question.sql, table.source("pandas", Path()), gaussian, question.literal)


@pytest.mark.depth("own rows tables")
@examples("own rows tables")
@given(data=st.data(), gaussian=st.booleans())
def test_figures_beside_the_rows_of_a_person_are_of_these_rows_alone(data: st.DataObject, gaussian: bool) -> None:
    table = with_own_bounds(data.draw(tables(crowded=True)), max_rows=ROWS)
    question = data.draw(st.one_of(row_questions(table), group_questions(table)))
    assert_same_facts(table, question.sql, table.source("pandas", Path()), gaussian, question.literal)


@pytest.mark.parametrize("kind", SOURCES)
@pytest.mark.parametrize(
    "sql",
    [
        "SELECT COUNT(*), COUNT(age), COUNT(pay), SUM(age), AVG(pay) FROM people",
        "SELECT AVG(age) AS a, SUM(pay) AS b FROM people WHERE age > -3 AND pay < 2.5 OR note IS NULL",
        "SELECT region, COUNT(region) FROM people WHERE note LIKE 'a%' GROUP BY region",
        "SELECT SUM(age), member FROM people WHERE NOT note LIKE '%c' OR pay >= 100 GROUP BY member, level",
        "SELECT COUNT(DISTINCT age), COUNT(DISTINCT pay), COUNT(DISTINCT note), COUNT(DISTINCT born) FROM people",
        "SELECT MEDIAN(pay), MIN(age), MAX(pay), QUANTILE_DISC(age, 0.3) FROM people WHERE who <> 3",
        "SELECT VAR_SAMP(pay), STDDEV_POP(age) FROM people GROUP BY member",
    ],
)
def test_no_value_is_too_odd(sql: str, kind: str, tmp_path: Path) -> None:
    table = table_of_everything()
    assert_same_facts(table, sql, table.source(kind, tmp_path), gaussian=False)


@pytest.mark.parametrize(("whole", "real"), [*zip(WHOLE_BOUNDS, NUMBER_BOUNDS, strict=True)], ids=str)
def test_bounds_may_lie_anywhere(whole: tuple[int, int], real: tuple[float, float]) -> None:
    table = table_at_the_bounds(whole, real)
    for sql in (
        "SELECT SUM(age), AVG(pay) FROM people",
        "SELECT SUM(pay), AVG(age) FROM people",
        "SELECT VAR_SAMP(age), MIN(pay), MEDIAN(pay) FROM people",
    ):
        assert_same_facts(table, sql, table.source("pandas", Path()), gaussian=False)


def test_a_quotient_exists_once_its_divisor_is_clamped() -> None:
    """Alone or beside other figures: half of a row must not be left out for what it was before."""
    stored = pd.DataFrame({"a": [10, 20, 30], "b": [0, 2, 5]})
    columns = {"a": {"type": "integer", "bounds": [0, 100]}, "b": {"type": "integer", "bounds": [1, 4]}}
    dataset = sf.open(stored, {"name": "t", "columns": columns}, ledger=":memory:")
    for aggregate, truth in (("AVG", 27.5 / 3), ("SUM", 27.5), ("MAX", 10.0)):
        alone, beside = (dataset.query(f"SELECT {aggregate}(a / b){more} FROM t") for more in ("", ", COUNT(*)"))
        assert alone.answer()[0][0] == beside.answer()[0][0] == pytest.approx(truth)
    assert dataset.query("SELECT COUNT(a / b) FROM t").answer() == ((2,),)  # a count reads values as they are


def assert_same_facts(
    table: Table,
    sql: str,
    source: object,
    gaussian: bool,
    literal: Literal | None = None,
    counting: Sequence[Row] | None = None,
) -> None:
    """`counting` are the rows that count, where not all do."""
    assert_opened_says(sf.open(source, table.schema, ledger=":memory:"), table, sql, gaussian, literal, counting)


def assert_opened_says(
    dataset: sf.Dataset,
    table: Table,
    sql: str,
    gaussian: bool,
    literal: Literal | None = None,
    counting: Sequence[Row] | None = None,
    *,
    in_places: bool = True,
) -> None:
    """`in_places`: where each row is a person, people are numbered by the places of the rows."""
    query = dataset.query(sql)
    rows, people = table.rows if counting is None else counting, people_of(table.rows, dataset.schema)
    oracle = leave_one_out(rows, dataset.schema, literal or sql, table.names.columns, people)

    risk = query.risk(mechanism="gaussian", delta=1e-6) if gaussian else query.risk()
    influences = oracle.influences_l2() if gaussian else oracle.influences()
    exposures = oracle.exposures_l2() if gaussian else oracle.exposures()
    within = sum(map(tolerance, oracle.aggregates))
    assert risk.people_count == len(oracle.people)
    assert risk.outputs == oracle.outputs
    assert all(0 <= exposure <= 1 / dataset.schema.relation.steps + CLOSE for exposure in exposures)
    assert_same_summary(risk.influence, influences, within)
    assert_same_summary(risk.exposure, exposures, CLOSE)
    figures = (risk.exposure, exposures, CLOSE) if gaussian else (risk.influence, influences, within)
    assert_same_quantiles(*figures)  # a pass of its own: of one figure each time
    people = risk.people().to_pydict()
    if in_places:
        assert people["person"] == list(oracle.people)
    ordered = list if in_places or dataset.schema.unit.column is not None else sorted
    assert_same(ordered(people["influence"]), ordered(influences), within)
    assert_same(ordered(people["exposure"]), ordered(exposures), CLOSE)

    for row, expected in zip(query.answer(), oracle.answer, strict=True):
        for figure, other, asked in zip(row, expected, oracle.aggregates, strict=True):
            assert (figure is None) == (other is None)
            assert_same([cast(float, figure or 0.0)], [other or Fraction(0)], tolerance(asked))
    if not gaussian and all(asked.kind in ADDITIVE for asked in oracle.aggregates):  # the totals know of no noise
        assert_same_release(query, oracle, len(table.rows))


def tolerance(asked: OracleAggregate) -> float:
    """How far a figure may be off: a little of the largest that the bounds allow."""
    if asked.bounds is None:
        return CLOSE
    width = float(asked.bounds.upper - asked.bounds.lower)
    if asked.kind in ROOTS:
        return ROOT_CLOSE * width
    return CLOSE * (width**2 if asked.kind in SPREADS else float(asked.bounds.reach))


# What a release is made of


def assert_same_release(query: sf.Query, oracle: OracleFindings, rows: int) -> None:
    """Without its noise a release is the answer; of nobody it shows a sum of 0 and a mean in the middle of its bounds.

    What it shows in place of a variance that does not exist is its own business, and so is a mean of nobody that is
    fitted to its totals: with no noise, least squares leaves 1e-16 people there.
    """
    step = rows * max(float(number.step) for number in query.measurement.numbers)
    for row, expected in zip(released_without_noise(query), oracle.answer, strict=True):
        for figure, other, asked in zip(row, expected, oracle.aggregates, strict=True):
            nothing = asked.bounds.middle if asked.kind is AggregateKind.AVG and asked.bounds else Fraction(0)
            fitted = query.measurement.levels is not None and asked.kind is AggregateKind.AVG
            if other is not None or not (fitted or asked.kind in SPREADS):
                assert_same([figure], [nothing if other is None else other], rounding(asked, step))


def released_without_noise(query: sf.Query) -> list[list[Any]]:
    """What would be released if the noise were 0: the totals that noise is added to, put together."""
    measurement, cells = query.measurement, query.measurement.drawn_cells
    totals = level_totals(dict(query._bound.totals().cells), measurement)
    exact = [
        tuple(n.step * total for n, total in zip(measurement.numbers, totals[cell], strict=True)) for cell in cells
    ]
    rows = answer.answer(measurement, Noisy(cells, tuple(exact)), None).rows
    return [[v for v, c in zip(row, measurement.columns, strict=True) if c.key is None] for row in rows]


def rounding(asked: OracleAggregate, step: float) -> float:
    """How far a release may be off because each row is rounded to the grid of the noise; `step` is that of all rows."""
    if asked.kind not in SPREADS or asked.bounds is None:
        return step / 2
    of_variance = step * (1 + 2 * float(asked.bounds.upper - asked.bounds.lower))
    return math.sqrt(of_variance) if asked.kind in ROOTS else of_variance


# Comparing


def assert_same_summary(ours: Any, figures: Sequence[Fraction | float], within: float) -> None:
    people, total, squares = len(figures), math.fsum(figures), math.fsum(f * f for f in figures)
    lowest, highest = float(min(figures, default=0)), float(max(figures, default=0))
    assert ours.people == people
    assert_same([ours.min, ours.max, ours.mean], [lowest, highest, total / max(people, 1)], within)
    assert_same([ours.sum], [total], within * people)
    assert_same([ours.sum_sq], [squares], within * people * (2 * highest + within))


def assert_same_quantiles(ours: Any, figures: Sequence[Fraction | float], within: float) -> None:
    lowest, highest = float(min(figures, default=0)), float(max(figures, default=0))
    for p in (0, 0.25, 0.5, 0.9, 1):
        assert_same([ours.quantile(p)], [quantile(figures, p)], within + BIN * (highest - lowest))


def quantile(figures: Sequence[Fraction | float], p: float) -> Fraction | float:
    """The smallest figure that at least a share `p` of the people do not exceed; 0 where there is nobody."""
    ordered = sorted(figures)
    return ordered[max(1, math.ceil(Fraction(str(p)) * len(ordered))) - 1] if ordered else Fraction(0)


def assert_same(ours: Sequence[float], theirs: Sequence[Fraction | float], within: float) -> None:
    assert list(ours) == pytest.approx([float(figure) for figure in theirs], rel=CLOSE, abs=within)
