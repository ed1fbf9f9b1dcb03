"""Every table, once. `order` in a table's info is the column that its rows are listed by.

A table that counts gives its next row the number after the highest: `counts` names the columns within which it does.
"""

from __future__ import annotations

import json
from typing import Any

import sqlalchemy as sa

metadata = sa.MetaData()
Whole = sa.BigInteger().with_variant(sa.Integer(), "sqlite")  # 64 bits on either
Key = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")  # in one order on either


class Json(sa.types.TypeDecorator[Any]):
    """A JSON text, written in one way only."""

    impl = sa.Text
    cache_ok = True

    def process_bind_param(self, value: object, _dialect: sa.Dialect) -> str:
        return json.dumps(value, sort_keys=True)

    def process_result_value(self, value: str | None, _dialect: sa.Dialect) -> object:
        try:
            return None if value is None else json.loads(value)
        except ValueError:
            raise sa.exc.InvalidRequestError("a text is no JSON") from None


def _texts(*names: str) -> list[sa.Column[str]]:
    return [sa.Column(name, sa.Text, nullable=False) for name in names]


def _maybe(name: str, kind: Any = sa.Text) -> sa.Column[Any]:
    return sa.Column(name, kind, nullable=True)


def _json(*names: str) -> list[sa.Column[Any]]:
    return [sa.Column(name, Json, nullable=False) for name in names]


def _key(name: str) -> sa.Column[str]:
    return sa.Column(name, Key, primary_key=True)


def _whole(*names: str) -> list[sa.Column[int]]:
    return [sa.Column(name, Whole, nullable=False) for name in names]


def _flag(name: str) -> sa.Column[bool]:
    return sa.Column(name, sa.Boolean, nullable=False, default=False)


def _waits() -> list[sa.Column[Any]]:
    """When an approval starts, by which day it is to be decided, and by whom."""
    return [_maybe(name) for name in ("starts_at", "due", "assigned_to")]


def _table(name: str, *parts: Any, order: str, counts: tuple[str, ...] | None = None) -> sa.Table:
    return sa.Table(name, metadata, *parts, info={"order": order, "counts": counts})


people = _table(
    "people",
    _key("name"),
    *_texts("organisation"),
    *_json("roles"),
    _maybe("password"),
    *_texts("public_key", "sealed_key", "created_at"),
    _flag("disabled"),
    _maybe("introduced_at"),  # when the introduction was passed first
    _maybe("muted", Json),  # kinds of notifications that the person does not want
    order="name",
)
tokens = _table(
    "tokens",
    _key("id"),
    *_texts("person", "digest", "label"),
    *_json("scopes"),
    *_texts("created_at", "expires_at"),
    _flag("revoked"),
    sa.UniqueConstraint("digest", name="tokens_digest"),
    order="id",
)
sessions = _table("sessions", _key("digest"), *_texts("person", "csrf", "created_at", "expires_at"), order="digest")
datasets = _table(
    "datasets",
    _key("name"),
    *_texts("id", "title", "schema_text"),
    *_json("controllers"),
    *_texts("created_by", "created_at"),
    _maybe("version"),
    _maybe("reference"),
    _flag("retired"),
    _maybe("population"),  # that its people are counted in, as a controller named it
    sa.UniqueConstraint("id", name="datasets_id"),
    order="name",
)
versions = _table(
    "versions",
    _key("id"),
    *_whole("number"),
    *_texts("dataset", "format", "created_by", "created_at"),
    *_json("columns"),
    *_whole("bytes"),
    *_texts("fingerprint"),
    _flag("forgotten"),
    _maybe("digest"),  # of its rows in whatever order, keyed
    sa.Column("table_name", sa.Text, nullable=False, default=""),  # of a dataset of several tables; else empty
    sa.UniqueConstraint("dataset", "number", "table_name", name="versions_number"),
    order="number",
    counts=("dataset",),
)
policies = _table(
    "policies",
    _key("id"),
    *_whole("number"),
    *_texts("dataset", "author", "at", "sealed", "signature"),
    sa.UniqueConstraint("dataset", "number", name="policies_number"),
    order="number",
    counts=("dataset",),
)
requests = _table(
    "requests",
    _key("id"),
    *_whole("number"),
    *_texts("dataset", "analyst", "purpose"),
    *_json("queries", "preference"),
    *_texts("state", "version"),
    *_whole("policy"),
    *_texts("binding", "submitted_at"),
    _maybe("decided_at"),
    *_json("decided_by"),
    *_texts("note"),
    _maybe("guarantee"),
    _maybe("charged", sa.Double),
    _maybe("answers"),  # sealed
    _maybe("owner"),
    _maybe("idempotency"),
    *_texts("body_sha256"),
    *_waits(),
    _maybe("accuracy", sa.Double),  # 90% interval that the analyst needs, plus or minus
    sa.UniqueConstraint("number", name="requests_number"),
    sa.UniqueConstraint("analyst", "idempotency", name="requests_idempotency"),
    order="number",
    counts=(),
)
signals = _table(
    "signals",
    _key("id"),
    *_whole("number"),
    *_texts("request", "dataset", "analyst"),
    *_whole("query"),
    *_texts("kind"),
    *_json("task"),
    _maybe("code"),
    *_json("how"),  # range, epsilon, blocks, draws and by_range, as far as they are stated
    _maybe("bits", sa.Double),
    *_texts("state", "version"),
    *_whole("policy"),
    *_texts("binding", "submitted_at"),
    _maybe("decided_at"),
    *_json("decided_by"),
    *_texts("note"),
    _maybe("guarantee"),
    _maybe("charged", sa.Double),
    _maybe("result"),  # sealed
    _flag("ran"),  # whether it was started: then its bits count, whatever came of it
    _maybe("owner"),
    _maybe("idempotency"),
    *_texts("body_sha256"),
    *_waits(),
    sa.UniqueConstraint("number", name="signals_number"),
    sa.UniqueConstraint("analyst", "idempotency", name="signals_idempotency"),
    order="number",
    counts=(),
)
notifications = _table(
    "notifications",
    _key("id"),
    *_whole("number"),
    *_texts("person", "at", "text", "about"),
    _maybe("read_at"),
    sa.UniqueConstraint("number", name="notifications_number"),
    order="number",
    counts=(),
)
audit = _table(
    "audit",
    sa.Column("number", Whole, primary_key=True, autoincrement=False),
    *_texts("at", "who", "verb", "about"),
    *_json("said"),
    *_texts("previous", "digest"),
    order="number",
)
ledger = _table(
    "ledger",
    sa.Column("number", Whole, primary_key=True, autoincrement=False),
    *_texts("event", "dataset", "who", "at", "key"),
    *_whole("nano_epsilon"),
    *_texts("delta", "public", "confidential", "previous", "digest"),
    order="number",
)
checkpoints = _table(
    "checkpoints",
    sa.Column("number", Whole, primary_key=True, autoincrement=False),
    *_texts("chain"),  # ledger or audit
    *_whole("entry"),
    *_texts("head", "at", "who"),
    _maybe("signature"),
    order="number",
    counts=(),
)
individual_spending = _table(
    "individual_spending",
    _key("population"),
    _key("person"),  # a keyed digest
    *_texts("spent"),  # sealed
    order="person",
)
ROWS = {table.name: table for table in metadata.tables.values() if table not in (audit, ledger)}
