"""What a server said of one thing, or of several, and how that prints."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

from sfumato.errors import NoServer
from sfumato.model.plain import from_plain
from sfumato.presentation.escrow import listing as escrow
from sfumato.presentation.html import preformatted

R = TypeVar("R")
T = TypeVar("T", bound="RemoteRecord")


class RemoteRecord:
    """The facts of one thing as the server has them. A dataclass beside it among the bases has them as attributes."""

    def __init__(self, facts: Mapping[str, Any]) -> None:
        vars(self)["_facts"] = dict(facts)
        for declared in type(self).__mro__:
            if "__dataclass_fields__" in vars(declared):
                vars(self).update(vars(record_of(declared, facts)))
                break

    _facts: dict[str, Any]

    def as_dict(self) -> dict[str, Any]:
        return dict(self._facts)

    def text(self) -> str:
        return escrow.outlined(self._facts)

    def show(self) -> None:
        print(self.text())

    def __repr__(self) -> str:
        return self.text()

    def _repr_html_(self) -> str:
        return preformatted(repr(self))


def record_of(kind: type[R], facts: Any) -> R:
    """What a server sent, as the type that its route declares."""
    try:
        return from_plain(kind, facts)
    except (AttributeError, TypeError, ValueError):
        hint = "check that both are of the same version."
        raise NoServer("The server answered with something else than was asked for", hint=hint) from None


class Listing(tuple[T, ...]):
    """Several of them, in the server's order; prints as a table."""

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

    def show(self) -> None:
        print(self.text())

    def __repr__(self) -> str:
        return self.text()

    def _repr_html_(self) -> str:
        return preformatted(self.text())
