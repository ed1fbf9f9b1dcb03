"""A private selection of epsilon: charged before anybody is read, drawn, and kept before it leaves.

See docs/theory/variance.md.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from fractions import Fraction
from typing import Any, cast

from sfumato.errors import PreferenceError
from sfumato.ledger.charges import SELECTION
from sfumato.ledger.entry import NANO, Draft, Event, nano
from sfumato.ledger.history import Record
from sfumato.model.calibration import NoiseLaw
from sfumato.model.guarantee import (
    Guarantee,
    Provenance,
    chosen_by,
    guarantee_of,
    late_selection_provenance,
    selection_provenance,
)
from sfumato.model.risk import WORST_CASE
from sfumato.model.schema import BUDGET
from sfumato.privacy.accounting.zcdp import entered, rho_pure
from sfumato.privacy.preferences.preference import Preference, Variance
from sfumato.privacy.preferences.pri import Pri
from sfumato.privacy.preferences.private_selection import Selected
from sfumato.privacy.preferences.solver import Solution, solve
from sfumato.release.bound_query import BoundQuery
from sfumato.release.decide import EPSILON_MAX, ReleaseRequest
from sfumato.release.ledger import digest
from sfumato.release.noise import Noisy
from sfumato.release.reserve import (
    PrivacyCost,
    answer_key,
    earlier_release,
    read_for,
    record_release,
    refuse_without_guarantee,
    reserve,
    row,
    version_of,
)


@dataclass(frozen=True)
class SelectionOutcome:
    """What was drawn for the preferences that only a draw can meet; `kept`: it is in the record already."""

    selected: Mapping[Preference, Selected]
    kept: bool = True

    def stored(self) -> dict[str, object]:
        return {"selected": [_as_stored(found) for found in self.selected.values()]}


def _as_stored(found: Selected) -> dict[str, object]:
    """As a record keeps it, which knows no tuples; an output only where there is one."""
    told = asdict(found) | {"output": [list(cell) for cell in found.output]}
    return told if found.output else {name: value for name, value in told.items() if name != "output"}


def run_selection(
    query: BoundQuery, asked: ReleaseRequest, allow_no_guarantee: bool, redraw: bool, attestation: str
) -> SelectionOutcome | None:
    """What is drawn, or was to this very request; None where nothing is to be drawn."""
    if asked.selecting:
        return _select(query, asked, allow_no_guarantee=allow_no_guarantee, redraw=redraw, attestation=attestation)
    if not asked.as_published:
        return None
    if not redraw and (drawn_before := earlier_outcomes(query, asked, query.context.ledger.record)):
        return drawn_before[-1]
    from sfumato.release.selection.draw import draw_as_published

    survey, services = query.look(asked.noise), query.context.services
    return SelectionOutcome({p: draw_as_published(p, survey, asked, services) for p in asked.as_published}, kept=False)


def unmet(query: BoundQuery, asked: ReleaseRequest) -> Solution | None:
    """What no selection could mend: refused from public facts, before it is charged."""
    public = [p for p in asked.preferences if not p.reads_people and not p.selects]
    if not asked.selecting or not public:
        return None
    found = solve(
        public,
        lambda _: WORST_CASE,
        asked.noise,
        measurement=query.declared,
        candidates=asked.candidates,
        epsilon_max=asked.epsilon_max,
        selection=asked.select_epsilon,
    )
    return None if found.feasible else replace(found, why=f"{found.why} Nothing was drawn and nothing was charged.")


def earlier_outcomes(query: BoundQuery, asked: ReleaseRequest, record: Record) -> list[SelectionOutcome]:
    """Every outcome of this request so far, each charged or looked at: oldest first, but last the one that counts."""
    if asked.selecting:
        every, counts = record.release_entries(_key(query, asked)), record.selections(_key(query, asked))[-1:]
        return [_read(entry.draft, asked) for entry in (*(e for e in every if e not in counts), *counts)]
    return [_read(entry.draft, asked) for entry in record.drawn_plans(asked.key)]


def times(query: BoundQuery, asked: ReleaseRequest, number: int) -> int:
    """How often this request was selected for, and charged, before an entry."""
    key, entries = _key(query, asked), query.context.ledger.known.entries
    return sum(e.draft.event is Event.RESERVED and e.draft.key == key and e.number < number for e in entries)


def provenances_of_choice(
    query: BoundQuery, asked: ReleaseRequest, epsilon: float | None, record: Record, attestation: str
) -> tuple[Provenance, ...]:
    """The labels of a choice: of one that was selected, what the selection itself rests on is among them."""
    found = query.provenances(asked, record, attestation)
    if not asked.selecting or asked.reads_people:
        return found
    newest_first = (entry.draft for entry in reversed(record.selections(_key(query, asked))))
    same = (d for d in newest_first if query.solved(asked, _read(d, asked).selected).epsilon == epsilon)
    own = next(same, None)
    if own is None:
        return (*found, late_selection_provenance("epsilon"))
    attested = cast(list[str], own.public.get("attested", []))
    return (*found, *(selection_provenance("epsilon", said) for said in attested))


def _inputs(
    query: BoundQuery, asked: ReleaseRequest, record: Record, attestation: str, redraw: bool
) -> tuple[Provenance, ...]:
    """Of the selection itself, also the budget where that is a ceiling: what is left of it may be what is selected."""
    found, ledger = query.provenances(asked, record, attestation), query.context.ledger
    if redraw and record.somebody_looked and record.selections(_key(query, asked)):
        found = (*found, late_selection_provenance("epsilon"))
    spent = Fraction(record.total.nano_epsilon + nano(asked.select_epsilon), NANO)
    if ledger.budget.epsilon is None or ledger.budget.epsilon - spent >= Fraction(str(asked.epsilon_max)):
        return found
    by = {"attestation": " ".join(attestation.split()), "who": ledger.who}
    return (*found, record.schema((BUDGET,), ledger.schema, what="budget", **by))


def require_affordable(
    query: BoundQuery, asked: ReleaseRequest, allow_no_guarantee: bool, redraw: bool, attestation: str
) -> None:
    """Refuse what a selection would be refused for, its guarantee or the budget, before anything is entered."""
    query.context.require_data()
    record = query.context.ledger.record
    if not redraw and earlier_outcomes(query, asked, record):
        return
    inputs = _inputs(query, asked, record, attestation, redraw)
    if not allow_no_guarantee:
        refuse_without_guarantee(inputs, "selection")
    query.context.ledger.reserve(record, _reservation(query, asked, "", guarantee_of(inputs)))


def _select(
    query: BoundQuery, asked: ReleaseRequest, *, allow_no_guarantee: bool, redraw: bool, attestation: str
) -> SelectionOutcome:
    """Reserved before the data is read, kept before it leaves; the same request on the same data is charged once."""
    from sfumato.release.selection.draw import draw_selection

    query.context.require_data()
    ledger, key = query.context.ledger, _key(query, asked)
    if not redraw and (kept := ledger.record.selections(key)):
        return _read(kept[-1].draft, asked)
    held = reserve(
        ledger,
        earlier_release(key, allow_no_guarantee=allow_no_guarantee, redraw=redraw),
        lambda record: _inputs(query, asked, record, attestation, redraw),
        lambda guarantee: _reservation(query, asked, key, guarantee),
        allow_no_guarantee=allow_no_guarantee,
        what="selection",
    )
    if isinstance(held, Draft):
        return _read(held, asked)
    ceiling = asked.epsilon_max
    if ledger.budget.epsilon is not None:  # whatever is selected can be released within the budget
        left = ledger.budget.epsilon - Fraction(held.total.nano_epsilon, NANO)
        ceiling = min(ceiling, math.floor(left * NANO) / NANO)
    survey, services = query.survey(asked.noise), query.context.services

    def select() -> SelectionOutcome:
        return SelectionOutcome(
            {p: draw_selection(p, survey, asked.noise, services, asked.candidates, ceiling) for p in asked.selecting}
        )

    found = read_for(ledger, key, held, _what(query, asked, held.guarantee), select)
    attested = sorted({i.attestation for i in held.inputs if i.attestation})
    outcome = found.stored() | ({"attested": attested} if attested else {})
    record_release(ledger, key, held, _what(query, asked, held.guarantee), outcome, told=held.guarantee.holds)
    return found


def accepted_output(query: BoundQuery, asked: ReleaseRequest, epsilon: float | None) -> Noisy | None:
    """The very output that Find-eps-from-PRI accepted for a choice, which it releases; None where nothing was."""
    for outcome in reversed(earlier_outcomes(query, asked, query.context.ledger.known)) if asked.as_published else ():
        for found in outcome.selected.values():
            if found.output and found.epsilon == epsilon:
                numbers = tuple(tuple(map(Fraction, cell)) for cell in found.output)
                return Noisy(query.measurement.public_cells, numbers)
    return None


def require_unreleased(query: BoundQuery, asked: ReleaseRequest, epsilon: float | None) -> None:
    """Refuse to charge once more for the very output that went out: choosing again draws another."""
    record = query.context.ledger.known
    if not any(isinstance(p, Pri) for p in asked.preferences):
        return
    left = record.release_entries(answer_key(query, digest([asked.wording, epsilon])))
    if left and record.drawn_plans(asked.key)[-1].number < left[-1].number:
        raise PreferenceError.because("pri-output-released")


def _key(query: BoundQuery, asked: ReleaseRequest) -> str:
    return answer_key(query, digest(["selection", asked.key]))


def _read(draft: Draft, asked: ReleaseRequest) -> SelectionOutcome:
    """What an entry says was drawn."""
    stored = cast(list[dict[str, Any]], draft.public.get("selected") or draft.confidential["selected"])
    asking = asked.selecting or asked.as_published
    return SelectionOutcome({p: Selected(**kept) for p, kept in zip(asking, stored, strict=True)})


def _reservation(query: BoundQuery, asked: ReleaseRequest, key: str, outcome: Guarantee) -> Draft:
    """The charge: what the selections cost, or a public constant where that would tell about the data."""
    charge = nano(asked.select_epsilon if outcome.holds else EPSILON_MAX)
    public: dict[str, object] = {
        "what": _what(query, asked, outcome),
        "guarantee": outcome.value,
        "method": asked.said(told=outcome.holds),
        "kind": SELECTION,
        "version": version_of(query.context),
    }
    laws = dict.fromkeys(
        NoiseLaw.LAPLACE if isinstance(p, Variance) else NoiseLaw.SPARSE_VECTOR for p in asked.selecting
    )
    cost = PrivacyCost(
        asked.select_epsilon, entered(rho_pure(asked.select_epsilon)), (), (), None, select_epsilon=asked.select_epsilon
    )
    public |= row(chosen_by(outcome, outright=False), ", ".join(law.value for law in laws), cost)
    confidential: dict[str, object] = {} if outcome.holds else {"epsilon": asked.select_epsilon}
    ledger = query.context.ledger
    if outcome.holds:  # what could not be released afterwards, however small, is not selected
        least, delta = charge + nano(asked.smallest), Fraction(str(asked.noise.delta or 0))
        ledger.reserve(ledger.known, ledger.draft(Event.RESERVED, key, public, None, least, delta))
    return ledger.draft(Event.RESERVED, key, public, confidential, charge)


def _what(query: BoundQuery, asked: ReleaseRequest, outcome: Guarantee) -> str:
    return f"selection of an epsilon by {asked.said(told=outcome.holds)} for {query.sql}"
