"""What is confidential in the ledger is encrypted: what lay there in the open is written anew.

The digests of these entries stay as they were, over what the entries said, so that every head that was kept holds. All
rows are removed and added again: then PostgreSQL keeps them in another file, and SQLite overwrites the old ones.
"""

from __future__ import annotations

import json
from typing import Any

import sqlalchemy as sa
from alembic import context, op

from sfumato.errors import BadInput

revision = "0004"
down_revision = "0003"

ledger = sa.table(
    "ledger",
    *(sa.column(name) for name in ("number", "event", "dataset", "who", "at", "key", "nano_epsilon")),
    *(sa.column(name) for name in ("delta", "public", "confidential", "previous", "digest")),
)
REMOVE = {
    "sqlite": [
        "DROP TRIGGER ledger_no_delete",
        "DELETE FROM ledger",
        "CREATE TRIGGER ledger_no_delete BEFORE DELETE ON ledger "
        "BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END",
    ],
    "postgresql": [
        "ALTER TABLE ledger DISABLE TRIGGER ledger_append_only",
        "TRUNCATE ledger",
        "ALTER TABLE ledger ENABLE TRIGGER ledger_append_only",
    ],
}


def upgrade() -> None:
    connection = op.get_bind()
    rows = [row._asdict() for row in connection.execute(sa.select(ledger).order_by(ledger.c.number))]
    if all(row["confidential"] == "{}" for row in rows):
        return
    seals = context.config.attributes["seals"]
    if seals is None:
        raise BadInput.because("entries-to-encrypt")
    for statement in REMOVE[op.get_context().dialect.name]:
        connection.exec_driver_sql(statement)
    connection.execute(sa.insert(ledger), [encrypted(row, seals) for row in rows])


def encrypted(row: dict[str, Any], seals: Any) -> dict[str, Any]:
    try:
        hidden = json.loads(row["confidential"])
    except ValueError:
        return row  # it was altered: following the chain will name it
    if not hidden:
        return row
    plain = json.dumps({"confidential": hidden, "key": row["key"]}, sort_keys=True)
    sealed = seals.seal(plain.encode(), f"the confidential part of ledger entry {row['number']}")
    return row | {"key": "", "confidential": json.dumps({"sealed": sealed, "was_open": True}, sort_keys=True)}
