"""What waits for a decision, what was decided lately, and what a controller has not read yet."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query
from starlette.responses import Response

from sfumato.errors import SfumatoError
from sfumato.escrow.identity.person import Person, Role
from sfumato.escrow.service import Escrow
from sfumato.presentation.escrow import notifications_view
from sfumato.presentation.wording.signals import pages as of_signal_pages
from sfumato.server.dependencies import EscrowDep, ReadingUser
from sfumato.server.web.shell import RendererDep

screens = APIRouter(include_in_schema=False)
MOST_PREVIEWS = 12  # what a request comes to takes some milliseconds: beyond these, its own page says it
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
    waiting = escrow.requests.approval.waiting(actor)
    waiting = waiting if order == "oldest" else waiting[::-1]
    listed = [
        _listed(one) | {"preview": _preview(escrow, actor, one) if place < MOST_PREVIEWS else None}
        for place, one in enumerate(waiting)
    ]
    return page(
        "inbox.html",
        requests=listed,
        introduction=any(one["preview"] and one["preview"]["introduction"] for one in listed),
        signals=escrow.signals.approval.waiting(actor),
        titles=of_signal_pages.TITLES,
        order=order,
        holds=bool({*escrow.datasets.held_by(actor)}),
        decided=_lately(escrow, actor),
        notices=[notifications_view.worded(one) for one in escrow.notifications.many(actor, unread=True, limit=50)],
    )


def _listed(one: Mapping[str, Any]) -> dict[str, Any]:
    first, *more = one["queries"]
    return dict(one) | {"first": next(iter(first["sql"].strip().splitlines()), ""), "more": len(more)}


def _preview(escrow: Escrow, actor: Person, one: Mapping[str, Any]) -> dict[str, Any] | None:
    """None where the policy or the data is no longer there: its own page says which."""
    try:
        return escrow.requests.brief(actor, one["id"])
    except SfumatoError:
        return None


def _lately(escrow: Escrow, actor: Person) -> list[dict[str, Any]]:
    """Those of the newest requests that were decided. What an auditor sees beside is for the audit's own page."""
    newest = escrow.requests.many(actor, limit=5 * LATELY)
    own = {*escrow.datasets.held_by(actor)}
    decided = [one for one in newest if one["state"] in _DECIDED and one["dataset"] in own and "analyst" in one]
    return sorted(decided, key=lambda one: one["decided_at"] or "", reverse=True)[:LATELY]
