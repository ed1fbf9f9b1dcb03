"""Browsers in which a user is signed in."""

from __future__ import annotations

from fastapi import APIRouter

from sfumato.escrow.identity.accounts import ActiveSession
from sfumato.server.dependencies import CallerDep, EscrowDep, NameInPath, Page, ReadingUser, WritingUser
from sfumato.server.openapi import SENT, SIGNED_IN

routes = APIRouter(prefix="/sessions", tags=["session"])


@routes.get("", responses=SIGNED_IN)
def many(actor: ReadingUser, caller: CallerDep, escrow: EscrowDep) -> Page[ActiveSession]:
    """Active sessions of the user, newest first."""
    return Page(items=escrow.accounts.sessions(actor, caller.csrf), next=None)


@routes.delete("", status_code=204, responses=SENT)
def end_others(actor: WritingUser, caller: CallerDep, escrow: EscrowDep) -> None:
    """Sign out of every browser but this one."""
    escrow.accounts.end_other_sessions(actor, caller.csrf)


@routes.delete("/{id}", status_code=204, responses=SENT)
def end(actor: WritingUser, id: NameInPath, escrow: EscrowDep) -> None:
    """Sign out of one browser."""
    escrow.accounts.end_session(actor, id)
