"""The plan of a query: the epsilon of its preferences, entered in the ledger before any noise is drawn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sfumato.errors import PreferenceError
from sfumato.ledger.entry import Draft
from sfumato.ledger.history import Record
from sfumato.model.guarantee import Guarantee, Provenance, guarantee_of
from sfumato.privacy.preferences.solver import Solution
from sfumato.release.bound_query import BoundQuery
from sfumato.release.decide import ReleaseRequest, SolvedRequest, plan_entry, plan_of
from sfumato.release.draw_plan import DrawPlan
from sfumato.release.keywords import ReleaseTerms
from sfumato.release.reserve import refuse_without_guarantee
from sfumato.release.selection import select
from sfumato.release.selection.select import SelectionOutcome

_UNREAD = Solution(None, feasible=False, unbounded=False, why="no data was read")  # its charge is a public constant


def choose_epsilon(query: BoundQuery, request: ReleaseRequest, terms: ReleaseTerms) -> SolvedRequest:
    """Entered before a selection is charged; what is drawn without one is entered with what came of it."""
    if not (request.reads_people or request.draws):
        return _choose_epsilon(query, request, terms)
    with query.context.snapshot():
        return _choose_epsilon(query, request, terms)


def _choose_epsilon(query: BoundQuery, request: ReleaseRequest, terms: ReleaseTerms) -> SolvedRequest:
    ledger, unmet, preregistered = query.context.ledger, select.unmet(query, request), terms.preregistered
    drawn: SelectionOutcome | None = None
    if request.selecting and unmet is None:
        select.require_affordable(query, request, terms)
        _enter(query, request, preregistered)
    if unmet is None:
        drawn = select.run_selection(query, request, terms)
    solution = unmet or query.solution(request, None if drawn is None else drawn.selected)
    if not request.selecting or unmet is not None:
        _enter(query, request, preregistered, drawn)
    inputs = query.provenances(request, ledger.known, preregistered)
    choice = _choice(request, solution, inputs, preregistered)
    if unmet is not None:
        return replace(choice, select_epsilon=0.0)  # nothing was selected
    if drawn is None:
        return choice
    inputs = select.provenances_of_choice(query, request, choice.epsilon, ledger.known, preregistered)
    return _choice(request, solution, inputs, preregistered)


def preview(query: BoundQuery, request: ReleaseRequest, preregistered: str) -> SolvedRequest:
    """By public facts: nothing is read, entered or charged."""
    solution = _UNREAD if request.reads_people or request.draws else query.solution(request)
    inputs = query.provenances(request, query.context.ledger.record, preregistered)
    return _choice(request, solution, inputs, preregistered)


def enter_plan(query: BoundQuery, request: ReleaseRequest, preregistered: str) -> Guarantee:
    """Enter a plan without reading data; returns the guarantee it will have."""
    if request.reads_people:
        raise PreferenceError.because("plan-reads-people", method=request.method)
    _enter(query, request, preregistered)
    return guarantee_of(query.provenances(request, query.context.ledger.known, preregistered))


def require_releasable(query: BoundQuery, request: ReleaseRequest, terms: ReleaseTerms) -> bool:
    """Refuse what a release would be refused for; returns whether an earlier answer will be returned."""
    query.require_addable(request.noise)
    record, preregistered = query.context.ledger.record, terms.preregistered
    before = [] if terms.redraw else select.earlier_outcomes(query, request, record)
    unread = not before and (request.reads_people or request.selecting)
    solution = _UNREAD if unread else query.solution(request, before[-1].selected if before else None)
    inputs = query.provenances(request, record, preregistered)
    # With the guarantee of its selection: an epsilon that was selected without one is not looked up.
    of_record = guarantee_of(select.provenances_of_choice(query, request, solution.epsilon, record, preregistered))
    plan = DrawPlan(query, request, solution, request.reads_people or (bool(request.selecting) and not of_record.holds))
    if not terms.redraw and plan.is_in(record, allow_no_guarantee=terms.allow_no_guarantee):
        return True
    if not terms.allow_no_guarantee:
        refuse_without_guarantee(inputs)
    if request.selecting and not before:
        select.require_affordable(query, request, terms)
        return False
    if request.reads_people or solution.epsilon is not None:
        charge = plan.charge_draft(guarantee_of(inputs), record, plan.numbers_in(record))
        query.context.ledger.reserve(record, charge)  # or refuse it by the budget, before anything is entered
    return False


def _enter(
    query: BoundQuery, request: ReleaseRequest, preregistered: str, drawn: SelectionOutcome | None = None
) -> None:
    """The plan, unless it is in force; with what was drawn for it, unless that is in the record."""
    ledger = query.context.ledger
    fresh = drawn.stored() if drawn is not None and not drawn.kept else {}

    def plan(record: Record) -> Sequence[Draft]:
        return [plan_entry(ledger, request, guarantee_of(query.provenances(request, record, preregistered)), fresh)]

    if fresh or not ledger.record.in_force(plan_of(request)):
        ledger.write(plan)


def _choice(
    request: ReleaseRequest, solution: Solution, inputs: tuple[Provenance, ...], preregistered: str
) -> SolvedRequest:
    return SolvedRequest(
        epsilon=solution.epsilon,
        feasible=solution.feasible,
        unbounded=solution.unbounded,
        why=solution.why,
        method=request.method,
        guarantee=guarantee_of(inputs),
        noise=request.noise,
        epsilon_max=request.epsilon_max,
        select_epsilon=request.select_epsilon,
        provenances=inputs,
        preregistered=preregistered,
        request=request,
    )
