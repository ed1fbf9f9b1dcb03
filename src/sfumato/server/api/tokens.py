"""Tokens: how programs come in."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter
from pydantic import BaseModel, Field

from sfumato.errors import Forbidden
from sfumato.server.dependencies import CallerDep, EscrowDep, NameInPath, Page, ReadingUser, WritingUser
from sfumato.server.openapi import SENT, SIGNED_IN
from sfumato.server.texts import Body, Line, Name

routes = APIRouter(prefix="/tokens", tags=["tokens"])


class NewToken(Body):
    """For oneself; an admin may name another person."""

    label: Line = ""
    days: Annotated[float, Field(gt=0, le=36_525)] = 90
    scopes: list[Literal["read", "write"]] = Field(["read", "write"], min_length=1, max_length=2)
    person: Name | None = None


class TokenShown(BaseModel):
    id: str
    person: str
    label: str
    scopes: list[str]
    created_at: str
    expires_at: str
    revoked: bool


class TokenMade(BaseModel):
    """`secret` is told this once."""

    token: TokenShown
    secret: str


@routes.get("", responses=SIGNED_IN)
def many(actor: ReadingUser, escrow: EscrowDep) -> Page[TokenShown]:
    """One's own tokens, without their secrets."""
    return Page(
        items=[TokenShown.model_validate(token.as_dict()) for token in escrow.accounts.tokens(actor)], next=None
    )


@routes.post("", status_code=201, responses=SENT)
def make(actor: WritingUser, caller: CallerDep, body: NewToken, escrow: EscrowDep) -> TokenMade:
    """A new token; one that is made by a token may do no more than that one."""
    if not caller.scopes.issuperset(body.scopes):
        raise Forbidden("A token may make none that may do more", hint="sign in, or use a token that may.")
    token, secret = escrow.accounts.new_token(actor, body.label, body.days, tuple(body.scopes), person=body.person)
    return TokenMade(token=TokenShown.model_validate(token.as_dict()), secret=secret)


@routes.delete("/{id}", status_code=204, responses=SENT)
def revoke(actor: WritingUser, id: NameInPath, escrow: EscrowDep) -> None:
    """Make a token worthless."""
    escrow.accounts.revoke(actor, id)
