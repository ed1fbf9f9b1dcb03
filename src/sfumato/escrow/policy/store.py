"""Stored policies: every version, sealed and signed by its author."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, cast

from sfumato.errors import LedgerBroken, NotFound, SfumatoError
from sfumato.escrow.dataset import RegisteredDataset
from sfumato.escrow.identity.accounts import Accounts
from sfumato.escrow.identity.person import Person, Role
from sfumato.escrow.policy.policy import Policy
from sfumato.escrow.policy.read import policy_of
from sfumato.escrow.ports import EscrowPorts
from sfumato.ledger.audit_log import AuditEntry

_WROTE = "wrote the policy of"


@dataclass(frozen=True)
class SignedPolicy:
    """A policy, with who wrote it when."""

    dataset: str
    number: int
    author: str
    at: str
    policy: Policy


class Policies:
    def __init__(self, ports: EscrowPorts, accounts: Accounts) -> None:
        self._ports, self._accounts = ports, accounts
        self._rows = ports.rows("policies")
        self._verified = lru_cache(4096)(self._verify)  # by row and key

    def write(self, author: Person, dataset: RegisteredDataset, policy: Policy) -> SignedPolicy:
        """Store the next version of a dataset's policy."""
        content = json.dumps(policy.as_signed(), sort_keys=True)
        with self._ports.transaction():
            number = max((row["number"] for row in self._rows.many(dataset=dataset.name, limit=100_000)), default=0) + 1
            id, at = self._ports.new_id(), self._ports.moment
            message = _message(id, dataset.name, number, author.name, at, content)
            self._rows.add(
                {
                    "id": id,
                    "number": number,
                    "dataset": dataset.name,
                    "author": author.name,
                    "at": at,
                    "sealed": self._ports.locks.seal(content.encode(), _about(dataset.name, number)),
                    "signature": self._accounts.signed(author, message),
                }
            )
            details = {"number": number, "fingerprint": policy.fingerprint}
            self._ports.audit.append(at, author.name, _WROTE, dataset.name, details)
        return SignedPolicy(dataset.name, number, author.name, at, policy)

    def of(self, dataset: RegisteredDataset) -> SignedPolicy | None:
        """The policy in force: the newest, with a valid signature."""
        newest = self._rows.many(dataset=dataset.name, limit=1, newest_first=True)
        signed = self._opened(dataset.name, newest[0]) if newest else None
        written = self._written(dataset.name)
        if written is not None and (signed is None or (signed.number, signed.policy.fingerprint) != written):
            raise LedgerBroken.because("policy-not-newest", dataset=dataset.name)
        return signed

    def in_force(self) -> dict[str, SignedPolicy]:
        """The policies in force by dataset, for lists: one that was edited counts as none."""
        written = {entry.about: _written(entry) for entry in self._ports.audit.newest_of_each(_WROTE)}
        newest = self._rows.newest("dataset")
        keys = {person.name: person.public_key for person in self._accounts.named({row["author"] for row in newest})}
        in_force: dict[str, SignedPolicy] = {}
        for row in newest:
            with suppress(SfumatoError, KeyError):
                signed = self._opened(row["dataset"], row, keys[row["author"]])
                if written.get(signed.dataset) in (None, (signed.number, signed.policy.fingerprint)):
                    in_force[signed.dataset] = signed
        return in_force

    def history(self, dataset: RegisteredDataset) -> list[SignedPolicy]:
        return [self._opened(dataset.name, row) for row in self._rows.many(dataset=dataset.name, limit=100_000)]

    def require(self, dataset: RegisteredDataset) -> SignedPolicy:
        signed = self.of(dataset)
        if signed is None:
            raise NotFound.because("policy-missing", dataset=dataset.name)
        return signed

    def read(self, dataset: RegisteredDataset, tables: Mapping[str, Any], viewers: Collection[str] = ()) -> Policy:
        """Parse a policy. Without a rule it copies the schema's, so that a later schema does not change the policy.

        `viewers` have viewed individual risks: under separation they cannot approve.
        """
        rule = {} if dataset.schema.rule is None else {"rule": dataset.schema.rule}
        people = [person for person in self._accounts.all() if not person.disabled]
        names = [column.name for column in dataset.schema.columns]
        how: dict[str, Any] = {"private_keys": _private_keys(dataset), "viewers": viewers}
        return policy_of(rule | dict(tables), people, dataset.controllers, names, **how)

    def _opened(self, dataset: str, row: Mapping[str, Any], public_key: str | None = None) -> SignedPolicy:
        """The policy of a row, if the signature is valid."""
        values = (row[name] for name in ("id", "number", "author", "at", "sealed", "signature"))
        return self._verified(dataset, *values, public_key or self._accounts.one(row["author"]).public_key)

    def _verify(
        self, dataset: str, id: str, number: int, author: str, at: str, sealed: str, signature: str, public_key: str
    ) -> SignedPolicy:
        content = self._ports.locks.unseal(sealed, _about(dataset, number)).decode()
        message = _message(id, dataset, number, author, at, content)
        if not self._ports.locks.verify(public_key, message, signature):
            raise LedgerBroken.because("policy-unsigned", dataset=dataset, author=author)
        return SignedPolicy(dataset, number, author, at, Policy.from_signed(json.loads(content)))

    def _written(self, dataset: str) -> tuple[int, str] | None:
        """Number and fingerprint of the policy that the record says was written last."""
        wrote = self._ports.audit.newest(_WROTE, dataset)
        return None if wrote is None else _written(wrote)


def _written(entry: AuditEntry) -> tuple[int, str]:
    return cast(int, entry.said["number"]), str(entry.said["fingerprint"])


def may_write(author: Person, dataset: RegisteredDataset) -> None:
    author.require(Role.CONTROLLER, to="write a policy")
    if not dataset.is_controlled_by(author):
        raise NotFound.because("dataset-unknown", dataset=dataset.name)


def _private_keys(dataset: RegisteredDataset) -> bool:
    return any(column.private_keys for column in dataset.schema.columns)


def _about(dataset: str, number: int) -> str:
    return f"policy {number} of {dataset}"


def _message(*signed: str | int) -> bytes:
    return json.dumps(signed).encode()
