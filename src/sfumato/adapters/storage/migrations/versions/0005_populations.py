"""Populations that datasets are counted in, and keyed digests by which the same rows are recognised."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    op.add_column("datasets", sa.Column("population", sa.Text, nullable=True))
    op.add_column("versions", sa.Column("digest", sa.Text, nullable=True))
