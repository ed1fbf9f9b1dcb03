"""Failures of the engine: what the record says of one, and what a controller may state about its cause.

Whether a query fails is one exact fact about the data, so a failure is an event without a guarantee. It counts for
nothing where its cause lies outside the data, such as a full disk: that is for the controller to state.
"""

from __future__ import annotations

from sfumato.errors import BadInput
from sfumato.ledger.entry import Draft, Event
from sfumato.ledger.history import Record
from sfumato.model.guarantee import Guarantee

LONGEST = 500  # characters of a cause


def failure_facts(what: str, reserved: int | None) -> dict[str, object]:
    """What anyone may read of a failure; `reserved` is the number of the charge that it was made for."""
    public: dict[str, object] = {"what": f"the engine failed: {what}", "guarantee": Guarantee.NONE.value}
    return public if reserved is None else public | {"reserved": reserved}


def state_cause(record: Record, number: int, cause: str, *, who: str, at: str) -> Draft:
    """State that the failure in an entry had a cause outside the data."""
    text = " ".join(cause.split())
    if number not in record.failures:
        raise BadInput.because("no-open-failure", entry=number, dataset=record.dataset, failures=list(record.failures))
    if not text or len(text) > LONGEST:
        raise BadInput.because("cause-length", longest=LONGEST)
    public = {"what": f"cause of the failure in entry {number}, outside the data: {text}", "failure": number}
    return Draft(Event.CAUSE, record.dataset, who, at, public=public)
