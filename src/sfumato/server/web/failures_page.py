"""Pages of errors, with the same sentences as the API."""

from __future__ import annotations

from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response

from sfumato.server.problems import Problem
from sfumato.server.web.shell import renderer_for

SIGN_IN = "/sign-in"


def render_problem(request: Request, problem: JSONResponse) -> Response:
    """The problem as JSON for programs, as a page for browsers.

    Users who are not signed in are sent to sign in, and return to the same address.
    """
    path = request.scope["path"]
    if path.startswith(("/api/", "/static/")) or request.method not in ("GET", "HEAD"):
        return problem
    if problem.status_code == 401:
        return RedirectResponse(f"{SIGN_IN}?next={quote(_here(request), safe='')}", 303)
    details = Problem.model_validate_json(bytes(problem.body))
    page = renderer_for(request)("failure.html", problem=details, status=details.status)
    for name in ("Retry-After",):
        if name in problem.headers:
            page.headers[name] = problem.headers[name]
    return page


def _here(request: Request) -> str:
    query = request.scope["query_string"].decode("latin-1")
    return f"{request.scope['path']}{f'?{query}' if query else ''}"
