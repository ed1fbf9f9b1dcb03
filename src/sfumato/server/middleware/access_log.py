"""The access log: which kind of call, from where, how it ended and how long it took. Never what was said."""

from __future__ import annotations

import logging
from time import perf_counter

from starlette.types import ASGIApp, Message, Receive, Scope, Send

_log = logging.getLogger("sfumato.access")


class AccessLogMiddleware:
    """A route is written as its template: paths hold names, queries hold more, and bodies hold SQL."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return await self._app(scope, receive, send)
        began, status = perf_counter(), 0

        async def send_noting_status(message: Message) -> None:
            nonlocal status
            status = message.get("status", status)
            await send(message)

        try:
            await self._app(scope, receive, send_noting_status)
        finally:
            address = scope["client"][0] if scope.get("client") else "-"
            took = round(1000 * (perf_counter() - began))
            route = getattr(scope.get("route"), "path", "-")
            _log.info("%s %s %s %s %d ms", address, scope["method"], route, status or "-", took)
