"""What people are told while they are away."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sfumato.errors import NotFound
from sfumato.escrow.identity.person import Person
from sfumato.escrow.ports import Outside
from sfumato.ports import Row


class Notices:
    def __init__(self, outside: Outside) -> None:
        self._outside = outside
        self._rows = outside.rows("notices")

    def tell(self, people: Iterable[str], text: str, about: str) -> None:
        for name in dict.fromkeys(people):
            told = {"id": self._outside.new_id(), "person": name, "at": self._outside.moment, "text": text}
            self._rows.add(told | {"about": about, "read_at": None})

    def many(self, actor: Person, *, unread: bool = False, after: int | None = None, limit: int = 100) -> Sequence[Row]:
        """Newest first."""
        where: dict[str, object] = {"person": actor.name} | ({"read_at": None} if unread else {})
        return self._rows.many(after=after, limit=limit, newest_first=True, **where)

    def read(self, actor: Person, id: str) -> None:
        if not self._rows.change({"id": id, "person": actor.name}, {"read_at": self._outside.moment}):
            raise NotFound("There is no such notice", hint="list yours first.")
