"""Who is let in, and the tokens that programs come with."""

from __future__ import annotations

from collections.abc import Sequence

from sfumato.client.connection import Connection
from sfumato.client.records import Listing, RemoteRecord
from sfumato.presentation.escrow import listing as escrow


class Person(RemoteRecord):
    @property
    def name(self) -> str:
        return str(self._facts["name"])

    @property
    def roles(self) -> tuple[str, ...]:
        return tuple(self._facts["roles"])

    @property
    def organisation(self) -> str:
        return str(self._facts.get("organisation") or "")

    @property
    def disabled(self) -> bool:
        return bool(self._facts.get("disabled"))


class Token(RemoteRecord):
    """What is known of a token; `.secret` is there once, when it is made, and prints nowhere."""

    secret: str = ""

    @property
    def id(self) -> str:
        return str(self._facts["id"])

    def text(self) -> str:
        hidden = "\nits secret is in .secret, now and never again" if self.secret else ""
        return super().text() + hidden


def people(connection: Connection) -> Listing[Person]:
    return Listing.of(map(Person, connection.items("people")), escrow.PEOPLE, "There is nobody.")


def add(
    connection: Connection, name: str, roles: str | Sequence[str], organisation: str, password: str | None
) -> Person:
    body = {"name": name, "roles": _list(roles), "organisation": organisation, "password": password}
    return Person(connection.post("people", body=body))


def change(connection: Connection, name: str, **to: object) -> Person:
    """What is None stays as it is."""
    body = {what: _list(value) if what == "roles" else value for what, value in to.items() if value is not None}
    return Person(connection.patch("people", name, body=body))


def tokens(connection: Connection) -> Listing[Token]:
    return Listing.of(map(Token, connection.items("tokens")), escrow.TOKENS, "There are no tokens.")


def new_token(
    connection: Connection, label: str, days: float, scopes: Sequence[str], person: str | None = None
) -> Token:
    said = {"label": label, "days": days, "scopes": list(scopes), "person": person}
    told = connection.post("tokens", body=said)
    made = Token(told["token"])
    made.secret = str(told["secret"])
    return made


def _list(roles: object) -> list[str]:
    return [roles] if isinstance(roles, str) else list(roles)  # type: ignore[call-overload]
