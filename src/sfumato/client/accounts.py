"""People who have access to a server, and their tokens."""

from __future__ import annotations

from sfumato.client.records import RemoteRecord
from sfumato.escrow.identity.accounts import CurrentUser, Token
from sfumato.escrow.identity.person import Person


class RemotePerson(RemoteRecord, Person): ...


class RemoteUser(RemoteRecord, CurrentUser):
    """The person who is connected."""


class RemoteToken(RemoteRecord, Token):
    """A token without its value; `.secret` is set once, when the token is made, and is never printed."""

    secret: str = ""

    def text(self) -> str:
        hidden = "\nits secret is in .secret, now and never again" if self.secret else ""
        return super().text() + hidden
