"""Embedded DuckDB: CSV is loaded once, as text; Parquet is scanned where it lies; tables are read in place."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from threading import RLock
from types import MappingProxyType
from typing import TYPE_CHECKING, Protocol, TypeAlias, TypeVar

import duckdb

from sfumato.adapters.engines.duckdb import digest, memory, stored_values
from sfumato.adapters.engines.duckdb.csv import CsvFile, require_columns
from sfumato.adapters.engines.duckdb.frame import InMemoryTable, in_memory_table
from sfumato.adapters.engines.duckdb.memory_file import MemoryFile
from sfumato.adapters.engines.duckdb.parquet import ParquetFiles
from sfumato.adapters.engines.duckdb.stored_values import SourceNames, quoted
from sfumato.errors import EngineFailure, OutOfMemory, SfumatoError, SourceError, instead
from sfumato.model.release import Assumption
from sfumato.model.schema import PERSON, RAW_TEXT, Schema, Type
from sfumato.ports import CheckedFiles, Engine

if TYPE_CHECKING:
    from collections.abc import Callable

    import pyarrow as pa

    from sfumato.sql.plans.exposure_summary import Tree

Columns = Mapping[str, Type | None]
Lock: TypeAlias = AbstractContextManager[bool]
T = TypeVar("T")

_TYPES = {
    Type.INTEGER: ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER"),
    Type.NUMBER: ("FLOAT", "DOUBLE"),
    Type.TEXT: ("VARCHAR",),
    Type.BOOLEAN: ("BOOLEAN",),
    Type.DATE: ("DATE",),
    Type.TIMESTAMP: ("TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS", "TIMESTAMP WITH TIME ZONE"),
}
_TYPE_OF = {name: type_ for type_, names in _TYPES.items() for name in names}
_CSV = (".csv", ".tsv", ".txt")
_LINES_OF_TEXT = "(SELECT unnest(string_split($text, chr(10))) AS line)"
_AT_ONCE = 2048  # rows of a stream that are held: what the engine hands over at a time
_COUNTED = "ROW_NUMBER() OVER ()"  # the place of a row where nothing else tells it: every row before it is read
_FAILURES = (duckdb.Error, OSError, UnicodeError, RuntimeError, ValueError, TypeError, ArithmeticError)


@dataclass(frozen=True)
class SyntheticPopulation:
    """A population that the engine makes up itself: a SELECT and its parameters."""

    sql: str
    parameters: Mapping[str, int] = field(default_factory=dict)


class Clean(Protocol):
    """The SELECT that makes the clean table of a raw one; columns to `keep` go through untouched."""

    def __call__(self, schema: Schema, columns: Columns, raw: str, keep: Sequence[str] = (), /) -> str: ...


class DuckDB:
    """One table. Opening reads the names and types of its columns, and each value at which a scan might fail.

    Whatever DuckDB says quotes lines and values: one error without values stands in for it.
    """

    product = f"DuckDB {duckdb.__version__}"
    version = ""  # files tell of theirs
    tables: Mapping[str, Engine] = MappingProxyType({})  # it holds one

    def __init__(
        self,
        source: object,
        schema: Schema | None,
        clean: Clean,
        checked: CheckedFiles | None = None,
        memory_mb: int | None = None,
        beside: Sequence[DuckDB] = (),
        settings: Mapping[str, object] | None = None,
    ) -> None:
        """`beside` are tables with which it shares a connection; without them, `settings` may be those for all."""
        if settings is None:
            settings = source.settings if isinstance(source, MemoryFile) else memory.within(memory_mb)
        shared = beside[0] if beside else None
        self._connection: duckdb.DuckDBPyConnection = _connect(settings) if shared is None else shared._connection
        self._named = SourceNames(len(beside) + 1)
        self._pass_begun, self._pass_share = 0.0, 1.0
        self._raw_types: dict[str, str] = {}
        self._lock: Lock = RLock() if shared is None else shared._lock  # a connection holds one result at a time
        self._schema, self._clean, self._name = schema, clean, source_name(source)
        unreadable = _unreadable(source)
        self._source = self._run_guarded(unreadable, lambda: _open_source(source))
        self.columns: Columns = self._run_guarded(unreadable, self._describe_columns)
        self._loaded = self._is_clean = self._is_numbered = self._raw_is_asked_for = False
        self._share_read: float | None = None
        self._digest: str | None = None
        self._raw_texts: list[str] = []
        self._require_free_names(source_name(source))
        if schema is not None:
            require_columns(schema, self.columns, source_name(source))
            if not isinstance(self._source, CsvFile):
                self._run_guarded(unreadable, self._clean_connection)  # a view of what lies there
        if isinstance(self._source, ParquetFiles | InMemoryTable):
            self._require_readable_once(source_name(source), checked)
        if isinstance(self._source, CsvFile) and memory_mb is not None:
            self._require_room(memory_mb)

    def spell(self, tree: Tree) -> str:
        from sfumato.sql.lowering.spelling import spell

        return spell(tree, "duckdb")

    def snapshot(self) -> AbstractContextManager[object]:
        """No one writes to what it reads without being noticed: each pass sees to that."""
        return nullcontext()

    @property
    def assumed(self) -> Assumption | None:
        """What reading the source row by row assumes."""
        return Assumption.CLOSED_QUOTES if isinstance(self._source, CsvFile) else None

    @property
    def raw(self) -> str:
        self._raw_is_asked_for = True
        self._run_guarded(EngineFailure(), self._load)
        return self._named.raw

    @property
    def numbered(self) -> str:
        self._run_guarded(EngineFailure(), self._number)
        return self._named.numbered

    @cached_property
    def parts(self) -> int:
        if self._schema is None or self._schema.unit.column is None:
            return 1
        return self._read_from_files(lambda: memory.parts(self._clean_connection(), self._row_count()))

    def note_pass(self, begun: float, share: float) -> None:
        self._pass_begun, self._pass_share = begun, share

    def rows(self, sql: str) -> Sequence[tuple[object, ...]]:
        return self._read_from_files(lambda: self._clean_connection().execute(sql).fetchall())

    def stream(self, sql: str) -> Iterator[tuple[object, ...]]:
        """The rows of a pass, some at a time. That the files were the same all along is known at its end."""
        self.require_unchanged()
        with self._lock:
            try:
                result = self._run_guarded(EngineFailure(), lambda: self._clean_connection().execute(sql))
                while rows := self._run_guarded(EngineFailure(), lambda: result.fetchmany(_AT_ONCE)):
                    yield from rows
            except GeneratorExit:
                self._abort()
                raise
            except EngineFailure:
                self._require_unchanged_meanwhile()
                raise
            self._require_unchanged_meanwhile()

    def table(self, sql: str) -> pa.Table:
        return self._read_from_files(lambda: self._clean_connection().sql(sql).to_arrow_table())

    def require_unchanged(self) -> None:
        if not self._is_unchanged:
            raise self._changed()

    @property
    def _is_unchanged(self) -> bool:
        """Whether the files that are read are those that were opened; a CSV that was loaded is read no more."""
        source = self._source
        if isinstance(source, CsvFile):
            return self._loaded or self._is_clean or source.snapshot.holds
        return not isinstance(source, ParquetFiles) or source.snapshot.holds

    def _read_from_files(self, work: Callable[[], T]) -> T:
        """What a pass gives, if the files were the same before and after it: it may have read some of each state."""
        self.require_unchanged()
        try:
            return self._run_guarded(EngineFailure(), work)
        finally:
            self._require_unchanged_meanwhile()

    def _require_unchanged_meanwhile(self) -> None:
        if not self._is_unchanged:
            raise self._changed_during_read()

    def _changed(self) -> SourceError:
        return SourceError.because("source-changed", source=self._name)

    def _changed_during_read(self) -> SourceError:
        return SourceError.because("source-changed-meanwhile", source=self._name)

    def digest(self) -> str:
        if self._digest is None:
            self._digest = self._read_from_files(self._compute_digest)
        return self._digest

    def progress(self) -> float | None:
        """Asked from another thread while a query runs, so it takes no lock."""
        if self._share_read is not None:
            return self._share_read
        try:
            percent = self._connection.query_progress()
        except duckdb.Error:
            return None
        if percent < 0:
            return self._pass_begun or None
        return self._pass_begun + self._pass_share * min(percent / 100, 1.0)

    def close(self) -> None:
        self._connection.close()

    def _run_guarded(self, failure: SfumatoError, work: Callable[[], T]) -> T:
        with self._lock:
            try:
                return instead(failure, _FAILURES, lambda: _run_uninterrupted(work, failure))
            except BaseException:
                self._abort()
                raise

    def _abort(self) -> None:
        """Drop a result that was not read to its end: it would stop every query after it."""
        with suppress(duckdb.Error):
            self._connection.abort()

    def _describe_columns(self) -> Columns:
        """Make the raw table known under its name, and say what columns it has."""
        source = self._source
        if isinstance(source, CsvFile):
            return dict.fromkeys(source.names, Type.TEXT)
        if isinstance(source, SyntheticPopulation):
            self._connection.execute(f'CREATE TABLE "{self._named.raw}" AS {source.sql}', dict(source.parameters))
        elif isinstance(source, ParquetFiles):
            source.check(self._connection)
            self._source = replace(source, columns=self._readings(source.select()))
            self._connection.execute(f'CREATE VIEW "{self._named.raw}" AS {self._source.select()}')
        else:
            self._connection.register(self._named.frame, source.table)
            columns = self._readings(f'SELECT * FROM "{self._named.frame}"')
            self._connection.execute(f'CREATE VIEW "{self._named.raw}" AS SELECT {columns} FROM "{self._named.frame}"')
        if not self._raw_types:
            self._raw_types = self._types(f'"{self._named.raw}"')
        return {name: _TYPE_OF.get(type_) for name, type_ in self._raw_types.items()}

    def _readings(self, select: str) -> str:
        """The columns of a table: categories as their texts, and moments that cannot be written out as NULL."""
        types = self._types(select)
        read = {name: stored_values.reading(quoted(name), type_) for name, type_ in types.items()}
        other = ", ".join(f"{reading} AS {quoted(name)}" for name, reading in read.items() if reading)
        if not other:
            self._raw_types = types  # those of the view, too: nothing is read in another way
        return f"* REPLACE ({other})" if other else "*"

    def _require_readable_once(self, source: str, checked: CheckedFiles | None) -> None:
        """Files that were read to their end before, and are as they were then, are not read again."""
        state = self._source.snapshot.digest if isinstance(self._source, ParquetFiles) else None
        if checked is None or state is None:
            self._require_readable(source)
        elif not checked.knows(state):
            self._require_readable(source)
            checked.remember(state)

    def _require_readable(self, source: str) -> None:
        """Refuse a table with a value at which a query would fail, by the name of its column: such columns are read.

        A table in memory was made of values that can be scanned.
        """
        types, cleaned = self._raw_types, self._named.raw if self._schema is None else self._schema.name
        odd = [
            name
            for name, type_ in types.items()
            if not stored_values.is_scanned(type_) and not stored_values.is_total(type_)
        ]
        doubtful = [(cleaned, name) for name in odd]
        if isinstance(self._source, ParquetFiles):
            scanned = [name for name, type_ in types.items() if stored_values.is_scanned(type_)]
            if (scanned or odd) and not self._reads(self._named.raw, scanned):
                if not self._reads(self._named.raw, []):
                    unknown = stored_values.unreadable(None, "TIMESTAMP", source)
                    raise stored_values.unreadable(
                        self._run_guarded(unknown, self._source.far_moment), "TIMESTAMP", source
                    )
                doubtful += [(self._named.raw, name) for name in scanned]
        for table, name in doubtful:
            if not self._reads(table, [name]):
                raise stored_values.unreadable(name, types[name], source)

    def _reads(self, table: str, columns: Sequence[str]) -> bool:
        """Whether every value of these columns can be read. `any_value` reads them all, and does nothing with them."""
        values = [f"any_value({quoted(name)}) IS NULL" for name in columns]
        sql = f"SELECT {', '.join([*values, 'count(*)'])} FROM {quoted(table)}"
        try:
            self._run_guarded(EngineFailure(), lambda: self._connection.execute(sql).fetchall())
        except EngineFailure:
            return False
        return True

    def _types(self, relation: str) -> dict[str, str]:
        columns = self._connection.execute(f"DESCRIBE {relation}").fetchall()
        return {str(name): str(type_) for name, type_, *_ in columns}

    def _load(self) -> None:
        """Read a CSV as text, if it is not read yet."""
        source = self._source
        if self._loaded:
            return
        if isinstance(source, CsvFile):
            self._load_lines(source)
        self._loaded = True

    def _load_lines(self, source: CsvFile) -> None:
        if not source.snapshot.holds:
            raise self._changed()
        text = source.at_once(self._note_share_read)
        lines = _LINES_OF_TEXT if text is not None else f'"{self._named.lines}"'
        if text is None:
            self._connection.register(self._named.lines, source.lines(self._note_share_read))
        try:
            of_text = {} if text is None else {"text": text}
            self._connection.execute(f'CREATE OR REPLACE TABLE "{self._named.raw}" AS {source.select(lines)}', of_text)
        finally:
            self._share_read = None
        if text is None:
            self._connection.unregister(self._named.lines)
        if not source.snapshot.holds:
            raise self._changed_during_read()

    def _compute_digest(self) -> str:
        source = self._source
        if isinstance(source, CsvFile) and source.path.stat().st_size > digest.MOST_BYTES:
            return digest.of_files([source.path])
        self._load()
        if not isinstance(source, CsvFile):
            values = self._row_count() * len(self.columns)
            if isinstance(source, ParquetFiles) and values > digest.MOST_VALUES:
                return digest.of_files(source.files)
            if values > digest.MOST_IN_MEMORY:
                raise EngineFailure
        rows_digest = digest.of_rows(self._connection, self._named.raw, self.columns)
        if isinstance(source, CsvFile) and self._is_clean:
            self._drop_raw()
        return rows_digest

    def _row_count(self) -> int:
        if isinstance(self._source, ParquetFiles):
            return self._source.rows(self._connection)
        table = self._named.stored if isinstance(self._source, CsvFile) and self._is_clean else self._named.raw
        [(rows,)] = self._connection.execute(f'SELECT COUNT(*) FROM "{table}"').fetchall()
        return int(rows)

    def _note_share_read(self, share: float) -> None:
        self._share_read = share

    def _clean_connection(self) -> duckdb.DuckDBPyConnection:
        """The connection, after the clean table was made. A CSV's is stored, and its raw one not kept for nothing."""
        if self._schema is not None and not self._is_clean:
            self._load()
            select = self._clean(self._schema, self.columns, self._named.raw)
            if isinstance(self._source, CsvFile):
                select = self._store_clean(select)
            self._connection.execute(f"CREATE OR REPLACE VIEW {quoted(self._schema.name)} AS {select}")
            self._is_clean = True
        return self._connection

    def _store_clean(self, select: str) -> str:
        """Store the clean table. Texts as they were written are not stored beside it: the clean ones stand for them."""
        self._raw_texts = [name for name in self._types(select) if name.startswith(RAW_TEXT)]
        once = f"SELECT * EXCLUDE ({', '.join(map(quoted, self._raw_texts))})" if self._raw_texts else "SELECT *"
        self._connection.execute(f'CREATE OR REPLACE TABLE "{self._named.stored}" AS {once} FROM ({select})')
        self._drop_raw()
        return f'SELECT {self._all_of_stored} FROM "{self._named.stored}"'

    def _drop_raw(self) -> None:
        if not self._raw_is_asked_for:
            self._connection.execute(f'DROP TABLE "{self._named.raw}"')
            self._loaded = False

    @property
    def _all_of_stored(self) -> str:
        texts = [f"{quoted(name.removeprefix(RAW_TEXT))} AS {quoted(name)}" for name in self._raw_texts]
        return ", ".join(["*", *texts])

    def _number(self) -> None:
        """Make the view with numbers. The clean table has none: they would keep filters from reaching the source."""
        connection = self._clean_connection()
        if self._is_numbered:
            return
        assert self._schema is not None
        if isinstance(self._source, CsvFile):
            select = f'SELECT {self._all_of_stored}, {self._row_of_table} AS "{PERSON}" FROM "{self._named.stored}"'
        else:
            connection.execute(f'CREATE OR REPLACE VIEW "{self._named.numbered_raw}" AS {self._raw_with_numbers()}')
            select = self._clean(self._schema, self.columns, self._named.numbered_raw, (PERSON,))
        connection.execute(f'CREATE OR REPLACE VIEW "{self._named.numbered}" AS {select}')
        self._is_numbered = True

    def _raw_with_numbers(self) -> str:
        place: str | None = None
        if isinstance(self._source, ParquetFiles):
            if (select := self._source.numbered(self._connection, self.columns, PERSON)) is not None:
                return select
        elif not isinstance(self._source, InMemoryTable):
            place = self._row_of_table
        return f'SELECT *, {place or _COUNTED} AS "{PERSON}" FROM "{self._named.raw}"'

    @property
    def _row_of_table(self) -> str:
        return _COUNTED if "rowid" in map(str.lower, self.columns) else "rowid + 1"

    def _require_room(self, memory_mb: int) -> None:
        """Load a CSV at once, so that it is refused where it is opened if the memory that was stated cannot hold it."""
        with suppress(OutOfMemory):
            self._run_guarded(EngineFailure(), self._clean_connection)
            return
        raise SourceError.because("source-too-large", source=self._name, mebibytes=memory_mb)

    def _require_free_names(self, source: str) -> None:
        for name in self.columns:
            if name.lower().startswith("sfumato "):
                raise SourceError.because("column-name-reserved", column=name, source=source)


def _run_uninterrupted(work: Callable[[], T], failure: SfumatoError) -> T:
    """Do the work. DuckDB makes an error of its own of Ctrl-C, which is not a failure of the engine.

    Where the engine is to blame, it is said whether it ran out of memory.
    """
    wrong: BaseException = KeyboardInterrupt()
    try:
        return work()
    except duckdb.OutOfMemoryException:
        if not isinstance(failure, EngineFailure):
            raise
        wrong = OutOfMemory()
    except RuntimeError as error:
        if str(error) != "Query interrupted":
            raise
    raise wrong


def write_population(population: SyntheticPopulation, path: Path) -> None:
    """Write an invented population as a Parquet or CSV file, streamed."""
    sql = f"COPY ({population.sql}) TO $path (FORMAT {'csv, HEADER' if path.suffix == '.csv' else 'parquet'})"
    with _connect({}) as connection:
        instead(
            SourceError.because("population-unwritable", path=str(path)),
            _FAILURES,
            lambda: connection.execute(sql, {"path": str(path), **population.parameters}),
        )


def _connect(settings: Mapping[str, object]) -> duckdb.DuckDBPyConnection:
    connection = duckdb.connect(":memory:")
    connection.execute("SET enable_progress_bar_print = false")  # it would print into our answers
    connection.execute("SET enable_progress_bar = true")  # it is measured, for `progress`
    connection.execute("SET TimeZone = 'UTC'")  # a moment falls on the same day on every machine
    for name, value in settings.items():
        connection.execute(f"SET {name} = $value", {"value": value})
    return connection


def source_name(source: object) -> str:
    """What a sentence calls a source: a file by its name, a table by its kind."""
    if isinstance(source, MemoryFile):
        return source.name
    return (Path(source).name or str(source)) if isinstance(source, str | Path) else f"the {type(source).__name__}"


def _open_source(source: object) -> CsvFile | ParquetFiles | InMemoryTable | SyntheticPopulation:
    if isinstance(source, SyntheticPopulation):
        return source
    if isinstance(source, MemoryFile):
        is_csv = source.format == "csv"
        return CsvFile.of(source.path, source.name) if is_csv else ParquetFiles.of(source.path)
    if not isinstance(source, str | Path):
        return in_memory_table(source)
    path = Path(source)
    return CsvFile.of(path) if path.suffix.lower() in _CSV and not path.is_dir() else ParquetFiles.of(path)


def _unreadable(source: object) -> SourceError:
    if isinstance(source, str | Path) and not Path(source).exists():
        return SourceError.because("source-missing", source=source_name(source))
    return SourceError.because("source-unreadable", source=source_name(source))
