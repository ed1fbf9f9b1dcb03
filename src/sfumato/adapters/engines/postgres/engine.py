"""PostgreSQL: tables and views where they are, read by a role that may do nothing else.

Nothing is created. What is asked in one snapshot sees the same rows. What PostgreSQL says may quote values: one error
without any stands in for it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from threading import RLock
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeVar

import psycopg
from psycopg.adapt import Loader
from psycopg.conninfo import conninfo_to_dict

from sfumato.adapters.engines.postgres import catalogue
from sfumato.errors import EngineFailure, SchemaError, SfumatoError, SourceError, instead
from sfumato.model.release import Assumption
from sfumato.model.schema import OURS, Schema, Type
from sfumato.model.stored_table import RemoteTable, StoredTable
from sfumato.ports import Engine
from sfumato.sql.lowering.spelling import spell
from sfumato.sql.plans.delivered_table import NUMBERED, RAW, delivered_tables

if TYPE_CHECKING:
    import pyarrow as pa

    from sfumato.sql.plans.exposure_summary import Tree

T = TypeVar("T")
_CONNECT = 10  # seconds
_AT_ONCE = 2048  # rows of a stream that are held
_SETTINGS = (
    "SET TimeZone = 'UTC'",
    "SET DateStyle = 'ISO, YMD'",
    "SET extra_float_digits = 1",
    "SET standard_conforming_strings = on",
    "SET client_min_messages = error",
    "SET default_transaction_read_only = on",
    "SET jit = off",  # it takes longer to compile our expressions than to run them
    "SET search_path = pg_catalog",  # no one's function under the name of another
)
_IF_KNOWN = ("SET client_connection_check_interval = '5s'",)  # from 14 on: a query ends with the client that asked it
_BEGIN = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
_FAILURES = (psycopg.Error, OSError, UnicodeError, RuntimeError, ValueError, TypeError, ArithmeticError)


class _Number(Loader):
    """A NUMERIC: a whole number exactly, anything else as a float."""

    def load(self, data: bytes | bytearray | memoryview) -> int | float:
        text = bytes(data).decode()
        return int(text) if text.lstrip("-").isdigit() else float(text)


class PostgreSQL:
    """One table or view. Opening reads names and types of its columns from the catalogue, and no row."""

    tables: Mapping[str, Engine] = MappingProxyType({})  # it holds one

    raw, numbered, parts = RAW, NUMBERED, 1

    def __init__(self, source: RemoteTable, schema: Schema | None) -> None:
        self._source, self._schema, self._name = source, schema, f"table {source.name}"
        self._lock = RLock()  # one statement at a time, and one snapshot
        self._depth = 0
        self._connection = self._connect()
        try:
            self._opened = instead(
                SourceError.because("table-unopened", table=source.name), _FAILURES, self._look_it_up
            )
        except BaseException:
            self._connection.close()
            raise

    def _look_it_up(self) -> catalogue.CatalogueTable:
        relation = catalogue.find(self._connection, self._source.name)
        if relation is None:
            raise SourceError.because("database-table-missing", table=self._source.name)
        self._relation = relation
        self._prepare()
        stored = self._readable(relation)
        self._tables = delivered_tables(self._schema, stored)
        self.columns: Mapping[str, Type | None] = {c.name: c.type for c in stored.columns}
        self.version = catalogue.version(self._connection, relation)
        return relation

    def _readable(self, relation: catalogue.CatalogueTable) -> StoredTable:
        """Its columns, without those that nothing can be made of and that no one asks for."""
        lowered = [c.name.lower() for c in relation.columns]
        declared = [] if self._schema is None else [c.name.lower() for c in self._schema.columns]
        for column in relation.columns:
            name = column.name
            if name.lower().startswith(OURS):
                raise SourceError.because("column-name-reserved", column=name, source=self._name)
            if lowered.count(name.lower()) > 1:
                raise SourceError.because("columns-alike", column=name.lower(), kind=self._name)
            if name.lower() in declared and catalogue.is_unreadable(column):
                raise SourceError.because("column-type", column=name, source=self._name, type=column.stored)
        for name in declared:
            if name not in lowered and self._schema is not None:
                origin = self._schema.origin
                raise SchemaError.because("column-not-in-source", column=name, schema=origin, source=self._name)
        readable = tuple(c for c in relation.columns if not catalogue.is_unreadable(c))
        return StoredTable(relation.place, readable)

    @property
    def product(self) -> str:
        return (
            f"PostgreSQL {(self._connection.info.parameter_status('server_version') or '').partition(' ')[0]}".strip()
        )

    @property
    def assumed(self) -> Assumption | None:
        return None

    def spell(self, tree: Tree) -> str:
        return spell(tree, "postgres", self._tables)

    def note_pass(self, begun: float, share: float) -> None:
        """The server says of no query how far it is."""

    def progress(self) -> float | None:
        return None

    def require_unchanged(self) -> None:
        with self.snapshot():
            pass

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """One transaction that sees the table as it was at its beginning, and cannot write."""
        with self._lock:
            if self._depth:
                yield
                return
            self._begin()
            self._depth = 1
            try:
                yield
            finally:
                self._depth = 0
                with suppress(psycopg.Error):
                    self._connection.execute("ROLLBACK")

    def rows(self, sql: str) -> Sequence[tuple[Any, ...]]:
        with self.snapshot():
            return self._guarded(lambda: self._connection.execute(sql.encode()).fetchall())

    def stream(self, sql: str) -> Iterator[tuple[Any, ...]]:
        with self.snapshot():
            self._guarded(
                lambda: self._connection.execute(b'DECLARE "sfumato rows" NO SCROLL CURSOR FOR ' + sql.encode())
            )
            fetch = f'FETCH FORWARD {_AT_ONCE} FROM "sfumato rows"'.encode()
            while rows := self._guarded(lambda: self._connection.execute(fetch).fetchall()):
                yield from rows
            self._guarded(lambda: self._connection.execute(b'CLOSE "sfumato rows"'))

    def table(self, sql: str) -> pa.Table:
        import pyarrow as pa

        def read() -> pa.Table:
            cursor = self._connection.execute(sql.encode())
            names = [column.name for column in cursor.description or ()]
            columns = list(zip(*cursor.fetchall(), strict=True)) or [() for _ in names]
            return pa.table([pa.array(column) for column in columns], names=names)

        with self.snapshot():
            return self._guarded(read)

    def digest(self) -> str:
        """None: it would read the whole table twice over the network."""
        raise EngineFailure

    def cancel(self) -> None:
        """End the running query; asked from another thread."""
        with suppress(*_FAILURES):
            self._connection.cancel_safe(timeout=_CONNECT)

    def close(self) -> None:
        with suppress(psycopg.Error):
            self._connection.close()

    def __del__(self) -> None:
        if hasattr(self, "_connection"):
            self.close()

    # The connection

    def _connect(self) -> psycopg.Connection[tuple[Any, ...]]:
        connection = self._new_connection()
        connection.adapters.register_loader("numeric", _Number)
        return connection

    def _new_connection(self) -> psycopg.Connection[tuple[Any, ...]]:
        failure: SfumatoError
        try:
            return psycopg.connect(
                self._source.url,
                autocommit=True,
                connect_timeout=_CONNECT,
                application_name="sfumato",
                client_encoding="utf8",
                prepare_threshold=None,
            )
        except psycopg.ProgrammingError:
            failure = SourceError.because("database-url")
        except (psycopg.Error, OSError) as error:
            failure = _unconnected(error, self._source.url)
        raise failure

    def _prepare(self) -> None:
        """How values are written and read, and how long a query may take: by the size of the table."""
        encoding = self._connection.info.parameter_status("server_encoding")
        if encoding != "UTF8":
            raise SourceError.because("database-encoding", encoding=encoding or "unknown")
        for setting in _SETTINGS:
            self._connection.execute(setting.encode())
        for setting in _IF_KNOWN:
            with suppress(psycopg.Error):
                self._connection.execute(setting.encode())
        longest = catalogue.longest_statement(self._connection, self._relation)
        self._connection.execute(f"SET statement_timeout = '{longest}s'".encode())

    def _begin(self) -> None:
        """Begin a snapshot of the table that was opened; where the connection is gone, over a new one."""
        try:
            version = self._version_in_new_transaction()
        except psycopg.Error:
            version = None
        if version is None:
            self.close()
            self._connection = self._connect()
            unreadable = SourceError.because("table-unopened", table=self._source.name)
            version = instead(unreadable, _FAILURES, self._version_after_reconnecting)
        if version != self.version:
            with suppress(psycopg.Error):
                self._connection.execute("ROLLBACK")
            raise SourceError.because("source-changed", source=self._name)

    def _version_in_new_transaction(self) -> str:
        self._connection.execute(_BEGIN.encode())
        return catalogue.version(self._connection, self._relation)

    def _version_after_reconnecting(self) -> str:
        self._prepare()
        return self._version_in_new_transaction()

    def _guarded(self, work: Callable[[], T]) -> T:
        return instead(EngineFailure(), _FAILURES, work)


def _unconnected(error: BaseException, url: str) -> SourceError:
    """Whether the server could not be reached, or did not let the user in; its words may be in any language."""
    methods = conninfo_to_dict(url).get("require_auth")  # libpq quotes it where the server asks for none of them
    if methods and str(methods) in str(error):
        return SourceError.because("database-password-unasked")
    connection = getattr(error, "pgconn", None)
    if connection is not None and (connection.needs_password or connection.used_password):
        return SourceError.because("database-sign-in")
    return SourceError.because("database-unreachable")
