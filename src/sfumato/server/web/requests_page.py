"""My requests: the state and next step of each, and notifications."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Query
from starlette.responses import Response

from sfumato.escrow.submissions.lifecycle import State
from sfumato.escrow.submissions.store import SubmissionFilter
from sfumato.escrow.submissions.submission import Whose
from sfumato.presentation.escrow import notifications_view, submission_view
from sfumato.presentation.wording import requests_sentences as of_request
from sfumato.server.dependencies import EscrowDep, ReadingUser, SearchText
from sfumato.server.web.listing import ListPage, PageNumber
from sfumato.server.web.shell import RendererDep

screens = APIRouter(include_in_schema=False)
_NOTIFICATIONS = 10


@screens.get("/requests")
def requests(
    page: RendererDep,
    actor: ReadingUser,
    escrow: EscrowDep,
    state: Annotated[State | Literal[""], Query()] = "",
    search: SearchText = "",
    dataset: SearchText = "",
    number: Annotated[PageNumber, Query(alias="page")] = 1,
) -> Response:
    """Your own requests; those of datasets that you control are in the inbox."""
    filter = SubmissionFilter(search, dataset=dataset or None)
    counts = escrow.requests.counts(actor, filter, Whose.OWN)
    total = sum(counts.values()) if not state else counts.get(State(state), 0)
    listing = ListPage("/requests", {"state": state, "search": search, "dataset": dataset}, total, number)
    within = SubmissionFilter(search, (State(state),) if state else (), dataset or None)
    own = escrow.requests.listed(actor, within, whose=Whose.OWN, skip=listing.skip, limit=listing.size)
    notifications = escrow.notifications.many(actor, unread=True, limit=_NOTIFICATIONS)
    seen = escrow.notifications.many(actor, limit=_NOTIFICATIONS)
    return page(
        "requests.html",
        requests=list(map(submission_view.request, own)),
        listing=listing,
        state=state,
        states=[(one.value, counts.get(one, 0)) for one in State if counts.get(one) or one == state],
        every=sum(counts.values()),
        datasets=[(name, name) for name in escrow.requests.values(actor, "dataset", Whose.OWN)],
        has=of_request.HAS,
        notices=[notifications_view.worded(one) for one in notifications],
        unread_notices=escrow.notifications.count(actor, unread=True),
        seen=[notifications_view.worded(one) for one in seen if one.read_at is not None],
    )
