"""How SQLAlchemy opens the SQLite file of a workspace."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import sqlalchemy as sa

from sfumato.adapters.storage.file import PATIENCE, configure, create


def create_engine(path: str) -> sa.Engine:
    """A connection serves again for as long as its file lies there."""
    create(path)
    engine = sa.create_engine(
        sa.URL.create("sqlite", database=path),
        hide_parameters=True,
        connect_args={"timeout": PATIENCE, "check_same_thread": False},
        poolclass=sa.pool.QueuePool,
        max_overflow=-1,
    )
    file = Path(path)
    sa.event.listen(engine, "connect", lambda connection, _record: configure(connection))
    sa.event.listen(engine, "begin", _begin)
    sa.event.listen(engine, "connect", lambda _connection, record: record.info.update(file=_identity(file)))
    sa.event.listen(engine, "checkout", lambda _connection, record, _proxy: _same(file, record))
    return engine


def _same(file: Path, record: Any) -> None:
    """Another file in its place is read from its beginning."""
    if record.info["file"] != _identity(file):
        raise sa.exc.DisconnectionError


def _identity(file: Path) -> tuple[int, int] | None:
    try:
        status = file.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino


def _begin(connection: sa.Connection) -> None:
    """One statement that only reads is whole by itself."""
    writing = connection.get_execution_options().get("writing")
    if writing:
        connection.exec_driver_sql("BEGIN" if writing == "nothing" else "BEGIN IMMEDIATE")
