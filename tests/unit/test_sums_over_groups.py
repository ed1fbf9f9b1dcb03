"""SUM(COUNT(*)) OVER (): each group beside all of them, or those with the same keys, on the noisy answer."""

from __future__ import annotations

import math
from typing import Any

import duckdb
import pandas as pd
import pytest

import sfumato as sf
from sfumato.errors import BadInput, SfumatoError
from sfumato.privacy.noise.computed import ComputedColumns
from sfumato.privacy.preferences.preference import epsilon
from sfumato.release.difference import Cell, difference, figure_of
from sfumato.schema.read import from_dict
from sfumato.sql.parser.statement import parse

WARDS = {"Birth": 2, "Heart": 5, "Surgery": 13}
STAYS = pd.DataFrame(
    [(ward, 3 * i % 7, i - 4.5, i % 2 == 0) for ward, people in WARDS.items() for i in range(people)],
    columns=["ward", "days", "cost", "urgent"],
)
COLUMNS = {
    "ward": {"categories": [*WARDS, "Empty"]},
    "days": {"type": "integer", "bounds": [0, 60]},
    "cost": {"type": "number", "bounds": [-50, 50]},
    "urgent": {"type": "boolean"},
}


@pytest.fixture(scope="module")
def stays() -> sf.Dataset:
    return sf.open(STAYS, {"name": "stays", "columns": COLUMNS}, ledger=":memory:")


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT ward, COUNT(*), 100.0 * COUNT(*) / SUM(COUNT(*)) OVER () AS percent FROM stays GROUP BY ward",
        "SELECT ward, COUNT_IF(urgent) / SUM(COUNT(*)) OVER () AS s, SUM(SUM(days)) OVER () FROM stays GROUP BY ward",
        "SELECT ward FROM stays GROUP BY ward ORDER BY COUNT(*) / SUM(COUNT(*)) OVER () DESC, ward LIMIT 2",
        "SELECT ward, ROUND(n / SUM(n) OVER (), 2) AS s FROM (SELECT ward, COUNT(*) AS n FROM stays GROUP BY ward)",
        "SELECT ward, SUM(days) / SUM(SUM(days)) OVER () AS s FROM stays WHERE days > 2 GROUP BY ward LIMIT 1",
        "SELECT COUNT(*) / SUM(COUNT(*)) OVER () AS all_of_it FROM stays",
        "SELECT ward, urgent, COUNT(*) / SUM(COUNT(*)) OVER (PARTITION BY ward) AS s FROM stays GROUP BY ward, urgent",
        "SELECT ward, long, n / SUM(n) OVER (PARTITION BY long) AS s FROM "
        "(SELECT ward, days > 2 AS long, COUNT(*) AS n FROM stays GROUP BY ward, long)",
        "SELECT ward, days // 3 AS d, SUM(SUM(days)) OVER (PARTITION BY days // 3, ward), COUNT(*) / SUM(COUNT(*)) "
        "OVER (PARTITION BY d) AS s FROM stays WHERE days < 6 GROUP BY ward, d ORDER BY ward, d",
    ],
)
def test_with_little_noise_it_is_what_duckdb_gives(stays: sf.Dataset, sql: str) -> None:
    """The sum is over all groups, whatever LIMIT shows; the group that is empty stays out of a database's answer."""
    ordered = sql if "ORDER BY" in sql or "GROUP BY" not in sql else sql.replace(" LIMIT", " ORDER BY ward LIMIT")
    with duckdb.connect() as connection:
        connection.register("stays", STAYS)
        expected = connection.execute(ordered).fetchall()
    query = stays.query(ordered)
    released = query.release(query.choose(epsilon(1e6), epsilon_max=1e6))
    rows = [row for row in released.rows if row[0] != "Empty"]
    by_key = (rows, expected) if "ORDER BY" in ordered else (sorted(rows), sorted(expected))
    for own, other in zip(*by_key, strict=True):
        assert own == pytest.approx(tuple(other), abs=1e-3)


@pytest.mark.parametrize(
    ("sql", "limits"),
    [
        ("COUNT(*) / SUM(COUNT(*)) OVER ()", (0, 1)),
        ("100.0 * COUNT_IF(urgent) / SUM(COUNT(*)) OVER ()", (0, 100)),
        ("SUM(COUNT_IF(urgent)) OVER () / SUM(COUNT(*)) OVER ()", (0, 1)),
        ("SUM(SUM(cost)) OVER () / SUM(COUNT(cost)) OVER ()", (-50, 50)),
        ("SUM(days) / SUM(SUM(days)) OVER ()", (0, 1)),
        ("SUM(cost) / SUM(SUM(cost)) OVER ()", (-math.inf, math.inf)),
        ("COUNT(*) / (SUM(COUNT(*)) OVER () - COUNT(*))", (0, math.inf)),
        ("COUNT(*) / (SUM(COUNT(*)) OVER () + 1)", (0, math.inf)),
        ("SUM(COUNT(*)) OVER ()", (0, math.inf)),
        ("SUM(SUM(cost)) OVER () / SUM(SUM(cost)) OVER ()", (1, 1)),
    ],
)
def test_public_limits_over_all_groups(stays: sf.Dataset, sql: str, limits: tuple[float, float]) -> None:
    measurement = stays.query(f"SELECT ward, {sql} AS c FROM stays GROUP BY ward").measurement
    column = next(column for column in measurement.columns if column.name == "c")
    assert column.computed is not None
    assert ComputedColumns(measurement).limits(column.computed, {}) == pytest.approx(limits)


def test_every_figure_lies_within_its_interval(stays: sf.Dataset) -> None:
    """With noise far above the counts, too: a share stays between 0 and 1, and without a divisor there is none."""
    asked = (
        "SELECT ward, COUNT(*) / SUM(COUNT(*)) OVER () AS share, SUM(COUNT(*)) OVER () AS n FROM stays GROUP BY ward"
    )
    for _ in range(20):
        released: Any = stays.query(asked).release(epsilon=0.1)
        for (_, share, total), (_, inside, around) in zip(released.rows, released.intervals, strict=True):
            assert around[0] <= total <= around[1]
            assert (share is None) == (inside is None) == (total == 0)
            assert share is None or 0 <= inside[0] <= share <= inside[1] <= 1


REFUSED = {
    "SELECT ward, SUM(COUNT(*)) OVER () FROM stays GROUP BY ward HAVING COUNT(*) > 3": "OVER () with HAVING is not",
    "SELECT ward, n / SUM(n) OVER () AS s FROM (SELECT ward, COUNT(*) AS n FROM stays GROUP BY ward) WHERE n > 3": (
        "OVER () with HAVING is not"
    ),
    "SELECT ward, n / SUM(n) OVER () AS s FROM (SELECT ward, COUNT(*) AS n FROM stays GROUP BY ward LIMIT 2)": (
        "LIMIT inside a sub-select is not"
    ),
    "SELECT ward FROM stays GROUP BY ward HAVING SUM(COUNT(*)) OVER () > 3": "OVER () with HAVING is not",
    "SELECT ward, SUM(COUNT(*)) OVER () FROM stays GROUP BY ROLLUP(ward)": "would count groups twice",
    "SELECT ward, SUM(AVG(days)) OVER () FROM stays GROUP BY ward": "OVER () of AVG is not",
    "SELECT ward, SUM(MAX(days)) OVER () FROM stays GROUP BY ward": "OVER () of MAX is not",
    "SELECT ward, AVG(COUNT(*)) OVER () FROM stays GROUP BY ward": "or with another function than SUM, is not",
    "SELECT ward, SUM(COUNT(*)) OVER (ORDER BY ward) FROM stays GROUP BY ward": "with an order, or with another",
    "SELECT ward, COUNT(*) AS n, RANK() OVER (ORDER BY n) FROM stays GROUP BY ward": "compute the rest from",
    "SELECT ward, SUM(COUNT(*)) OVER (PARTITION BY days) FROM stays GROUP BY ward": "neither aggregated nor in",
    "SELECT ward, SUM(COUNT(*)) OVER (PARTITION BY COUNT(*)) FROM stays GROUP BY ward": "anything but a group key",
    "SELECT ward, urgent, SUM(COUNT(*)) OVER (PARTITION BY ward) / SUM(COUNT(*)) OVER () FROM stays GROUP BY ALL": (
        "adds up groups over different keys"
    ),
    "SELECT ward, SUM(days) OVER () FROM stays GROUP BY ward": "Windows over the rows of several",
    "SELECT COUNT(*) FROM stays WHERE SUM(COUNT(*)) OVER () > 3": "Windows over the rows of several",
    "SELECT SUM(SUM(COUNT(*)) OVER ()) FROM stays": "Windows over the rows of several",
}


def test_what_would_not_be_a_sum_over_all_groups_is_refused(stays: sf.Dataset) -> None:
    for sql, sentence in REFUSED.items():
        with pytest.raises(SfumatoError) as refused:
            stays.query(sql)
        assert sentence in str(refused.value), sql


def test_private_keys_have_no_sum_over_all_groups() -> None:
    private = {"name": "stays", "columns": COLUMNS | {"ward": {"type": "text", "keys": "private"}}}
    with pytest.raises(SfumatoError, match="groups that are not shown would be missing from the sum"):
        sf.open(STAYS, private, ledger=":memory:").query("SELECT ward, SUM(COUNT(*)) OVER () FROM stays GROUP BY ward")


def test_its_text_is_read_as_it_was_written(stays: sf.Dataset) -> None:
    asked = "SELECT ward, COUNT(*) / SUM(SUM(days)) OVER () AS s FROM stays GROUP BY ward ORDER BY s"
    text = stays.query(asked).statement.text
    assert "SUM(SUM(days)) OVER ()" in text
    assert parse(text, from_dict({"name": "stays", "columns": COLUMNS})).text == text


def test_a_share_of_the_same_keys_is_read_as_it_was_written_too(stays: sf.Dataset) -> None:
    asked = (
        "SELECT ward, days // 7 AS weeks, COUNT(*) / SUM(COUNT(*)) OVER (PARTITION BY weeks, ward) AS s "
        "FROM stays GROUP BY ward, weeks"
    )
    text = stays.query(asked).statement.text
    assert "OVER (PARTITION BY ward, " in text
    assert parse(text, from_dict({"name": "stays", "columns": COLUMNS})).text == text


def test_a_group_that_is_alone_is_all_of_its_sum(stays: sf.Dataset) -> None:
    """Where the WHERE leaves one group of a ward: no noise of others is in it."""
    asked = (
        "SELECT ward, urgent, COUNT(*) / SUM(COUNT(*)) OVER (PARTITION BY ward) AS share FROM stays "
        "WHERE ward <> 'Heart' OR urgent GROUP BY ward, urgent"
    )
    released = stays.query(asked).release(epsilon=0.5)
    shares = {(ward, urgent): share for ward, urgent, share in released.rows}
    assert shares["Heart", True] in (1, None)
    assert ("Heart", False) not in shares


def test_two_shares_have_no_interval_of_their_difference(stays: sf.Dataset) -> None:
    """They are of the same numbers; and no true rank is stated by them."""
    query = stays.query("SELECT ward, COUNT(*) / SUM(COUNT(*)) OVER () AS s FROM stays GROUP BY ward ORDER BY s DESC")
    released = query.release(epsilon=1)
    assert released.answer.ranking is None
    one, other = (figure_of(query._bound, released.answer, released.certificate, Cell(1, row, 2)) for row in (1, 2))
    with pytest.raises(BadInput, match="no noise interval"):
        difference(one, other)
