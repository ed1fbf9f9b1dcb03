"""Brings the tables of a database to the newest revision; Alembic is loaded only where there is something to do."""

from __future__ import annotations

from pathlib import Path

import sqlalchemy as sa

from sfumato.adapters.storage.schema import REVISION
from sfumato.errors import BadInput
from sfumato.ports import Seals

TABLE = "sfumato_revision"
MIGRATIONS = Path(__file__).with_name("migrations")


def upgrade(connection: sa.Connection, name: str, seals: Seals | None = None) -> None:
    """In the transaction that was begun on the connection: all of it, or nothing.

    `seals` encrypts what older revisions kept in the open.
    """
    found = set(sa.inspect(connection).get_table_names())
    if found and TABLE not in found:
        raise BadInput.because("database-taken", database=name)
    current = connection.scalar(sa.text(f"SELECT version_num FROM {TABLE}")) if found else None
    if current != REVISION:
        _upgrade(connection, name, current, seals)


def _upgrade(connection: sa.Connection, name: str, current: str | None, seals: Seals | None) -> None:
    try:
        from alembic import command
        from alembic.config import Config
        from alembic.script import ScriptDirectory
    except ImportError:
        raise BadInput.because("alembic-missing") from None
    config = Config(attributes={"connection": connection, "table": TABLE, "seals": seals})
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    known = {script.revision for script in ScriptDirectory.from_config(config).walk_revisions()}
    if current is not None and current not in known:
        raise BadInput.because("workspace-newer", where=name)
    command.upgrade(config, "head")
