"""What one recipient holds: the charges behind the answers that they have, added up."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import reduce
from typing import Any, cast

from sfumato.ledger.entry import Entry, Event
from sfumato.ledger.history import Record
from sfumato.ledger.odometer import Total, charged_total


def holdings(record: Record, numbers: Collection[int], people: Collection[str]) -> Total:
    """The total of the charges with these numbers, and of all that were made for these people.

    A budget per person counts as a whole: whom an answer within it is about follows from every charge of it.
    """
    picked = [
        entry
        for entry in record.entries
        if entry.draft.event is Event.RESERVED and (entry.number in numbers or entry.draft.who in people)
    ]
    begun = [record.charges_within(key)[0] for key in {_filter(entry) for entry in picked} if key]
    once = {entry.number: entry for entry in (*picked, *begun)}
    return reduce(Total.plus, (charged_total(entry.draft) for entry in once.values()), Total())


def _filter(entry: Entry) -> str:
    """The budget per person that a charge is within; empty without one."""
    within = cast(Mapping[str, Any], entry.draft.public.get("per_person") or {})
    return str(within.get("filter", ""))
