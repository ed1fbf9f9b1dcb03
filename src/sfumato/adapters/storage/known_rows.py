"""Which rows were opened under which name, in the file of a ledger: keyed digests, and the key."""

from __future__ import annotations

import hmac
import sqlite3
from collections.abc import Sequence

from sfumato.adapters.storage import file

# Of a file alone: a workspace keeps digests with the versions of its data.
TABLES = frozenset({"known_rows", "known_rows_key"})
_CREATE = (
    'CREATE TABLE IF NOT EXISTS known_rows_key ("key" TEXT NOT NULL)',
    """CREATE TABLE IF NOT EXISTS known_rows (
dataset TEXT NOT NULL,
digest TEXT NOT NULL,
PRIMARY KEY (dataset, digest)
)""",
)
_KEY = 'SELECT "key" FROM known_rows_key'


def other_datasets(connection: sqlite3.Connection, dataset: str, digest: str) -> Sequence[str]:
    """The other datasets that were opened with the same rows."""
    if not file.table_names(connection) >= TABLES:
        return []
    key = connection.execute(_KEY).fetchone()
    if key is None:
        return []
    sql = "SELECT dataset FROM known_rows WHERE digest = ? ORDER BY dataset"
    names = connection.execute(sql, (_keyed(key[0], digest),))
    return [name for (name,) in names if name != dataset.casefold()]


def remember(connection: sqlite3.Connection, dataset: str, digest: str, new_key: str) -> None:
    """Keep a digest; the first one makes the key."""
    for statement in _CREATE:
        connection.execute(statement)
    key = connection.execute(_KEY).fetchone()
    if key is None:
        key = (new_key,)
        connection.execute("INSERT INTO known_rows_key VALUES (?)", key)
    connection.execute(
        "INSERT OR IGNORE INTO known_rows (dataset, digest) VALUES (?, ?)", (dataset.casefold(), _keyed(key[0], digest))
    )


def _keyed(key: str, digest: str) -> str:
    return hmac.digest(bytes.fromhex(key), digest.encode(), "sha256").hex()
