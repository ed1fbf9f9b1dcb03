"""The outermost wall: whatever fails by our fault is one constant 500, and its text goes nowhere, to no log either."""

from __future__ import annotations

import logging
from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from sfumato.server import problems
from sfumato.server.middleware.authentication import RenderProblem

_log = logging.getLogger("sfumato.faults")


class ErrorMiddleware:
    """An exception's text and frames can quote values: its kind and its place are all that is written down."""

    def __init__(self, app: ASGIApp, *, render: RenderProblem) -> None:
        self._app, self._render = app, render

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return await self._app(scope, receive, send)
        started = False

        async def send_noting_start(message: Message) -> None:
            nonlocal started
            started = True
            await send(message)

        try:
            await self._app(scope, receive, send_noting_start)
        except Exception as error:
            _log.error("%s at %s", type(error).__name__, _place(error))
            if not started:
                await self._answer(Request(scope))(scope, receive, send)

    def _answer(self, request: Request) -> Response:
        """What broke one page may break the page that says so: the sentence alone is left then."""
        try:
            return self._render(request, problems.our_failure())
        except Exception as error:
            _log.error("%s at %s", type(error).__name__, _place(error))
            return problems.our_failure()


def _place(error: Exception) -> str:
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return f"{Path(trace.tb_frame.f_code.co_filename).name}:{trace.tb_lineno}" if trace else "an unknown place"
