"""Notifications, each in a sentence."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from sfumato.escrow.identity.person import Person, Role
from sfumato.escrow.notifications import Happened, Notification, Topic
from sfumato.presentation.wording import ledger_sentences as of_ledger
from sfumato.presentation.wording import requests_sentences as of_request
from sfumato.presentation.wording.signals import requests_sentences as of_signalling

_TEMPLATES = {"request": of_request.NOTIFICATIONS, "signal": of_signalling.NOTIFICATIONS}
_DECIDED = {"approve": "approved", "return": "returned", "refuse": "refused"}


def sentence(one: Notification) -> str:
    if one.happened is None:
        return one.text
    values = dict(one.values)
    if one.happened is Happened.SAME_ROWS:
        return of_ledger.same_rows_held(**values)
    if "act" in values:
        values |= {"decided": _DECIDED[values["act"]], "note": f" {values['note']}" if values["note"] else ""}
    noun, event = one.happened.split()
    return _TEMPLATES[noun][event].format(**values)


def topics(person: Person, muted: Collection[Topic]) -> list[tuple[str, str, bool]]:
    """Topics that a person of these roles is notified of: the code, the words, and whether it is muted."""
    own = [topic for role, of_role in of_request.TOPICS.items() if person.has(Role(role)) for topic in of_role]
    return [(topic, of_request.TOPIC_NAMES[topic], Topic(topic) in muted) for topic in own]


@dataclass(frozen=True)
class WordedNotification:
    id: str
    number: int
    person: str
    at: str
    text: str
    about: str
    read_at: str | None


def worded(one: Notification) -> WordedNotification:
    return WordedNotification(one.id, one.number, one.person, one.at, sentence(one), one.about, one.read_at)
