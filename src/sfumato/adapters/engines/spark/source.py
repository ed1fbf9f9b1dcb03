"""Where a table lies: Parquet files at a path that Spark reaches, or a table by its name."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from typing import TYPE_CHECKING, Any, TypeAlias

from sfumato.errors import SchemaError, SourceError
from sfumato.model.schema import Schema, Type
from sfumato.model.stored_table import StoredColumn
from sfumato.sql.lowering.kinds import ValueKind
from sfumato.sql.lowering.spark import NESTED, stored_kind

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

State: TypeAlias = tuple[tuple[str, int, int], ...]
"""Of each file its place, the time of its last change and its size."""

_NAME = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*){0,2}")
_OURS = {
    ValueKind.WHOLE: Type.INTEGER,
    ValueKind.REAL: Type.NUMBER,
    ValueKind.TRUTH: Type.BOOLEAN,
    ValueKind.DAY: Type.DATE,
    ValueKind.TIME: Type.TIMESTAMP,
}


def is_name(source: str) -> bool:
    """Whether it names a table: catalog.database.table, or the last of these."""
    return _NAME.fullmatch(source) is not None and not source.lower().endswith(".parquet")


def read_as(type_: str) -> Type | None:
    """What a type of Spark is to us; None: what nothing is compared with, such as decimals, which are read as texts."""
    return Type.TEXT if type_.startswith(("string", "char", "varchar")) else _OURS.get(stored_kind(type_))


@dataclass(frozen=True)
class SparkSource:
    """A path or a name, in a session; nothing at all where the place is empty."""

    session: SparkSession
    place: str

    @property
    def called(self) -> str:
        """What a sentence calls it."""
        return self.place if is_name(self.place) else self.place.rstrip("/").rpartition("/")[2]

    def read(self) -> DataFrame:
        if not self.place:
            return self.session.range(0)
        if is_name(self.place):
            return self.session.table(self.place)
        return self.session.read.parquet(self.place)

    @cached_property
    def columns(self) -> tuple[StoredColumn, ...]:
        return tuple(StoredColumn(name, type_, read_as(type_)) for name, type_ in self.read().dtypes)

    def state(self) -> State:
        """The files that it has now; empty where it is none of files."""
        if is_name(self.place):
            self.session.catalog.refreshTable(self.place)
            places = [*self.read().inputFiles()]
        else:
            places = [self.place] if self.place else []
        if not places:
            return ()
        java = getattr(self.session, "_jvm", None)
        return tuple(sorted(self._by_java(java, places) if java is not None else self._by_query(places)))

    def _by_java(self, java: Any, places: Sequence[str]) -> Iterator[tuple[str, int, int]]:
        """Without a job of the cluster. What Spark does not read is left out: names that begin with _ or a point."""
        settings = self.session._jsparkSession.sessionState().newHadoopConf()
        for place in places:
            root = java.org.apache.hadoop.fs.Path(place)
            files = root.getFileSystem(settings).listFiles(root, True)
            while files.hasNext():
                file = files.next()
                path = file.getPath().toString()
                if not any(part.startswith(("_", ".")) for part in path.removeprefix(str(root)).split("/")):
                    yield path, int(file.getModificationTime()), int(file.getLen())

    def _by_query(self, places: Sequence[str]) -> Iterator[tuple[str, int, int]]:
        """Through Spark Connect, by a reading of files of which no content is asked for."""
        files = self.session.read.format("binaryFile").option("recursiveFileLookup", "true").load([*places])
        for path, moment, length in files.selectExpr("path", "UNIX_MILLIS(modificationTime)", "length").collect():
            yield str(path), int(moment), int(length)


def version(place: str, state: State) -> str:
    """From the times of change alone: names and sizes may tell of the people."""
    return sha256(repr((place, sorted(moment for _, moment, _ in state))).encode()).hexdigest() if state else ""


def require_columns(schema: Schema, columns: Sequence[StoredColumn], called: str) -> None:
    """Refuse a column of the schema that is not there, or is stored as something that is no value."""
    names = {column.name.casefold() for column in columns}
    for declared in schema.columns:
        if declared.name.casefold() not in names:
            raise SchemaError.because("column-not-in-source", column=declared.name, schema=schema.origin, source=called)
    for column in columns:
        if schema.column(column.name) is not None and column.stored.startswith(NESTED) and column.type is None:
            raise SourceError.because("column-type", column=column.name, source=called, type=column.stored)


def quoted(name: str) -> str:
    return f"`{name.replace('`', '``')}`"
