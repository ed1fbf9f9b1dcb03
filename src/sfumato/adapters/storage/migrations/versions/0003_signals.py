"""Utility signals: what an analyst asks about the noise of a release, and what came of it."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"

Whole = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
Key = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")


def upgrade() -> None:
    op.create_table(
        "signals",
        sa.Column("id", Key, primary_key=True),
        whole("number"),
        *texts("request", "dataset", "analyst"),
        whole("query"),
        *texts("kind", "task"),
        maybe("code"),
        *texts("how"),
        maybe("bits", sa.Double),
        *texts("state", "version"),
        whole("policy"),
        *texts("binding", "submitted_at"),
        maybe("decided_at"),
        *texts("decided_by", "note"),
        maybe("guarantee"),
        maybe("charged", sa.Double),
        maybe("result"),
        sa.Column("ran", sa.Boolean, nullable=False),
        maybe("owner"),
        maybe("idempotency"),
        *texts("body_sha256"),
        sa.UniqueConstraint("number", name="signals_number"),
        sa.UniqueConstraint("analyst", "idempotency", name="signals_idempotency"),
    )


def texts(*names: str) -> list[sa.Column[str]]:
    return [sa.Column(name, sa.Text, nullable=False) for name in names]


def maybe(name: str, kind: Any = sa.Text) -> sa.Column[Any]:
    return sa.Column(name, kind, nullable=True)


def whole(name: str) -> sa.Column[int]:
    return sa.Column(name, Whole, nullable=False)
