"""Embedded DuckDB: CSV is loaded once, as text; Parquet is scanned where it lies; tables are read in place."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING, TypeVar

import duckdb

from sfumato.engines.csv import CsvFile
from sfumato.engines.frame import columns_of_one_type
from sfumato.errors import EngineFailure, SchemaError, SfumatoError, SourceError, instead
from sfumato.model.dataset import Schema, Type

if TYPE_CHECKING:
    import pyarrow as pa

RAW, LINES = "sfumato raw", "sfumato lines"
Columns = Mapping[str, Type | None]
T = TypeVar("T")

_TYPES = {
    Type.INTEGER: ("TINYINT", "SMALLINT", "INTEGER", "BIGINT"),
    Type.NUMBER: ("FLOAT", "DOUBLE"),
    Type.TEXT: ("VARCHAR",),
    Type.BOOLEAN: ("BOOLEAN",),
    Type.DATE: ("DATE",),
}
_TYPE_OF = {name: type_ for type_, names in _TYPES.items() for name in names}
_FAILURES = (duckdb.Error, OSError, UnicodeError, RuntimeError, ValueError, TypeError, ArithmeticError)


@dataclass(frozen=True)
class Invented:
    """A population that the engine makes up itself: a SELECT and its parameters."""

    sql: str
    parameters: Mapping[str, int] = field(default_factory=dict)


class DuckDB:
    """One table. Only the names and types of its columns are read before the first query.

    Whatever DuckDB says quotes lines and values: one constant sentence stands in for it.
    """

    dialect = "duckdb"

    def __init__(self, source: object, schema: Schema | None, clean: Callable[[Schema, Columns, str], str]) -> None:
        self._connection = _connected()
        self._lock = RLock()  # a connection holds one result at a time
        unreadable = SourceError(f"{named(source)} cannot be read as a table", hint=_readable(source))
        self._csv = self._guarded(unreadable, lambda: _csv(source))
        self.columns: Columns = self._guarded(unreadable, lambda: self._described(source))
        self._cleaning = ""
        self._raw_is_asked_for = False
        if schema is not None:
            self._fits(schema, named(source))
            kind = "TABLE" if self._csv else "VIEW"
            quoted = schema.name.replace('"', '""')
            self._name = quoted
            self._cleaning = f'CREATE {kind} "{quoted}" AS {clean(schema, self.columns, RAW)}'

    @property
    def assumed(self) -> str:
        """What reading the source row by row takes for granted."""
        return "the CSV file was written by a program that closes every quote it opens" if self._csv else ""

    @property
    def raw(self) -> str:
        self._raw_is_asked_for = True
        self._guarded(EngineFailure(), self._load)
        return RAW

    @property
    def numbered(self) -> str:
        return "sfumato numbered"

    def rows(self, sql: str) -> Sequence[tuple[object, ...]]:
        return self._guarded(EngineFailure(), lambda: self._cleaned().execute(sql).fetchall())

    def table(self, sql: str) -> pa.Table:
        return self._guarded(EngineFailure(), lambda: self._cleaned().sql(sql).to_arrow_table())

    def close(self) -> None:
        self._connection.close()

    def _guarded(self, failure: SfumatoError, work: Callable[[], T]) -> T:
        with self._lock:
            return instead(failure, _FAILURES, work)

    def _described(self, source: object) -> Columns:
        """Make the raw table known under its name, and say what columns it has."""
        if self._csv is not None:
            return dict.fromkeys(self._csv.names, Type.TEXT)
        if isinstance(source, Invented):
            self._connection.execute(f'CREATE TABLE "{RAW}" AS {source.sql}', dict(source.parameters))
        elif isinstance(source, str | Path):
            self._connection.read_parquet(str(source)).create_view(RAW)
        else:
            self._connection.register(RAW, columns_of_one_type(source))
        described = self._connection.execute(f'DESCRIBE "{RAW}"').fetchall()
        return {str(name): _TYPE_OF.get(str(type_)) for name, type_, *_ in described}

    def _load(self) -> None:
        """Load a CSV as text, if it is one and not loaded."""
        if self._csv is not None:
            self._connection.register(LINES, self._csv.lines())
            self._connection.execute(f'CREATE TABLE IF NOT EXISTS "{RAW}" AS {self._csv.select(LINES)}')
            self._connection.unregister(LINES)

    def _cleaned(self) -> duckdb.DuckDBPyConnection:
        """The connection, after the clean table was made; of a CSV the raw one is not kept for nothing."""
        if self._cleaning:
            self._load()
            self._connection.execute(self._cleaning)
            self._cleaning = ""
            self._connection.execute(
                f'CREATE VIEW "sfumato numbered" AS SELECT *, ROW_NUMBER() OVER () AS "sfumato person" FROM "{self._name}"'
            )
            if self._csv is not None and not self._raw_is_asked_for:
                self._connection.execute(f'DROP TABLE "{RAW}"')
        return self._connection

    def _fits(self, schema: Schema, source: str) -> None:
        present = {name.lower() for name in self.columns}
        for column in schema.columns:
            if column.name.lower() not in present:
                raise SchemaError(
                    f"Column '{column.name}' is in {schema.origin} but not in {source}",
                    hint="compare the two; the first line of a CSV must name its columns.",
                )


def write_parquet(population: Invented, path: Path) -> None:
    """An invented population as a Parquet file, streamed."""
    sql = f"COPY ({population.sql}) TO $path (FORMAT parquet)"
    with _connected() as connection:
        instead(
            SourceError(f"{path} cannot be written", hint="name a file in a folder that exists."),
            _FAILURES,
            lambda: connection.execute(sql, {"path": str(path), **population.parameters}),
        )


def _connected() -> duckdb.DuckDBPyConnection:
    connection = duckdb.connect(":memory:")
    connection.execute("SET enable_progress_bar_print = false")  # it would print into our answers
    return connection


def named(source: object) -> str:
    """What a sentence calls a source: a file by its name, a table by its kind."""
    return (Path(source).name or str(source)) if isinstance(source, str | Path) else f"the {type(source).__name__}"


def _csv(source: object) -> CsvFile | None:
    if isinstance(source, str | Path) and Path(source).suffix.lower() in (".csv", ".tsv", ".txt"):
        return CsvFile.of(Path(source))
    return None


def _readable(source: object) -> str:
    if isinstance(source, str | Path) and not Path(source).exists():
        return "there is no such file."
    return "a CSV in UTF-8 with a header line, a Parquet file, a pandas or Arrow table will do."
