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
    sessions,
    signals,
    tokens,
)
from sfumato.server.concurrency import WorkPool
from sfumato.server.dependencies import WorkPools
from sfumato.server.middleware.access_log import AccessLogMiddleware
from sfumato.server.middleware.authentication import AuthenticationMiddleware, PublicPaths
from sfumato.server.middleware.body_limit import BodyLimitMiddleware
from sfumato.server.middleware.compression import CompressionMiddleware
from sfumato.server.middleware.failures import ErrorMiddleware
from sfumato.server.middleware.headers import SecurityHeadersMiddleware
from sfumato.server.middleware.wording import WordingMiddleware
from sfumato.server.rate_limit import Rate
from sfumato.server.settings import ServerSettings
from sfumato.server.web import routes
from sfumato.server.web.assets import PLACE, Assets
from sfumato.server.web.failures_page import SIGN_IN, render_problem
from sfumato.server.web.shell import environment
from sfumato.version import __version__

API = "/api/v1"
OPEN_TO_ALL = PublicPaths(
    frozenset(
        {
            ("POST", f"{API}/session"),
            ("GET", f"{API}/health"),
            ("GET", f"{API}/openapi.json"),
            ("GET", SIGN_IN),
        }
    ),
    (f"{PLACE}/", "/public/", f"{API}/public/"),
    (f"{PLACE}/",),
)
_NOUNS = (
    session, sessions, tokens, people, introduction, datasets, data, policies, exploration, requests, signals,
    notifications, audit_log, public, health,
)  # fmt: skip
# Spans and logs of FastAPI's own would carry what was said.
_NO_TELEMETRY = TelemetryConfig(tracing=False, metrics=False, logs=False, operation_spans=False, auto_configure=False)


def create_app(escrow: Escrow, settings: ServerSettings | None = None) -> FastAPI:
    """An app on this escrow. It listens nowhere by itself: `run.serve` does, or a test."""
    settings = settings or ServerSettings()
    app = FastAPI(
        title="sfumato",
        version=__version__,
        openapi_url=f"{API}/openapi.json",
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        telemetry=_NO_TELEMETRY,
        middleware=[
            Middleware(CompressionMiddleware),
            Middleware(WordingMiddleware),
            Middleware(SecurityHeadersMiddleware, secure=settings.secure),
            Middleware(AccessLogMiddleware),
            Middleware(ErrorMiddleware, render=render_problem),
            Middleware(
                AuthenticationMiddleware,
                escrow=escrow,
                calls=Rate(settings.calls_a_minute),
                public=OPEN_TO_ALL,
                render=render_problem,
            ),
            Middleware(BodyLimitMiddleware, limit=settings.body_bytes, seconds=settings.body_seconds),
        ],
        exception_handlers={
            SfumatoError: _renders(problems.of_sfumato),
            RequestValidationError: _renders(problems.of_validation),
            HTTPException: _renders(problems.of_http),
        },
    )
    app.state.escrow, app.state.settings = escrow, settings
    app.state.sign_ins = Rate(settings.sign_ins_a_minute)
    app.state.lanes = WorkPools(
        signing_in=WorkPool(settings.signing_in_at_once, settings.signing_in_at_once, settings.signing_in_waiting_each),
        calls=WorkPool(settings.calls_at_once, settings.calls_at_once_each, settings.calls_waiting_each),
        asking=WorkPool(settings.asking_at_once, settings.asking_at_once_each, settings.asking_waiting_each),
        **{
            lane: WorkPool(settings.deciding_at_once, settings.deciding_at_once_each, settings.deciding_waiting_each)
            for lane in ("deciding_calls", "deciding")
        },
        delivering=WorkPool(settings.delivering_at_once, settings.delivering_at_once_each, 0),
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


def _renders(
    describe: Callable[[Request, Exception], Coroutine[Any, Any, JSONResponse]],
) -> Callable[[Request, Exception], Coroutine[Any, Any, Response]]:
    """A handler that answers with a problem as a page or as JSON, whichever the caller reads."""

    async def answer(request: Request, error: Exception) -> Response:
        return render_problem(request, await describe(request, error))

    return answer
