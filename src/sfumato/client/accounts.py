"""Users of a server, and their tokens."""

from __future__ import annotations

from sfumato.client.records import RemoteRecord
from sfumato.escrow.identity.accounts import CurrentUser, Token
from sfumato.escrow.identity.person import Person


class RemotePerson(RemoteRecord, Person): ...


class RemoteUser(RemoteRecord, CurrentUser):
    """The connected user."""


class RemoteToken(RemoteRecord, Token):
    """A token without its value; `.secret` is set once, when the token is created, and is never printed."""

    secret: str = ""

    def text(self) -> str:
        hidden = "\nThe secret is in .secret. It cannot be fetched again." if self.secret else ""
        return super().text() + hidden
