"""Which rows and files were opened under which name, in the file of a ledger: keyed digests, and the key."""

from __future__ import annotations

import hmac
import sqlite3
from collections.abc import Iterable, Sequence

CREATE = (  # in a file only: a workspace keeps digests with the versions of its data
    'CREATE TABLE known_rows_key ("key" TEXT NOT NULL)',
    """CREATE TABLE known_rows (
dataset TEXT NOT NULL,
digest TEXT NOT NULL,
PRIMARY KEY (dataset, digest)
)""",
)
_KEY = 'SELECT "key" FROM known_rows_key'


def other_datasets(connection: sqlite3.Connection, dataset: str, digest: str) -> Sequence[str]:
    """The other datasets that were opened with the same rows."""
    return [name for name in _datasets(connection, digest) if name != dataset.casefold()]


def knows(connection: sqlite3.Connection, dataset: str, digest: str) -> bool:
    """Whether the digest was kept for the dataset."""
    return dataset.casefold() in _datasets(connection, digest)


def remember(connection: sqlite3.Connection, digests: Iterable[tuple[str, str]], new_key: str) -> None:
    """Keep datasets with their digests; the first one makes the key."""
    key = connection.execute(_KEY).fetchone()
    if key is None:
        key = (new_key,)
        connection.execute("INSERT INTO known_rows_key VALUES (?)", key)
    rows = [(dataset.casefold(), _keyed(key[0], digest)) for dataset, digest in digests]
    connection.executemany("INSERT OR IGNORE INTO known_rows (dataset, digest) VALUES (?, ?)", rows)


def _datasets(connection: sqlite3.Connection, digest: str) -> Sequence[str]:
    key = connection.execute(_KEY).fetchone()
    if key is None:
        return []
    select = "SELECT dataset FROM known_rows WHERE digest = ? ORDER BY dataset"
    return [name for (name,) in connection.execute(select, (_keyed(key[0], digest),))]


def _keyed(key: str, digest: str) -> str:
    return hmac.digest(bytes.fromhex(key), digest.encode(), "sha256").hex()
