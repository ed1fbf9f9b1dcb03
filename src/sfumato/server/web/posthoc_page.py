"""Post-hoc risk of an answer, for controllers: of one that was released, or that is withheld until they decide."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.responses import Response

from sfumato.errors import Conflict
from sfumato.escrow.submissions.lifecycle import State
from sfumato.presentation.escrow import submission_view
from sfumato.presentation.wording import guarantee as of_guarantee
from sfumato.presentation.wording import posthoc_sentences as of_posthoc
from sfumato.server.dependencies import EscrowDep, NameInPath, ReadingUser
from sfumato.server.web.shell import RendererDep

screens = APIRouter(include_in_schema=False)
_WITH_ANSWER = (State.COMPUTED, State.RELEASED)


@screens.get("/requests/{id}/posthoc-risk")
def posthoc_risk(page: RendererDep, actor: ReadingUser, escrow: EscrowDep, id: NameInPath) -> Response:
    """The page before the look: nothing is read until the button is pressed."""
    request = submission_view.request(escrow.requests.one(actor, id))
    dataset = escrow.datasets.controlled(actor, request["dataset"])
    if request["state"] not in _WITH_ANSWER:
        raise Conflict.because("no-answer-to-measure", number=request["number"], state=request["state"])
    return page(
        "posthoc.html",
        request=request,
        withheld=request["state"] == State.COMPUTED,
        columns=[column.name for column in dataset.schema.columns],
        words=of_posthoc,
        look=of_guarantee.LOOK,
        facts={"id": request["id"]},
    )
