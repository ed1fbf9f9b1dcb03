"""The ledger in one SQLite file: append-only by trigger, rollback journal, synced before anything leaves."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import sqlalchemy as sa

from sfumato.errors import LedgerBroken, LedgerUnwritable, SfumatoError
from sfumato.ledger.entry import Entry
from sfumato.stores import entries, known_rows, sqlite, tables
from sfumato.stores.entries import Decide
from sfumato.stores.failures import Failure, guarded


class SQLiteLedger:
    """`path` is a file, created at the first entry, or ":memory:" for a record that is forgotten at exit."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._engine: sa.Engine | None = None
        self._has_table = False

    @property
    def recorded(self) -> bool:
        return self.path != sqlite.MEMORY

    def read(self, after: int, head: str | None = None) -> Sequence[Entry]:
        if self._engine is None and self.recorded and not Path(self.path).exists():
            return []
        return guarded(self._failure, lambda: self._read(after, head))

    def append(self, after: int, decide: Decide, head: str | None = None) -> Sequence[Entry]:
        return guarded(self._failure, lambda: self._append(after, decide, head))

    def others(self, dataset: str, digest: str) -> Sequence[str]:
        if self._engine is None and self.recorded and not Path(self.path).exists():
            return []
        return guarded(self._failure, lambda: self._others(dataset, digest))

    def remember(self, dataset: str, digest: str) -> None:
        guarded(self._failure, lambda: self._remember(dataset, digest))

    def close(self) -> None:
        if self._engine is not None:
            self._engine.dispose()
            self._engine = None

    def _read(self, after: int, head: str | None) -> Sequence[Entry]:
        with self._open().connect() as connection:
            return entries.beyond(connection, after, head) if self._is_ledger(connection) else entries.nothing(after)

    def _append(self, after: int, decide: Decide, head: str | None) -> Sequence[Entry]:
        with self._open().connect().execution_options(writing="ledger") as connection, connection.begin():
            if not self._is_ledger(connection):
                tables.ledger.create(connection)
            added = entries.append(connection, after, decide, head)
        self._has_table = True
        return added

    def _others(self, dataset: str, digest: str) -> Sequence[str]:
        with self._open().connect() as connection:
            return known_rows.others(connection, dataset, digest)

    def _remember(self, dataset: str, digest: str) -> None:
        with self._open().connect().execution_options(writing="ledger") as connection, connection.begin():
            if self._is_ledger(connection):
                known_rows.remember(connection, dataset, digest, os.urandom(32).hex())

    def _is_ledger(self, connection: sa.Connection) -> bool:
        """Whether there is a ledger already; a file that holds something else does not become one."""
        if not self._has_table:
            found = {*sa.inspect(connection).get_table_names()} - known_rows.TABLES
            if found and tables.ledger.name not in found:
                raise _unreadable(self.path)
            self._has_table = bool(found)
        return self._has_table

    def _failure(self, failure: Failure) -> SfumatoError:
        match failure:
            case Failure.BUSY:
                return LedgerUnwritable(f"The ledger {self.path} is in use", hint="try again; nothing was released.")
            case Failure.UNREADABLE:
                return _unreadable(self.path)
            case Failure.UNWRITABLE:
                hint = "name another with --ledger PATH; nothing was released."
                return LedgerUnwritable(f"The ledger {self.path} cannot be written", hint=hint)

    def _open(self) -> sa.Engine:
        if self._engine is None:
            self._engine = sqlite.engine(self.path)
        return self._engine


def _unreadable(path: str) -> LedgerBroken:
    return LedgerBroken(f"{path} is not a ledger that can be read", hint="check the path; nothing was released.")
