"""Notifications: what happened that somebody should know."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import BaseModel

from sfumato.presentation.escrow import notifications_view
from sfumato.server.dependencies import AfterNumber, EscrowDep, Limit, NameInPath, Page, ReadingUser, WritingUser, page
from sfumato.server.openapi import SENT, SIGNED_IN

routes = APIRouter(prefix="/notifications", tags=["notifications"])


class NoticeShown(BaseModel):
    id: str
    number: int
    person: str
    at: str
    text: str
    about: str
    read_at: str | None


@routes.get("", responses=SIGNED_IN)
def many(
    actor: ReadingUser,
    escrow: EscrowDep,
    unread: Annotated[bool, Query()] = False,
    after: AfterNumber = None,
    limit: Limit = 100,
) -> Page[NoticeShown]:
    """One's own."""
    found = escrow.notifications.many(actor, unread=unread, after=after, limit=limit + 1)
    return page((NoticeShown.model_validate(notifications_view.as_dict(one)) for one in found), limit, "number")


@routes.post("/{id}/read", status_code=204, responses=SENT)
def read(actor: WritingUser, id: NameInPath, escrow: EscrowDep) -> None:
    """It was read."""
    escrow.notifications.read(actor, id)
