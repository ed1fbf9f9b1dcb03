"""Where Alembic runs the migrations: on the connection that it is given, in the transaction that is open there."""

from __future__ import annotations

from alembic import context

from sfumato.adapters.storage.tables import metadata

_given = context.config.attributes
context.configure(connection=_given["connection"], target_metadata=metadata, version_table=_given["table"])
context.run_migrations()
