"""Several tables about the same people in one DuckDB: each is opened as a table alone is, on a shared connection."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

import duckdb

from sfumato.adapters.engines.duckdb import memory
from sfumato.adapters.engines.duckdb.engine import Clean, DuckDB
from sfumato.adapters.engines.duckdb.memory_file import MemoryFile
from sfumato.adapters.engines.duckdb.stored_values import quoted
from sfumato.errors import EngineFailure, SourceError
from sfumato.model.release import Assumption
from sfumato.model.schema import Parent, Schema, Type, Uniqueness
from sfumato.ports import CheckedFiles, Engine

if TYPE_CHECKING:
    import pyarrow as pa

    from sfumato.sql.plans.exposure_summary import Tree

T = TypeVar("T")


class DuckDBTables:
    """The tables of a schema. Opening checks the keys that are to be unique; a query never does: failing would tell.

    Leaving people out keeps keys unique, so what was opened can be opened without any of them (docs/theory/joins.md).
    """

    product = DuckDB.product
    version = ""  # files tell of theirs
    numbered = ""  # people are named by a column

    def __init__(
        self,
        sources: Mapping[str, object],
        schema: Schema,
        clean: Clean,
        checked: CheckedFiles | None = None,
        memory_mb: int | None = None,
        *,
        check_keys: bool = True,
        forget: Callable[[], None] | None = None,
    ) -> None:
        """`sources` has each table of the schema by its name; `forget` is called when it is closed."""
        self._forget = forget
        self._schema = schema
        self.tables: dict[str, Engine] = {}
        self._opened: list[DuckDB] = []
        settings = _settings(list(sources.values()), memory_mb)
        for table in schema.tables:
            source, alone = sources[table.name], schema.of_table(table)
            engine = DuckDB(source, alone, clean, checked, memory_mb, beside=tuple(self._opened), settings=settings)
            self._opened.append(engine)
            self.tables[table.name] = engine
        self.columns: Mapping[str, Type | None] = {
            f"{name}.{column}": type_
            for name, engine in self.tables.items()
            for column, type_ in engine.columns.items()
        }
        for parent in dict.fromkeys(t.parent for t in schema.tables if t.parent is not None) if check_keys else ():
            if parent.unique is Uniqueness.ENFORCED:
                self._require_unique(parent)

    def spell(self, tree: Tree) -> str:
        return self._opened[0].spell(tree)

    def snapshot(self) -> AbstractContextManager[object]:
        """No one writes to what it reads without being noticed, as of one table."""
        return nullcontext()

    @property
    def assumed(self) -> Assumption | None:
        return next((engine.assumed for engine in self._opened if engine.assumed is not None), None)

    @property
    def raw(self) -> str:
        """Each table has one of its own."""
        raise EngineFailure

    @cached_property
    def parts(self) -> int:
        tables = zip(self._schema.tables, self._opened, strict=True)
        private = [engine for table, engine in tables if not table.public]
        return self._read(lambda: memory.parts(self._connect(), sum(engine._row_count() for engine in private)))

    def note_pass(self, begun: float, share: float) -> None:
        self._opened[0].note_pass(begun, share)

    def require_unchanged(self) -> None:
        for engine in self._opened:
            engine.require_unchanged()

    def rows(self, sql: str) -> Sequence[tuple[object, ...]]:
        return self._read(lambda: self._connect().execute(sql).fetchall())

    def stream(self, sql: str) -> Iterator[tuple[object, ...]]:
        self.require_unchanged()
        self._read(self._connect)
        yield from self._opened[0].stream(sql)
        self._require_unchanged_meanwhile()

    def table(self, sql: str) -> pa.Table:
        return self._read(lambda: self._connect().sql(sql).to_arrow_table())

    def digest(self) -> str:
        digests = (f"{name.casefold()} {engine.digest()}" for name, engine in sorted(self.tables.items()))
        return f"tables {hashlib.sha256(chr(10).join(digests).encode()).hexdigest()}"

    def progress(self) -> float | None:
        loading = (engine._share_read for engine in self._opened)
        return next((share for share in loading if share is not None), None) or self._opened[0].progress()

    def close(self) -> None:
        self._opened[0].close()
        if self._forget is not None:
            self._forget()

    def _connect(self) -> duckdb.DuckDBPyConnection:
        """The connection, after every clean table was made."""
        for engine in self._opened[1:]:
            engine._clean_connection()
        return self._opened[0]._clean_connection()

    def _read(self, work: Callable[[], T]) -> T:
        self.require_unchanged()
        try:
            return self._opened[0]._run_guarded(EngineFailure(), work)
        finally:
            self._require_unchanged_meanwhile()

    def _require_unchanged_meanwhile(self) -> None:
        for engine in self._opened:
            engine._require_unchanged_meanwhile()

    def _require_unique(self, parent: Parent) -> None:
        """Refuse to open a table in which two rows share the key that says whose the rows below them are."""
        key = quoted(parent.key)
        sql = f"SELECT 1 FROM {quoted(parent.table)} WHERE {key} IS NOT NULL GROUP BY {key} HAVING COUNT(*) > 1 LIMIT 1"
        if self.rows(sql):
            raise SourceError.because("parent-key-shared", table=parent.table, column=parent.key)


def require_several(schema: Schema) -> None:
    """Refuse several tables for a schema of one."""
    if not schema.tables:
        raise SourceError.because("one-table-needed")


def require_one(source: object) -> object:
    """The source of a schema with one table."""
    if isinstance(source, Mapping):
        raise SourceError.because("one-table-needed")
    return source


def require_sources(sources: object, schema: Schema) -> dict[str, object]:
    """Where each table of a schema is read from; exactly its tables are needed."""
    if not isinstance(sources, Mapping):
        raise SourceError.because("tables-needed")
    given = {str(name).lower(): source for name, source in sources.items()}
    known = {table.name.lower(): table.name for table in schema.tables}
    missing = [name for lower, name in known.items() if lower not in given]
    unknown = [str(name) for name in sources if str(name).lower() not in known]
    if missing:
        raise SourceError.because("table-without-source", tables=missing)
    if unknown:
        raise SourceError.because("table-not-in-schema", tables=unknown, known=list(known.values()))
    return {name: given[lower] for lower, name in known.items()}


def _settings(sources: Sequence[object], memory_mb: int | None) -> Mapping[str, object]:
    """Those of one file in memory, with leave to read the others."""
    files = [source for source in sources if isinstance(source, MemoryFile)]
    if not files:
        return memory.within(memory_mb)
    return {**files[0].settings, "allowed_paths": [str(file.path) for file in files]}
