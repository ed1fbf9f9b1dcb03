"""How an SQLite file is opened: rollback journal, synced at each commit, locked for writing from the start.

What is removed is overwritten in the file, not only marked as free.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

MEMORY = ":memory:"
PATIENCE = 30  # seconds to wait for another writer


def create(path: str) -> None:
    """A file that is not there yet is made, for its owner's eyes only."""
    if path != MEMORY and not Path(path).exists():
        Path(path).touch(mode=0o600)


def connect(path: str) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=PATIENCE, check_same_thread=False)
    try:
        configure(connection)
    except sqlite3.Error:
        connection.close()
        raise
    return connection


def configure(connection: sqlite3.Connection) -> None:
    connection.isolation_level = None  # we begin transactions ourselves, for writing from the start
    connection.text_factory = lambda text: text.decode("utf-8", "replace")  # what was no text has another digest
    for pragma in ("journal_mode=DELETE", "synchronous=FULL", "secure_delete=ON"):
        connection.execute(f"PRAGMA {pragma}")


@contextmanager
def writing(connection: sqlite3.Connection) -> Iterator[None]:
    """All of what is written inside, or nothing."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")


def table_names(connection: sqlite3.Connection) -> set[str]:
    sql = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite~_%' ESCAPE '~'"
    return {name for (name,) in connection.execute(sql)}
