"""How an SQLite file is opened: rollback journal, synced at each commit, locked for writing from the start.

What is removed is overwritten in the file, not only marked as free.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import sqlalchemy as sa

MEMORY = ":memory:"
PATIENCE = 30  # seconds to wait for whoever is writing


def engine(path: str, *, kept_open: bool = False) -> sa.Engine:
    """A file that is not there yet is made, for its owner's eyes only.

    With `kept_open` a connection serves again for as long as its file lies there; otherwise each is opened anew.
    """
    if path != MEMORY and not Path(path).exists():
        Path(path).touch(mode=0o600)
    url = sa.URL.create("sqlite", database=path)
    options = {"timeout": PATIENCE, "check_same_thread": False}
    made = sa.create_engine(url, hide_parameters=True, connect_args=options, **_pool(path, kept_open))
    sa.event.listen(made, "connect", _configure)
    sa.event.listen(made, "begin", _begin)
    if kept_open:
        file = Path(path)
        sa.event.listen(made, "connect", lambda _connection, record: record.info.update(file=_identity(file)))
        sa.event.listen(made, "checkout", lambda _connection, record, _proxy: _same(file, record))
    return made


def _pool(path: str, kept_open: bool) -> dict[str, Any]:
    if kept_open:
        return {"poolclass": sa.pool.QueuePool, "max_overflow": -1}
    return {"poolclass": sa.pool.StaticPool if path == MEMORY else sa.pool.NullPool}


def _same(file: Path, record: Any) -> None:
    """Another file in its place is read from its beginning."""
    if record.info["file"] != _identity(file):
        raise sa.exc.DisconnectionError


def _identity(file: Path) -> tuple[int, int] | None:
    try:
        found = file.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _configure(connection: Any, _record: object) -> None:
    connection.isolation_level = None  # we begin transactions ourselves, for writing from the start
    connection.text_factory = lambda text: text.decode("utf-8", "replace")  # what was no text has another digest
    for pragma in ("journal_mode=DELETE", "synchronous=FULL", "secure_delete=ON"):
        connection.execute(f"PRAGMA {pragma}")


def _begin(connection: sa.Connection) -> None:
    """One statement that only reads is whole by itself."""
    writing = connection.get_execution_options().get("writing")
    if writing:
        connection.exec_driver_sql("BEGIN" if writing == "nothing" else "BEGIN IMMEDIATE")
