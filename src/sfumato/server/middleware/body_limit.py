"""How much a body may hold and how long it may take, counted while it comes."""

from __future__ import annotations

from anyio import current_time, fail_after
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_LIMIT = "sfumato.body_bytes"


class BodyLimitMiddleware:
    """A body beyond the limit is 413: before a byte is read when its length is stated, else as soon as it is passed.

    One that is not there after so many seconds is 408; a route with a limit of its own waits as long as it likes.
    """

    def __init__(self, app: ASGIApp, *, limit: int, seconds: float) -> None:
        self._app, self._limit, self._seconds = app, limit, seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return await self._app(scope, receive, send)
        scope[_LIMIT] = self._limit
        length = Headers(scope=scope).get("content-length", "0")
        came, is_whole, ends = 0, False, current_time() + self._seconds

        async def receive_counted() -> Message:
            nonlocal came, is_whole
            if length.isascii() and length.isdigit() and int(length) > scope[_LIMIT]:
                raise HTTPException(413)
            waits = is_whole or scope[_LIMIT] != self._limit  # for the caller to go, or as the route does
            try:
                with fail_after(None if waits else max(0, ends - current_time())):
                    message = await receive()
            except TimeoutError:
                raise HTTPException(408, headers={"Connection": "close"}) from None
            is_whole = not message.get("more_body", False)
            came += len(message.get("body", b""))
            if came > scope[_LIMIT]:
                raise HTTPException(413)
            return message

        await self._app(scope, receive_counted, send)


def raise_limit(scope: Scope, limit: int) -> None:
    """For the one route that takes files, before it reads."""
    scope[_LIMIT] = limit
