"""JSON to and from one server: authentication, errors and retries."""

from __future__ import annotations

import logging
import os
import ssl
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx

from sfumato.client.address import Address, address
from sfumato.client.problems import problem
from sfumato.errors import BadInput, NoServer, SfumatoError
from sfumato.version import __version__

Content = Callable[[], Iterable[bytes]]
"""A body in chunks, from its beginning at each call."""

PATIENCE = 330.0  # seconds: a server gives a query 300
_CONNECT = 10.0
_TRIES = 3
_PAUSE = 0.25
_LONGEST_WAIT = 15.0  # seconds that a rate limit may ask for
_PAGE = 200
_UNKNOWN = "check before you send it again: the request may have been carried out."

logging.getLogger("httpcore").setLevel(logging.INFO)  # its debug lines quote headers, and so the cookie of a session


@dataclass(frozen=True)
class Reply:
    status: int
    facts: Any


@dataclass(frozen=True)
class _Broken:
    failure: SfumatoError
    unsent: bool  # it may be sent again
    for_good: bool  # it would fail again


class Connection:
    """A connection to one server. The token is in no repr, no log and no error."""

    def __init__(
        self,
        url: str,
        token: str = "",
        *,
        transport: httpx.BaseTransport | None = None,
        authority: str | Path | None = None,
        insecure: bool = False,
        timeout: float = PATIENCE,
        called: str = "",
        pause: Callable[[float], None] = time.sleep,
    ) -> None:
        where = address(url, insecure=insecure)
        self.name = called or where.host
        self._timeout = timeout
        self.pause = pause
        self._http = httpx.Client(
            base_url=f"{where.url}/api/v1",
            headers={"User-Agent": f"sfumato/{__version__}"} | _bearer(token),
            transport=transport,
            verify=_trusted(authority, where),
            timeout=httpx.Timeout(timeout, connect=min(timeout, _CONNECT)),
            trust_env=not where.loopback,  # keeps local requests away from a proxy
        )

    def get(self, *path: str, **query: object) -> Any:
        return self.reply("GET", *path, query=query).facts

    def post(self, *path: str, body: Mapping[str, Any] | None = None, key: str = "") -> Any:
        """With an idempotency `key` it may be sent twice, and is done once."""
        return self.reply("POST", *path, body=body or {}, key=key).facts

    def put(self, *path: str, body: Mapping[str, Any], **query: object) -> Any:
        return self.reply("PUT", *path, body=body, query=query).facts

    def patch(self, *path: str, body: Mapping[str, Any]) -> Any:
        return self.reply("PATCH", *path, body=body).facts

    def delete(self, *path: str) -> Any:
        return self.reply("DELETE", *path).facts

    def stream(self, *path: str, content: Content, kind: str) -> Any:
        """Send a body of this kind, chunk by chunk."""
        return self.reply("PUT", *path, content=content, kind=kind).facts

    def items(self, *path: str, start: object = None, **query: object) -> Iterator[Any]:
        """Items of a list, page by page, after `start`."""
        after = start
        while True:
            page = self.get(*path, after=after, limit=_PAGE, **query)
            if not isinstance(page, dict) or not isinstance(page.get("items"), list):
                raise self._no_sfumato()
            yield from page["items"]
            after = page.get("next")
            if after is None:
                return

    def sign_in(self, name: str, password: str) -> None:
        """Start a session with a name and a password; `sign_out` ends it."""
        facts = self.post("session", body={"name": name, "password": password})
        self._http.headers["X-CSRF-Token"] = str(facts["csrf"])

    def sign_out(self) -> None:
        self.delete("session")
        self._http.cookies.clear()
        self._http.headers.pop("X-CSRF-Token", None)

    def close(self) -> None:
        self._http.close()

    def reply(
        self,
        method: str,
        *path: str,
        query: Mapping[str, object] | None = None,
        body: Mapping[str, Any] | None = None,
        content: Content | None = None,
        kind: str = "",
        key: str = "",
    ) -> Reply:
        """Send a request and read the reply; a refusal is raised as an error."""
        headers = {"Content-Type": kind} if kind else {}
        headers |= {"Idempotency-Key": key} if key else {}
        query_text = {name: value for name, value in (query or {}).items() if value is not None}

        def request() -> httpx.Request:
            return self._http.build_request(
                method,
                "/".join(quote(part, safe="") for part in path),
                params=httpx.QueryParams({name: _text(value) for name, value in query_text.items()}) or None,
                json=body,
                content=None if content is None else iter(content()),
                headers=headers,
            )

        response = self._answer(request, twice=method == "GET" or bool(key))
        facts = _json(response)
        awaited = response.status_code == 202 and isinstance(facts, dict) and "code" in facts
        if response.status_code >= 400 or awaited:
            raise problem(response.status_code, facts, self.name)
        if response.status_code >= 300 or (facts is None and response.status_code != 204):
            raise self._no_sfumato()
        return Reply(response.status_code, facts)

    def _answer(self, request: Callable[[], httpx.Request], *, twice: bool) -> httpx.Response:
        """The reply; a broken connection is retried if nothing was sent, or if sending `twice` is safe."""
        left = _TRIES
        while True:
            left -= 1
            answer = self._tried(request)
            if isinstance(answer, _Broken):
                if not left or answer.for_good or not (twice or answer.unsent):
                    raise answer.failure
                self.pause(_PAUSE * (_TRIES - left))
                continue
            wait = _to_wait(answer)
            if not left or wait is None:
                return answer
            self.pause(wait)

    def _tried(self, request: Callable[[], httpx.Request]) -> httpx.Response | _Broken:
        """Send it once. The original error is dropped: it holds the request, and so the token."""
        try:
            return self._http.send(request())
        except httpx.TransportError as error:
            unsent = isinstance(error, httpx.ConnectError | httpx.ConnectTimeout)
            return _Broken(self._failure(error), unsent, _certificate_failed(error))

    def _failure(self, error: httpx.TransportError) -> SfumatoError:
        if _certificate_failed(error):
            return NoServer.because("server-not-trusted", server=self.name)
        if isinstance(error, httpx.ConnectError | httpx.ConnectTimeout):
            hint = "check the address, and that `sfumato serve` is running there."
            return NoServer(f"No server answers at {self.name}", hint=hint)
        if isinstance(error, httpx.TimeoutException):
            return NoServer(f"{self.name} did not answer within {self._timeout:g} seconds", hint=_UNKNOWN)
        return NoServer(f"The connection to {self.name} was interrupted", hint=_UNKNOWN)

    def _no_sfumato(self) -> SfumatoError:
        return NoServer(f"{self.name} is not a sfumato server", hint="check the address.")

    def __repr__(self) -> str:
        return f"<Connection to {self.name}>"


def new_key() -> str:
    """An idempotency key: a request that is sent twice with it is one request."""
    return os.urandom(16).hex()


def _bearer(token: str) -> dict[str, str]:
    text = token.strip()
    if not text:
        return {}
    if not text.isascii() or not text.isprintable() or " " in text:
        raise BadInput("This is not a token", hint="create one with `sfumato token`: one line of letters and digits.")
    return {"Authorization": f"Bearer {text}"}


def _trusted(authority: str | Path | None, where: Address) -> ssl.SSLContext | bool:
    if authority is None:
        return where.url.startswith("https:")
    try:
        return ssl.create_default_context(cafile=str(authority))
    except (OSError, ssl.SSLError):
        hint = "name a PEM file."
        raise BadInput(f"{authority} cannot be read as a certificate", hint=hint) from None


def _certificate_failed(error: BaseException | None) -> bool:
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        if isinstance(error, ssl.SSLCertVerificationError) or "CERTIFICATE_VERIFY_FAILED" in str(error):
            return True
        seen.add(id(error))
        error = error.__cause__ or error.__context__
    return False


def _to_wait(response: httpx.Response) -> float | None:
    """Seconds to wait for a server that limits the rate of calls; None to give up."""
    text = response.headers.get("Retry-After", "")
    if response.status_code != 429 or not text.isdigit() or int(text) > _LONGEST_WAIT:
        return None
    return float(text)


def _json(response: httpx.Response) -> Any:
    try:
        return response.json() if response.content else None
    except ValueError:
        return None


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
