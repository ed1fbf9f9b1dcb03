"""Compressed pages and answers, for browsers that are on one of our own pages."""

from __future__ import annotations

from starlette.datastructures import Headers
from starlette.middleware.gzip import GZipMiddleware
from starlette.types import ASGIApp, Receive, Scope, Send

_OTHERS = ("", "cross-site", "same-site")  # or a program, which does not say where it calls from
_LEAST, _LEVEL = 1000, 6


class CompressionMiddleware:
    """What another site asks for is sent uncompressed: its length could tell what is in it (BREACH)."""

    def __init__(self, app: ASGIApp) -> None:
        self._app, self._compressed = app, GZipMiddleware(app, minimum_size=_LEAST, compresslevel=_LEVEL)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        own = scope["type"] == "http" and Headers(scope=scope).get("Sec-Fetch-Site", "") not in _OTHERS
        await (self._compressed if own else self._app)(scope, receive, send)
