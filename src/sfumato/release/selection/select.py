"""A private selection of epsilon: charged before any data is read, drawn, and recorded before it is returned.

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
from sfumato.model.guarantee import (
    Guarantee,
    Provenance,
    guarantee_of,
    late_selection_provenance,
    selection_provenance,
)
from sfumato.model.risk import WORST_CASE
from sfumato.model.schema import BUDGET
from sfumato.privacy.accounting.zcdp import ledger_rho, rho_pure
from sfumato.privacy.preferences.preference import Preference
from sfumato.privacy.preferences.private_selection import Selected
from sfumato.privacy.preferences.solver import Solution, solve
from sfumato.release.bound_query import BoundQuery
from sfumato.release.decide import ReleaseRequest
from sfumato.release.keywords import ReleaseTerms
from sfumato.release.ledger import digest
from sfumato.release.noise import Noisy
from sfumato.release.output_distance import require_one_level
from sfumato.release.reserve import (
    ChargePurpose,
    PrivacyCost,
    answer_key,
    charge_draft,
    earlier_release,
    read_for,
    record_release,
    refuse_without_guarantee,
    reserve,
)


@dataclass(frozen=True)
class SelectionOutcome:
    """What was drawn for the preferences that only a draw can meet; `kept`: it is in the record already."""

    selected: Mapping[Preference, Selected]
    kept: bool = True

    def stored(self) -> dict[str, object]:
        return {"selected": [_as_stored(selected) for selected in self.selected.values()]}


def _as_stored(selected: Selected) -> dict[str, object]:
    """As a record keeps it, which knows no tuples; an output only where there is one."""
    stored = asdict(selected) | {"output": [list(cell) for cell in selected.output]}
    return stored if selected.output else {name: value for name, value in stored.items() if name != "output"}


def run_selection(query: BoundQuery, request: ReleaseRequest, terms: ReleaseTerms) -> SelectionOutcome | None:
    """What is drawn, or was to this very request; None where nothing is to be drawn."""
    if request.selecting:
        return _select(query, request, terms)
    if not request.as_published:
        return None
    if not terms.redraw and (drawn_before := earlier_outcomes(query, request, query.context.ledger.record)):
        return drawn_before[-1]
    require_one_level(query.measurement)
    from sfumato.release.selection.draw import draw_as_published

    survey, services = query.look(request.noise), query.context.services
    return SelectionOutcome(
        {p: draw_as_published(p, survey, request, services) for p in request.as_published}, kept=False
    )


def unmet(query: BoundQuery, request: ReleaseRequest) -> Solution | None:
    """What no selection could mend: refused from public facts, before it is charged."""
    public = [p for p in request.preferences if not p.reads_people and not p.selects]
    if not request.selecting or not public:
        return None
    solution = solve(
        public,
        lambda _: WORST_CASE,
        request.noise,
        measurement=query.declared,
        candidates=request.candidates,
        epsilon_max=request.epsilon_max,
        selection=request.select_epsilon,
    )
    if solution.feasible:
        return None
    return replace(solution, why=f"{solution.why} Nothing was drawn and nothing was charged.")


def earlier_outcomes(query: BoundQuery, request: ReleaseRequest, record: Record) -> list[SelectionOutcome]:
    """Every outcome of this request so far, each charged or looked at: oldest first, but last the one that counts."""
    if request.selecting:
        every, counts = record.release_entries(_key(query, request)), record.selections(_key(query, request))[-1:]
        return [_read(entry.draft, request) for entry in (*(e for e in every if e not in counts), *counts)]
    return [_read(entry.draft, request) for entry in record.drawn_plans(request.key)]


def times(query: BoundQuery, request: ReleaseRequest, number: int) -> int:
    """How often this request was selected for, and charged, before an entry."""
    key, entries = _key(query, request), query.context.ledger.known.entries
    return sum(e.draft.event is Event.RESERVED and e.draft.key == key and e.number < number for e in entries)


def provenances_of_choice(
    query: BoundQuery, request: ReleaseRequest, epsilon: float | None, record: Record, preregistered: str
) -> tuple[Provenance, ...]:
    """The labels of a choice: of one that was selected, what the selection itself rests on is among them."""
    inputs = query.provenances(request, record, preregistered)
    if not request.selecting or request.reads_people:
        return inputs
    newest_first = (entry.draft for entry in reversed(record.selections(_key(query, request))))
    same = (d for d in newest_first if query.solution(request, _read(d, request).selected).epsilon == epsilon)
    own = next(same, None)
    if own is None:
        return (*inputs, late_selection_provenance("epsilon"))
    attested = cast(list[str], own.public.get("attested", []))
    return (*inputs, *(selection_provenance("epsilon", attested_text) for attested_text in attested))


def _inputs(query: BoundQuery, request: ReleaseRequest, record: Record, terms: ReleaseTerms) -> tuple[Provenance, ...]:
    """The inputs of the selection, with the budget where what remains of it may limit the selected epsilon."""
    inputs, ledger = query.provenances(request, record, terms.preregistered), query.context.ledger
    if terms.redraw and record.anyone_looked and record.selections(_key(query, request)):
        inputs = (*inputs, late_selection_provenance("epsilon"))
    left = ledger.epsilon_left(record, Fraction(nano(request.select_epsilon), NANO))
    if left is None or left >= Fraction(str(request.epsilon_max)):
        return inputs
    by = {"preregistered": " ".join(terms.preregistered.split()), "who": ledger.who}
    return (*inputs, record.schema((BUDGET,), ledger.schema, what="budget", **by))


def require_affordable(query: BoundQuery, request: ReleaseRequest, terms: ReleaseTerms) -> None:
    """Refuse what a selection would be refused for, its guarantee or the budget, before anything is entered."""
    query.context.require_data()
    record = query.context.ledger.record
    if not terms.redraw and earlier_outcomes(query, request, record):
        return
    inputs = _inputs(query, request, record, terms)
    if not terms.allow_no_guarantee:
        refuse_without_guarantee(inputs, "selection")
    query.context.ledger.reserve(record, _charge_draft(query, request, "", guarantee_of(inputs)))


def _select(query: BoundQuery, request: ReleaseRequest, terms: ReleaseTerms) -> SelectionOutcome:
    """Reserved before the data is read, kept before it leaves; the same request on the same data is charged once."""
    from sfumato.release.selection.draw import draw_selection

    query.context.require_data()
    ledger, key = query.context.ledger, _key(query, request)
    if not terms.redraw and (kept := ledger.record.selections(key)):
        return _read(kept[-1].draft, request)
    reservation = reserve(
        ledger,
        earlier_release(key, terms),
        lambda record: _inputs(query, request, record, terms),
        lambda guarantee: _charge_draft(query, request, key, guarantee),
        allow_no_guarantee=terms.allow_no_guarantee,
        what="selection",
    )
    if isinstance(reservation, Draft):
        return _read(reservation, request)
    epsilon_max = request.epsilon_max
    if (left := ledger.epsilon_left()) is not None:  # whatever is selected can be released within the budget
        epsilon_max = min(epsilon_max, math.floor(left * NANO) / NANO)
    survey, services = query.survey(request.noise), query.context.services

    def select() -> SelectionOutcome:
        how = request.noise, services, request.candidates, epsilon_max
        return SelectionOutcome({p: draw_selection(p, survey, *how) for p in request.selecting})

    what, is_public = _what(query, request, reservation.guarantee), reservation.guarantee.holds
    outcome_drawn = read_for(ledger, key, reservation, what, select)
    attested = sorted({i.preregistered for i in reservation.inputs if i.preregistered})
    outcome = outcome_drawn.stored() | ({"attested": attested} if attested else {})
    record_release(ledger, key, reservation, what, outcome, is_public=is_public)
    return outcome_drawn


def accepted_output(query: BoundQuery, request: ReleaseRequest, epsilon: float | None) -> Noisy | None:
    """The very output that Find-eps-from-PRI accepted for a choice, which it releases; None where nothing was."""
    for outcome in reversed(earlier_outcomes(query, request, query.context.ledger.known)):
        for selected in outcome.selected.values():
            if selected.output and selected.epsilon == epsilon:
                numbers = tuple(tuple(map(Fraction, cell)) for cell in selected.output)
                return Noisy(query.measurement.public_cells, numbers)
    return None


def require_unreleased(query: BoundQuery, request: ReleaseRequest, epsilon: float | None) -> None:
    """Refuse to charge once more for the very output that went out: choosing again draws another."""
    record = query.context.ledger.known
    if not any(p.releases_its_draw for p in request.preferences):
        return
    left = record.release_entries(answer_key(query, digest([request.wording, epsilon])))
    if left and record.drawn_plans(request.key)[-1].number < left[-1].number:
        raise PreferenceError.because("pri-output-released")


def _key(query: BoundQuery, request: ReleaseRequest) -> str:
    return answer_key(query, digest(["selection", request.key]))


def _read(draft: Draft, request: ReleaseRequest) -> SelectionOutcome:
    """What an entry says was drawn."""
    stored = cast(list[dict[str, Any]], draft.public.get("selected") or draft.confidential["selected"])
    asking = request.selecting or request.as_published
    return SelectionOutcome({p: Selected(**kept) for p, kept in zip(asking, stored, strict=True)})


def _charge_draft(query: BoundQuery, request: ReleaseRequest, key: str, outcome: Guarantee) -> Draft:
    """The charge: what the selections cost, or a public constant where that would tell about the data."""
    epsilon, ledger = request.select_epsilon, query.context.ledger
    laws = dict.fromkeys(p.selection_law.value for p in request.selecting if p.selection_law is not None)
    cost = PrivacyCost(epsilon, ledger_rho(rho_pure(epsilon)), (), (), None, select_epsilon=epsilon)
    what, method = _what(query, request, outcome), request.method_text(public=outcome.holds)
    purpose = ChargePurpose(what, SELECTION, method, ", ".join(laws), outright=False)
    draft = charge_draft(query.context, key, outcome, purpose, cost, epsilon)
    if outcome.holds:  # an epsilon that could not be released afterwards, however small, is not selected
        least, delta = draft.nano_epsilon + nano(request.smallest), Fraction(str(request.noise.delta or 0))
        ledger.reserve(ledger.known, replace(draft, nano_epsilon=least, delta=str(delta)))
    return draft


def _what(query: BoundQuery, request: ReleaseRequest, outcome: Guarantee) -> str:
    return f"selection of an epsilon by {request.method_text(public=outcome.holds)} for {query.sql}"
