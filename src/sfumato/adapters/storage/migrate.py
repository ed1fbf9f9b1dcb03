"""Makes the tables of a database, or brings them to this format; Alembic is loaded only where it has work to do."""

from __future__ import annotations

from pathlib import Path

import sqlalchemy as sa

from sfumato.adapters.storage.format import FORMAT, require_workspace_format
from sfumato.errors import BadInput

TABLE = "sfumato_format"  # its one row has the number of the format, which is the name of a migration
MIGRATIONS = Path(__file__).with_name("migrations")


def upgrade(connection: sa.Connection, name: str) -> None:
    """In the transaction that was begun on the connection: all of it, or nothing."""
    tables = set(sa.inspect(connection).get_table_names())
    if tables and TABLE not in tables:
        if "ledger" in tables:
            require_workspace_format(None, name)
        raise BadInput.because("database-taken", database=name)
    current = connection.scalar(sa.text(f"SELECT version_num FROM {TABLE}")) or "" if tables else None
    if current != str(FORMAT):
        _upgrade(connection, name, current)


def _upgrade(connection: sa.Connection, name: str, current: str | None) -> None:
    try:
        from alembic import command
        from alembic.config import Config
        from alembic.script import ScriptDirectory
    except ImportError:
        raise BadInput.because("alembic-missing") from None
    config = Config(attributes={"connection": connection, "table": TABLE})
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    known = {script.revision for script in ScriptDirectory.from_config(config).walk_revisions()}
    if current is not None and current not in known:
        require_workspace_format(int(current) if current.isdecimal() else None, name)
    command.upgrade(config, "head")
