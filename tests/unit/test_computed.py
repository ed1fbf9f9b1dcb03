"""What reads computed columns: required errors, charts, signals, the ledger, and answers without some figures."""

from __future__ import annotations

import pyarrow as pa
import pytest

import sfumato as sf
from sfumato.errors import PreferenceError, QueryError
from sfumato.presentation import release_view
from sfumato.presentation.answer_chart import figure_columns
from sfumato.signals.signal_request import table_of

SCHEMA = {
    "name": "stays",
    "columns": {
        "days": {"type": "integer", "bounds": [0, 60]},
        "ward": {"categories": ["Birth", "Heart"]},
        "urgent": {"type": "boolean"},
    },
}
ROWS = pa.table({"days": [3, 9, 40] * 40, "ward": ["Heart"] * 120, "urgent": [True, False, True] * 40})


def _stays() -> sf.Dataset:
    return sf.open(ROWS, SCHEMA, ledger=":memory:")


def test_a_ratio_of_counts_that_were_released_is_free() -> None:
    stays = _stays()
    first = stays.query("SELECT ward, COUNT(*) AS n, COUNT_IF(urgent) AS u FROM stays GROUP BY ward").release(epsilon=1)
    sql = "SELECT ward, 100.0 * COUNT_IF(urgent) / COUNT(*) AS percent FROM stays GROUP BY ward ORDER BY percent"
    second = stays.query(sql).release(epsilon=1)
    assert second.certificate.charged == 0
    counts = {row[0]: (row[1], row[2]) for row in first.rows}
    for ward, percent in second.rows:
        n, urgent = counts[ward]
        assert percent == (None if not n else pytest.approx(min(100.0, 100 * urgent / n)))  # type: ignore[operator]


def test_a_missing_figure_has_no_interval_and_no_chart() -> None:
    sql = (
        "SELECT ward, COUNT(*) AS n, CASE WHEN COUNT(*) > 60 THEN AVG(days) END AS mean, UPPER(ward) AS name, "
        "CASE WHEN COUNT(*) > 60 THEN 'large' ELSE 'small' END AS size, COUNT(*) > 60 AS is_large "
        "FROM stays GROUP BY ward"
    )
    answer = _stays().query(sql).release(epsilon=5).answer
    birth, heart = answer.rows
    assert (birth[2], *birth[3:]) == (None, "BIRTH", "small", False)
    assert (heart[2] is not None, *heart[3:]) == (True, "HEART", "large", True)
    assert answer.intervals is not None
    assert [interval is None for interval in answer.intervals[0]] == [True, False, True, True, True, True]
    assert [interval is None for interval in answer.intervals[1]] == [True, False, False, True, True, True]
    assert figure_columns(answer) == [1]
    assert release_view.cells(answer)[1][0][3:5] == ["", ""]


def test_tasks_read_computed_columns_that_are_always_there() -> None:
    query = _stays().query("SELECT ward, COUNT(*) - 2 AS less, AVG(days) / COUNT(*) AS odd FROM stays GROUP BY ward")
    released = query.release(epsilon=5)
    table = table_of(released.answer, query._bound.measurement)
    assert (table.columns, table.figures) == (("ward", "less"), ("less",))


@pytest.mark.parametrize(
    ("sql", "sentence"),
    [
        ("SELECT SUM(days) / SUM(days + 1) AS r FROM stays", "The error of the computed column r cannot be bounded"),
        ("SELECT 2 * MEDIAN(days) AS r FROM stays", "The error of the computed column r cannot be bounded"),
        ("SELECT COUNT_IF(urgent) / COUNT(*) AS r FROM stays", "r"),
    ],
)
def test_an_error_that_does_not_follow_is_refused(sql: str, sentence: str) -> None:
    with pytest.raises(PreferenceError, match=sentence):
        _stays().query(sql).choose(sf.within(1))


def test_the_error_of_a_multiple_is_that_multiple_of_the_error() -> None:
    stays = _stays()
    once = stays.query("SELECT SUM(days) AS s FROM stays").choose(sf.within(30)).epsilon
    twice = stays.query("SELECT 2 * SUM(days) AS s FROM stays").choose(sf.within(60)).epsilon
    assert twice == pytest.approx(once, rel=1e-2)


def test_many_computed_columns_of_many_groups_are_refused() -> None:
    wide = {"name": "t", "columns": {"a": {"categories": list(range(10_000))}}}
    ratios = ", ".join(f"COUNT(*) / (COUNT(*) + {i}) AS r{i}" for i in range(30))
    table = sf.open(pa.table({"a": [1]}), wide, ledger=":memory:")
    with pytest.raises(QueryError, match="asks for 1,210,000 figures, and the limit is 1,000,000"):
        table.query(f"SELECT a, {ratios} FROM t GROUP BY a")
