"""The database of a workspace, on SQLite or PostgreSQL: rows, the ledger and the audit log."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar
from urllib.parse import quote

import sqlalchemy as sa

from sfumato.adapters.storage import migrate, postgres, sqlite, tables
from sfumato.adapters.storage.audit_log_table import AuditTable
from sfumato.adapters.storage.database_failures import run_guarded
from sfumato.adapters.storage.failures import Failure
from sfumato.adapters.storage.file import MEMORY
from sfumato.adapters.storage.ledger_table import LedgerTable
from sfumato.adapters.storage.table import TableRows
from sfumato.errors import BadInput, DatabaseFailure
from sfumato.ports import AuditStore, LedgerStore, Rows, Seals

T = TypeVar("T")


class Database:
    """`url` is sqlite:///PATH or postgresql+psycopg://…; nothing is opened before it is needed.

    `seals` encrypts what is confidential in the ledger; without it, that is neither read nor written.
    """

    def __init__(self, url: str, seals: Seals | None = None) -> None:
        self._url, self._seals = _read(url), seals
        self._name = self._url.render_as_string(hide_password=True)
        self._made: sa.Engine | None = None
        self._lock = threading.Lock()
        self._here = _Here()

    def upgrade(self) -> None:
        """Make the tables, or bring them to this format."""

        def upgrade() -> None:
            with self._engine().connect().execution_options(writing="tables") as connection, connection.begin():
                migrate.upgrade(connection, self._name)

        run_guarded(self._failure, upgrade)

    def rows(self, table: str) -> Rows:
        return TableRows(tables.ROWS[table], self._within)

    def ledger(self) -> LedgerStore:
        """Its transactions are its own: what is charged stays charged, whatever becomes of another one."""
        return LedgerTable(self._name, self._engine, self._is_inside, self._stop_reading, self._seals)

    def audit(self) -> AuditStore:
        return AuditTable(self._within)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """What this thread does with rows and the audit log inside is done as a whole, alone, or not at all.

        One inside another is part of it.
        """
        if self._here.connection is not None:
            yield
            return
        self._stop_reading()
        connection = self._here.connection = run_guarded(self._failure, lambda: self._begun("rows"))
        try:
            yield
            run_guarded(self._failure, connection.commit)
        finally:
            self._here.connection = None
            connection.close()

    @contextmanager
    def reading(self) -> Iterator[None]:
        """What this thread reads inside is one snapshot, until it writes: no reader waits for a lock.

        Not in an SQLite file: there a reader holds back writers, and the ledger is read beside this.
        """
        is_file = self._url.get_backend_name() == "sqlite"
        if is_file or self._here.connection is not None or self._here.reading is not None:
            yield
            return
        self._here.reading = run_guarded(self._failure, lambda: self._begun("nothing"))
        try:
            yield
        finally:
            self._stop_reading()

    def _is_inside(self) -> bool:
        return self._here.connection is not None

    def _stop_reading(self) -> None:
        connection, self._here.reading = self._here.reading, None
        if connection is not None:
            connection.close()

    def close(self) -> None:
        with self._lock:
            if self._made is not None:
                self._made.dispose()
                self._made = None

    def _within(self, work: Callable[[sa.Connection], T], *, writing: bool) -> T:
        connection = self._here.connection
        if connection is not None:
            return run_guarded(self._failure, lambda: _whole(connection, work))
        if writing:
            with self.transaction():
                return self._within(work, writing=True)
        return run_guarded(self._failure, lambda: self._read(work))

    def _read(self, work: Callable[[sa.Connection], T]) -> T:
        if self._here.reading is not None:
            return work(self._here.reading)
        with self._engine().connect() as connection:
            return work(connection)

    def _begun(self, writing: str) -> sa.Connection:
        connection = self._engine().connect().execution_options(writing=writing)
        try:
            connection.begin()
        except sa.exc.SQLAlchemyError:
            connection.close()
            raise
        return connection

    def _engine(self) -> sa.Engine:
        with self._lock:
            if self._made is None:
                is_file = self._url.get_backend_name() == "sqlite"
                path = str(self._url.database)
                self._made = sqlite.create_engine(path) if is_file else postgres.create_engine(self._url)
            return self._made

    def _failure(self, failure: Failure) -> DatabaseFailure:
        match failure:
            case Failure.BUSY:
                return DatabaseFailure.because("database-busy", database=self._name)
            case Failure.UNREADABLE:
                return DatabaseFailure.because("database-unreadable", database=self._name)
            case Failure.UNWRITABLE:
                return DatabaseFailure.because("database-unusable", database=self._name)


def in_file(path: Path) -> str:
    """The address of an SQLite file, whatever its name is."""
    return f"sqlite:///{quote(str(path))}"


class _Here(threading.local):
    """What this thread has open."""

    connection: sa.Connection | None = None  # to write
    reading: sa.Connection | None = None


def _whole(connection: sa.Connection, work: Callable[[sa.Connection], T]) -> T:
    """After a failure nothing more is done in this transaction, whatever is called in it."""
    try:
        return work(connection)
    except (sa.exc.SQLAlchemyError, UnicodeError):
        connection.close()
        raise


def _read(url: str) -> sa.URL:
    try:
        read = sa.make_url(url)
    except (sa.exc.ArgumentError, ValueError):
        raise BadInput.because("database-address") from None
    is_file = read.get_backend_name() == "sqlite" and read.database not in (None, "", MEMORY)
    if not is_file and read.get_backend_name() != "postgresql":
        raise BadInput.because("database-kind")
    return read
