"""API tokens for programs."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter
from pydantic import Field

from sfumato.errors import Forbidden
from sfumato.escrow.identity.accounts import IssuedToken, Token
from sfumato.server.dependencies import CallerDep, EscrowDep, NameInPath, Page, Plain, ReadingUser, WritingUser
from sfumato.server.openapi import SENT, SIGNED_IN
from sfumato.server.texts import Body, Line, Name

routes = APIRouter(prefix="/tokens", tags=["tokens"])


class NewToken(Body):
    """A token for the user; an admin may name another `person`."""

    label: Line = ""
    days: Annotated[float, Field(gt=0, le=36_525)] = 90
    scopes: list[Literal["read", "write"]] = Field(["read", "write"], min_length=1, max_length=2)
    person: Name | None = None


@routes.get("", responses=SIGNED_IN)
def many(actor: ReadingUser, escrow: EscrowDep) -> Page[Token]:
    """Tokens of the user, without their secrets."""
    return Page(items=escrow.accounts.tokens(actor), next=None)


@routes.post("", status_code=201, responses=SENT)
def make(actor: WritingUser, caller: CallerDep, body: NewToken, escrow: EscrowDep) -> Plain[IssuedToken]:
    """Create a token; one created with a token has at most its scopes."""
    if not caller.scopes.issuperset(body.scopes):
        raise Forbidden(
            "A token cannot create a token with more scopes", hint="sign in, or use a token with these scopes."
        )
    scopes = tuple(body.scopes)
    return IssuedToken(*escrow.accounts.new_token(actor, body.label, body.days, scopes, person=body.person))


@routes.delete("/{id}", status_code=204, responses=SENT)
def revoke(actor: WritingUser, id: NameInPath, escrow: EscrowDep) -> None:
    """Revoke a token."""
    escrow.accounts.revoke(actor, id)
