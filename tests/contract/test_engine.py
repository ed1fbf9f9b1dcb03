"""What every source of an engine must do: the same rows in, the same columns, types, numbers and clean rows out."""

from __future__ import annotations

import csv
import datetime as dt
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.adapters.engines.duckdb.engine import DuckDB, SyntheticPopulation
from sfumato.composition import engines, local
from sfumato.errors import EngineFailure
from sfumato.model.schema import PERSON, RAW_TEXT, Type
from sfumato.schema.read import from_dict
from tests.depth import depth

SCHEMA: dict[str, Any] = {
    "name": "stays",
    "null_values": ["?", "n/a"],
    "columns": {
        "days": {"type": "integer", "bounds": [0, 60]},
        "cost": {"type": "number", "bounds": [0, 1000]},
        "ward": {"type": "text", "categories": ["heart", "birth"]},
        "home": {"type": "boolean"},
        "since": {"type": "date"},
    },
}
STORED = pa.schema(
    [
        ("days", pa.int32()),
        ("cost", pa.float64()),
        ("ward", pa.string()),
        ("home", pa.bool_()),
        ("since", pa.date32()),
        ("note", pa.string()),
    ]
)
TYPES = dict(zip(STORED.names, [Type.INTEGER, Type.NUMBER, Type.TEXT, Type.BOOLEAN, Type.DATE, Type.TEXT], strict=True))
Row = tuple[Any, ...]


def people(count: int) -> pa.Table:
    """Rows of every kind of value, some missing by nature, some by a text; `note` is not in the schema."""
    columns = {
        "days": [None if i % 7 == 3 else i % 90 for i in range(count)],
        "cost": [None if i % 11 == 5 else i / 8 for i in range(count)],
        "ward": [(None, "heart", "birth", "?", "it's", "n/a")[i % 6] for i in range(count)],
        "home": [(True, False, None)[i % 3] for i in range(count)],
        "since": [None if i % 5 == 4 else dt.date(2020, 1, 1) + dt.timedelta(i % 900) for i in range(count)],
        "note": [f"row {i}" for i in range(count)],
    }
    return pa.table(columns, schema=STORED)


def clean(table: pa.Table) -> list[Row]:
    missing = SCHEMA["null_values"]
    return [tuple(None if value in missing else value for value in row.values()) for row in table.to_pylist()]


def as_csv(table: pa.Table, folder: Path) -> Path:
    path = folder / "stays.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([table.column_names, *(row.values() for row in table.to_pylist())])
    return path


def as_parquet(table: pa.Table, folder: Path) -> Path:
    path = folder / "stays.parquet"
    pq.write_table(table, path, row_group_size=500)
    return path


def as_folder(table: pa.Table, folder: Path, parts: int = 4) -> Path:
    root, size = folder / "stays", -(-table.num_rows // parts) or 1
    for part in range(parts):
        (root / f"part {part}").mkdir(parents=True)
        pq.write_table(table.slice(part * size, size), root / f"part {part}" / "it's [a].parquet", row_group_size=100)
    return root


def as_pandas(table: pa.Table, folder: Path) -> pd.DataFrame:
    return table.to_pandas(types_mapper={pa.int32(): pd.Int32Dtype(), pa.bool_(): pd.BooleanDtype()}.get).assign(
        since=pd.array(table["since"].to_pylist(), dtype=pd.ArrowDtype(pa.date32()))
    )


def as_categories(table: pa.Table, folder: Path) -> pd.DataFrame:
    frame = as_pandas(table, folder)
    return frame.assign(ward=frame["ward"].astype("category"), note=frame["note"].astype("category"))


def as_polars(table: pa.Table, folder: Path) -> pl.DataFrame:
    frame = pl.from_arrow(table)
    assert isinstance(frame, pl.DataFrame)
    return frame


def as_polars_categories(table: pa.Table, folder: Path) -> pl.DataFrame:
    wards = pl.Enum(["heart", "birth", "?", "it's", "n/a"])
    return as_polars(table, folder).with_columns(pl.col("ward").cast(wards), pl.col("note").cast(pl.Categorical))


def as_lazy(table: pa.Table, folder: Path) -> pl.LazyFrame:
    return as_polars(table, folder).lazy()


def as_arrow(table: pa.Table, folder: Path) -> pa.Table:
    return table


def as_dictionary(table: pa.Table, folder: Path) -> pa.Table:
    place = table.schema.get_field_index("ward")
    return table.set_column(place, "ward", table["ward"].combine_chunks().dictionary_encode())


def as_batch(table: pa.Table, folder: Path) -> pa.RecordBatch:
    return pa.RecordBatch.from_arrays([column.combine_chunks() for column in table.columns], schema=table.schema)


def as_reader(table: pa.Table, folder: Path) -> pa.RecordBatchReader:
    return table.to_reader(max_chunksize=300)


def as_dataset(table: pa.Table, folder: Path) -> ds.Dataset:
    return ds.dataset(as_parquet(table, folder))


def as_invented(table: pa.Table, folder: Path) -> SyntheticPopulation:
    return SyntheticPopulation(f"SELECT * FROM '{as_parquet(table, folder)}'")


SOURCES: list[Callable[[pa.Table, Path], object]] = [
    as_csv, as_parquet, as_folder, as_pandas, as_categories, as_polars, as_polars_categories, as_lazy, as_arrow,
    as_dictionary, as_batch, as_reader, as_dataset, as_invented,
]  # fmt: skip


def opened(source: object, schema: dict[str, Any] = SCHEMA) -> DuckDB:
    return engines.duckdb(source, from_dict(schema))


def rows(engine: DuckDB, what: str = "*", of: str = "stays", rest: str = "") -> list[Row]:
    return list(engine.rows(f'SELECT {what} FROM "{of}" {rest}'))


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("count", [0, 1, 3000])
def test_the_same_rows_come_out(source: Callable[[pa.Table, Path], object], count: int, tmp_path: Path) -> None:
    table = people(count)
    engine = opened(source(table, tmp_path))
    expected = clean(table)
    names = ", ".join(table.column_names)
    assert dict(engine.columns) == (dict.fromkeys(TYPES, Type.TEXT) if source is as_csv else TYPES)
    assert sorted(rows(engine, names), key=str) == sorted(expected, key=str)
    assert rows(engine, f'"{PERSON}", {names}', engine.numbered, f'ORDER BY "{PERSON}"') == [
        (number, *row) for number, row in enumerate(expected, 1)
    ]
    some = f"WHERE ward = 'birth' AND days > 40 ORDER BY \"{PERSON}\""
    assert rows(engine, f'"{PERSON}"', engine.numbered, some) == [
        (number,) for number, row in enumerate(expected, 1) if row[2] == "birth" and (row[0] or 0) > 40
    ]
    assert {type_ for name, type_, *_ in engine.rows(f'DESCRIBE "{engine.numbered}"') if name == PERSON} == {"BIGINT"}
    assert sorted(engine.stream(f"SELECT {names} FROM stays"), key=str) == sorted(expected, key=str)


@pytest.mark.parametrize("source", SOURCES)
def test_a_stream_that_is_left_early_stops_no_query_after_it(
    source: Callable[[pa.Table, Path], object], tmp_path: Path
) -> None:
    engine = opened(source(people(6000), tmp_path))
    stream = engine.stream("SELECT days, ward FROM stays ORDER BY days")
    next(stream)
    del stream
    assert engine.rows("SELECT COUNT(*) FROM stays") == [(6000,)]
    assert sum(1 for _ in engine.stream("SELECT days FROM stays")) == 6000


def test_what_fails_amid_a_stream_is_told_by_the_constant_sentence(tmp_path: Path) -> None:
    engine = opened(as_arrow(people(6000), tmp_path))
    with pytest.raises(EngineFailure) as failure:
        list(engine.stream("SELECT CASE WHEN days > 50 THEN error(note) END FROM stays"))
    assert str(failure.value) == str(EngineFailure())
    assert failure.value.__cause__ is None
    assert engine.rows("SELECT COUNT(*) FROM stays") == [(6000,)]


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("missing", [["?"], ["?", "n/a"], []])
def test_texts_stand_beside_as_they_are_written(
    source: Callable[[pa.Table, Path], object], missing: list[str], tmp_path: Path
) -> None:
    """Where a text is there both are the same; where it is not, the raw one is missing or means so."""
    engine = opened(source(people(60), tmp_path), SCHEMA | {"null_values": missing})
    for name in ("stays", engine.numbered):
        texts = {str(column) for column, *_ in engine.rows(f'DESCRIBE "{name}"') if str(column).startswith(RAW_TEXT)}
        assert texts == ({f"{RAW_TEXT}ward", f"{RAW_TEXT}note"} if missing else set())
        if missing:
            pairs = rows(engine, f'ward, "{RAW_TEXT}ward"', name)
            assert all(raw == ward if ward is not None else raw in (None, *missing) for ward, raw in pairs)
            assert {ward for ward, _ in pairs} == {None, "heart", "birth", "it's", "?", "n/a"} - set(missing)


@pytest.mark.parametrize("source", SOURCES)
def test_a_table_is_checked_and_drafted(source: Callable[[pa.Table, Path], object], tmp_path: Path) -> None:
    table = people(60)
    dataset = local.open(source(table, tmp_path), SCHEMA, ledger=":memory:")
    fit = dataset.check()
    assert fit.people == 60
    assert [column.missing for column in fit.columns] == [
        sum(row[place] is None for row in clean(table)) for place in range(5)
    ]
    (tmp_path / "redraw").mkdir()
    assert 'type = "integer"' in local.draft_schema(source(table, tmp_path / "redraw"), "stays")


# Parquet


@pytest.mark.depth("numbered folders")
@settings(max_examples=depth("numbered folders"))
@given(st.lists(st.integers(0, 9), min_size=1, max_size=6), st.integers(1, 4), st.booleans(), st.integers(-1, 40))
def test_rows_are_numbered_over_files(
    tmp_path_factory: pytest.TempPathFactory, sizes: list[int], group: int, keys: bool, above: int
) -> None:
    """Whatever of the files and row groups a condition leaves out."""
    root = tmp_path_factory.mktemp("files")
    for i, size in enumerate(sizes):
        folder = root / (f"key={i}" if keys else "plain")
        folder.mkdir(exist_ok=True)
        first = sum(sizes[:i])
        pq.write_table(
            pa.table({"n": pa.array(range(first, first + size), pa.int64())}), folder / f"{i}.parquet", group
        )
    engine = opened(root, {"name": "t", "columns": {"n": {"type": "integer"}}})
    some = f'"{PERSON}", n FROM "{engine.numbered}" WHERE n > {above}'
    assert sorted(engine.rows(f"SELECT {some}")) == [(n + 1, n) for n in range(sum(sizes)) if n > above]
    if keys:
        last = len(sizes) - 1
        in_last = range(sum(sizes[:-1]), sum(sizes))
        assert sorted(engine.rows(f"SELECT {some} AND key = '{last}'")) == [(n + 1, n) for n in in_last if n > above]


@pytest.mark.parametrize("taken", ["file_row_number", "FileName", "rowid"])
@pytest.mark.parametrize("source", [as_csv, as_parquet, as_folder, as_arrow, as_reader, as_invented])
def test_a_column_may_be_called_as_the_engine_calls_numbers(
    taken: str, source: Callable[[pa.Table, Path], object], tmp_path: Path
) -> None:
    table = pa.table({taken: pa.array([7, 7, 9, 8])})
    engine = opened(source(table, tmp_path), {"name": "t", "columns": {taken: {"type": "integer"}}})
    expected = [(1, 7), (2, 7), (3, 9), (4, 8)]
    assert rows(engine, f'"{PERSON}", "{taken}"', engine.numbered, "ORDER BY 1") == expected


def test_conditions_reach_the_file(tmp_path: Path) -> None:
    """The clean text is computed, and cannot be looked up in the file's own statistics; the raw one is."""
    engine = opened(as_parquet(people(3000), tmp_path))
    [(_, explained)] = engine.rows(f"EXPLAIN SELECT COUNT(*) FROM stays WHERE \"{RAW_TEXT}ward\" = 'heart'")
    assert "ward='heart'" in str(explained).replace(" ", "")
    assert "WINDOW" not in str(explained)


# Types


@pytest.mark.parametrize("width", [8, 16, 32])
def test_whole_numbers_without_a_sign(width: int) -> None:
    most = 2**width - 1
    column = pa.array([0, most, None], getattr(pa, f"uint{width}")())
    frames = [pa.table({"n": column}), pa.table({"n": column}).to_pandas(types_mapper=pd.ArrowDtype)]
    for source in [*frames, pl.from_arrow(frames[0])]:
        engine = opened(source, {"name": "t", "columns": {"n": {"type": "integer", "bounds": [-5, 10]}}})
        assert engine.columns == {"n": Type.INTEGER}
        assert engine.rows("SELECT SUM(n), SUM(CASE WHEN n < -5 THEN -5 ELSE n END) FROM t") == [(most, most)]


EXACT = [
    (pa.array([2**53 + 1, 2**63, None], pa.uint64()), "integer", [2**53 + 1, None, None]),
    (pa.array([2**53, 2**63, None], pa.uint64()), "number", [2.0**53, 2.0**63, None]),
    (pa.array(["12.00", "12.50", None]).cast(pa.decimal128(10, 2)), "integer", [12, None, None]),
    (pa.array(["12.00", "12.50", None]).cast(pa.decimal128(10, 2)), "number", [12.0, 12.5, None]),
    (pa.array(["9" * 38]).cast(pa.decimal128(38, 0)), "integer", [None]),
    (pa.array(["0.1"]).cast(pa.decimal128(38, 20)), "number", [0.1]),
    (pa.array(["2020-02-29 23:59", None]).cast(pa.timestamp("us")), "date", [dt.date(2020, 2, 29), None]),
    (pa.array([1], pa.timestamp("ns")), "date", [dt.date(1970, 1, 1)]),
    (pa.array(["2020-01-01 23:30Z"]).cast(pa.timestamp("us", "Asia/Tokyo")), "date", [dt.date(2020, 1, 1)]),
    (pa.array(["2020-01-01"]).cast(pa.timestamp("us")), "integer", [None]),
    (pa.array([b"\xff", b"7"]), "integer", [None, 7]),
    (pa.array([[1], None]), "text", ["[1]", None]),
    (pa.nulls(2), "integer", [None, None]),
]


@pytest.mark.parametrize(
    ("column", "declared", "expected"), EXACT, ids=[f"{column.type} as {declared}" for column, declared, _ in EXACT]
)
def test_other_types_are_counted_or_read_as_declared(column: pa.Array, declared: str, expected: list[Any]) -> None:
    schema: dict[str, Any] = {"name": "t", "columns": {}}
    counted = opened(pa.table({"v": column}), schema)
    assert counted.columns == {"v": Type.TIMESTAMP if pa.types.is_timestamp(column.type) else None}
    assert counted.rows("SELECT COUNT(v) FROM t") == [(len(column) - column.null_count,)]
    dataset = local.open(pa.table({"v": column}), schema | {"columns": {"v": {"type": declared}}}, ledger=":memory:")
    assert [value for (value,) in dataset._context.engine.rows("SELECT v FROM t")] == expected
    unfit = len(column) - column.null_count - sum(value is not None for value in expected)
    assert dataset.check().columns[0].unfit == unfit


def test_wide_and_narrow_numbers_of_polars() -> None:
    frame = pl.DataFrame({"wide": [2**100, 7]}, schema={"wide": pl.Int128}).with_columns(
        half=pl.Series([0.5, None], dtype=pl.Float16)
    )
    schema = {"name": "t", "columns": {"wide": {"type": "integer"}, "half": {"type": "number"}}}
    for source in (frame, frame.lazy()):
        assert opened(source, schema).rows("SELECT wide, half FROM t") == [(None, 0.5), (7, None)]


@pytest.mark.parametrize("values", [[1, 2, None], [1, 2, 1], [True, None, 2.5], [None, None, None], [1, "1", None]])
def test_a_category_is_a_text_whatever_the_others_are(values: list[Any]) -> None:
    """A missing value would turn whole numbers into others."""
    engine = opened(pd.DataFrame({"c": pd.Series(values, dtype="category")}), {"name": "t", "columns": {}})
    assert engine.columns == {"c": Type.TEXT}
    texts = [None if value is None else str(value) for value in pd.Series(values, dtype="category")]
    assert [c for (c,) in engine.rows("SELECT c FROM t")] == [None if text == "nan" else text for text in texts]


def test_types_that_only_pandas_has_are_texts() -> None:
    frame = pd.DataFrame(
        {
            "period": pd.period_range("2020", "2021", freq="Y"),
            "pair": [1 + 2j, 3],
            "sparse": pd.arrays.SparseArray([0, 1]),
            "range": pd.interval_range(0, 2),
        }
    )
    engine = opened(frame, {"name": "t", "columns": {}})
    assert set(engine.columns.values()) == {Type.TEXT}
    assert engine.rows("SELECT * FROM t")[0] == ("2020", "(1+2j)", "0", "(0, 1]")


def test_ctrl_c_amid_a_query_is_no_failure_of_the_engine() -> None:
    """DuckDB raises this error for it; a failure would be entered in the ledger without a guarantee."""

    def interrupted() -> None:
        raise RuntimeError("Query interrupted")

    engine = DuckDB(SyntheticPopulation("SELECT 1 AS a"), None, lambda *_: "")
    with pytest.raises(KeyboardInterrupt):
        engine._run_guarded(EngineFailure(), interrupted)
