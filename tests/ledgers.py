"""Where a ledger may be kept: in a file of its own, or in a workspace's database on SQLite or PostgreSQL."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeAlias

import pytest
import sqlalchemy as sa

import sfumato as sf
from sfumato.adapters.storage.database import Database
from sfumato.adapters.storage.ledger_file import SQLiteLedger
from sfumato.adapters.storage.tables import ledger
from sfumato.adapters.vault.master_key import MasterKey
from sfumato.composition import local
from sfumato.composition.locks import VaultLocks
from sfumato.ports import LedgerStore
from tests.postgres import Server

KINDS = ["file", "sqlite", "postgresql"]
MASTER = MasterKey(bytes(range(32)))
Places: TypeAlias = Callable[[], "Place"]

STORE = """
from sfumato.composition import local
from sfumato.adapters.storage.database import Database
from sfumato.adapters.vault.master_key import MasterKey
from sfumato.composition.locks import VaultLocks

def store(ledger, beside, schema, in_file=local._store):
    if "://" in str(ledger):
        return Database(ledger, VaultLocks(MasterKey(bytes(range(32))))).ledger()
    return in_file(ledger, beside, schema)

local._store = store
"""  # for a process of its own, which opens the ledger of a place by its address


class Place:
    def __init__(self, address: str) -> None:
        self.address = address  # a path, or the URL of a database
        self._databases: list[Database] = []

    @property
    def is_file(self) -> bool:
        return "://" not in self.address

    @property
    def is_postgres(self) -> bool:
        return self.address.startswith("postgresql")

    def store(self) -> LedgerStore:
        """As somebody else would open it, each time."""
        return SQLiteLedger(self.address) if self.is_file else self.database().ledger()

    def database(self) -> Database:
        self._databases.append(Database(self.address, VaultLocks(MASTER)))
        return self._databases[-1]

    def open(self, *arguments: Any, **options: Any) -> sf.Dataset:
        """`sf.open`, with the ledger that is kept here."""
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(local, "_store", lambda *_: self.store())
            return sf.open(*arguments, **options)

    @contextmanager
    def raw(self) -> Iterator[sa.Connection]:
        """As anybody may open it, without us."""
        url = f"sqlite:///{self.address}" if self.is_file else self.address
        with sa.create_engine(url, poolclass=sa.pool.NullPool).begin() as connection:
            yield connection

    def tamper(self, *statements: str) -> None:
        """By somebody who may do anything: the triggers are gone first."""
        never = ["ledger_append_only ON ledger"] if self.is_postgres else ["ledger_no_update", "ledger_no_delete"]
        with self.raw() as connection:
            for statement in (*(f"DROP TRIGGER {name}" for name in never), *statements):
                connection.exec_driver_sql(statement)

    def content(self) -> list[tuple[Any, ...]]:
        with self.raw() as connection:
            return [tuple(row) for row in connection.exec_driver_sql("SELECT * FROM ledger ORDER BY number")]

    def fill(self, rows: list[tuple[Any, ...]]) -> None:
        with self.raw() as connection:
            connection.execute(sa.insert(ledger), [dict(zip(ledger.c.keys(), row, strict=True)) for row in rows])

    def close(self) -> None:
        while self._databases:
            self._databases.pop().close()


@contextmanager
def places(kind: str, folder: Path, server: Callable[[], Server]) -> Iterator[Places]:
    """Makes places of a kind, one after the other, with a table for a ledger in each and nothing in it."""
    made: list[Place] = []

    def new() -> Place:
        path = folder / f"{len(made)}.ledger"
        made.append(Place({"file": str(path), "sqlite": f"sqlite:///{path}"}.get(kind) or server().new()))
        if kind != "file":
            made[-1].database().upgrade()
        return made[-1]

    yield new
    for place in made:
        place.close()
