"""Local access: a person who unlocks a workspace may act as its admin, or as any of its users."""

from __future__ import annotations

from hmac import compare_digest

from sfumato.errors import NotFound
from sfumato.escrow.identity.accounts import SCOPES, Accounts
from sfumato.escrow.identity.person import Person, Role
from sfumato.escrow.ports import EscrowPorts
from sfumato.escrow.service import Escrow

UNLOCKER = "local operator"  # unlocked the workspace with its passphrase or key file


class LocalAccounts(Accounts):
    """Accounts of a workspace with one user signed in locally; their token exists only in this process."""

    def __init__(self, ports: EscrowPorts, person: Person) -> None:
        super().__init__(ports)
        self._here, self.token = person, ports.locks.new_secret()

    def _require_known(self, person: Person, password: str | None) -> None:
        """Accept any password: with the keys of the workspace a forgotten one can be replaced."""

    def of_token(self, secret: str) -> tuple[Person, frozenset[str]]:
        if compare_digest(secret.encode(), self.token.encode()):
            return self._let_in(self._here.name), frozenset(SCOPES)
        return super().of_token(secret)


def act_as(escrow: Escrow, name: str | None = None) -> str:
    """A token of that user, or of the first admin, for this escrow only; the audit log records it."""
    person = _admin(escrow) if name is None else escrow.accounts.one(name)
    escrow.accounts = present = LocalAccounts(escrow.ports, person)
    escrow.ports.audit.append(escrow.ports.moment, UNLOCKER, "acts as", person.name, {})
    return present.token


def _admin(escrow: Escrow) -> Person:
    admins = [one for one in escrow.accounts.all() if one.has(Role.ADMIN) and not one.disabled]
    if not admins:
        raise NotFound("This workspace has no admin", hint="state your user name with --as NAME.")
    return min(admins, key=lambda one: (one.created_at, one.name))
