"""The tables of format 1. Once it was released this file stays as it is: each later format is a file of its own."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "1"  # the number of the format
down_revision = None

Whole = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
Key = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
NEVER = {
    "sqlite": [
        f"CREATE TRIGGER {{0}}_no_{verb.lower()} BEFORE {verb} ON {{0}} "
        "BEGIN SELECT RAISE(ABORT, 'the {1} is append-only'); END"
        for verb in ("UPDATE", "DELETE")
    ],
    "postgresql": [
        "CREATE FUNCTION {0}_append_only() RETURNS trigger LANGUAGE plpgsql AS "
        "$$ BEGIN RAISE EXCEPTION 'the {1} is append-only'; END $$",
        "CREATE TRIGGER {0}_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON {0} "
        "FOR EACH STATEMENT EXECUTE FUNCTION {0}_append_only()",
    ],
}


def upgrade() -> None:
    op.create_table(
        "people",
        key("name"),
        *texts("organisation", "roles"),
        maybe("password"),
        *texts("public_key", "sealed_key", "created_at"),
        flag("disabled"),
        maybe("introduced_at"),
    )
    op.create_table(
        "tokens",
        key("id"),
        *texts("person", "digest", "label", "scopes", "created_at", "expires_at"),
        flag("revoked"),
        sa.UniqueConstraint("digest", name="tokens_digest"),
    )
    op.create_table("sessions", key("digest"), *texts("person", "csrf", "created_at", "expires_at"))
    op.create_table(
        "datasets",
        key("name"),
        *texts("id", "title", "schema_text", "controllers", "created_by", "created_at"),
        maybe("version"),
        maybe("reference"),
        flag("retired"),
        maybe("population"),
        sa.UniqueConstraint("id", name="datasets_id"),
    )
    op.create_table(
        "versions",
        key("id"),
        whole("number"),
        *texts("dataset", "format", "created_by", "created_at", "columns"),
        whole("bytes"),
        *texts("fingerprint"),
        flag("forgotten"),
        maybe("digest"),
        *texts("table_name"),
        sa.UniqueConstraint("dataset", "number", "table_name", name="versions_number"),
    )
    op.create_table(
        "policies",
        key("id"),
        whole("number"),
        *texts("dataset", "author", "at", "sealed", "signature"),
        sa.UniqueConstraint("dataset", "number", name="policies_number"),
    )
    op.create_table(
        "requests",
        key("id"),
        whole("number"),
        *texts("dataset", "analyst", "purpose", "queries", "preference", "state", "version"),
        whole("policy"),
        *texts("binding", "submitted_at"),
        maybe("decided_at"),
        *texts("decided_by", "note"),
        maybe("guarantee"),
        maybe("charged", sa.Double),
        maybe("answers"),
        maybe("owner"),
        maybe("idempotency"),
        *texts("body_sha256"),
        sa.UniqueConstraint("number", name="requests_number"),
        sa.UniqueConstraint("analyst", "idempotency", name="requests_idempotency"),
    )
    op.create_table(
        "signals",
        key("id"),
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
        flag("ran"),
        maybe("owner"),
        maybe("idempotency"),
        *texts("body_sha256"),
        sa.UniqueConstraint("number", name="signals_number"),
        sa.UniqueConstraint("analyst", "idempotency", name="signals_idempotency"),
    )
    op.create_table(
        "notifications",
        key("id"),
        whole("number"),
        *texts("person", "at", "text", "about"),
        maybe("read_at"),
        sa.UniqueConstraint("number", name="notifications_number"),
    )
    op.create_table("audit", number(), *texts("at", "who", "verb", "about", "said", "previous", "digest"))
    op.create_table(
        "ledger",
        number(),
        *texts("event", "dataset", "who", "at", "key"),
        whole("nano_epsilon"),
        *texts("delta", "public", "confidential", "previous", "digest"),
    )
    op.create_table(
        "checkpoints", number(), *texts("chain"), whole("entry"), *texts("head", "at", "who"), maybe("signature")
    )
    op.create_table("individual_spending", key("population"), key("person"), *texts("spent"))
    for table, words in (("audit", "audit log"), ("ledger", "ledger"), ("checkpoints", "list of checkpoints")):
        for statement in NEVER[op.get_context().dialect.name]:
            op.execute(statement.format(table, words))


def key(name: str) -> sa.Column[str]:
    return sa.Column(name, Key, primary_key=True)


def number() -> sa.Column[int]:
    return sa.Column("number", Whole, primary_key=True, autoincrement=False)


def texts(*names: str) -> list[sa.Column[str]]:
    return [sa.Column(name, sa.Text, nullable=False) for name in names]


def maybe(name: str, kind: Any = sa.Text) -> sa.Column[Any]:
    return sa.Column(name, kind, nullable=True)


def whole(name: str) -> sa.Column[int]:
    return sa.Column(name, Whole, nullable=False)


def flag(name: str) -> sa.Column[bool]:
    return sa.Column(name, sa.Boolean, nullable=False)
