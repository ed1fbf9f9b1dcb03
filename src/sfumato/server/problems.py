"""What is answered when it does not work: application/problem+json (RFC 9457), one sentence and a hint."""

from __future__ import annotations

import re
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any, Literal

from fastapi import Request
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse

from sfumato.errors import (
    AwaitingApproval,
    BadInput,
    Conflict,
    DatabaseFailure,
    EngineFailure,
    Forbidden,
    Gone,
    LedgerUnwritable,
    NotFound,
    NotSignedIn,
    Refused,
    SandboxMissing,
    SfumatoError,
    Stopping,
    TooMany,
    VaultUnwritable,
)
from sfumato.server.rate_limit import TooOften

MEDIA_TYPE = "application/problem+json"

# The disk and the database are nothing that was typed in here, and their sentences name places on the server.
_DISK = (DatabaseFailure, LedgerUnwritable, VaultUnwritable)
_NO_DISK = (
    "The server cannot store its data",
    "tell its operator; what was charged stays charged.",
)
# The first that fits. Whatever is not here is our own failure, and says nothing.
_STATUSES: tuple[tuple[type[SfumatoError], HTTPStatus], ...] = (
    (NotSignedIn, HTTPStatus.UNAUTHORIZED),
    (Forbidden, HTTPStatus.FORBIDDEN),
    (NotFound, HTTPStatus.NOT_FOUND),
    (Conflict, HTTPStatus.CONFLICT),
    (Gone, HTTPStatus.GONE),
    (TooMany, HTTPStatus.TOO_MANY_REQUESTS),
    (Stopping, HTTPStatus.SERVICE_UNAVAILABLE),
    (AwaitingApproval, HTTPStatus.ACCEPTED),
    *((kind, HTTPStatus.SERVICE_UNAVAILABLE) for kind in _DISK),
    (BadInput, HTTPStatus.UNPROCESSABLE_ENTITY),
    (SandboxMissing, HTTPStatus.NOT_IMPLEMENTED),
    (Refused, HTTPStatus.CONFLICT),
    (EngineFailure, HTTPStatus.SERVICE_UNAVAILABLE),
)
_IN_SQL = re.compile(r"(?:query (?P<query>\d+)\b,? ?)?(?:line (?P<line>\d+), column (?P<column>\d+))?")
_OUR_FAILURE = SfumatoError("The server failed because of a bug", hint="report it with the entry in the server's log.")
# What starlette and FastAPI say by themselves, in our words.
_SAID = {
    HTTPStatus.BAD_REQUEST: (HTTPStatus.UNPROCESSABLE_ENTITY, "input", "The body could not be read"),
    HTTPStatus.NOT_FOUND: (HTTPStatus.NOT_FOUND, "not-found", "There is nothing at this address"),
    HTTPStatus.METHOD_NOT_ALLOWED: (HTTPStatus.METHOD_NOT_ALLOWED, "method", "This address has no such method"),
    HTTPStatus.REQUEST_TIMEOUT: (HTTPStatus.REQUEST_TIMEOUT, "too-slow", "The body did not arrive in time"),
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE: (
        HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
        "too-large",
        "The body is too large",
    ),
    HTTPStatus.UNSUPPORTED_MEDIA_TYPE: (
        HTTPStatus.UNSUPPORTED_MEDIA_TYPE,
        "media-type",
        "Data comes as text/csv or application/vnd.apache.parquet",
    ),
}


class SqlPosition(BaseModel):
    """Where in the SQL: of which query of several, in which line and column of it. All count from 1."""

    query: int
    line: int | None
    column: int | None


class Problem(BaseModel):
    """RFC 9457, with the code, the hint and the place that every error of sfumato has; `at` is `where` in numbers.

    `reason` and `values` are what `detail` and `hint` were made from: a client makes sentences of its own from them.
    """

    type: Literal["about:blank"]
    title: str
    status: int
    code: str
    detail: str
    hint: str
    where: str
    at: SqlPosition | None
    reason: str
    values: dict[str, Any]


def answer(error: SfumatoError) -> JSONResponse:
    """An error of ours as an answer; one that is our own failure keeps its text to itself."""
    status = next((status for kind, status in _STATUSES if isinstance(error, kind)), None)
    if status is None:
        return our_failure()
    headers = {"WWW-Authenticate": "Bearer"} if status == HTTPStatus.UNAUTHORIZED else {}
    if isinstance(error, TooOften):
        headers["Retry-After"] = str(error.seconds)
    if isinstance(error, _DISK):
        return _problem(status, error.code, *_NO_DISK)
    return _problem(
        status,
        error.code,
        error.message,
        error.hint,
        error.where,
        headers,
        reason=error.reason,
        values=error.values,
    )


def our_failure() -> JSONResponse:
    """The same for everything that went wrong by our fault: what went wrong can tell about the data."""
    return _problem(HTTPStatus.INTERNAL_SERVER_ERROR, _OUR_FAILURE.code, _OUR_FAILURE.message, _OUR_FAILURE.hint)


async def of_sfumato(_: Request, error: Exception) -> JSONResponse:
    return answer(error) if isinstance(error, SfumatoError) else our_failure()


async def of_validation(_: Request, error: Exception) -> JSONResponse:
    """The first thing that does not fit, by its place; what was sent is not repeated."""
    if not isinstance(error, RequestValidationError):
        return our_failure()
    first, *more = error.errors()
    where = ".".join(str(part) for part in first["loc"])[:200]
    sentence = str(first["msg"]).removeprefix("Value error, ")
    hint = f"{len(more)} more do not fit." if more else ""
    return _problem(HTTPStatus.UNPROCESSABLE_ENTITY, BadInput.code, sentence, hint, where)


async def of_http(_: Request, error: Exception) -> JSONResponse:
    if not isinstance(error, HTTPException) or error.status_code not in _SAID:
        return our_failure()
    status, code, sentence = _SAID[HTTPStatus(error.status_code)]
    return _problem(status, code, sentence, headers=error.headers)


def _problem(
    status: HTTPStatus,
    code: str,
    detail: str,
    hint: str = "",
    where: str = "",
    headers: Mapping[str, str] | None = None,
    *,
    reason: str = "",
    values: Mapping[str, object] | None = None,
) -> JSONResponse:
    problem = Problem(
        type="about:blank",
        title=status.phrase,
        status=status,
        code=code,
        detail=detail,
        hint=hint,
        where=where,
        at=_place(where),
        reason=reason,
        values=dict(values or {}),
    )
    media = "application/json" if status == HTTPStatus.ACCEPTED else MEDIA_TYPE
    return JSONResponse(problem.model_dump(), status, headers, media_type=media)


def _place(where: str) -> SqlPosition | None:
    """The place that a sentence states, if it is one in a query.

    >>> _place("query 2, line 1, column 23"), _place("line 3, column 4").query, _place("body.sql")
    (SqlPosition(query=2, line=1, column=23), 1, None)
    """
    match = _IN_SQL.match(where)
    if match is None or not match[0]:
        return None
    query, line, column = (None if numbers is None else int(numbers) for numbers in match.groups())
    return SqlPosition(query=query or 1, line=line, column=column)
