"""Transport to an app in this process, so that a local workspace is used through the API."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable
from typing import Any

import httpx


class InProcess(httpx.BaseTransport):
    """Passes each request to an ASGI app in one event loop, and waits for the response."""

    def __init__(self, app: Any) -> None:
        self._asgi = httpx.ASGITransport(app, raise_app_exceptions=False, client=("127.0.0.1", 0))
        self._loop = asyncio.Runner()

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        return self._loop.run(self._answered(request))

    def close(self) -> None:
        self._loop.close()

    async def _answered(self, request: httpx.Request) -> httpx.Response:
        assert isinstance(request.stream, httpx.SyncByteStream)
        copy = httpx.Request(request.method, request.url, headers=request.headers, stream=_Stream(request.stream))
        answer = await self._asgi.handle_async_request(copy)
        content = await answer.aread()
        return httpx.Response(answer.status_code, headers=answer.headers, content=content)


class _Stream(httpx.AsyncByteStream):
    """A body that is read chunk by chunk, for an app that awaits it."""

    def __init__(self, chunks: Iterable[bytes]) -> None:
        self._chunks = chunks

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for chunk in self._chunks:
            yield chunk
