"""The values of computed group keys: from the query and the bounds, whatever the data has."""

from __future__ import annotations

from datetime import date, datetime
from typing import Any

import pandas as pd
import pytest

import sfumato as sf
from sfumato.errors import QueryError, SfumatoError
from sfumato.privacy.key_values import MOST_CELLS
from sfumato.privacy.sensitivity import measure
from sfumato.schema.read import from_dict
from sfumato.sql.parser.statement import parse

COLUMNS: dict[str, dict[str, Any]] = {
    "age": {"type": "integer", "bounds": [0, 60]},
    "share": {"type": "number", "bounds": [0, 1]},
    "wide": {"type": "integer", "bounds": [0, 10**6]},
    "ward": {"categories": ["Heart", "Birth"]},
    "code": {"type": "integer", "categories": [3, 1]},
    "urgent": {"type": "boolean"},
    "born": {"type": "date", "bounds": [date(2024, 2, 28), "2024-03-10"]},
    "seen": {"type": "timestamp", "bounds": ["2025-01-01", "2025-01-01T05:30:00"]},
    "free": {"type": "date"},
    "since": {"type": "date", "bounds": ["2024-06-01", "2026-06-30"]},
    "note": {"type": "text"},
    "diagnosis": {"keys": "private"},
}
SCHEMA = from_dict({"name": "t", "columns": COLUMNS})
DAYS = [date(2024, 2, 28), date(2024, 2, 29), *(date(2024, 3, day) for day in range(1, 11))]


def values(key: str, where: str = "") -> list[Any]:
    """Of one key; of several, each combination."""
    cells = measure(parse(f"SELECT COUNT(*) FROM t {where} GROUP BY {key}", SCHEMA), SCHEMA).public_cells
    return [cell[0] if len(cell) == 1 else cell for cell in cells]


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        ("CASE WHEN age < 9 THEN 'young' WHEN age < 20 THEN 'b' ELSE 'a' END", ["young", "b", "a"]),
        ("CASE WHEN age < 9 THEN ward END", ["Heart", "Birth"]),
        ("CASE WHEN urgent THEN DATE '2020-01-01' ELSE born END", [date(2020, 1, 1), *DAYS]),
        ("age > 30 AND urgent", [False, True]),
        ("COALESCE(ward, 'none')", ["Heart", "Birth", "none"]),
        ("LOWER(ward)", ["heart", "birth"]),
        ("10 - code", [7, 9]),
        ("ABS(code - 2)", [1]),
        ("code * 10", [30, 10]),
        ("FLOOR(share / 0.1)", [*range(11)]),
        ("FLOOR(age / 25) * 25", [0, 25, 50]),
        ("CEIL(age / 25.0)", [0, 1, 2, 3]),
        ("age % 4", [0, 1, 2, 3]),
        ("LEAST(age, 2)", [0, 1, 2]),
        ("LEFT(ward, 1) || '-' || code", ["H-3", "H-1", "B-3", "B-1"]),
        ("born", DAYS),
        ("DATE_TRUNC('month', born)", [date(2024, 2, 1), date(2024, 3, 1)]),
        ("DATE_TRUNC('week', born)", [date(2024, 2, 26), date(2024, 3, 4)]),
        ("EXTRACT(day FROM born)", [*range(1, 11), 28, 29]),
        ("DAYOFWEEK(born)", [*range(7)]),
        ("born + INTERVAL 1 MONTH > '2024-04-01'", [False, True]),
        ("DATE_DIFF('day', born, DATE '2024-03-01')", [*range(-9, 3)]),
        ("HOUR(seen)", [*range(6)]),
        ("ROUND(wide, -5)", [*range(0, 10**6 + 1, 10**5)]),
        ("ROUND(age, -1) + 1", [1, 11, 21, 31, 41, 51, 61]),
        ("FLOOR(SQRT(share * 16))", [*range(5)]),
        ("FLOOR(LOG10(wide + 1))", [*range(7)]),
        ("ROUND(LN(GREATEST(wide, 1)))", [*range(15)]),
        ("LEAST(LENGTH(note), 2)", [0, 1, 2]),
        ("DATE_TRUNC('day', seen)", [datetime.fromisoformat("2025-01-01")]),
    ],
)
def test_the_values_of_a_key(key: str, expected: list[Any]) -> None:
    assert sorted(values(key), key=expected.index) == expected
    assert [type(value) for value in values(key)] == [type(expected[0])] * len(expected)


@pytest.mark.parametrize(
    ("key", "where", "expected"),
    [
        ("age + 1", "age < 3", [1, 2, 3]),
        ("age + 1", "2 < age AND age <= 4 AND urgent", [4, 5]),
        ("age * 5", "age BETWEEN 2 AND 5 AND age * 5 <> 15", [10, 20, 25]),
        ("FLOOR(share / 0.1)", "share <= 0.3", [0, 1, 2]),  # in floats 0.3 / 0.1 is below 3, for an engine too
        ("FLOOR(wide / 10)", "wide < 30", [0, 1, 2]),
        ("wide", "wide >= 999998", [999998, 999999, 10**6]),
        ("born", "born > '2024-03-08'", DAYS[-2:]),
        ("MONTH(born)", "born < DATE '2024-03-01'", [2]),
        ("DATE_TRUNC('year', since)", "YEAR(since) = 2025", [date(2025, 1, 1)]),
        (
            "DATE_TRUNC('quarter', since)",
            "YEAR(since) BETWEEN 2024 AND 2024",
            [date(2024, 4, 1), date(2024, 7, 1), date(2024, 10, 1)],
        ),
        ("DATE_TRUNC('quarter', since)", "2026 <= YEAR(since)", [date(2026, 1, 1), date(2026, 4, 1)]),
        ("DATE_TRUNC('year', since)", "YEAR(since) IN (2025, 2026)", [date(2025, 1, 1), date(2026, 1, 1)]),
        ("DATE_TRUNC('year', since)", "YEAR(since) < 2025 AND urgent", [date(2024, 1, 1)]),
        ("DATE_TRUNC('year', since)", "YEAR(since) <> 2025", [date(year, 1, 1) for year in (2024, 2025, 2026)]),
        (
            "DATE_TRUNC('hour', seen)",
            "YEAR(seen) < 2026 AND seen < '2025-01-01T01:00:00'",
            [datetime.fromisoformat("2025-01-01")],
        ),
        ("age > 3", "NOT (age > 3)", [False]),
        ("COALESCE(ward, 'none')", "COALESCE(ward, 'none') <> 'Heart'", ["Birth", "none"]),
        ("LOWER(ward)", "age > 3 OR LOWER(ward) = 'heart'", ["heart", "birth"]),  # no condition on the key alone
    ],
)
def test_a_where_narrows_a_key(key: str, where: str, expected: list[Any]) -> None:
    assert values(key, f"WHERE {where}") == expected


def test_several_keys_give_every_combination() -> None:
    assert values("ward, age > 3") == [("Heart", False), ("Heart", True), ("Birth", False), ("Birth", True)]
    assert len(values("YEAR(born), MONTH(born)")) == 2


@pytest.mark.parametrize(
    "key",
    [
        "share",
        "share * 2",
        "wide + 1",
        "free",
        "YEAR(free)",
        "seen",
        "LOWER(diagnosis)",
        "LENGTH(note)",
        "LENGTH(note) * 2",
        "FLOOR(LN(share))",
    ],
)
def test_a_key_without_so_few_public_values_is_refused_before_the_data_is_read(key: str) -> None:
    with pytest.raises(SfumatoError) as refusal:
        values(key)
    assert refusal.value.hint


def test_no_more_values_than_cells() -> None:
    with pytest.raises(QueryError, match=f"and the limit is {MOST_CELLS:,}"):
        values("wide * 2")


def groups(rows: list[tuple[object, ...]], select: str) -> list[tuple[object, ...]]:
    """The groups that a release draws for, with their exact counts."""
    frame = pd.DataFrame(rows, columns=["age", "ward"], dtype=object)
    columns = {name: COLUMNS[name] for name in ("age", "ward")}
    dataset = sf.open(frame, {"name": "t", "columns": columns}, ledger=":memory:")
    query = dataset.query(select)
    step = query.measurement.numbers[0].step
    return [(*cell, int(steps[0] * step)) for cell, steps in query._bound.totals().by_cell()]


BANDS = "SELECT CASE WHEN age < 20 THEN 'young' WHEN age < 99 THEN 'old' END AS band, COUNT(*) FROM t GROUP BY band"


def test_the_groups_are_the_same_with_a_person_and_without() -> None:
    """A group that is there because one person is in it would tell that this person is in the data."""
    with_one, without = groups([(70, "Heart"), (3, None)], BANDS), groups([(3, None)], BANDS)
    assert with_one == [("young", 1), ("old", 1)]
    assert without == [("young", 1), ("old", 0)]


def test_a_code_beyond_the_bounds_is_in_no_group() -> None:
    """A key reads values as they are: 99 for "unknown" is not counted with the oldest."""
    rows = groups([(99, None), (59, None), (None, None)], "SELECT age * 2, COUNT(*) FROM t WHERE age > 58 GROUP BY 1")
    assert rows == [(118, 1), (120, 0)]
    assert groups([(99, None), (None, None)], BANDS) == [("young", 0), ("old", 0)]


def test_a_value_at_the_edge_of_a_bin_is_where_the_engine_divides_it_to() -> None:
    columns = {"share": COLUMNS["share"]}
    shares = [0.3, 0.7, 0.1, 1.0, -0.05, 1.7]
    dataset = sf.open(pd.DataFrame({"share": shares}), {"name": "t", "columns": columns}, ledger=":memory:")
    query = dataset.query("SELECT FLOOR(share / 0.1) AS bin, COUNT(*) FROM t GROUP BY bin")
    counts = dict(zip(query.measurement.public_cells, query.answer(), strict=True))
    assert [bin_ for (bin_,), (count,) in counts.items() if count] == [1, 2, 6, 10]


def test_what_is_missing_is_a_group_where_the_query_says_so() -> None:
    rows = groups(
        [(1, None), (2, "Heart"), (3, "elsewhere")], "SELECT COALESCE(ward, '?') AS w, COUNT(*) FROM t GROUP BY w"
    )
    assert rows == [("Heart", 1), ("Birth", 0), ("?", 1)]
