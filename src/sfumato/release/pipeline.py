"""One release from beginning to end: solve, reserve, draw, record, certify."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from sfumato.model.release import Released
from sfumato.release.bound_query import BoundQuery
from sfumato.release.choose import choose_epsilon, require_releasable
from sfumato.release.decide import ReleaseRequest, SolvedRequest, new_plan
from sfumato.release.draw import draw
from sfumato.release.draw_plan import DrawPlan
from sfumato.release.keywords import ReleaseTerms
from sfumato.release.request import require_own_choice


def release(query: BoundQuery, request: ReleaseRequest, terms: ReleaseTerms) -> Released:
    """The noisy answer with its certificate, charged first.

    Solved and calibrated once, from public facts. Then one transaction of the ledger enters the plan, derives the
    provenances from the history that it reads, checks the budget and charges. Where epsilon is read off the people or
    drawn, that comes first, with an entry or a charge of its own.
    """
    if request.reads_people or request.draws:
        require_releasable(query, request, terms)
        with query.context.snapshot():  # epsilon and answer are of the same rows
            return release_choice(query, choose_epsilon(query, request, terms), terms)
    query.require_addable(request.noise)
    plan = DrawPlan(query, request, query.solution(request), hidden=False)
    return draw(plan, terms, partial(new_plan, query.context.ledger, request))


def release_choice(query: BoundQuery, choice: SolvedRequest, terms: ReleaseTerms) -> Released:
    """The same for a choice that was made before."""
    require_own_choice(query, choice)
    own = replace(terms, preregistered=terms.preregistered or choice.preregistered)
    return draw(DrawPlan.of(query, choice), own)
