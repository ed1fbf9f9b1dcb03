"""How an SQLite file is opened: rollback journal, synced at each commit, locked for writing from the start."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import sqlalchemy as sa

MEMORY = ":memory:"
PATIENCE = 30  # seconds to wait for whoever is writing


def engine(path: str) -> sa.Engine:
    """A file that is not there yet is made, for its owner's eyes only."""
    if path != MEMORY and not Path(path).exists():
        Path(path).touch(mode=0o600)
    url = sa.URL.create("sqlite", database=path)
    pool = sa.pool.StaticPool if path == MEMORY else sa.pool.NullPool
    options = {"timeout": PATIENCE, "check_same_thread": False}
    made = sa.create_engine(url, poolclass=pool, hide_parameters=True, connect_args=options)
    sa.event.listen(made, "connect", _configure)
    sa.event.listen(made, "begin", _begin)
    return made


def _configure(connection: Any, _record: object) -> None:
    connection.isolation_level = None  # we begin transactions ourselves, for writing from the start
    connection.text_factory = lambda text: text.decode("utf-8", "replace")  # what was no text has another digest
    for pragma in ("journal_mode=DELETE", "synchronous=FULL"):
        connection.execute(f"PRAGMA {pragma}")


def _begin(connection: sa.Connection) -> None:
    writing = connection.get_execution_options().get("writing")
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writing else "BEGIN")
