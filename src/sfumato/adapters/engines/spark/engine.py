"""Spark: a table stays on its cluster, and nothing but summaries comes from there.

Its files are a view of this session, and nothing is created in the cluster. Whatever Spark says quotes lines and
values: one error without values stands in for it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property, partial
from threading import RLock
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeVar

from sfumato.adapters.engines.spark.jobs import Jobs
from sfumato.adapters.engines.spark.session import open_session
from sfumato.adapters.engines.spark.source import SparkSource, State, is_name, quoted, require_columns, version
from sfumato.adapters.engines.spark.spark_errors import failures
from sfumato.errors import EngineFailure, QueryError, SfumatoError, SourceError, instead
from sfumato.model.release import Assumption
from sfumato.model.schema import Schema, Type
from sfumato.model.stored_table import StoredTable
from sfumato.ports import CheckedFiles, Engine
from sfumato.sql.lowering.patterns import TooManyWays
from sfumato.sql.lowering.spelling import spell
from sfumato.sql.plans.delivered_table import NUMBERED, RAW, delivered_tables

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import Row

    from sfumato.sql.plans.exposure_summary import Tree

T = TypeVar("T")
_STORED = "sfumato stored"


class Spark:
    """One table, of files that are named when it is opened."""

    assumed: Assumption | None = None
    tables: Mapping[str, Engine] = MappingProxyType({})  # it holds one
    parts = 1  # a cluster writes what it has no room for to its own disks

    def __init__(
        self,
        source: str,
        schema: Schema | None,
        checked: CheckedFiles | None = None,
        *,
        master: str | None = None,
    ) -> None:
        self._lock = RLock()  # a session runs one query of ours at a time
        self._schema, self._checked = schema, checked
        self._session = open_session(master)
        self._jobs = Jobs(self._session)
        self._source = SparkSource(self._session, source)
        columns = self._guarded(self._unreadable, lambda: self._source.columns)
        self._require_names([column.name for column in columns])
        if schema is not None:
            require_columns(schema, columns, self._source.called)
        self.columns: Mapping[str, Type | None] = {column.name: column.type for column in columns}
        self._tables = delivered_tables(schema, StoredTable((_STORED,), columns))
        self._state: State = self._guarded(self._unreadable, self._source.state)
        self._guarded(self._unreadable, lambda: self._source.read().createOrReplaceTempView(quoted(_STORED)))
        self._require_moments()

    @property
    def product(self) -> str:
        return f"Spark {self._session.version}"

    @property
    def version(self) -> str:
        return version(self._source.place, self._state)

    def spell(self, tree: Tree) -> str:
        try:
            return spell(tree, "spark", self._tables)
        except TooManyWays:
            raise QueryError.because("pattern-too-slow", engine="Spark") from None

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """The views are of the files that were there when it was opened: no one else's rows come into them."""
        self.require_unchanged()
        yield

    @property
    def raw(self) -> str:
        return RAW

    @property
    def numbered(self) -> str:
        return NUMBERED

    def note_pass(self, begun: float, share: float) -> None:
        """Every question is asked of everyone at once."""

    def rows(self, sql: str) -> Sequence[tuple[Any, ...]]:
        return self._read(lambda: [tuple(row) for row in self._session.sql(sql).collect()])

    def stream(self, sql: str) -> Iterator[tuple[Any, ...]]:
        """One part of the result at a time; that the files were the same all along is known at its end."""
        self.require_unchanged()
        with self._lock:
            rows: Iterator[Row] = self._run(lambda: iter(self._session.sql(sql).toLocalIterator()))
            while (row := self._guarded(EngineFailure(), lambda: next(rows, None))) is not None:
                yield tuple(row)
            self._require_unchanged_meanwhile()

    def table(self, sql: str) -> pa.Table:
        return self._read(lambda: self._session.sql(sql).toArrow())

    def require_unchanged(self) -> None:
        if not self._is_unchanged:
            raise SourceError.because("source-changed", source=self._source.called)

    def digest(self) -> str:
        """None that a cluster computes without sending the rows."""
        raise EngineFailure

    def progress(self) -> float | None:
        return self._jobs.progress()

    def close(self) -> None:
        """The view goes with the session, which no one else has; Spark itself goes on."""
        self._jobs.close()

    # Reading

    @property
    def _is_unchanged(self) -> bool:
        lost = SourceError.because("spark-lost", source=self._source.called)
        return self._guarded(lost, self._source.state) == self._state

    def _require_unchanged_meanwhile(self) -> None:
        if not self._is_unchanged:
            raise SourceError.because("source-changed-meanwhile", source=self._source.called)

    def _read(self, work: Callable[[], T]) -> T:
        """What a pass gives, if the files were the same before and after it."""
        self.require_unchanged()
        try:
            return self._run(work)
        finally:
            self._require_unchanged_meanwhile()

    def _run(self, work: Callable[[], T]) -> T:
        with self._lock:
            return instead(EngineFailure(), failures(), lambda: self._jobs.run(work))

    def _guarded(self, failure: SfumatoError, work: Callable[[], T]) -> T:
        with self._lock:
            return instead(failure, failures(), work)

    @cached_property
    def _unreadable(self) -> SourceError:
        if is_name(self._source.place):
            return SourceError.because("table-missing", source=self._source.called)
        return SourceError.because("source-unreadable", source=self._source.called)

    # Opening

    def _require_names(self, names: Sequence[str]) -> None:
        for name in names:
            if name.lower().startswith("sfumato "):
                raise SourceError.because("column-name-reserved", column=name, source=self._source.called)

    def _require_moments(self) -> None:
        """Refuse a column with a time at which a scan would fail, once for each state of the files."""
        times = [column for column in self._source.columns if column.type is Type.TIMESTAMP]
        state = self.version
        if not times or (state and self._checked is not None and self._checked.knows(state)):
            return
        for column in times:
            unreadable = SourceError.because(
                "value-unreadable", column=column.name, kind="moment", source=self._source.called
            )
            self._guarded(unreadable, partial(self._read_all, column.name))
        if state and self._checked is not None:
            self._checked.remember(state)

    def _read_all(self, name: str) -> None:
        counted = self._session.sql(f"SELECT COUNT({quoted(name)}) FROM {quoted(_STORED)}")
        self._jobs.run(counted.collect)
