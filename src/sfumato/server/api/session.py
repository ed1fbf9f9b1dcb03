"""Sessions: sign-in with a password, for browsers."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Request, Response

from sfumato.errors import BadInput
from sfumato.escrow.identity.accounts import CurrentUser, SignedIn
from sfumato.server.dependencies import CallerDep, EscrowDep, Plain, SettingsDep, WorkPoolsDep
from sfumato.server.middleware.authentication import COOKIE, address
from sfumato.server.openapi import OPEN, SIGNED_IN, statuses
from sfumato.server.rate_limit import Rate, network
from sfumato.server.texts import Body, Name, Secret

routes = APIRouter(prefix="/session", tags=["session"])


class SignIn(Body):
    name: Name
    password: Secret


def _sign_ins(request: Request) -> Rate:
    rate: Rate = request.app.state.sign_ins
    return rate


@routes.post("", status_code=201, responses=statuses(401, 408, 413, 422, 503), openapi_extra=OPEN)
async def sign_in(
    body: SignIn,
    request: Request,
    response: Response,
    escrow: EscrowDep,
    settings: SettingsDep,
    lanes: WorkPoolsDep,
    rate: Annotated[Rate, Depends(_sign_ins)],
) -> Plain[SignedIn]:
    """Sign in: the session is kept in a cookie that scripts cannot read."""
    rate.count(("address", network(address(request))))
    rate.count(("name", body.name.strip().casefold()))
    session = await lanes.signing_in.run(network(address(request)), escrow.accounts.sign_in, body.name, body.password)
    response.set_cookie(COOKIE, session.secret, path="/", secure=settings.secure, httponly=True, samesite="strict")
    return SignedIn(session.person, session.csrf, session.expires_at)


@routes.get("", responses=SIGNED_IN)
def who(caller: CallerDep) -> Plain[CurrentUser]:
    """The user who is signed in, and the CSRF token that calls must send."""
    return CurrentUser(caller.person, caller.csrf, tuple(sorted(caller.scopes)))


@routes.delete("", status_code=204, responses=SIGNED_IN)
def sign_out(caller: CallerDep, request: Request, response: Response, escrow: EscrowDep, settings: SettingsDep) -> None:
    """Sign out: the session ends on the server too."""
    if caller.csrf is None:
        raise BadInput("A token cannot be signed out", hint="revoke it with DELETE /tokens/ID.")
    escrow.accounts.sign_out(request.cookies[COOKIE])
    response.delete_cookie(COOKIE, path="/", secure=settings.secure, httponly=True, samesite="strict")
