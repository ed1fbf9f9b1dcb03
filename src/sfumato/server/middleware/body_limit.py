"""How much a body may hold, counted while it comes."""

from __future__ import annotations

from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_LIMIT = "sfumato.body_bytes"


class BodyLimitMiddleware:
    """A body beyond the limit is 413: before a byte is read when its length is stated, else as soon as it is passed."""

    def __init__(self, app: ASGIApp, *, limit: int) -> None:
        self._app, self._limit = app, limit

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return await self._app(scope, receive, send)
        scope[_LIMIT] = self._limit
        length = Headers(scope=scope).get("content-length", "0")
        came = 0

        async def receive_counted() -> Message:
            nonlocal came
            if length.isascii() and length.isdigit() and int(length) > scope[_LIMIT]:
                raise HTTPException(413)
            message = await receive()
            came += len(message.get("body", b""))
            if came > scope[_LIMIT]:
                raise HTTPException(413)
            return message

        await self._app(scope, receive_counted, send)


def raise_limit(scope: Scope, limit: int) -> None:
    """For the one route that takes files, before it reads."""
    scope[_LIMIT] = limit
