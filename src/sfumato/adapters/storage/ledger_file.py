"""The ledger in one SQLite file: append-only by trigger, rollback journal, synced before anything leaves.

It does without SQLAlchemy, which takes longer to load than most commands take to run.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from sfumato.adapters.storage import file, known_rows, ledger_rows
from sfumato.adapters.storage.failures import Failure, run_guarded
from sfumato.adapters.storage.format import FORMAT, reads
from sfumato.adapters.storage.ledger_rows import Decide
from sfumato.errors import LedgerBroken, LedgerUnwritable, SfumatoError
from sfumato.ledger.entry import Entry

TABLE = "ledger"
_NAMES = ("number", "event", "dataset", "who", "at", "key", "nano_epsilon", "delta", "public", "confidential",
          "previous", "digest")  # fmt: skip
_SINCE = """SELECT number, event, dataset, who, at, "key", nano_epsilon, delta, public, confidential, previous, digest
FROM ledger WHERE number >= ? ORDER BY number"""
_NEWEST = "SELECT number, digest FROM ledger ORDER BY number DESC LIMIT 1"
_ADD = """INSERT INTO ledger
(number, event, dataset, who, at, "key", nano_epsilon, delta, public, confidential, previous, digest) VALUES
(:number, :event, :dataset, :who, :at, :key, :nano_epsilon, :delta, :public, :confidential, :previous, :digest)"""
_CREATE = (  # as in a workspace's database, where what is confidential is sealed
    """CREATE TABLE ledger (
number INTEGER NOT NULL,
event TEXT NOT NULL,
dataset TEXT NOT NULL,
who TEXT NOT NULL,
at TEXT NOT NULL,
"key" TEXT NOT NULL,
nano_epsilon INTEGER NOT NULL,
delta TEXT NOT NULL,
public TEXT NOT NULL,
confidential TEXT NOT NULL,
previous TEXT NOT NULL,
digest TEXT NOT NULL,
PRIMARY KEY (number)
)""",
    """CREATE TABLE checkpoints (
number INTEGER NOT NULL,
chain TEXT NOT NULL,
entry INTEGER NOT NULL,
head TEXT NOT NULL,
at TEXT NOT NULL,
who TEXT NOT NULL,
signature TEXT,
PRIMARY KEY (number)
)""",
    """CREATE TABLE individual_spending (
population TEXT NOT NULL,
person TEXT NOT NULL,
spent TEXT NOT NULL,
PRIMARY KEY (population, person)
)""",
    *(
        f"""CREATE TRIGGER {table}_no_{verb} BEFORE {verb} ON {table}
BEGIN SELECT RAISE(ABORT, 'the {words} is append-only'); END"""
        for table, words in (("ledger", "ledger"), ("checkpoints", "list of checkpoints"))
        for verb in ("update", "delete")
    ),
    *known_rows.CREATE,
    f"PRAGMA user_version = {FORMAT}",
)


class SQLiteLedger:
    """`path` is a file, created at the first entry, or ":memory:" for a record that is forgotten at exit."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._file: str | None = None  # the same file wherever the process goes
        self._in_memory: sqlite3.Connection | None = None
        self._has_table = False
        self._waiting: list[tuple[str, str]] = []  # datasets and digests to remember

    @property
    def recorded(self) -> bool:
        return self.path != file.MEMORY

    def read(self, after: int, head: str | None = None) -> Sequence[Entry]:
        return [] if self._is_absent() else run_guarded(self._failure, lambda: self._read(after, head))

    def append(self, after: int, decide: Decide, head: str | None = None) -> Sequence[Entry]:
        return run_guarded(self._failure, lambda: self._append(after, decide, head))

    def others(self, dataset: str, digest: str) -> Sequence[str]:
        return [] if self._is_absent() else run_guarded(self._failure, lambda: self._others(dataset, digest))

    def knows(self, dataset: str, digest: str) -> bool:
        return not self._is_absent() and run_guarded(self._failure, lambda: self._knows(dataset, digest))

    def remember_later(self, dataset: str, digest: str) -> None:
        self._waiting.append((dataset, digest))

    def remember(self, dataset: str, digest: str) -> None:
        run_guarded(self._failure, lambda: self._remember(dataset, digest))

    def close(self) -> None:
        connection, self._in_memory, self._file = self._in_memory, None, None
        if connection is not None:
            connection.close()

    def _is_absent(self) -> bool:
        return self.recorded and self._file is None and not Path(self.path).exists()

    def _read(self, after: int, head: str | None) -> Sequence[Entry]:
        with self._connection() as connection:
            if not self._is_ledger(connection):
                return ledger_rows.nothing(after)
            return ledger_rows.beyond(_FileEntries(connection), after, head)

    def _append(self, after: int, decide: Decide, head: str | None) -> Sequence[Entry]:
        with self._connection() as connection, file.writing(connection):
            if not self._is_ledger(connection):
                for statement in _CREATE:
                    connection.execute(statement)
            else:
                _migrate(connection)
            added = ledger_rows.append(_FileEntries(connection), after, decide, head)
        self._has_table = True
        return added

    def _others(self, dataset: str, digest: str) -> Sequence[str]:
        with self._connection() as connection:
            return known_rows.other_datasets(connection, dataset, digest) if self._is_ledger(connection) else []

    def _knows(self, dataset: str, digest: str) -> bool:
        with self._connection() as connection:
            return self._is_ledger(connection) and known_rows.knows(connection, dataset, digest)

    def _remember(self, dataset: str, digest: str) -> None:
        """Keep a digest, with those that wait, if there is a ledger to keep them in."""
        with self._connection() as connection, file.writing(connection):
            if self._is_ledger(connection):
                known_rows.remember(connection, [*self._waiting, (dataset, digest)], os.urandom(32).hex())
                self._waiting = []

    def _is_ledger(self, connection: sqlite3.Connection) -> bool:
        """Whether there is a ledger already; a file that holds something else does not become one."""
        if not self._has_table and (names := file.table_names(connection)):
            if TABLE not in names:
                raise _unreadable(self.path)
            self._require_format(connection)
            self._has_table = True
        return self._has_table

    def _require_format(self, connection: sqlite3.Connection) -> None:
        connection.execute(_NEWEST)  # a table that only has the name of a ledger is refused for that
        [number] = connection.execute("PRAGMA user_version").fetchone()
        if not reads(number):
            raise LedgerBroken.because("ledger-format", path=self.path, format=number, reads=FORMAT)

    def _failure(self, failure: Failure) -> SfumatoError:
        match failure:
            case Failure.BUSY:
                return LedgerUnwritable.because("ledger-file-busy", path=self.path)
            case Failure.UNREADABLE:
                return _unreadable(self.path)
            case Failure.UNWRITABLE:
                return LedgerUnwritable.because("ledger-file-unwritable", path=self.path)

    @contextmanager
    def _connection(self) -> Iterator[sqlite3.Connection]:
        """The one of a ledger in memory; of a file each is a new one, as the file may be another by then."""
        if not self.recorded:
            self._in_memory = self._in_memory or file.connect(file.MEMORY)
            yield self._in_memory
            return
        if self._file is None:
            file.create(self.path)
            self._file = str(Path(self.path).absolute())
        with closing(file.connect(self._file)) as connection:
            yield connection


class _FileEntries:
    """The table, as `ledger_rows` reads and writes it."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def since(self, after: int) -> list[dict[str, Any]]:
        return [dict(zip(_NAMES, row, strict=True)) for row in self._connection.execute(_SINCE, (after,))]

    def newest(self) -> tuple[int, str] | None:
        newest: tuple[int, str] | None = self._connection.execute(_NEWEST).fetchone()
        return newest

    def add(self, row: Mapping[str, object]) -> None:
        self._connection.execute(_ADD, row)


def _migrate(connection: sqlite3.Connection) -> None:
    """Bring the file to this format, in the transaction that adds to it. Format 2 left its tables as they were."""
    [number] = connection.execute("PRAGMA user_version").fetchone()
    if number != FORMAT:
        connection.execute(f"PRAGMA user_version = {FORMAT}")


def _unreadable(path: str) -> LedgerBroken:
    return LedgerBroken.because("ledger-file-unreadable", path=path)
