"""My requests: the state and next step of each, and notifications."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query
from starlette.responses import Response

from sfumato.escrow.submissions.lifecycle import State
from sfumato.presentation.escrow import notifications_view, submission_view
from sfumato.presentation.wording import requests_sentences as of_request
from sfumato.server.dependencies import AfterNumber, EscrowDep, ReadingUser
from sfumato.server.web.shell import RendererDep

screens = APIRouter(include_in_schema=False)
_A_PAGE = 50
_NOTIFICATIONS = 50


@screens.get("/requests")
def requests(
    page: RendererDep,
    actor: ReadingUser,
    escrow: EscrowDep,
    state: Annotated[State | None, Query()] = None,
    after: AfterNumber = None,
) -> Response:
    """Your own requests; those of datasets that you control are in the inbox."""
    visible = escrow.requests.many(actor, state=state and state.value, after=after, limit=_A_PAGE + 1)
    more = visible[_A_PAGE - 1].submission.number if len(visible) > _A_PAGE else None
    own = [submission_view.request(one) for one in visible[:_A_PAGE] if one.submission.analyst in ("", actor.name)]
    notifications = [notifications_view.worded(one) for one in escrow.notifications.many(actor, limit=_NOTIFICATIONS)]
    return page(
        "requests.html",
        requests=own,
        more=more,
        state=state and state.value,
        states=[one.value for one in State],
        has=of_request.HAS,
        notices=sorted(notifications, key=lambda one: one.read_at is not None),
    )
