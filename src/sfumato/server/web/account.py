"""The account of a user: password and API tokens."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.responses import Response

from sfumato.server.dependencies import EscrowDep, ReadingUser
from sfumato.server.web.shell import RendererDep

screens = APIRouter(include_in_schema=False)


@screens.get("/account")
def account(page: RendererDep, actor: ReadingUser, escrow: EscrowDep) -> Response:
    tokens = escrow.accounts.tokens(actor)
    return page("account.html", tokens=tokens, facts={"name": actor.name})
