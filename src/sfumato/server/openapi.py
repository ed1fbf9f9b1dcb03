"""The OpenAPI document: who may call is said once, and every status that can come is named."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from sfumato.server import problems
from sfumato.server.middleware.authentication import COOKIE, CSRF
from sfumato.version import __version__

Responses = dict[int | str, dict[str, Any]]
OPEN: dict[str, Any] = {"security": []}
_WHEN = {
    401: "You are not signed in",
    403: "This person, or this token, may not",
    404: "There is no such thing, or it is none of this person's business",
    408: "The body did not arrive in time",
    409: "Refused: by a policy, a guarantee, arithmetic, or because things have moved on",
    410: "It is no longer kept",
    413: "The body is too large",
    415: "Data of this kind is not taken",
    422: "What was sent does not fit",
    429: "Too often, or too much at once",
    500: "A failure of the server's own, of which nothing is told",
    501: "There is no sandbox here in which an analyst's own code could run",
    503: "The engine could not finish, the disk or the database is not there just now, or the server is stopping",
}


def statuses(*more: int) -> Responses:
    """Error statuses of a route."""
    every = sorted({429, 500, *more})
    return {status: {"model": problems.Problem, "description": _WHEN[status]} for status in every}


SIGNED_IN = statuses(401, 403, 409, 422, 503)
FOUND = SIGNED_IN | statuses(404)
SENT = FOUND | statuses(408, 413)


def described(app: FastAPI) -> dict[str, Any]:
    """FastAPI's own document, with sign-in and the media type of problems."""
    if app.openapi_schema is None:
        document = get_openapi(title="sfumato", version=__version__, routes=app.routes, description=__doc__)
        document["components"]["securitySchemes"] = {
            "token": {"type": "http", "scheme": "bearer"},
            "session": {
                "type": "apiKey",
                "in": "cookie",
                "name": COOKIE,
                "description": f"Made by POST /session. Calls that change anything also carry {CSRF}.",
            },
        }
        document["security"] = [{"token": []}, {"session": []}]
        for operations in document["paths"].values():
            for operation in operations.values():
                for status, response in operation["responses"].items():
                    if int(status) >= 400:
                        response["content"] = {problems.MEDIA_TYPE: response["content"]["application/json"]}
        app.openapi_schema = document
    return app.openapi_schema
