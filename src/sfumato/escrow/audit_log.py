"""The audit log in one hash chain, and signed checkpoints, which show that an older copy was restored."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from sfumato.errors import BadInput, LedgerBroken
from sfumato.escrow.dataset import all_datasets
from sfumato.escrow.identity.accounts import Accounts
from sfumato.escrow.identity.person import Person, Role
from sfumato.escrow.ports import EscrowPorts
from sfumato.ledger import audit_log as chain
from sfumato.ledger.audit_log import AuditEntry
from sfumato.ledger.entry import verify
from sfumato.model.plain import to_plain

LOOKS = ("asked for the risk of", "asked for the check of")  # verbs of looks
_CHAINS = ("ledger", "audit")
_AT_ONCE = 1000


@dataclass(frozen=True)
class ChainEnd:
    number: int
    digest: str


@dataclass(frozen=True)
class AuditEnds:
    """Ends of the ledger and of the audit log."""

    ledger: ChainEnd
    audit: ChainEnd


@dataclass(frozen=True)
class AuditHead(AuditEnds):
    """A signed checkpoint, to be stored elsewhere."""

    at: str
    by: str
    public_key: str
    signature: str


class AuditLog:
    def __init__(self, ports: EscrowPorts, accounts: Accounts) -> None:
        self._ports, self._accounts = ports, accounts
        self.hides_looks: Callable[[str], bool] = lambda _dataset: False  # of one person from another

    def many(
        self,
        actor: Person,
        after: int = 0,
        limit: int = 100,
        *,
        newest_first: bool = False,
        who: str | None = None,
        about: str | None = None,
    ) -> list[AuditEntry]:
        """All entries for an auditor or an admin; for a controller, their own and those about their datasets."""
        self._may(actor)
        read = partial(self._ports.audit.read, newest_first=newest_first, who=who, about=about)
        if actor.has(Role.AUDITOR, Role.ADMIN):
            return list(read(after, limit))
        theirs = self._theirs(actor)
        visible: list[AuditEntry] = []
        while len(visible) < limit and (entries := read(after, _AT_ONCE)):
            visible += [entry for entry in entries if self._is_shown(entry, actor, theirs)]
            after = entries[-1].number
        return visible[:limit]

    def _is_shown(self, entry: AuditEntry, actor: Person, theirs: set[str]) -> bool:
        """Under separation, deciders do not see how often others look."""
        if entry.who == actor.name:
            return True
        return entry.about in theirs and not (entry.verb in LOOKS and self.hides_looks(entry.about))

    def _theirs(self, actor: Person) -> set[str]:
        """Ids of a controller's datasets, their requests and their signals."""
        names = [one.name for one in all_datasets(self._ports.rows("datasets")) if one.is_controlled_by(actor)]
        tables = [self._ports.rows(table) for table in ("requests", "signals") if names]
        return {*names, *(row["id"] for table in tables for row in table.many(dataset=names, limit=100_000))}

    def verify(self, actor: Person, head: Mapping[str, Any] | None = None) -> AuditEnds:
        """Verify both chains, and that they contain the checkpoint `head`."""
        self._may(actor)
        entries, log = self._ports.ledger.read(0), self._ports.audit.read()
        ends = AuditEnds(ChainEnd(*verify(entries)), ChainEnd(*chain.verify(log)))
        if head is not None:
            self._signed(head)
            for name, chained in (("ledger", entries), ("audit", log)):
                _goes_through(name, head[name], {entry.number: entry.digest for entry in chained})
        return ends

    def head(self, actor: Person) -> AuditHead:
        """Checkpoint of both chains, signed by this person."""
        ends = self.verify(actor)
        head = AuditHead(ends.ledger, ends.audit, self._ports.moment, actor.name, actor.public_key, "")
        signed = {name: value for name, value in to_plain(head).items() if name != "signature"}
        return replace(head, signature=self._accounts.signed(actor, _message(signed)))

    def _signed(self, head: Mapping[str, Any]) -> None:
        names = (*_CHAINS, "at", "by", "public_key", "signature")
        shaped = all(name in head for name in names) and all(
            isinstance(head[name], Mapping) and isinstance(head[name].get("number"), int) and "digest" in head[name]
            for name in _CHAINS
        )
        signed = {name: head[name] for name in names if name != "signature"} if shaped else {}
        if not shaped or not self._ports.locks.verify(
            str(head["public_key"]), _message(signed), str(head["signature"])
        ):
            raise BadInput.because("audit-head-unsigned")

    def _may(self, actor: Person) -> None:
        actor.require(Role.AUDITOR, Role.CONTROLLER, Role.ADMIN, to="read the record of who did what")


def _goes_through(name: str, kept: Mapping[str, Any], dataset: Mapping[int, str]) -> None:
    number = int(kept["number"])
    if number and dataset.get(number) != kept["digest"]:
        raise LedgerBroken.because("audit-head-missed", chain=name, number=number)


def _message(signed: Mapping[str, Any]) -> bytes:
    return json.dumps(signed, sort_keys=True).encode()
