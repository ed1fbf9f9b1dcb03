"""Notifications: events that concern the person signed in."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import Field

from sfumato.escrow.notifications import Topic
from sfumato.presentation.escrow.notifications_view import WordedNotification, worded
from sfumato.server.dependencies import AfterNumber, EscrowDep, Limit, NameInPath, Page, ReadingUser, WritingUser, page
from sfumato.server.openapi import SENT, SIGNED_IN
from sfumato.server.texts import Body

routes = APIRouter(prefix="/notifications", tags=["notifications"])


class NotificationSettings(Body):
    """Topics that you are not notified of."""

    muted: Annotated[list[Annotated[Topic, Field(strict=False)]], Field(max_length=len(Topic))]


@routes.get("", responses=SIGNED_IN)
def many(
    actor: ReadingUser,
    escrow: EscrowDep,
    unread: Annotated[bool, Query()] = False,
    after: AfterNumber = None,
    limit: Limit = 100,
) -> Page[WordedNotification]:
    """One's own."""
    notifications = escrow.notifications.many(actor, unread=unread, after=after, limit=limit + 1)
    return page(map(worded, notifications), limit, "number", escrow.notifications.count(actor, unread=unread))


@routes.get("/settings", responses=SIGNED_IN)
def settings(actor: ReadingUser, escrow: EscrowDep) -> NotificationSettings:
    """Topics that you are not notified of."""
    return NotificationSettings(muted=list(escrow.notifications.muted(actor)))


@routes.put("/settings", responses=SENT)
def mute(actor: WritingUser, body: NotificationSettings, escrow: EscrowDep) -> NotificationSettings:
    """Choose the topics that you are not notified of."""
    escrow.notifications.mute(actor, body.muted)
    return body


@routes.post("/read", status_code=204, responses=SENT)
def read_all(actor: WritingUser, escrow: EscrowDep) -> None:
    """Mark all of your notifications as read."""
    escrow.notifications.read_all(actor)


@routes.post("/{id}/read", status_code=204, responses=SENT)
def read(actor: WritingUser, id: NameInPath, escrow: EscrowDep) -> None:
    """It was read."""
    escrow.notifications.read(actor, id)
