"""The ledger in one SQLite file: append-only by trigger, rollback journal, synced before anything leaves."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from sfumato.errors import LedgerBroken, LedgerUnwritable, SfumatoError
from sfumato.ledger.entry import GENESIS, Draft, Entry, Event, changed, seal

_metadata = sa.MetaData()
_entries = sa.Table(
    "ledger",
    _metadata,
    sa.Column("number", sa.Integer, primary_key=True),
    sa.Column("event", sa.Text, nullable=False),
    sa.Column("dataset", sa.Text, nullable=False),
    sa.Column("who", sa.Text, nullable=False),
    sa.Column("at", sa.Text, nullable=False),
    sa.Column("key", sa.Text, nullable=False),
    sa.Column("nano_epsilon", sa.Integer, nullable=False),
    sa.Column("delta", sa.Text, nullable=False),
    sa.Column("public", sa.Text, nullable=False),
    sa.Column("confidential", sa.Text, nullable=False),
    sa.Column("previous", sa.Text, nullable=False),
    sa.Column("digest", sa.Text, nullable=False),
)
for _verb in ("UPDATE", "DELETE"):
    _trigger = sa.DDL(
        f"CREATE TRIGGER ledger_no_{_verb.lower()} BEFORE {_verb} ON ledger "
        "BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END"
    )
    sa.event.listen(_entries, "after_create", _trigger)

_SINCE = sa.select(_entries).where(_entries.c.number >= sa.bindparam("after")).order_by(_entries.c.number)
_NEWEST = sa.select(_entries.c.number, _entries.c.digest).order_by(_entries.c.number.desc()).limit(1)
_ADD = sa.insert(_entries)


class SQLiteLedger:
    """`path` is a file, created at the first entry, or ":memory:" for a record that is forgotten at exit."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._engine: sa.Engine | None = None
        self._has_table = False

    @property
    def recorded(self) -> bool:
        return self.path != ":memory:"

    def read(self, after: int, head: str | None = None) -> Sequence[Entry]:
        if self._engine is None and self.recorded and not Path(self.path).exists():
            return []
        return self._guarded(lambda: self._read(after, head))

    def append(
        self, after: int, decide: Callable[[Sequence[Entry]], Sequence[Draft]], head: str | None = None
    ) -> Sequence[Entry]:
        return self._guarded(lambda: self._append(after, decide, head))

    def close(self) -> None:
        if self._engine is not None:
            self._engine.dispose()
            self._engine = None

    def _read(self, after: int, head: str | None) -> Sequence[Entry]:
        with self._open().connect() as connection:
            return _beyond(connection, after, head) if self._is_ledger(connection) else _nothing(after)

    def _append(
        self, after: int, decide: Callable[[Sequence[Entry]], Sequence[Draft]], head: str | None
    ) -> Sequence[Entry]:
        with self._open().connect().execution_options(writing=True) as connection, connection.begin():
            if not self._is_ledger(connection):
                _metadata.create_all(connection)
            known = _beyond(connection, after, head)
            number, previous = _last(connection)
            added = []
            for draft in decide(known):
                entry = seal(number + 1, draft, previous)
                connection.execute(_ADD, _row(entry))
                added.append(entry)
                number, previous = entry.number, entry.digest
        self._has_table = True
        return added

    def _is_ledger(self, connection: sa.Connection) -> bool:
        """Whether there is a ledger already; a file that holds something else does not become one."""
        if not self._has_table:
            tables = sa.inspect(connection).get_table_names()
            if tables and _entries.name not in tables:
                raise _unreadable(self.path)
            self._has_table = bool(tables)
        return self._has_table

    def _guarded(self, work: Callable[[], Sequence[Entry]]) -> Sequence[Entry]:
        """SQLite's own words hold parameters and rows: one of our sentences stands in for them."""
        try:
            return work()
        except sa.exc.OperationalError as error:
            said = {"locked": _busy, "no such": _unreadable, "unsupported file": _unreadable}
            kind = next((made for words, made in said.items() if words in str(error.orig)), _unwritable)
            failure: SfumatoError = kind(self.path)
        except OSError:
            failure = _unwritable(self.path)
        except (sa.exc.SQLAlchemyError, UnicodeError):  # SQLite's own words may quote bytes that are no text
            failure = _unreadable(self.path)
        raise failure

    def _open(self) -> sa.Engine:
        if self._engine is None:
            if self.recorded and not Path(self.path).exists():
                Path(self.path).touch(mode=0o600)  # what a ledger keeps is the controller's
            url = sa.URL.create("sqlite", database=self.path)
            pool = sa.pool.NullPool if self.recorded else sa.pool.StaticPool
            options = {"timeout": 30, "check_same_thread": False}
            self._engine = sa.create_engine(url, poolclass=pool, hide_parameters=True, connect_args=options)
            sa.event.listen(self._engine, "connect", _configure)
            sa.event.listen(self._engine, "begin", _begin)
        return self._engine


def _configure(connection: Any, _record: object) -> None:
    connection.isolation_level = None  # we begin transactions ourselves, for writing from the start
    connection.text_factory = lambda text: text.decode("utf-8", "replace")  # what was no text has another digest
    for pragma in ("journal_mode=DELETE", "synchronous=FULL"):
        connection.execute(f"PRAGMA {pragma}")


def _begin(connection: sa.Connection) -> None:
    writing = connection.get_execution_options().get("writing")
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writing else "BEGIN")


def _beyond(connection: sa.Connection, after: int, head: str | None) -> list[Entry]:
    """What was added since `after`; entries that are gone, or others in their place, are a ledger put back."""
    rows = connection.execute(_SINCE, {"after": after})
    entries = [_entry(row._asdict()) for row in rows]
    if after == 0:
        return entries
    if not entries or entries[0].number != after or head not in (None, entries[0].digest):
        raise _put_back(after)
    return entries[1:]


def _last(connection: sa.Connection) -> tuple[int, str]:
    row = connection.execute(_NEWEST).first()
    return (row.number, row.digest) if row else (0, GENESIS)


def _nothing(after: int) -> list[Entry]:
    if after:
        raise _put_back(after)
    return []


def _row(entry: Entry) -> dict[str, object]:
    draft = entry.draft
    plain = {name: getattr(draft, name) for name in ("event", "dataset", "who", "at", "key", "nano_epsilon", "delta")}
    texts = {name: json.dumps(getattr(draft, name), sort_keys=True) for name in ("public", "confidential")}
    return {"number": entry.number, "previous": entry.previous, "digest": entry.digest} | plain | texts


def _entry(row: dict[str, Any]) -> Entry:
    number, previous, digest = (row.pop(name) for name in ("number", "previous", "digest"))
    try:
        texts = {name: json.loads(row[name]) for name in ("public", "confidential")}
        return Entry(number, Draft(**row | texts | {"event": Event(row["event"])}), previous, digest)
    except (TypeError, ValueError):
        raise changed(max(number, 1)) from None  # a broken page may number a row 0


def _put_back(number: int) -> LedgerBroken:
    return LedgerBroken(
        f"The ledger is not the one it was at entry {number}: an older copy was put back, or another one",
        hint="find the one that has every release; an older copy would count them as never made.",
    )


def _busy(path: str) -> LedgerUnwritable:
    return LedgerUnwritable(f"The ledger {path} is in use", hint="try again; nothing was released.")


def _unwritable(path: str) -> LedgerUnwritable:
    hint = "name another with --ledger PATH; nothing was released."
    return LedgerUnwritable(f"The ledger {path} cannot be written", hint=hint)


def _unreadable(path: str) -> LedgerBroken:
    return LedgerBroken(f"{path} is not a ledger that can be read", hint="check the path; nothing was released.")
