"""Figures of a recurring plan in the ledger: each is charged once, whatever interrupts its release.

A figure is one query of a plan in one period. Its key depends on no data, so it is found again when the data has
changed or is gone. See docs/theory/charges.md.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from sfumato.errors import Conflict, PreferenceError
from sfumato.ledger.entry import Draft, Entry, Event
from sfumato.ledger.history import Record
from sfumato.model.guarantee import Guarantee
from sfumato.release.bound_query import BoundQuery
from sfumato.release.decide import ReleaseRequest
from sfumato.release.keywords import ReleaseTerms
from sfumato.release.ledger import PrivacyLedger, digest


@dataclass(frozen=True)
class RecurringFigure:
    """One query of a plan in one period, with its request."""

    plan: str
    period: str
    name: str
    request: ReleaseRequest

    @property
    def key(self) -> str:
        """The same for the same query and preferences, whichever data they are asked of."""
        return digest(["figure", self.plan, self.period, self.name, self.request.wording])


def require_public(query: BoundQuery, request: ReleaseRequest) -> None:
    """Refuse an epsilon that is read off the people or drawn: a plan releases what is fixed by public facts."""
    if request.reads_people or request.draws:
        raise PreferenceError.because("figure-not-public", method=request.method, sql=query.sql)


def stored_figure(record: Record, key: str) -> Draft | None:
    """The answer of a figure, if it was released."""
    entries = record.figure(key)
    return None if entries.released is None or entries.unknown is not None else entries.released.draft


def record_as_figure(ledger: PrivacyLedger, stored: Draft, figure: str) -> None:
    """Enter an answer that was released before as that of a figure, too."""
    public = {name: value for name, value in stored.public.items() if name != "draw"} | {"figure": figure}
    hidden = {name: value for name, value in stored.confidential.items() if name != "salt"}
    ledger.write(lambda _record: [ledger.draft(Event.RELEASED, stored.key, public, hidden)])


@dataclass(frozen=True)
class OneCharge:
    """A figure is charged once. `key` is that of the request on its data, and `interruptions` the words of its plan."""

    ledger: PrivacyLedger
    key: str
    figure: str
    interruptions: str

    def named(self, charge: Draft, /) -> Draft:
        return replace(charge, public={**charge.public, "figure": self.figure})

    def resumption(self, record: Record, guarantee: Guarantee, /) -> tuple[Entry, Draft] | None:
        """Refused unless the plan says why runs are interrupted, and for other data: a charge is for what it read."""
        charge = record.figure(self.figure).unknown
        if charge is None:
            return None
        same = charge.draft.key == self.key and Guarantee(str(charge.draft.public["guarantee"])) is guarantee
        if not self.interruptions or record.failures or not same:
            why = "failed" if record.failures else "unstated" if same else "changed"
            raise Conflict.because("figure-outcome-unknown", entry=charge.number, why=why)
        what = f"the draw of entry {charge.number} goes on; it was interrupted for a reason outside the data"
        public: dict[str, object] = {"what": f"{what}: {self.interruptions}", "resumed": charge.number}
        return charge, self.ledger.draft(Event.CAUSE, "", public | {"cause": self.interruptions})


def charge_as_figure(ledger: PrivacyLedger, key: str, terms: ReleaseTerms) -> OneCharge:
    return OneCharge(ledger, key, terms.figure, terms.interruptions)
