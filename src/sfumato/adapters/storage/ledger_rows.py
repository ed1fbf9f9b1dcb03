"""The chain of a ledger's entries, in a table on which the caller has begun a transaction.

In a workspace's database the confidential part of an entry is encrypted, and with it the entry's key, from which an
epsilon could be guessed. The column then holds `{"sealed": TEXT}`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol, TypeAlias

from sfumato.errors import LedgerBroken, VaultBroken
from sfumato.ledger.entry import Draft, Entry, Event, changed_entry, seal
from sfumato.ledger.hash_chain import GENESIS
from sfumato.ports import Seals

Decide: TypeAlias = Callable[[Sequence[Entry]], Sequence[Draft]]


class EntryTable(Protocol):
    """The table of a ledger, one row for each entry."""

    def since(self, after: int) -> Iterable[dict[str, Any]]:
        """The row of this number and all later ones, in order."""

    def newest(self) -> tuple[int, str] | None:
        """Number and digest of the last one."""

    def add(self, row: Mapping[str, object]) -> None: ...


def beyond(table: EntryTable, after: int, head: str | None, seals: Seals | None = None) -> list[Entry]:
    """What was added since `after`; entries that are gone, or others in their place, are a ledger put back.

    Without `seals` what is encrypted stays so.
    """
    entries = [_entry(row, seals) for row in table.since(after)]
    if after == 0:
        return entries
    if not entries or entries[0].number != after or head not in (None, entries[0].digest):
        raise _put_back(after)
    return entries[1:]


def append(table: EntryTable, after: int, decide: Decide, head: str | None, seals: Seals | None = None) -> list[Entry]:
    """Add what `decide` returns when it has seen what is new; the caller holds the write lock."""
    known = beyond(table, after, head, seals)
    number, previous = table.newest() or (0, GENESIS)
    added = []
    for draft in decide(known):
        stored = encrypted(draft, number + 1, seals) if seals is not None and draft.confidential else None
        entry = seal(number + 1, draft, previous, stored)
        table.add(_row(entry))
        added.append(entry)
        number, previous = entry.number, entry.digest
    return added


def nothing(after: int) -> list[Entry]:
    """What is read where there is no ledger yet."""
    if after:
        raise _put_back(after)
    return []


def encrypted(draft: Draft, number: int, seals: Seals) -> Draft:
    """The draft as it is stored: its confidential part and its key in one text that only the keys open."""
    plain = json.dumps({"confidential": draft.confidential, "key": draft.key}, sort_keys=True)
    return replace(draft, key="", confidential={"sealed": seals.seal(plain.encode(), _about(number))})


def _decrypted(stored: Draft, number: int, seals: Seals) -> Draft:
    text = str(stored.confidential["sealed"])
    return replace(stored, **json.loads(seals.unseal(text, _about(number))))


def _about(number: int) -> str:
    return f"the confidential part of ledger entry {number}"


def _row(entry: Entry) -> dict[str, object]:
    draft = entry.stored or entry.draft
    plain = {name: getattr(draft, name) for name in ("event", "dataset", "who", "at", "key", "nano_epsilon", "delta")}
    texts = {name: json.dumps(getattr(draft, name), sort_keys=True) for name in ("public", "confidential")}
    return {"number": entry.number, "previous": entry.previous, "digest": entry.digest} | plain | texts


def _entry(row: dict[str, Any], seals: Seals | None) -> Entry:
    number, previous, digest = (row.pop(name) for name in ("number", "previous", "digest"))
    try:
        texts = {name: json.loads(row[name]) for name in ("public", "confidential")}
        stored = Draft(**row | texts | {"event": Event(row["event"])})
        if seals is None or "sealed" not in stored.confidential:
            return Entry(number, stored, previous, digest)
        return Entry(number, _decrypted(stored, number, seals), previous, digest, stored)
    except (AttributeError, TypeError, ValueError, VaultBroken):
        raise changed_entry(max(number, 1)) from None  # a broken page may number a row 0


def _put_back(number: int) -> LedgerBroken:
    return LedgerBroken.because("ledger-replaced", entry=number)
