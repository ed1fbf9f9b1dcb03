"""The tables of format 2: when an approval starts, due dates, assignment, and what a person is notified of."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "2"  # the number of the format
down_revision = "1"


def upgrade() -> None:
    for table in ("requests", "signals"):
        for name in ("starts_at", "due", "assigned_to"):
            op.add_column(table, sa.Column(name, sa.Text, nullable=True))
    op.add_column("requests", sa.Column("accuracy", sa.Double, nullable=True))
    op.add_column("people", sa.Column("muted", sa.Text, nullable=True))
