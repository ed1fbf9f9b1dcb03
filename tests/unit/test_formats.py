"""A released answer as Arrow, pandas, CSV, Parquet and JSON: typed by the statement, with or without intervals."""

from __future__ import annotations

import csv
import datetime as dt
import json
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import sfumato as sf
from sfumato.api.columns import answer_columns
from sfumato.model.release import Answer
from sfumato.model.schema import Type

STAYS = pd.DataFrame({"ward": ["x", "x", "y"], "urgent": [True, False, True], "grade": [1, 2, 2], "days": [1, 2, 3]})
SCHEMA = {
    "name": "stays",
    "columns": {
        "ward": {"type": "text", "categories": ["x", "y"]},
        "urgent": {"type": "boolean"},
        "grade": {"type": "integer", "categories": [1, 2]},
        "days": {"type": "integer", "bounds": [0, 100]},
    },
}
SQL = "SELECT ward, urgent, grade, COUNT(*) AS n, AVG(days) AS mean, MEDIAN(days) AS mid FROM stays GROUP BY ALL"
TYPES = [pa.string(), pa.bool_(), pa.int64(), pa.int64(), pa.float64(), pa.float64()]
WITH_INTERVALS = ["ward", "urgent", "grade", "n", "n_low", "n_high", "mean", "mean_low", "mean_high", "mid"]


def released(having: str = "", **how: Any) -> sf.Release:
    sql = SQL.replace("GROUP BY ALL", f"GROUP BY ward, urgent, grade {having}")
    return sf.open(STAYS, SCHEMA, ledger=":memory:").query(sql).release(**{"epsilon": 1} | how)


@pytest.mark.parametrize("having", ["", "HAVING n > 1000000"])
def test_columns_have_the_types_of_the_statement(having: str) -> None:
    """Also where there is no row to tell."""
    release = released(having)
    table = release.to_arrow()
    assert table.num_rows == (0 if having else 8)
    assert table.schema.types == TYPES
    ranged = release.to_arrow(intervals=True)
    assert ranged.column_names == WITH_INTERVALS
    assert ranged.select(table.column_names).equals(table)
    assert {ranged.schema.field(name).type for name in WITH_INTERVALS if "_" in name} == {pa.float64()}
    assert list(release.to_pandas(intervals=True).columns) == WITH_INTERVALS


def test_a_column_of_nothing_keeps_its_type() -> None:
    answer = Answer(("a", "n"), ((None, None),), None, ((),), (Type.TEXT, Type.INTEGER), (False, True))
    table = sf.Release(answer, released().certificate).to_arrow(intervals=True)
    assert table.schema.types == [pa.string(), pa.int64(), pa.float64(), pa.float64()]
    assert table.to_pylist() == [{"a": None, "n": None, "n_low": None, "n_high": None}]


def test_intervals_stand_beside_their_figures() -> None:
    release = released()
    assert release.intervals is not None
    for row, intervals, shown in zip(
        release.rows, release.intervals, release.to_arrow(intervals=True).to_pylist(), strict=True
    ):
        assert (shown["n"], shown["mean"]) == row[3:5]
        assert [(shown["n_low"], shown["n_high"]), (shown["mean_low"], shown["mean_high"])] == list(intervals[3:5])


def test_intervals_that_are_withheld_are_empty() -> None:
    dataset = sf.open(STAYS, SCHEMA, ledger=":memory:", bounds_from_data=True)
    release = dataset.query("SELECT COUNT(*) AS n FROM stays").release(epsilon=1, allow_no_guarantee=True)
    assert release.to_arrow(intervals=True).select(["n_low", "n_high"]).to_pylist() == [{"n_low": None, "n_high": None}]


def test_a_range_takes_nobodys_name() -> None:
    types = (Type.INTEGER, Type.NUMBER, Type.NUMBER)
    answer = Answer(("n", "n_low", "n_low_"), (), (), (), types, (True, True, False))
    assert [c.name for c in answer_columns(answer, intervals=True)] == [
        *("n", "n_low__", "n_high"),
        *("n_low", "n_low_low", "n_low_high"),
        "n_low_",
    ]


@pytest.mark.parametrize("intervals", [False, True])
def test_files_hold_the_same(tmp_path: Path, intervals: bool) -> None:
    release = released()
    table = release.to_arrow(intervals=intervals)
    for name in ("a.csv", "a.parquet", "a.json"):
        release.write(tmp_path / name, intervals=intervals)
    assert pq.read_table(tmp_path / "a.parquet").equals(table)
    with (tmp_path / "a.csv").open(encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    assert header == table.column_names
    assert rows == [["" if v is None else str(v) for v in row.values()] for row in table.to_pylist()]
    assert json.loads((tmp_path / "a.json").read_text("utf-8")) == release.as_dict()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.csv", "a.json", "a.parquet"]


WIDE = "\uff1d\uff0b\uff0d\uff20"
FORMULAS = ['=HYPERLINK("x")', "+1", "-1+cmd", "@SUM(A1)", "\t=1", "\r=1", "\n=1", *(f"{sign}1" for sign in WIDE)]


@pytest.mark.parametrize("text", FORMULAS, ids=repr)
def test_no_text_in_a_csv_file_is_a_formula(tmp_path: Path, text: str) -> None:
    """Of a name or a group key; a number keeps its minus, and Parquet and JSON keep every text as it is."""
    answer = Answer((text, "n"), ((text, -5), ("a=b", -0.5)), None, ((), ()), (Type.TEXT, Type.NUMBER), (False, True))
    release = sf.Release(answer, released().certificate)
    for name in ("a.csv", "a.parquet", "a.json"):
        release.write(tmp_path / name)
    with (tmp_path / "a.csv").open(encoding="utf-8", newline="") as file:
        assert list(csv.reader(file)) == [[f"'{text}", "n"], [f"'{text}", "-5"], ["a=b", "-0.5"]]
    assert pq.read_table(tmp_path / "a.parquet").to_pylist()[0] == {text: text, "n": -5.0}
    assert json.loads((tmp_path / "a.json").read_text("utf-8"))["rows"][0] == [text, -5]


class Torn:
    """A value at which writing breaks off."""

    def __str__(self) -> str:
        raise OSError("no room")


def test_a_file_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    answer = Answer(("a",), (("x",), (Torn(),)), None, ((), ()), (Type.TEXT,), (False,))
    (tmp_path / "a.csv").write_text("as it was", "utf-8")
    with pytest.raises(OSError, match="no room"):
        sf.Release(answer, released().certificate).to_csv(tmp_path / "a.csv")
    assert [(path.name, path.read_text("utf-8")) for path in tmp_path.iterdir()] == [("a.csv", "as it was")]


@pytest.mark.parametrize("ending", ["html", "json", "txt"])
def test_a_certificate_is_written_in_the_form_that_its_name_ends_in(tmp_path: Path, ending: str) -> None:
    certificate = released().certificate
    certificate.write(tmp_path / f"c.{ending}")
    forms = {"html": certificate.to_html(), "json": certificate.to_json() + "\n", "txt": f"{certificate}\n"}
    assert (tmp_path / f"c.{ending}").read_text("utf-8") == forms[ending]


def test_keys_that_are_dates_come_back_as_dates(tmp_path: Path) -> None:
    """They are read off the data, as the authors do."""
    days = pd.DataFrame({"day": [dt.date(2024, 5, 3), dt.date(2024, 5, 4)]})
    schema = {"name": "stays", "columns": {"day": {"type": "date"}}}

    def release() -> sf.Release:
        stays = sf.open(days, schema, ledger=tmp_path / "a.ledger", bounds_from_data=True, version="1")
        return stays.query("SELECT day, COUNT(*) FROM stays GROUP BY day").release(epsilon=1, allow_no_guarantee=True)

    first, redraw = release(), release()
    assert redraw.answer == first.answer
    assert [row[0] for row in redraw.rows] == list(days["day"])
    assert redraw.to_arrow().schema.types == [pa.date32(), pa.int64()]
    assert json.loads(redraw.to_json())["rows"][0][0] == "2024-05-03"
