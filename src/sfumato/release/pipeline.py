"""One release from beginning to end: solve, reserve, draw, record, certify."""

from __future__ import annotations

from functools import partial

from sfumato.model.calibration import NoiseLaw
from sfumato.model.release import Released
from sfumato.privacy.noise.calibration import added_numbers
from sfumato.release.bound_query import BoundQuery
from sfumato.release.choose import choose_epsilon, require_releasable
from sfumato.release.decide import ReleaseRequest, SolvedRequest, new_plan
from sfumato.release.draw import draw
from sfumato.release.draw_plan import DrawPlan
from sfumato.release.request import require_own_choice


def release(
    query: BoundQuery, request: ReleaseRequest, *, allow_no_guarantee: bool, redraw: bool, attestation: str
) -> Released:
    """The noisy answer with its certificate, charged first.

    Solved and calibrated once, from public facts. Then one transaction of the ledger enters the plan, derives the
    provenances from the history that it reads, checks the budget and charges. Where epsilon is read off the people or
    drawn, that comes first, with an entry or a charge of its own.
    """
    if request.reads_people or request.draws:
        require_releasable(query, request, attestation, allow_no_guarantee=allow_no_guarantee, redraw=redraw)
        choice = choose_epsilon(query, request, attestation, allow_no_guarantee=allow_no_guarantee, redraw=redraw)
        return release_choice(
            query, choice, allow_no_guarantee=allow_no_guarantee, redraw=redraw, attestation=attestation
        )
    if request.noise.mechanism != NoiseLaw.LAPLACE and query.declared is not None:
        added_numbers(query.declared, request.noise)
    plan = DrawPlan(query, request, query.solution(request), hidden=False)
    entered = partial(new_plan, query.context.ledger, request)
    return draw(plan, allow_no_guarantee=allow_no_guarantee, redraw=redraw, attestation=attestation, entered=entered)


def release_choice(
    query: BoundQuery, choice: SolvedRequest, *, allow_no_guarantee: bool, redraw: bool, attestation: str
) -> Released:
    """The same for a choice that was made before."""
    require_own_choice(query, choice)
    plan, attestation = DrawPlan.of(query, choice), attestation or choice.attestation
    return draw(plan, allow_no_guarantee=allow_no_guarantee, redraw=redraw, attestation=attestation)
