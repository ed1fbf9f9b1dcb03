"""Who is let in, and the tokens that programs come with."""

from __future__ import annotations

from collections.abc import Sequence

from sfumato.client.connection import Connection
from sfumato.client.records import Listing, RemoteRecord, record_of
from sfumato.escrow.identity.accounts import CurrentUser, IssuedToken, Token
from sfumato.escrow.identity.person import Person
from sfumato.presentation.escrow import listing as escrow


class RemotePerson(RemoteRecord, Person): ...


class RemoteUser(RemoteRecord, CurrentUser):
    """Who is connected."""


class RemoteToken(RemoteRecord, Token):
    """What is known of a token; `.secret` is there once, when it is made, and prints nowhere."""

    secret: str = ""

    def text(self) -> str:
        hidden = "\nits secret is in .secret, now and never again" if self.secret else ""
        return super().text() + hidden


def people(connection: Connection) -> Listing[RemotePerson]:
    return Listing.of(map(RemotePerson, connection.items("people")), escrow.PEOPLE, "There is nobody.")


def add(
    connection: Connection, name: str, roles: str | Sequence[str], organisation: str, password: str | None
) -> RemotePerson:
    body = {"name": name, "roles": _list(roles), "organisation": organisation, "password": password}
    return RemotePerson(connection.post("people", body=body))


def change(connection: Connection, name: str, **to: object) -> RemotePerson:
    """What is None stays as it is."""
    body = {what: _list(value) if what == "roles" else value for what, value in to.items() if value is not None}
    return RemotePerson(connection.patch("people", name, body=body))


def tokens(connection: Connection) -> Listing[RemoteToken]:
    return Listing.of(map(RemoteToken, connection.items("tokens")), escrow.TOKENS, "There are no tokens.")


def new_token(
    connection: Connection, label: str, days: float, scopes: Sequence[str], person: str | None = None
) -> RemoteToken:
    body = {"label": label, "days": days, "scopes": list(scopes), "person": person}
    facts = connection.post("tokens", body=body)
    token = RemoteToken(facts["token"])
    vars(token)["secret"] = record_of(IssuedToken, facts).secret
    return token


def _list(roles: object) -> list[str]:
    return [roles] if isinstance(roles, str) else list(roles)  # type: ignore[call-overload]
