"""Which rows were opened under which name, in the file of a ledger: keyed digests, and the key."""

from __future__ import annotations

import hmac
from collections.abc import Sequence

import sqlalchemy as sa

_metadata = sa.MetaData()  # of a file alone: a workspace keeps digests with the versions of its data
_key = sa.Table("known_rows_key", _metadata, sa.Column("key", sa.Text, nullable=False))
_rows = sa.Table(
    "known_rows",
    _metadata,
    sa.Column("dataset", sa.Text, primary_key=True),
    sa.Column("digest", sa.Text, primary_key=True),
)
TABLES = frozenset(_metadata.tables)


def others(connection: sa.Connection, dataset: str, digest: str) -> Sequence[str]:
    """The other datasets that were opened with the same rows."""
    if not sa.inspect(connection).has_table(_rows.name):
        return []
    key = connection.scalar(sa.select(_key.c.key))
    asked = sa.select(_rows.c.dataset).where(_rows.c.digest == _keyed(str(key), digest)).order_by(_rows.c.dataset)
    return [name for name in connection.scalars(asked) if name != dataset.casefold()]


def remember(connection: sa.Connection, dataset: str, digest: str, new_key: str) -> None:
    """Keep a digest; the first one makes the key."""
    _metadata.create_all(connection)
    key = connection.scalar(sa.select(_key.c.key))
    if key is None:
        key = new_key
        connection.execute(sa.insert(_key).values(key=key))
    row = {"dataset": dataset.casefold(), "digest": _keyed(str(key), digest)}
    connection.execute(sa.insert(_rows).prefix_with("OR IGNORE").values(row))


def _keyed(key: str, digest: str) -> str:
    return hmac.digest(bytes.fromhex(key), digest.encode(), "sha256").hex()
