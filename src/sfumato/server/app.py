"""The app: every route, behind the gate."""

from __future__ import annotations

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from fastapi.telemetry import TelemetryConfig
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware

from sfumato.errors import SfumatoError
from sfumato.escrow.service import Escrow
from sfumato.server import openapi, problems
from sfumato.server.access import Access
from sfumato.server.asking import Lanes
from sfumato.server.faults import Faults
from sfumato.server.gate import Gate
from sfumato.server.headers import Headers
from sfumato.server.lanes import Lane
from sfumato.server.rates import Rate
from sfumato.server.routes import (
    audit,
    data,
    datasets,
    health,
    notices,
    people,
    policies,
    questions,
    requests,
    session,
    tokens,
)
from sfumato.server.settings import Settings
from sfumato.server.sizes import Sizes
from sfumato.version import __version__

API = "/api/v1"
OPEN_TO_ALL = frozenset({("POST", f"{API}/session"), ("GET", f"{API}/health"), ("GET", f"{API}/openapi.json")})
_NOUNS = (session, tokens, people, datasets, data, policies, questions, requests, notices, audit, health)
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
            Middleware(Headers, secure=told.secure),
            Middleware(Access),
            Middleware(Faults),
            Middleware(Gate, escrow=escrow, calls=Rate(told.calls_a_minute), open_to_all=OPEN_TO_ALL),
            Middleware(Sizes, limit=told.body_bytes),
        ],
        exception_handlers={
            SfumatoError: problems.of_sfumato,
            RequestValidationError: problems.of_validation,
            HTTPException: problems.of_http,
        },
    )
    app.state.escrow, app.state.settings = escrow, told
    app.state.sign_ins = Rate(told.sign_ins_a_minute)
    app.state.lanes = Lanes(
        signing_in=Lane(told.signing_in_at_once, told.signing_in_at_once),
        asking=Lane(told.asking_at_once, told.asking_at_once_each),
        delivering=Lane(told.delivering_at_once, told.delivering_at_once_each),
    )
    for noun in _NOUNS:
        app.include_router(noun.routes, prefix=API)
    app.openapi = lambda: openapi.described(app)  # type: ignore[method-assign]
    return app
