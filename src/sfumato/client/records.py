"""Facts that a server sent about one thing, or about several, and how they print."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

from sfumato.errors import NoServer
from sfumato.model.plain import from_plain
from sfumato.presentation.escrow import listing as escrow
from sfumato.presentation.html import preformatted

R = TypeVar("R")
T = TypeVar("T", bound="RemoteRecord")


class PublicText(ABC):
    """Public facts, which print as their text."""

    @abstractmethod
    def text(self) -> str: ...

    def show(self) -> None:
        print(self.text())

    def __repr__(self) -> str:
        return self.text()

    def _repr_html_(self) -> str:
        return preformatted(self.text())


class RemoteRecord(PublicText):
    """The facts of one thing as the server has them. A dataclass among the bases has them as attributes."""

    _facts: dict[str, Any]

    def __init__(self, facts: Mapping[str, Any]) -> None:
        vars(self)["_facts"] = dict(facts)
        for declared in type(self).__mro__:
            if "__dataclass_fields__" in vars(declared):
                vars(self).update(vars(record_of(declared, facts)))
                break

    def as_dict(self) -> dict[str, Any]:
        return dict(self._facts)

    def text(self) -> str:
        return escrow.outlined(self._facts, leave=("csrf",))  # a secret of the session


def record_of(kind: type[R], facts: Any) -> R:
    """Facts from a server as the type that its route declares."""
    try:
        return from_plain(kind, facts)
    except (AttributeError, TypeError, ValueError):
        hint = "check that client and server have the same version."
        raise NoServer("The reply of the server has an unexpected form", hint=hint) from None


class Listing(PublicText, tuple[T, ...]):
    """Several records in the server's order; prints as a table."""

    columns: Mapping[str, str]
    nothing: str

    @classmethod
    def of(cls, items: Iterable[T], columns: Mapping[str, str], nothing: str) -> Listing[T]:
        listing = cls(items)
        listing.columns, listing.nothing = columns, nothing
        return listing

    def as_list(self) -> list[dict[str, Any]]:
        return [item.as_dict() for item in self]

    def text(self) -> str:
        return escrow.listed(self.columns, self.as_list(), self.nothing)
