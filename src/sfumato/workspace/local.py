"""Whoever unlocks a workspace acts in it as its admin, or as anybody it knows: the keys to all of it are theirs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from sfumato.errors import NotFound
from sfumato.escrow.person import Person, Role
from sfumato.escrow.service import Escrow

_HOURS = 12
LABEL = "on this machine"


@contextmanager
def acting(escrow: Escrow, name: str | None = None) -> Iterator[str]:
    """A token of that person, or of the first admin, for as long as this lasts: in the record as made and revoked."""
    person = _admin(escrow) if name is None else escrow.people.one(name)
    token, secret = escrow.people.new_token(person, LABEL, _HOURS / 24)
    try:
        yield secret
    finally:
        escrow.people.revoke(person, token.id)


def _admin(escrow: Escrow) -> Person:
    admins = [one for one in escrow.people.all() if one.has(Role.ADMIN) and not one.disabled]
    if not admins:
        raise NotFound("This workspace has no admin", hint="say who you are: --as NAME.")
    return min(admins, key=lambda one: (one.created_at, one.name))
