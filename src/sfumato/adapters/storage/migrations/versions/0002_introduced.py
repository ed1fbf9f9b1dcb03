"""When somebody passed the introduction; nobody had, before there was one."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    op.add_column("people", sa.Column("introduced_at", sa.Text, nullable=True))
