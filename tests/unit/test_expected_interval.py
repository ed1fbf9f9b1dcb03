"""The interval of an answer before paying: by which public guess of the group's size, and in which units."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
import pytest

import sfumato as sf
from sfumato.model.calibration import NoiseLaw
from sfumato.model.expected_interval import CountSource, ExpectedCount
from sfumato.privacy.noise.expected_interval import mean_error

COLUMNS: dict[str, Any] = {
    "v": {"type": "number", "bounds": [0, 100]},
    "ward": {"categories": ["a", "b", "c"]},
}
AVG, BY_WARD = "SELECT AVG(v) AS m FROM t", "SELECT ward, AVG(v) AS m FROM t GROUP BY ward"
ROWS = {"v": [10.0, 50.0, 90.0] * 200, "ward": ["a", "b", "c"] * 200}


def table(rows: Mapping[str, Any] | None = None, **stated: Any) -> sf.Dataset:
    return sf.open(pd.DataFrame(rows or ROWS), {"name": "t", "columns": COLUMNS, **stated}, ledger=":memory:")


def test_what_is_stated_goes_before_the_schema_and_that_before_a_released_count() -> None:
    assert table().query(AVG).worst_case().expected_count == ExpectedCount(1000, CountSource.EXAMPLE)
    known = table(people_at_least=300)
    assert known.query(AVG).worst_case().expected_count == ExpectedCount(300, CountSource.SCHEMA)
    assert known.query(BY_WARD).worst_case().expected_count == ExpectedCount(100, CountSource.SCHEMA)
    assert known.query(AVG).worst_case(expected_count=50).expected_count == ExpectedCount(50, CountSource.STATED)
    assert known.query("SELECT COUNT(*), SUM(v) FROM t").worst_case().expected_count is None


def test_a_count_of_the_same_rows_that_was_released_before_is_public() -> None:
    dataset = table()
    release = dataset.query("SELECT COUNT(*) AS n FROM t").release(epsilon=1)
    low = int((release.answer.intervals or ())[0][0][0])  # type: ignore[index]
    assert dataset.query(AVG).worst_case().expected_count == ExpectedCount(low, CountSource.RELEASED)
    assert dataset.query(BY_WARD).worst_case().expected_count == ExpectedCount(low // 3, CountSource.RELEASED)
    other_rows = dataset.query("SELECT AVG(v) FROM t WHERE v > 20").worst_case().expected_count
    assert other_rows == ExpectedCount(1000, CountSource.EXAMPLE)
    by_ward = dataset.query("SELECT ward, COUNT(*) AS n FROM t GROUP BY ward").release(epsilon=1)
    least = min(int(row[1][0]) for row in by_ward.answer.intervals or () if row[1] is not None)
    assert dataset.query(BY_WARD).worst_case().expected_count == ExpectedCount(least, CountSource.RELEASED)


def test_a_rehearsal_goes_by_its_synthetic_rows_in_the_smallest_group() -> None:
    rehearsed = table().query(BY_WARD).rehearse(rows=600)
    assert rehearsed.expected_count is not None
    assert rehearsed.expected_count.source is CountSource.SYNTHETIC
    assert 100 < rehearsed.expected_count.count < 200
    stated = table().query(BY_WARD).rehearse(sf.within(5, expected_count=77), rows=600)
    assert stated.expected_count == ExpectedCount(77, CountSource.STATED)


def test_the_interval_is_that_of_the_answer_for_several_sizes() -> None:
    at = table().query(AVG).worst_case(expected_count=250).at(1.0)
    assert [answer.count for answer in at.answers] == [100, 250, 1000, 10_000]
    thousand = at.answers[2]
    assert thousand.half_width == pytest.approx(0.230, abs=5e-4)
    assert thousand.bound == pytest.approx((99.674, 100.0), abs=1e-3)
    assert thousand.at_most is not None
    assert thousand.at_most >= 100 - 99.674, "it holds at a bound too"
    assert at.answers[0].half_width == pytest.approx(10 * (thousand.half_width or 0), rel=0.01)
    json: Any = table().query(AVG).worst_case(candidates=[1], expected_count=250).view.as_dict()
    assert [answer["count"] for answer in json["candidates"][0]["answers"]] == [100, 250, 1000, 10_000]
    assert json["expected_count"] == {"count": 250, "source": "stated"}


@pytest.mark.parametrize("figure", ["VAR_POP", "VAR_SAMP", "STDDEV_POP", "STDDEV"])
def test_a_variance_has_an_interval_too_and_more_people_make_it_narrower(figure: str) -> None:
    answers = table().query(f"SELECT {figure}(v) FROM t").worst_case().at(1.0).answers
    widths = [answer.half_width or 0 for answer in answers]
    assert widths == sorted(widths, reverse=True)
    assert all(answer.middle and answer.middle[0] < answer.middle[1] for answer in answers)


def test_of_too_few_the_answer_says_nothing() -> None:
    [one, *_] = table().query(AVG).worst_case(expected_count=1).at(0.01).answers
    assert one.at_most is None
    assert "anywhere within its bounds" in str(table().query(AVG).worst_case(candidates=[0.01], expected_count=1))


@pytest.mark.parametrize("law", [NoiseLaw.LAPLACE, NoiseLaw.GAUSSIAN])
def test_the_error_of_a_mean_falls_with_its_count(law: NoiseLaw) -> None:
    errors = [mean_error(count, (100, 2), 50, law) or 0 for count in (50, 331, 5000)]
    assert errors == sorted(errors, reverse=True)
    assert errors[1] <= 1.0


def test_the_worst_case_says_that_it_is_the_same_for_every_query_and_what_differs() -> None:
    shown = " ".join(str(table().query(AVG).worst_case(expected_count=1000)).split())
    assert shown.count("the same for every query: 1 + epsilon") == 1
    assert "`rehearse` shows it on synthetic data" in shown
    assert "answer (90%) if 1,000 counted" in shown
    assert "±0.23 to ±0.328" in shown
    assert "expected_count=N" in str(table().query(AVG).worst_case()).replace("\n", " ")
    rehearsed = table().query(AVG).rehearse(rows=300)
    assert "the same for every query" not in str(rehearsed)


def test_a_count_below_one_is_refused() -> None:
    with pytest.raises(sf.SfumatoError, match="expected_count must be at least 1"):
        table().query(AVG).worst_case(expected_count=0)
