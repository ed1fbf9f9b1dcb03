"""Beliefs about possible worlds: what a noisy mean or median tells of who is missing from a public universe."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query
from starlette.responses import Response

from sfumato.errors import BadInput
from sfumato.model.world_beliefs import WorldBeliefs
from sfumato.presentation import worlds_view as view
from sfumato.presentation.wording import belief as of_belief
from sfumato.privacy.risk.belief import STATISTICS
from sfumato.privacy.risk.published_worlds import PAPER_EPSILONS, beliefs_as_published
from sfumato.release.universe import number_from_text, statistic, universe_from_text
from sfumato.server.dependencies import EscrowDep, NameInPath, ReadingUser
from sfumato.server.web.shell import RendererDep

screens = APIRouter(include_in_schema=False)
_MOST = 200  # people of a universe on a page
_EXAMPLE = "Chris, 1\nKelly, 2\nPat, 3\nTerry, 10"  # Table 1 of Lee and Clifton


@screens.get("/datasets/{name}/beliefs")
def beliefs(
    page: RendererDep,
    actor: ReadingUser,
    name: NameInPath,
    escrow: EscrowDep,
    universe: Annotated[str, Query(max_length=8000)] = _EXAMPLE,
    answer: Annotated[str, Query(max_length=20)] = "mean",
    epsilon: Annotated[float, Query(gt=0, le=100)] = 2.0,
    limit: Annotated[float, Query(gt=0, lt=1)] = 0.333,
    response: Annotated[str, Query(max_length=30)] = "",
) -> Response:
    """Public arithmetic: nothing of the dataset is read, and nothing is entered."""
    escrow.datasets.controlled(actor, name)
    dataset = escrow.datasets.one(actor, name)
    problem, one, table = None, None, None
    try:
        one, table = _tables(universe, answer, epsilon, limit, response)
    except BadInput as wrong:
        problem = wrong
    return page(
        "beliefs.html",
        dataset=dataset,
        universe=universe,
        answer=answer,
        answers=list(STATISTICS),
        epsilon=epsilon,
        limit=limit,
        response=response,
        problem=problem,
        worlds=None if one is None else view.worlds(one.candidates[0]),
        matrix=None if table is None else view.matrix(table),
        lines=() if one is None else (of_belief.sized_by(one.sensitivity), *view.limits(one)),
        words=of_belief,
    )


def _tables(
    universe: str, answer: str, epsilon: float, limit: float, response: str
) -> tuple[WorldBeliefs, WorldBeliefs]:
    """The worlds at one epsilon, and their posteriors at the epsilons of the paper."""
    names, values = universe_from_text(universe, _MOST)
    after = number_from_text(response) if response.strip() else None
    at = (names, values, statistic(answer))
    return beliefs_as_published(*at, [epsilon], after, limit), beliefs_as_published(*at, PAPER_EPSILONS, after)
