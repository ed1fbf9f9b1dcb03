"""Errors are worded for web pages and the API in all that a server does for a request."""

from __future__ import annotations

from starlette.types import ASGIApp, Receive, Scope, Send

from sfumato.presentation.interface import Interface, speaking


class WordingMiddleware:
    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        with speaking(Interface.WEB):
            await self._app(scope, receive, send)
