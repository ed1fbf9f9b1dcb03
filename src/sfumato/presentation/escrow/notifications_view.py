"""Notifications as they are shown: what happened, in a sentence."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from sfumato.escrow.notifications import Happened, Notification
from sfumato.presentation.wording import ledger_sentences as of_ledger
from sfumato.presentation.wording import requests_sentences as of_request
from sfumato.presentation.wording.signals import requests_sentences as of_signalling

_SENTENCES: Mapping[Happened, Callable[..., str]] = {
    Happened.REQUEST_SUBMITTED: of_request.submitted,
    Happened.REQUEST_DECIDED: of_request.decided,
    Happened.REQUEST_RELEASED: of_request.released,
    Happened.REQUEST_COMPUTED: of_request.computed,
    Happened.REQUEST_FAILED: of_request.failed,
    Happened.SIGNAL_SUBMITTED: of_signalling.submitted,
    Happened.SIGNAL_DECIDED: of_signalling.decided,
    Happened.SIGNAL_RELEASED: of_signalling.released,
    Happened.SIGNAL_COMPUTED: of_signalling.computed,
    Happened.SIGNAL_FAILED: of_signalling.failed,
    Happened.SAME_ROWS: of_ledger.same_rows_held,
}


def sentence(one: Notification) -> str:
    return one.text if one.happened is None else _SENTENCES[one.happened](**one.values)


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
