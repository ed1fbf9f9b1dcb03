"""Notifications: an event with its values. Its sentence is made by `presentation`."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from sfumato.errors import NotFound
from sfumato.escrow.identity.person import Person
from sfumato.escrow.ports import EscrowPorts
from sfumato.ports import Row, Selection


class Happened(StrEnum):
    """Kinds of events, each with the names of its values."""

    REQUEST_SUBMITTED = "request submitted"  # who, dataset, number
    REQUEST_DECIDED = "request decided"  # number, act, note
    REQUEST_RELEASED = "request released"  # number
    REQUEST_COMPUTED = "request computed"  # number
    REQUEST_FAILED = "request failed"  # number
    REQUEST_ASSIGNED = "request assigned"  # who, number
    SIGNAL_SUBMITTED = "signal submitted"  # who, number, request
    SIGNAL_DECIDED = "signal decided"  # number, act, note
    SIGNAL_RELEASED = "signal released"  # number
    SIGNAL_COMPUTED = "signal computed"  # number
    SIGNAL_FAILED = "signal failed"  # number
    SIGNAL_ASSIGNED = "signal assigned"  # who, number
    SAME_ROWS = "same rows"  # dataset, other: None if the recipient does not control it


class Topic(StrEnum):
    """What a person may choose not to be notified of. Of the same rows under two names every controller is told."""

    TO_DECIDE = "to decide"
    ASSIGNED = "assigned"
    DECIDED = "decided"
    ANSWERED = "answered"


_TOPICS = {"submitted": Topic.TO_DECIDE, "computed": Topic.TO_DECIDE, "assigned": Topic.ASSIGNED}
_TOPICS |= {"decided": Topic.DECIDED, "released": Topic.ANSWERED, "failed": Topic.ANSWERED}


def topic_of(happened: Happened) -> Topic | None:
    return _TOPICS.get(happened.rpartition(" ")[2])


@dataclass(frozen=True)
class Notification:
    """`text` is set instead of `happened` for one that was stored as a sentence."""

    id: str
    number: int
    person: str
    at: str
    about: str
    read_at: str | None
    happened: Happened | None
    values: Mapping[str, Any]
    text: str = ""

    @classmethod
    def from_row(cls, row: Row) -> Notification:
        known = {name: row[name] for name in ("id", "number", "person", "at", "about", "read_at")}
        stored: str = row["text"]
        if not stored.startswith("{"):
            return cls(**known, happened=None, values={}, text=stored)
        event = json.loads(stored)
        return cls(**known, happened=Happened(event["happened"]), values=event["values"])


class Notifications:
    def __init__(self, ports: EscrowPorts) -> None:
        self._ports = ports
        self._rows, self._people = ports.rows("notifications"), ports.rows("people")

    def muted(self, actor: Person) -> tuple[Topic, ...]:
        """What this person is not notified of."""
        [row] = self._people.listed(Selection(({"name": actor.name},)), columns=("muted",))
        return tuple(map(Topic, row["muted"] or ()))

    def mute(self, actor: Person, topics: Iterable[Topic]) -> None:
        """Notify this person of all other topics from now on."""
        self._people.change({"name": actor.name}, {"muted": sorted(set(topics))})

    def _without_muted(self, people: Iterable[str], topic: Topic | None) -> list[str]:
        names = list(dict.fromkeys(people))
        if topic is None or not names:
            return names
        rows = self._people.listed(Selection(({"name": names},)), limit=len(names), columns=("name", "muted"))
        mutes = {row["name"] for row in rows if topic in (row["muted"] or ())}
        return [name for name in names if name not in mutes]

    def tell(self, people: Iterable[str], happened: Happened, about: str, **values: object) -> None:
        stored = json.dumps({"happened": happened.value, "values": values})
        for name in self._without_muted(people, topic_of(happened)):
            row = {"id": self._ports.new_id(), "person": name, "at": self._ports.moment, "text": stored}
            self._rows.add(row | {"about": about, "read_at": None})

    def many(
        self, actor: Person, *, unread: bool = False, after: int | None = None, limit: int = 100
    ) -> list[Notification]:
        """Newest first."""
        where: dict[str, object] = {"person": actor.name} | ({"read_at": None} if unread else {})
        return [
            Notification.from_row(row) for row in self._rows.many(after=after, limit=limit, newest_first=True, **where)
        ]

    def count(self, actor: Person, *, unread: bool = False) -> int:
        where: dict[str, object] = {"person": actor.name} | ({"read_at": None} if unread else {})
        return sum(self._rows.counts(Selection((where,))).values())

    def read_all(self, actor: Person) -> int:
        """Mark all as read, and return how many were not."""
        return self._rows.change({"person": actor.name, "read_at": None}, {"read_at": self._ports.moment})

    def read_about(self, actor: Person, about: str) -> None:
        """Mark as read what this person was told about one thing: they look at it."""
        about_it = {"person": actor.name, "about": about, "read_at": None}
        if self._rows.one(**about_it) is not None:
            self._rows.change(about_it, {"read_at": self._ports.moment})

    def settle(self, about: str, noun: str, number: int, people: Collection[str] | None = None) -> None:
        """Mark as read that a submission waits for a decision: it no longer does, for anyone or for these people."""
        waits = [Happened(f"{noun} {event}") for event in ("submitted", "computed", "assigned")]
        rows = self._rows.many(about=about, read_at=None, limit=100_000)
        unread = [one for one in map(Notification.from_row, rows) if people is None or one.person in people]
        settled = [one.id for one in unread if one.happened in waits and one.values.get("number") == number]
        if settled:
            self._rows.change({"id": settled}, {"read_at": self._ports.moment})

    def read(self, actor: Person, id: str) -> None:
        if not self._rows.change({"id": id, "person": actor.name}, {"read_at": self._ports.moment}):
            raise NotFound.because("notification-unknown")
