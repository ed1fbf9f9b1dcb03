"""The account of a user: display, active sessions, API tokens and password."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.responses import Response

from sfumato.presentation.escrow import notifications_view
from sfumato.server.dependencies import CallerDep, EscrowDep, ReadingUser
from sfumato.server.web.shell import RendererDep

screens = APIRouter(include_in_schema=False)


@screens.get("/account")
def account(page: RendererDep, actor: ReadingUser, caller: CallerDep, escrow: EscrowDep) -> Response:
    sessions, tokens = escrow.accounts.sessions(actor, caller.csrf), escrow.accounts.tokens(actor)
    topics = notifications_view.topics(actor, escrow.notifications.muted(actor))
    return page("account.html", sessions=sessions, tokens=tokens, topics=topics, facts={"name": actor.name})
