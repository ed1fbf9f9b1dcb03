"""A file that lies in memory only: read like any other, called by its name, and nothing else within reach."""

from __future__ import annotations

import fcntl
import os
import shutil
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sfumato.adapters.engines.duckdb.engine import DuckDB
from sfumato.adapters.engines.duckdb.memory_file import MemoryFile
from sfumato.adapters.storage.ledger_file import SQLiteLedger
from sfumato.api.dataset import Dataset
from sfumato.composition import engines, local
from sfumato.errors import EngineFailure, SchemaError, SourceError
from sfumato.model.authorization import Authorization
from sfumato.model.budget import budget_of
from sfumato.schema.read import from_dict

COLUMNS = {"days": {"type": "integer", "bounds": [0, 60]}, "ward": {"type": "text", "categories": ["heart", "birth"]}}
SCHEMA = from_dict({"name": "stays", "columns": COLUMNS})
CSV = b"days;ward\n3;heart\n70;birth\nmany;heart\n;\n"
TABLE = pa.table({"days": [3, 70, None, None], "ward": ["heart", "birth", "heart", None]})
PARQUET = pa.BufferOutputStream()
pq.write_table(TABLE, PARQUET)
FILES = {"csv": CSV, "parquet": PARQUET.getvalue().to_pybytes()}
MARKER = b"Ada Lovelace born 1815"
Keep = Callable[[bytes], int]


@pytest.fixture
def keep() -> Iterator[Keep]:
    """Bytes as a descriptor of a file in memory that nobody can write to."""
    kept = []

    def keep(content: bytes) -> int:
        kept.append(fd := os.memfd_create("held", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING))
        with os.fdopen(os.dup(fd), "wb") as file:
            file.write(content)
        fcntl.fcntl(fd, fcntl.F_ADD_SEALS, fcntl.F_SEAL_WRITE | fcntl.F_SEAL_GROW | fcntl.F_SEAL_SHRINK)
        return fd

    yield keep
    for fd in kept:
        os.close(fd)


def opened(fd: int, format: str, **others: Any) -> Dataset:
    engine = local.engine_for_memory_file(fd, format, "stays of 2026", SCHEMA)
    return Dataset(
        local.open_registered(engine, SCHEMA, SQLiteLedger(":memory:"), **{"who": "ada", "version": "v1"} | others)
    )


def engine(fd: int, format: str, **limits: Any) -> DuckDB:
    return engines.duckdb(MemoryFile(fd, format, "stays of 2026", **limits), SCHEMA)


@pytest.mark.parametrize("format", FILES)
def test_a_held_file_is_read_like_one_on_a_disk(keep: Keep, format: str, tmp_path: Path) -> None:
    (tmp_path / f"stays.{format}").write_bytes(FILES[format])
    held, on_disk = engine(keep(FILES[format]), format), engines.duckdb(tmp_path / f"stays.{format}", SCHEMA)
    for table in (lambda _: "stays", lambda engine: engine.numbered, lambda engine: engine.raw):
        rows = [sorted(engine.rows(f'SELECT * FROM "{table(engine)}"'), key=str) for engine in (held, on_disk)]
        assert rows[0] == rows[1]
        assert len(rows[0]) == 4
    assert held.columns == on_disk.columns
    assert held.assumed == on_disk.assumed


@pytest.mark.parametrize("format", FILES)
def test_a_session_is_opened_for_whoever_asks(keep: Keep, format: str) -> None:
    data = opened(keep(FILES[format]), format, authorization=Authorization("a policy", budget=budget_of(1.0)))
    release = data.query("SELECT COUNT(*) FROM stays").release(epsilon=0.5)
    redraw = data.query("SELECT COUNT(*) FROM stays").release(epsilon=0.5)
    assert redraw.rows == release.rows
    assert data.version == "v1"
    assert {entry.draft.who for entry in data.ledger._store.read(0)} == {"ada"}
    assert data.check().people == 4


@pytest.mark.parametrize("format", FILES)
def test_sentences_call_it_by_its_name(keep: Keep, format: str) -> None:
    for content in (b"\xff\xfe no table", b"a,a\n1,2\n"):
        with pytest.raises(SourceError, match=r"^stays of 2026 "):
            engine(keep(content), format)
    renamed = TABLE.rename_columns(["days", "unit"])
    sink = pa.BufferOutputStream()
    pq.write_table(renamed, sink)
    other = {"csv": b"days;unit\n1;x\n", "parquet": sink.getvalue().to_pybytes()}
    with pytest.raises(SchemaError, match=r"^Column 'ward' is in .* but not in stays of 2026\."):
        engine(keep(other[format]), format)


def test_a_format_that_is_not_read() -> None:
    with pytest.raises(SourceError, match=r"^stays has a format that is not supported\. Hint: use CSV or Parquet\.$"):
        MemoryFile(3, "xlsx", "stays")


# What its engine can do besides


@pytest.mark.parametrize("format", FILES)
@pytest.mark.parametrize(
    "sql",
    [
        "SELECT * FROM read_text('{file}')",
        "SELECT * FROM read_csv('{file}')",
        "SELECT * FROM '{file}'",
        "SELECT * FROM glob('{folder}/*')",
        "SELECT * FROM read_text('/proc/self/environ')",
        "SELECT * FROM read_text('/proc/self/fd/{fd}/../../environ')",
        "SELECT * FROM read_text('/proc/self/fd/{fd}*')",
        "SELECT * FROM TABLE",
        "COPY (SELECT 1) TO '{folder}/out.csv'",
        "ATTACH '{folder}/out.db'",
        "EXPORT DATABASE '{folder}/out'",
        "INSTALL httpfs",
        "LOAD httpfs",
        "SET enable_external_access = true",
        "SET temp_directory = '{folder}'",
        "SET memory_limit = '1TB'",
    ],
)
def test_no_other_file_is_within_reach(keep: Keep, format: str, sql: str, tmp_path: Path) -> None:
    (tmp_path / "file.csv").write_text("a\n1\n", "utf-8")
    held = engine(fd := keep(FILES[format]), format)
    asked = sql.format(file=tmp_path / "file.csv", folder=tmp_path, fd=fd)
    with pytest.raises(EngineFailure):
        held.rows(asked)
    assert held.rows("SELECT COUNT(*) FROM stays") == [(4,)]
    assert [path.name for path in tmp_path.iterdir()] == ["file.csv"]


# Nothing is spilled


class Spilling(MemoryFile):
    """What DuckDB does where it is not told otherwise: what does not fit into memory goes to files."""

    @property
    def settings(self) -> dict[str, object]:
        return super().settings | {"temp_directory": str(Path.cwd() / "spilled")}


class Encrypting(Spilling):
    """What DuckDB offers for that: with what it brings along, it does not."""

    @property
    def settings(self) -> dict[str, object]:
        return {"temp_file_encryption": True} | super().settings


def written(folder: Path, work: Callable[[], object]) -> tuple[int, bool]:
    """The most bytes that were seen in a folder while the work went on, and whether the marker was among them."""
    most, is_marked, done = 0, False, threading.Event()

    def look() -> None:
        nonlocal most, is_marked
        while not done.wait(0.01):
            with suppress(OSError):  # a file that is gone again
                found = [path.read_bytes() for path in folder.rglob("*") if path.is_file()]
                most = max(most, sum(map(len, found)))
                is_marked = is_marked or any(MARKER in content for content in found)

    looking = threading.Thread(target=look)
    looking.start()
    try:
        work()
    finally:
        done.set()
        looking.join()
    return most, is_marked


@pytest.mark.parametrize("format", FILES)
def test_what_does_not_fit_into_memory_is_not_written_to_a_disk(
    keep: Keep, format: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The control: the same data and query under DuckDB's own habit leaves people's names in files.

    The day that DuckDB encrypts these by itself, this goes red, and held data may be larger than memory.
    """
    monkeypatch.chdir(tmp_path)
    names = [f"{MARKER.decode()} {i * 7919 % 1_000_003}" for i in range(700_000)]
    if format == "csv":
        content = "\n".join(["name", *names]).encode()
    else:
        sink = pa.BufferOutputStream()
        pq.write_table(pa.table({"name": names}), sink, use_dictionary=False)
        content = sink.getvalue().to_pybytes()
    fd = keep(content)
    schema = from_dict({"name": "people", "columns": {"name": {"type": "text"}}})
    sql = "SELECT COUNT(*) FROM (SELECT name, ROW_NUMBER() OVER (ORDER BY name) AS n FROM people) WHERE n % 2 = 0"

    def ask(kind: type[MemoryFile]) -> object:
        return engines.duckdb(kind(fd, format, "people", memory_mb=48, threads=1), schema).rows(sql)

    most, is_marked = written(tmp_path, lambda: ask(Spilling))
    assert most > 2**20
    assert is_marked

    def fail(kind: type[MemoryFile]) -> None:
        with pytest.raises(EngineFailure):
            ask(kind)

    for kind in (Encrypting, MemoryFile):
        shutil.rmtree(tmp_path / "spilled", ignore_errors=True)
        assert written(tmp_path, partial(fail, kind)) == (0, False)
