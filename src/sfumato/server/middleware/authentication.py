"""Authentication: a session or a token for every address but the few that are open."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from hmac import compare_digest

from anyio import to_thread
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from sfumato.errors import Forbidden, NotSignedIn, SfumatoError
from sfumato.escrow.identity.person import Person
from sfumato.escrow.service import Escrow
from sfumato.server import problems
from sfumato.server.rate_limit import Rate, network

COOKIE = "sfumato"
CSRF = "X-CSRF-Token"
RenderProblem = Callable[[Request, JSONResponse], Response]
SCOPES = frozenset({"read", "write"})
_SAFE = frozenset({"GET", "HEAD", "OPTIONS"})


@dataclass(frozen=True)
class Caller:
    """Who calls, and by what: a session has a CSRF token, an API token has none and may have fewer scopes."""

    person: Person
    scopes: frozenset[str]
    csrf: str | None


@dataclass(frozen=True)
class PublicPaths:
    """The few addresses that need no sign-in: these, and all below those folders, to read.

    What browsers `keep` counts for nothing: a house behind one address may open all its pages in one minute.
    """

    addresses: frozenset[tuple[str, str]]
    folders: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()

    def holds(self, method: str, path: str) -> bool:
        return (method, path) in self.addresses or (method in _SAFE and path.startswith(self.folders))


class AuthenticationMiddleware:
    """Stands before every route, so that a route cannot forget it, and before the body is read.

    `render` makes a page or JSON of a problem, whichever the caller reads.
    """

    def __init__(
        self, app: ASGIApp, *, escrow: Escrow, calls: Rate, public: PublicPaths, render: RenderProblem
    ) -> None:
        self._app, self._escrow, self._calls, self._public, self._render = app, escrow, calls, public, render

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return await self._app(scope, receive, send)
        request = Request(scope)
        try:
            await self._let_in(request)
        except SfumatoError as error:
            return await self._render(request, problems.answer(error))(scope, receive, send)
        await self._app(scope, receive, send)

    async def _let_in(self, request: Request) -> None:
        stranger = ("address", network(address(request)))
        if self._public.holds(request.method, request.scope["path"]):
            return None if request.scope["path"].startswith(self._public.kept) else self._calls.count(stranger)
        try:
            caller = await to_thread.run_sync(self._caller, request)
        except NotSignedIn:
            self._calls.count(stranger)
            raise
        self._calls.count(("person", caller.person.name))
        if caller.csrf is not None and request.method not in _SAFE:
            token = request.headers.get(CSRF, "")
            if not compare_digest(token.encode(), caller.csrf.encode()):
                raise Forbidden("This call lacks the CSRF token of its session", hint=f"send it as {CSRF}.")
        request.state.caller = caller

    def _caller(self, request: Request) -> Caller:
        """A token goes before a cookie: a browser adds cookies by itself, and never a token."""
        authorization = request.headers.get("Authorization")
        if authorization is not None:
            scheme, _, secret = authorization.partition(" ")
            if scheme.lower() != "bearer" or not secret.strip():
                raise NotSignedIn("There is no bearer token", hint="send `Authorization: Bearer TOKEN`.")
            person, scopes = self._escrow.accounts.of_token(secret.strip())
            return Caller(person, scopes, None)
        if COOKIE in request.cookies:
            person, csrf = self._escrow.accounts.of_session(request.cookies[COOKIE])
            return Caller(person, SCOPES, csrf)
        raise NotSignedIn("You are not signed in", hint="sign in with POST /api/v1/session, or send a token.")


def address(request: Request) -> str:
    return request.client.host if request.client else ""
