"""A server that tests are asked by: it answers what it was told to, and keeps what it was asked."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import httpx

from sfumato.client.client import Client
from sfumato.client.connection import Connection

TOKEN = "sf_Jq3xWmTtokenOfTests"
Reply = httpx.Response | Exception | Callable[[httpx.Request], httpx.Response]


@dataclass
class Server:
    """Answers by method and path; several answers of one path come one after the other, the last for good."""

    replies: dict[str, list[Reply]] = field(default_factory=dict)
    asked: list[httpx.Request] = field(default_factory=list)
    pauses: list[float] = field(default_factory=list)

    def on(self, route: str, *replies: Any, status: int = 200) -> Server:
        """What is no response, error or function is the JSON of one."""
        kinds = (httpx.Response, Exception)
        made = [r if isinstance(r, kinds) or callable(r) else httpx.Response(status, json=r) for r in replies]
        self.replies.setdefault(route, []).extend(made)
        return self

    def answer(self, request: httpx.Request) -> httpx.Response:
        request.read()
        self.asked.append(request)
        route = f"{request.method} {request.url.path.removeprefix('/api/v1')}"
        left = self.replies.get(route)
        if left is None:
            return problem(404, "not-found", f"nothing is at {route}")
        reply = left.pop(0) if len(left) > 1 else left[0]
        if isinstance(reply, Exception):
            raise reply
        return reply(request) if callable(reply) else reply

    @property
    def bodies(self) -> Iterator[Any]:
        """The JSON that it was sent."""
        kind = "application/json"
        return (json.loads(one.content) for one in self.asked if one.headers.get("Content-Type") == kind)

    def connection(self, token: str = TOKEN, **how: Any) -> Connection:
        transport = httpx.MockTransport(self.answer)
        return Connection("http://localhost:8000", token, transport=transport, pause=self.pauses.append, **how)

    def client(self, token: str = TOKEN) -> Client:
        return Client(self.connection(token))


def problem(status: int, code: str, detail: str, hint: str = "", where: str = "", **headers: str) -> httpx.Response:
    body = {"type": "about:blank", "title": "…", "status": status, "code": code, "detail": detail}
    told = {name.replace("_", "-"): value for name, value in headers.items()}
    return httpx.Response(
        status,
        json=body | {"hint": hint, "where": where},
        headers={"Content-Type": "application/problem+json"} | told,
    )
