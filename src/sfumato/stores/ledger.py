"""The ledger in one SQLite file: append-only by trigger, rollback journal, synced before anything leaves."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from sfumato.errors import LedgerBroken, LedgerUnwritable
from sfumato.ledger.entry import GENESIS, Draft, Entry, Event, seal

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


class SQLiteLedger:
    """`path` is a file, created at the first entry, or ":memory:" for a record that is forgotten at exit."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._engine: sa.Engine | None = None
        self._has_table = False

    @property
    def recorded(self) -> bool:
        return self.path != ":memory:"

    def read(self, after: int) -> Sequence[Entry]:
        if self._engine is None and self.recorded and not Path(self.path).exists():
            return []
        try:
            engine = self._open()
            if not self._has_table:
                self._has_table = sa.inspect(engine).has_table("ledger")
            with engine.connect() as connection:
                return _read(connection, after) if self._has_table else []
        except sa.exc.SQLAlchemyError:
            raise _broken(self.path) from None

    def append(self, after: int, decide: Callable[[Sequence[Entry]], Sequence[Draft]]) -> Sequence[Entry]:
        try:
            engine = self._open()
            if not self._has_table:
                _metadata.create_all(engine)
                self._has_table = True
            with engine.connect().execution_options(writing=True) as connection, connection.begin():
                known = _read(connection, after)
                number, previous = _head(connection)
                added = []
                for draft in decide(known):
                    entry = seal(number + 1, draft, previous)
                    connection.execute(sa.insert(_entries).values(_row(entry)))
                    added.append(entry)
                    number, previous = entry.number, entry.digest
            return [*known, *added]
        except sa.exc.OperationalError:
            raise LedgerUnwritable(
                f"The ledger {self.path} cannot be written",
                hint="name another with --ledger PATH; nothing was released.",
            ) from None
        except sa.exc.DatabaseError:
            raise _broken(self.path) from None

    def close(self) -> None:
        if self._engine is not None:
            self._engine.dispose()
            self._engine = None

    def _open(self) -> sa.Engine:
        if self._engine is None:
            pool = sa.pool.StaticPool if not self.recorded else sa.pool.NullPool
            self._engine = sa.create_engine(sa.URL.create("sqlite", database=self.path), poolclass=pool)
            sa.event.listen(self._engine, "connect", _configure)
            sa.event.listen(self._engine, "begin", _begin)
        return self._engine


def _configure(connection: Any, _record: object) -> None:
    connection.isolation_level = None  # we begin transactions ourselves, for writing from the start
    for pragma in ("journal_mode=DELETE", "synchronous=FULL", "busy_timeout=30000"):
        connection.execute(f"PRAGMA {pragma}")


def _begin(connection: sa.Connection) -> None:
    writing = connection.get_execution_options().get("writing")
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writing else "BEGIN")


def _read(connection: sa.Connection, after: int) -> list[Entry]:
    rows = connection.execute(sa.select(_entries).where(_entries.c.number > after).order_by(_entries.c.number))
    return [_entry(row._asdict()) for row in rows]


def _head(connection: sa.Connection) -> tuple[int, str]:
    last = sa.select(_entries.c.number, _entries.c.digest).order_by(_entries.c.number.desc()).limit(1)
    row = connection.execute(last).first()
    return (row.number, row.digest) if row else (0, GENESIS)


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
    except ValueError:
        raise LedgerBroken(f"The ledger was changed at entry {number}", hint="restore it from a copy.") from None


def _broken(path: str) -> LedgerBroken:
    return LedgerBroken(
        f"{path} is not a ledger that can be read", hint="restore it from a copy; nothing was released."
    )
