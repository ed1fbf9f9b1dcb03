"""An app on a made-up escrow, and somebody who calls it. Every answer is held against the OpenAPI document."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterable, Callable
from dataclasses import dataclass, field
from functools import cache, lru_cache
from typing import Any, cast

import httpx
import jsonschema_rs
from fastapi import FastAPI

from sfumato.errors import NotSignedIn
from sfumato.escrow.identity.person import Person, Role
from sfumato.escrow.questions.exploration import RequestEstimate
from sfumato.escrow.questions.facts import RequestFacts
from sfumato.escrow.service import Escrow
from sfumato.ledger.odometer import Total
from sfumato.model.budget import NO_BUDGET
from sfumato.model.guarantee import Guarantee
from sfumato.server.app import API, create_app
from sfumato.server.settings import ServerSettings

PASSWORD = "four words put together"
CSRF = "the csrf of the session"
ESTIMATE = RequestEstimate(RequestFacts((), 0.2, 0.0, Guarantee.DP, (), Total(), NO_BUDGET, None), None)


def person(name: str, *roles: str) -> Person:
    return Person(name, "", tuple(map(Role, roles or ("analyst",))), "00", "2026-11-16T00:00:00+00:00")


@dataclass
class Verbs:
    """Notes each call, and answers with what it was told to, or raises it."""

    answers: dict[str, Any] = field(default_factory=dict)
    calls: list[tuple[str, tuple[Any, ...], dict[str, Any]]] = field(default_factory=list)

    def __getattr__(self, verb: str) -> Callable[..., Any]:
        if verb.startswith("__"):
            raise AttributeError(verb)

        def called(*given: Any, **named: Any) -> Any:
            self.calls.append((verb, given, named))
            answer = self.answers.get(verb)
            if isinstance(answer, Exception):
                raise answer
            return answer(*given, **named) if callable(answer) else answer

        return called


@dataclass
class Session:
    secret: str
    csrf: str
    person: Person
    expires_at: str


@dataclass
class Accounts(Verbs):
    """Alice signs in with a password; tokens are "NAME read write"."""

    def sign_in(self, name: str, password: str) -> Session:
        if password != PASSWORD:
            raise NotSignedIn("The user name or the password is wrong")
        return Session(f"session of {name}", CSRF, person(name), "2026-11-16T12:00:00+00:00")

    def of_session(self, secret: str) -> tuple[Person, str]:
        if not secret.startswith("session of "):
            raise NotSignedIn("You are not signed in, or your session has expired")
        return person(secret.removeprefix("session of ")), CSRF

    def of_token(self, secret: str) -> tuple[Person, frozenset[str]]:
        name, *scopes = secret.split("-")
        if not scopes:
            raise NotSignedIn("The token is unknown, expired or revoked")
        return person(name, *(["controller"] if name == "a controller" else [])), frozenset(scopes)


@dataclass
class Submitted(Verbs):
    approval: Verbs = field(default_factory=Verbs)
    assignment: Verbs = field(default_factory=Verbs)


@dataclass
class Nouns:
    accounts: Accounts = field(default_factory=Accounts)
    datasets: Verbs = field(default_factory=Verbs)
    policies: Verbs = field(default_factory=Verbs)
    questions: Verbs = field(default_factory=Verbs)
    requests: Submitted = field(default_factory=Submitted)
    signals: Submitted = field(default_factory=Submitted)
    notifications: Verbs = field(default_factory=Verbs)
    audit: Verbs = field(default_factory=Verbs)

    def every(self) -> list[Verbs]:
        return [*vars(self).values(), *(r for s in (self.requests, self.signals) for r in (s.approval, s.assignment))]

    @property
    def calls(self) -> list[tuple[str, tuple[Any, ...], dict[str, Any]]]:
        return [call for noun in self.every() for call in noun.calls]


def app_on(nouns: Nouns, **told: Any) -> FastAPI:
    return create_app(cast(Escrow, nouns), ServerSettings(**told))


class Caller:
    """Calls an app as a browser or a program does; keeps cookies."""

    def __init__(self, app: FastAPI, token: str | None = "alice-read-write", *, address: str = "192.0.2.1") -> None:
        self.app = app
        self.headers = {"Authorization": f"Bearer {token}"} if token else {}
        self.cookies: dict[str, str] = {}
        self._asgi = httpx.ASGITransport(app, client=(address, 1))

    def __call__(self, method: str, path: str, **named: Any) -> httpx.Response:
        return asyncio.run(self.answer(method, path, **named))

    async def answer(
        self,
        method: str,
        path: str,
        *,
        json: Any = None,
        content: bytes | AsyncIterable[bytes] | None = None,
        headers: dict[str, str] | None = None,
    ) -> httpx.Response:
        async with httpx.AsyncClient(
            transport=self._asgi, base_url=f"https://escrow.test{API}", cookies=self.cookies
        ) as http:
            said = self.headers | (headers or {})
            answer = await http.request(method, path, json=json, content=content, headers=said)
        self.cookies |= dict(answer.cookies)
        fits(self.app, answer)
        return answer


def operations(app: FastAPI) -> list[tuple[str, str]]:
    """Every method and path of the OpenAPI document."""
    return [(method.upper(), path) for path, methods in app.openapi()["paths"].items() for method in methods]


@cache
def _pattern(path: str) -> re.Pattern[str]:
    return re.compile(re.sub(r"\{\w+\}", "[^/]+", path))


@lru_cache(maxsize=256)
def _validator(app: FastAPI, schema: str) -> jsonschema_rs.Validator:
    """Made once: to read all the components takes longer than to check an answer."""
    return jsonschema_rs.validator_for(json.loads(schema) | {"components": app.openapi()["components"]})


def fits(app: FastAPI, answer: httpx.Response) -> None:
    """What came is what the document says may come: status, media type, shape."""
    document = app.openapi()
    for path, methods in document["paths"].items():
        method = answer.request.method.lower()
        if method in methods and _pattern(path).fullmatch(answer.request.url.path):
            said = methods[method]["responses"]
            assert str(answer.status_code) in said, f"{method} {path} does not say that {answer.status_code} may come"
            content = said[str(answer.status_code)].get("content")
            if content is None:
                assert not answer.content
                return
            ((media, described),) = content.items()
            assert answer.headers["Content-Type"] == media
            _validator(app, json.dumps(described["schema"])).validate(answer.json())
