"""The app: every route and every page, behind the gate."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from fastapi.telemetry import TelemetryConfig
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from sfumato.errors import SfumatoError
from sfumato.escrow.service import Escrow
from sfumato.server import openapi, problems
from sfumato.server.api import (
    audit_log,
    data,
    datasets,
    exploration,
    health,
    introduction,
    notifications,
    people,
    policies,
    public,
    requests,
    session,
    signals,
    tokens,
)
from sfumato.server.concurrency import Lane
from sfumato.server.dependencies import WorkPools
from sfumato.server.middleware.access_log import Access
from sfumato.server.middleware.authentication import Gate, Opening
from sfumato.server.middleware.body_limit import Sizes
from sfumato.server.middleware.failures import Faults
from sfumato.server.middleware.headers import Headers
from sfumato.server.middleware.wording import Wording
from sfumato.server.rate_limit import Rate
from sfumato.server.settings import Settings
from sfumato.server.web import failures, routes
from sfumato.server.web.assets import PLACE, Assets
from sfumato.server.web.shell import environment
from sfumato.version import __version__

API = "/api/v1"
OPEN_TO_ALL = Opening(
    frozenset(
        {
            ("POST", f"{API}/session"),
            ("GET", f"{API}/health"),
            ("GET", f"{API}/openapi.json"),
            ("GET", failures.SIGN_IN),
        }
    ),
    (f"{PLACE}/", "/public/", f"{API}/public/"),
    (f"{PLACE}/",),
)
_NOUNS = (
    session, tokens, people, introduction, datasets, data, policies, exploration, requests, signals, notifications,
    audit_log, public, health,
)  # fmt: skip
# Spans and logs of FastAPI's own would carry what was said.
_NO_TELEMETRY = TelemetryConfig(tracing=False, metrics=False, logs=False, operation_spans=False, auto_configure=False)


def made(escrow: Escrow, settings: Settings | None = None) -> FastAPI:
    """An app on this escrow. It listens nowhere by itself: `run.serve` does, or a test."""
    told = settings or Settings()
    app = FastAPI(
        title="sfumato",
        version=__version__,
        openapi_url=f"{API}/openapi.json",
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        telemetry=_NO_TELEMETRY,
        middleware=[
            Middleware(Wording),
            Middleware(Headers, secure=told.secure),
            Middleware(Access),
            Middleware(Faults, told=failures.told),
            Middleware(Gate, escrow=escrow, calls=Rate(told.calls_a_minute), opening=OPEN_TO_ALL, told=failures.told),
            Middleware(Sizes, limit=told.body_bytes),
        ],
        exception_handlers={
            SfumatoError: _readable(problems.of_sfumato),
            RequestValidationError: _readable(problems.of_validation),
            HTTPException: _readable(problems.of_http),
        },
    )
    app.state.escrow, app.state.settings = escrow, told
    app.state.sign_ins = Rate(told.sign_ins_a_minute)
    app.state.lanes = WorkPools(
        signing_in=Lane(told.signing_in_at_once, told.signing_in_at_once),
        asking=Lane(told.asking_at_once, told.asking_at_once_each),
        delivering=Lane(told.delivering_at_once, told.delivering_at_once_each),
    )
    for noun in _NOUNS:
        app.include_router(noun.routes, prefix=API)
    assets = Assets()
    app.state.templates = environment(assets)
    app.add_api_route(f"{PLACE}/{{version}}/{{name:path}}", assets.answer, include_in_schema=False)
    for screen in routes.ALL:
        app.include_router(screen)
    app.openapi = lambda: openapi.described(app)  # type: ignore[method-assign]
    return app


def _readable(
    said: Callable[[Request, Exception], Coroutine[Any, Any, JSONResponse]],
) -> Callable[[Request, Exception], Coroutine[Any, Any, Response]]:
    """The problem, as whoever called can read it."""

    async def answer(request: Request, error: Exception) -> Response:
        return failures.told(request, await said(request, error))

    return answer
