"""One line of the audit log: who did what to what, sealed to the line before it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from sfumato.errors import LedgerBroken
from sfumato.ledger import hash_chain
from sfumato.ledger.hash_chain import GENESIS


@dataclass(frozen=True)
class AuditEntry:
    number: int
    at: str
    who: str
    verb: str
    about: str
    said: Mapping[str, object]
    previous: str = field(repr=False)
    digest: str = field(repr=False)

    def as_dict(self) -> dict[str, object]:
        return dict(vars(self))


def seal(
    number: int, previous: str, *, at: str, who: str, verb: str, about: str, details: Mapping[str, object]
) -> AuditEntry:
    """What is said is texts, numbers, lists and objects: its digest is the same when it is read back."""
    line = {"at": at, "who": who, "verb": verb, "about": about, "said": details}
    return AuditEntry(number, at, who, verb, about, details, previous, hash_chain.digest(number, line, previous))


def verify(entries: Iterable[AuditEntry], number: int = 0, previous: str = GENESIS) -> tuple[int, str]:
    """Follow the chain from one entry on; a break is named. Returns where it ends."""
    return hash_chain.follow(map(_line, entries), number, previous, changed_entry)


def changed_entry(number: int) -> LedgerBroken:
    return LedgerBroken.because("audit-log-changed", entry=number)


def _line(entry: AuditEntry) -> hash_chain.Line:
    line = {name: getattr(entry, name) for name in ("at", "who", "verb", "about", "said")}
    return entry.number, line, entry.previous, entry.digest
