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
        raise BadInput(f"The database {name} holds something else", hint="name one that is empty, or new.")
    current = connection.scalar(sa.text(f"SELECT version_num FROM {TABLE}")) if found else None
    if current != REVISION:
        _upgrade(connection, name, current, seals)


def _upgrade(connection: sa.Connection, name: str, current: str | None, seals: Seals | None) -> None:
    try:
        from alembic import command
        from alembic.config import Config
        from alembic.script import ScriptDirectory
    except ImportError:
        raise BadInput("A workspace needs Alembic", hint="pip install 'sfumato[server]'.") from None
    config = Config(attributes={"connection": connection, "table": TABLE, "seals": seals})
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    known = {script.revision for script in ScriptDirectory.from_config(config).walk_revisions()}
    if current is not None and current not in known:
        hint = "take the sfumato that it was made with, or a newer one; nothing was changed."
        raise BadInput("This workspace was made by a newer sfumato", where=name, hint=hint)
    command.upgrade(config, "head")
