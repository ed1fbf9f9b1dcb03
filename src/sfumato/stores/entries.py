"""The table of a ledger's entries, through a connection that somebody else has begun a transaction on."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import sqlalchemy as sa

from sfumato.errors import LedgerBroken
from sfumato.ledger.chain import GENESIS
from sfumato.ledger.entry import Draft, Entry, Event, changed, seal
from sfumato.stores.tables import ledger

Decide: TypeAlias = Callable[[Sequence[Entry]], Sequence[Draft]]

_SINCE = sa.select(ledger).where(ledger.c.number >= sa.bindparam("after")).order_by(ledger.c.number)
_NEWEST = sa.select(ledger.c.number, ledger.c.digest).order_by(ledger.c.number.desc()).limit(1)
_ADD = sa.insert(ledger)


def beyond(connection: sa.Connection, after: int, head: str | None) -> list[Entry]:
    """What was added since `after`; entries that are gone, or others in their place, are a ledger put back."""
    rows = connection.execute(_SINCE, {"after": after})
    entries = [_entry(row._asdict()) for row in rows]
    if after == 0:
        return entries
    if not entries or entries[0].number != after or head not in (None, entries[0].digest):
        raise _put_back(after)
    return entries[1:]


def append(connection: sa.Connection, after: int, decide: Decide, head: str | None) -> list[Entry]:
    """Add what `decide` returns when it has seen what is new; nobody else may be writing meanwhile."""
    known = beyond(connection, after, head)
    newest = connection.execute(_NEWEST).first()
    number, previous = (newest.number, newest.digest) if newest else (0, GENESIS)
    added = []
    for draft in decide(known):
        entry = seal(number + 1, draft, previous)
        connection.execute(_ADD, _row(entry))
        added.append(entry)
        number, previous = entry.number, entry.digest
    return added


def nothing(after: int) -> list[Entry]:
    """What is read where there is no ledger yet."""
    if after:
        raise _put_back(after)
    return []


def _row(entry: Entry) -> dict[str, object]:
    draft = entry.draft
    plain = {name: getattr(draft, name) for name in ("event", "dataset", "who", "at", "key", "nano_epsilon", "delta")}
    texts = {name: json.dumps(getattr(draft, name), sort_keys=True) for name in ("public", "confidential")}
    return {"number": entry.number, "previous": entry.previous, "digest": entry.digest} | plain | texts


def _entry(row: dict[str, Any]) -> Entry:
    number, previous, digest = (row.pop(name) for name in ("number", "previous", "digest"))
    try:
        texts = {name: json.loads(row[name]) for name in ("public", "confidential")}
        return Entry(number, Draft(**row | texts | {"event": Event(row["event"])}), previous, digest)
    except (TypeError, ValueError):
        raise changed(max(number, 1)) from None  # a broken page may number a row 0


def _put_back(number: int) -> LedgerBroken:
    return LedgerBroken(
        f"The ledger is not the one it was at entry {number}: an older copy was put back, or another one",
        hint="find the one that has every release; an older copy would count them as never made.",
    )
