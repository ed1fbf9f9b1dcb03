"""What is no table is refused in one sentence; what a folder holds is told by its names; what flows by is read once."""

from __future__ import annotations

import os
import shutil
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sfumato.adapters.engines.duckdb import csv as reader
from sfumato.adapters.engines.duckdb.csv import CsvFile
from sfumato.adapters.engines.duckdb.engine import DuckDB
from sfumato.composition import engines, local
from sfumato.composition.sources import version_of
from sfumato.errors import EngineFailure, SourceError
from sfumato.schema.read import from_dict

SCHEMA: dict[str, Any] = {"name": "t", "columns": {"v": {"type": "integer"}}}


def opened(source: object, schema: dict[str, Any] = SCHEMA) -> DuckDB:
    return engines.duckdb(source, from_dict(schema))


def write(path: Path, **columns: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.table(columns or {"v": [1, 2]}), path)
    return path


def refusal(source: object) -> str:
    with pytest.raises(SourceError) as refused:
        opened(source)
    return str(refused.value)


# Folders


def test_a_folder_is_read_with_all_folders_in_it(tmp_path: Path) -> None:
    for name in ("b.parquet", "a/c.PARQUET", "a/deep/d.parquet"):
        write(tmp_path / name)
    for name in (".hidden.parquet", "_temporary/e.parquet", "a/_metadata.parquet", "readme.txt"):
        write(tmp_path / name, other=["x"])
    assert opened(tmp_path).rows("SELECT COUNT(*), SUM(v) FROM t") == [(6, 9)]


def test_names_of_folders_are_texts(tmp_path: Path) -> None:
    """Whatever they look like: a folder more would else change the type of a column."""
    for year in ("01", "2", "__HIVE_DEFAULT_PARTITION__"):
        write(tmp_path / f"year={year}" / "a.parquet")
    engine = opened(tmp_path)
    assert engine.columns == {"v": "integer", "year": "text"}
    assert sorted(engine.rows("SELECT DISTINCT year FROM t"), key=str) == [("01",), ("2",), (None,)]


def test_a_name_with_signs_means_that_file_only(tmp_path: Path) -> None:
    for i, name in enumerate(("a*.parquet", "a?.parquet", "a[b].parquet", "ab.parquet", "it's.parquet")):
        write(tmp_path / name, v=[i])
    for i, name in enumerate(("a*.parquet", "a?.parquet", "a[b].parquet", "ab.parquet", "it's.parquet")):
        assert opened(tmp_path / name).rows("SELECT v FROM t") == [(i,)]
    engine = opened(tmp_path)
    assert engine.rows(f'SELECT v FROM "{engine.numbered}" ORDER BY "sfumato person"') == [(i,) for i in range(5)]


def test_columns_may_be_in_another_order(tmp_path: Path) -> None:
    write(tmp_path / "a.parquet", v=[1], w=["x"])
    write(tmp_path / "b.parquet", w=["y"], v=[2])
    assert sorted(opened(tmp_path).rows("SELECT v, w FROM t")) == [(1, "x"), (2, "y")]


@pytest.mark.parametrize(
    "other",
    [{"v": [1], "w": [2]}, {"w": [1]}, {"v": ["1"]}, {"v": pa.array([1], pa.int32())}, {"v": [{"a": 1}]}],
    ids=["more", "others", "text", "narrower", "nested"],
)
def test_files_with_other_columns_are_refused_by_name(tmp_path: Path, other: dict[str, Any]) -> None:
    for name in ("a.parquet", "b.parquet", "d.parquet"):
        write(tmp_path / "stays" / name)
    write(tmp_path / "stays" / "in" / "c.parquet", **other)
    assert refusal(tmp_path / "stays") == (
        f"stays{os.sep}in{os.sep}c.parquet has other columns or types than stays{os.sep}a.parquet. "
        "Hint: use files with the same columns in one folder, and open the others separately."
    )


def test_folders_that_cannot_be_one_table(tmp_path: Path) -> None:
    (tmp_path / "stays").mkdir()
    assert refusal(tmp_path / "stays") == (
        "Folder stays has no Parquet file. Hint: name a file, or a folder of .parquet files."
    )
    (tmp_path / "stays" / "a.csv").write_text("v\n1\n", "utf-8")
    assert "has no Parquet file" in refusal(tmp_path / "stays")
    write(tmp_path / "stays" / "k=1" / "a.parquet")
    write(tmp_path / "stays" / "k=2" / "a.parquet")
    write(tmp_path / "stays" / "l=2" / "a.parquet")
    assert "l=2/a.parquet is in folders with other names than stays/k=1/a.parquet" in refusal(tmp_path / "stays")
    shutil.rmtree(tmp_path / "stays" / "l=2")
    (tmp_path / "stays" / "k=2" / "b.parquet").write_bytes(b"PAR1 no footer")
    assert refusal(tmp_path / "stays").startswith("stays/k=2/b.parquet cannot be read. Hint: check that it is")
    shutil.rmtree(tmp_path / "stays")
    write(tmp_path / "stays" / "v=1" / "a.parquet")
    assert "Column 'v' of folder stays is both in its files and in the names of its folders" in refusal(
        tmp_path / "stays"
    )


def test_the_version_of_a_folder_tells_nothing_about_the_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It stands in the public part of the ledger: a size, or a name that is a value, could be guessed and confirmed."""
    stat = Path.stat

    def at_one_time(self: Path, **how: Any) -> Any:
        found = stat(self, **how)
        return SimpleNamespace(st_mode=found.st_mode, st_size=found.st_size, st_mtime_ns=1, st_ctime_ns=2)

    first = [write(tmp_path / f"ward=heart/{i}.parquet", v=[1]) for i in range(2)]
    monkeypatch.setattr(Path, "stat", at_one_time)
    version = version_of(tmp_path)
    first[0].parent.rename(tmp_path / "ward=birth")
    write(tmp_path / "ward=birth" / "1.parquet", v=list(range(1000)))
    assert version_of(tmp_path) == version


def test_every_change_is_another_version(tmp_path: Path) -> None:
    folder, versions = tmp_path / "stays", []

    def is_new() -> bool:
        versions.append(version_of(folder))
        return versions.count(versions[-1]) == 1

    first = write(folder / "ward=heart" / "a.parquet", v=[1])
    assert is_new()
    before = first.stat()
    write(folder / "ward=heart" / "b.parquet")
    assert is_new()
    write(first, v=[2])
    os.utime(first, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert is_new(), "whatever time of writing it is given"
    first.parent.rename(folder / "ward=birth")
    assert is_new(), "the name of a folder is a value"
    (folder / "ward=birth" / "b.parquet").unlink()
    assert is_new()
    (folder / "t.ledger").write_text("grows", "utf-8")
    assert version_of(f"{folder / '..'}/{folder.name}") == versions[-1], "what is not read does not count"
    assert version_of(folder / "ward=birth" / "a.parquet") not in versions


def test_the_data_is_recognised_in_and_around_folders(tmp_path: Path) -> None:
    inside = write(tmp_path / "stays" / "k=1" / "a.parquet")
    outside = write(tmp_path / "public" / "b.parquet")
    whole = local.open_without_data(SCHEMA, source=tmp_path / "stays", ledger=":memory:")
    assert whole._context.is_the_data(inside)
    assert whole._context.is_the_data(str(tmp_path))
    assert whole._context.is_the_data(tmp_path / "stays" / "k=1")
    assert not whole._context.is_the_data(outside)
    one = local.open_without_data(SCHEMA, source=str(inside), ledger=":memory:")
    assert one._context.is_the_data(tmp_path / "stays")
    assert one._context.is_the_data(tmp_path / "public" / ".." / "stays" / "k=1" / "a.parquet")
    assert not one._context.is_the_data(tmp_path / "public")
    for link in (Path.symlink_to, Path.hardlink_to):
        link(tmp_path / "public" / "link.parquet", inside)
        assert one._context.is_the_data(tmp_path / "public")
        (tmp_path / "public" / "link.parquet").unlink()
    with pytest.raises(SourceError):
        one.query("SELECT COUNT(*) FROM t").rehearse(like=tmp_path / "stays")


# Tables in memory


@pytest.mark.parametrize(
    ("source", "sentence"),
    [
        (
            pl.DataFrame({"v": [1], "o": pl.Series([object()], dtype=pl.Object)}),
            "Column 'o' of the DataFrame has Python objects",
        ),
        (pl.LazyFrame({"v": [1]}).select("gone"), "The LazyFrame cannot be read as a table."),
        (pd.DataFrame([[1, 2]], columns=["v", "V"]), "The DataFrame has two columns named 'v'."),
        (pd.DataFrame([[1, 2]], columns=["1", 1]), "The DataFrame has two columns named '1'."),
        (pa.table([[1], [2]], names=["v", "v"]), "The Table has two columns named 'v'."),
        (
            pa.table({"v": pa.nulls(1, pa.decimal256(50, 0))}),
            "Column 'v' of the Table has type decimal256(50, 0), which is not supported.",
        ),
        (pa.table({"sfumato raw v": [1]}), "Column 'sfumato raw v' of the Table has a name that sfumato uses itself"),
        ({"v": [1]}, "A dict is not a table."),
        (None, "A NoneType is not a table."),
        (pa.array([1]), "A Int64Array is not a table."),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_is_no_table_is_refused(source: object, sentence: str) -> None:
    assert refusal(source).lower().startswith(sentence.lower())


def batches(schema: pa.Schema, read: list[int]) -> Iterator[pa.RecordBatch]:
    for i in range(3):
        read.append(i)
        yield pa.RecordBatch.from_pydict({"v": [i]}, schema=schema)


def test_a_reader_is_read_once_at_opening() -> None:
    read: list[int] = []
    schema = pa.schema([("v", pa.int64())])
    engine = opened(pa.RecordBatchReader.from_batches(schema, batches(schema, read)))
    assert read == [0, 1, 2]
    for _ in range(2):
        assert engine.rows("SELECT SUM(v) FROM t") == [(3,)]
        assert engine.rows(f'SELECT COUNT(*) FROM "{engine.raw}"') == [(3,)]
    assert read == [0, 1, 2]


def test_a_lazy_frame_is_collected_once_at_opening() -> None:
    collected: list[int] = []

    def seen(frame: pl.DataFrame) -> pl.DataFrame:
        collected.append(frame.height)
        return frame

    engine = opened(pl.LazyFrame({"v": [1, 2]}).map_batches(seen, schema={"v": pl.Int64}))
    assert [engine.rows("SELECT SUM(v) FROM t") for _ in range(2)] == [[(3,)], [(3,)]]
    assert collected == [2]


def failing_reader() -> pa.RecordBatchReader:
    schema = pa.schema([("v", pa.int64())])

    def some() -> Iterator[pa.RecordBatch]:
        yield pa.RecordBatch.from_pydict({"v": [1]}, schema=schema)
        raise LookupError("Anna, 41")

    return pa.RecordBatchReader.from_batches(schema, some())


def failing_frame() -> pl.LazyFrame:
    def fail(_: pl.DataFrame) -> pl.DataFrame:
        raise LookupError("Anna, 41")

    return pl.LazyFrame({"v": [1]}).map_batches(fail, schema={"v": pl.Int64})


@pytest.mark.parametrize("source", [failing_reader, failing_frame])
def test_what_fails_halfway_is_refused_at_opening(source: Callable[[], object]) -> None:
    """Not when it is asked, and with nothing of what it says."""
    with pytest.raises(SourceError) as failed:
        opened(source())
    assert str(failed.value).endswith(
        " cannot be read as a table. Hint: convert it to an Arrow table first, which shows where it fails."
    )
    assert failed.value.__context__ is None
    assert failed.value.__cause__ is None


def test_an_engine_answers_after_a_failure(tmp_path: Path) -> None:
    engine = opened(write(tmp_path / "a.parquet"))
    for wrong in ("SELECT error('Anna, 41') FROM t", "SELECT no_column FROM t", "SELECT FROM WHERE"):
        with pytest.raises(EngineFailure):
            engine.rows(wrong)
        assert engine.rows("SELECT SUM(v) FROM t") == [(3,)]


# Progress


def test_loading_a_csv_tells_how_far_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader, "_BLOCK", 64)
    path = tmp_path / "t.csv"
    path.write_text("v\n" + "\n".join(map(str, range(200))), "utf-8")
    engine = opened(path)
    told: list[float | None] = []
    blocks = CsvFile._blocks

    def watched(self: CsvFile, read: Callable[[float], None]) -> Iterator[bytes]:
        for block in blocks(self, read):
            told.append(engine.progress())
            yield block

    monkeypatch.setattr(CsvFile, "_blocks", watched)
    assert engine.rows("SELECT COUNT(*) FROM t") == [(200,)]
    shares = [share for share in told if share is not None]
    assert len(shares) == len(told) > 5
    assert shares == sorted(shares)
    assert (shares[0] < 0.2, shares[-1]) == (True, 1.0)
    assert engine.progress() is None


def test_a_running_query_tells_how_far_it_is(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """The query would take minutes; it is stopped when it has told.

    It reads a file: while DuckDB reads a table in memory, other threads may have to wait until it is done.
    """
    engine = opened(write(tmp_path / "a.parquet", v=list(range(1000))))
    engine.rows("CREATE TABLE many AS SELECT range AS i FROM range(3000000)")
    assert engine.progress() is None
    told: list[float] = []
    ended = threading.Event()

    def ask() -> None:
        while not ended.wait(0.01):  # stopped before it has begun, a query goes on
            share = engine.progress()
            told.extend([] if share is None else [share])
            if told:
                engine._connection.interrupt()

    asking = threading.Thread(target=ask)
    asking.start()
    with pytest.raises(EngineFailure):
        engine.rows("SELECT SUM(LENGTH(md5((i + v)::VARCHAR))) FROM many, t")
    ended.set()
    asking.join()
    assert 0 <= told[0] <= 1
    assert engine.rows("SELECT COUNT(*) FROM t") == [(1000,)]
    engine.close()
    assert engine.progress() is None
    assert capfd.readouterr() == ("", "")
