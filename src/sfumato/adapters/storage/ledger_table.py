"""The ledger as a table in a workspace's database. What is confidential in it is encrypted."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import sqlalchemy as sa

from sfumato.adapters.storage import ledger_rows
from sfumato.adapters.storage.database_failures import lost_a_race, run_guarded
from sfumato.adapters.storage.failures import Failure
from sfumato.adapters.storage.ledger_rows import Decide
from sfumato.adapters.storage.tables import ledger
from sfumato.errors import LedgerBroken, LedgerUnwritable, SfumatoError
from sfumato.ledger.entry import Draft, Entry
from sfumato.ports import Seals

TRIES = 5
_SINCE = sa.select(ledger).where(ledger.c.number >= sa.bindparam("after")).order_by(ledger.c.number)
_NEWEST = sa.select(ledger.c.number, ledger.c.digest).order_by(ledger.c.number.desc()).limit(1)
_ADD = sa.insert(ledger)


class LedgerTable:
    """`is_inside` tells whether this thread has another transaction open, in which no charge may hide.

    `stop_reading` ends what this thread reads in, which would keep it from writing. Without `seals` the chain can be
    followed, and nothing confidential be read or written.
    """

    recorded = True

    def __init__(
        self,
        name: str,
        engine: Callable[[], sa.Engine],
        is_inside: Callable[[], bool],
        stop_reading: Callable[[], None],
        seals: Seals | None,
    ) -> None:
        self._name = name
        self._engine = engine
        self._is_inside = is_inside
        self._stop_reading = stop_reading
        self._seals = seals

    def read(self, after: int, head: str | None = None) -> Sequence[Entry]:
        return run_guarded(self._failure, lambda: self._read(after, head))

    def append(self, after: int, decide: Decide, head: str | None = None) -> Sequence[Entry]:
        if self._is_inside():
            raise RuntimeError("The ledger is written in a transaction of its own")
        self._stop_reading()
        return run_guarded(self._failure, lambda: self._append(after, decide, head))

    def _read(self, after: int, head: str | None) -> Sequence[Entry]:
        with self._engine().connect() as connection:
            return ledger_rows.beyond(_TableEntries(connection), after, head, self._seals)

    def _append(self, after: int, decide: Decide, head: str | None, tries: int = TRIES) -> Sequence[Entry]:
        attempt = _Attempt(decide if self._seals is not None else _in_the_open(decide), after, head)
        try:
            with self._engine().connect().execution_options(writing="ledger") as connection, connection.begin():
                return ledger_rows.append(_TableEntries(connection), after, attempt, head, self._seals)
        except sa.exc.DBAPIError as error:
            if tries == 1 or not lost_a_race(error):
                raise
        return self._append(attempt.after, decide, attempt.head, tries - 1)

    def _failure(self, failure: Failure) -> SfumatoError:
        match failure:
            case Failure.BUSY:
                return LedgerUnwritable.because("ledger-table-busy", database=self._name)
            case Failure.UNREADABLE:
                return LedgerBroken.because("ledger-table-unreadable", database=self._name)
            case Failure.UNWRITABLE:
                return LedgerUnwritable.because("ledger-table-unwritable", database=self._name)


class _TableEntries:
    """The table, as `ledger_rows` reads and writes it."""

    def __init__(self, connection: sa.Connection) -> None:
        self._connection = connection

    def since(self, after: int) -> Iterable[dict[str, Any]]:
        return (row._asdict() for row in self._connection.execute(_SINCE, {"after": after}))

    def newest(self) -> tuple[int, str] | None:
        newest = self._connection.execute(_NEWEST).first()
        return None if newest is None else (newest.number, newest.digest)

    def add(self, row: Mapping[str, object]) -> None:
        self._connection.execute(_ADD, row)


def _in_the_open(decide: Decide) -> Decide:
    """Refuse confidential values that would be stored unencrypted."""

    def decided(new: Sequence[Entry]) -> Sequence[Draft]:
        drafts = decide(new)
        if any(draft.confidential for draft in drafts):
            raise RuntimeError("Without the keys of its workspace nothing confidential is entered in a ledger")
        return drafts

    return decided


class _Attempt:
    """Calls `decide`, and remembers the entries that it saw: the next attempt continues after them."""

    def __init__(self, decide: Decide, after: int, head: str | None) -> None:
        self._decide = decide
        self.after, self.head = after, head

    def __call__(self, new: Sequence[Entry]) -> Sequence[Draft]:
        if new:
            self.after, self.head = new[-1].number, new[-1].digest
        return self._decide(new)
