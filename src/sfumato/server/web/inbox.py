"""The inbox of a controller: open requests and signals, recent decisions, unread notifications."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query
from starlette.responses import Response

from sfumato.errors import SfumatoError
from sfumato.escrow.identity.person import Person, Role
from sfumato.escrow.service import Escrow
from sfumato.escrow.submissions.request_payload import Request
from sfumato.escrow.submissions.requests import RequestBrief
from sfumato.presentation.escrow import notifications_view, submission_view
from sfumato.presentation.wording.signals import pages as of_signal_pages
from sfumato.server.dependencies import EscrowDep, ReadingUser
from sfumato.server.web.shell import RendererDep

screens = APIRouter(include_in_schema=False)
MOST_PREVIEWS = 12  # a preview takes some milliseconds: further requests show it on their own page
LATELY = 10
_DECIDED = ("approved", "running", "released", "returned", "refused", "failed")


@screens.get("/inbox")
def inbox(
    page: RendererDep,
    actor: ReadingUser,
    escrow: EscrowDep,
    order: Annotated[Literal["oldest", "newest"], Query()] = "oldest",
) -> Response:
    actor.require(Role.CONTROLLER, to="decide requests")
    waiting = [one.submission for one in escrow.requests.approval.waiting(actor)]
    waiting = waiting if order == "oldest" else waiting[::-1]
    listed = [
        _listed(one, _preview(escrow, actor, one.id) if place < MOST_PREVIEWS else None)
        for place, one in enumerate(waiting)
    ]
    return page(
        "inbox.html",
        requests=listed,
        introduction=any(one["preview"] and one["preview"].introduction for one in listed),
        signals=[submission_view.signal(one) for one in escrow.signals.approval.waiting(actor)],
        titles=of_signal_pages.TITLES,
        order=order,
        holds=bool({*escrow.datasets.held_by(actor)}),
        decided=_lately(escrow, actor),
        notices=[notifications_view.worded(one) for one in escrow.notifications.many(actor, unread=True, limit=50)],
    )


def _listed(request: Request, preview: RequestBrief | None) -> dict[str, Any]:
    first, *more = request.queries
    line = next(iter(first.sql.strip().splitlines()), "")
    return {**vars(request), "first": line, "more": len(more), "preview": preview}


def _preview(escrow: Escrow, actor: Person, id: str) -> RequestBrief | None:
    """The preview of a request; None if its policy or data is gone, as its own page says."""
    try:
        return escrow.requests.brief(actor, id)
    except SfumatoError:
        return None


def _lately(escrow: Escrow, actor: Person) -> list[Request]:
    """The most recently decided requests of datasets that this person controls."""
    newest = [one.submission for one in escrow.requests.many(actor, limit=5 * LATELY)]
    own = {*escrow.datasets.held_by(actor)}
    decided = [one for one in newest if one.state in _DECIDED and one.dataset in own and one.analyst]
    return sorted(decided, key=lambda one: one.decided_at or "", reverse=True)[:LATELY]
