"""Where a registered table lies in a database or on a cluster, and how it is read. Kept in the vault, and nowhere else.

A controller names the server, and this machine connects to it: so only servers that an admin has listed are reached,
and a URL is taken apart and written anew, so that nothing in it can name another server or a file of this machine.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection
from dataclasses import asdict, dataclass
from typing import Self
from urllib.parse import parse_qsl, quote, unquote, urlencode, urlsplit

from sfumato.errors import BadInput, Forbidden, instead
from sfumato.model.confidential import Confidential

_ENGINES = {"postgresql": "postgres", "postgres": "postgres", "sc": "spark"}  # by what a URL begins with
_PORTS = {"postgres": 5432, "spark": 15002}
CONNECTED = frozenset(_PORTS)  # formats of versions whose data stays in a database or on a cluster
_TLS = ("require", "verify-ca", "verify-full")
_HERE = ("localhost", "127.0.0.1", "::1")
_ONLY_BY_PASSWORD = {  # what this machine could sign in with by itself is not the controller's to use
    "require_auth": "password,md5,scram-sha-256",
    "sslcertmode": "disable",
    "gssencmode": "disable",
}
_HOST = re.compile(r"[\w.-]+|[0-9A-Fa-f:]+")
_NAME = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*){0,2}")  # a path would reach files of the cluster


@dataclass(frozen=True, repr=False)
class TableConnection(Confidential):
    """One table: the parts of its URL, the password, and the version that its controller names, if any."""

    engine: str
    host: str  # or the folder of a socket
    port: int
    table: str
    database: str = ""
    user: str = ""
    password: str = ""
    tls: str = ""
    version: str = ""

    @classmethod
    def parse(cls, url: str, table: str, password: str = "", version: str = "") -> Self:
        """A connection by its URL, without the password, which would be seen where a URL is typed or logged."""
        parts = instead(BadInput.because("connection-url"), (ValueError,), lambda: urlsplit(url))
        host, port = instead(BadInput.because("connection-url"), (ValueError,), lambda: (parts.hostname, parts.port))
        engine = _ENGINES.get(parts.scheme.lower())
        if engine is None:
            raise BadInput.because("connection-engine")
        if parts.password is not None:
            raise BadInput.because("connection-url-password")
        options = dict(parse_qsl(parts.query, keep_blank_values=True))
        if engine == "postgres" and host is None and options.get("host", "").startswith("/"):
            host = options.pop("host")
        tls = options.pop("sslmode", "")
        database, user = unquote(parts.path).removeprefix("/"), unquote(parts.username or "")
        known = engine == "postgres" and bool(database and user) and "/" not in database
        known |= engine == "spark" and not (database or user or tls)
        is_host = host is not None and (host.startswith("/") or _HOST.fullmatch(host) is not None)
        if options or parts.fragment or not known or not is_host or host is None:
            raise BadInput.because("connection-url")
        if not table or (engine == "spark" and _NAME.fullmatch(table) is None):
            raise BadInput.because("connection-table")
        if engine == "postgres" and not password:
            raise BadInput.because("connection-password-missing")
        is_here = host in _HERE or host.startswith("/")
        if engine == "postgres" and not is_here and (tls or _TLS[0]) not in _TLS:
            raise BadInput.because("connection-tls", known=list(_TLS))
        tls = tls or ("prefer" if is_here else _TLS[0])
        return cls(engine, host, port or _PORTS[engine], table, database, user, password, tls, version)

    @property
    def as_bytes(self) -> bytes:
        """For the vault."""
        return json.dumps(asdict(self)).encode()

    @classmethod
    def from_bytes(cls, kept: bytes) -> Self:
        return cls(**json.loads(kept))

    @property
    def url(self) -> str:
        """What the engine is opened with, the password included."""
        if self.engine == "spark":
            token = f";token={quote(self.password, safe='')}" if self.password else ""
            tls = "/;use_ssl=true" if token or self.tls in _TLS else ""  # exact totals come from there
            return f"sc://{_bracketed(self.host)}:{self.port}{tls}{token}"
        user, database = (quote(text, safe="") for text in (f"{self.user}", self.database))
        how = {"sslmode": self.tls} | _ONLY_BY_PASSWORD
        server = f"{_bracketed(self.host)}:{self.port}"
        if self.host.startswith("/"):
            server, how = "", {"host": self.host, "port": str(self.port)} | how
        return f"postgresql://{user}:{quote(self.password, safe='')}@{server}/{database}?{urlencode(how)}"

    @property
    def place(self) -> str:
        """Where the table is, for its controllers: without who reads it, and with what."""
        server = self.host if self.host.startswith("/") else _bracketed(self.host)
        scheme = "sc" if self.engine == "spark" else "postgresql"
        database = f"/{self.database}" if self.database else ""
        return f"{scheme}://{server}:{self.port}{database}, table {self.table}"

    def require_allowed(self, servers: Collection[str]) -> None:
        """Refuse a server that is not in the settings: who may register data could otherwise reach any from here."""
        if (self.host.casefold(), self.port) not in {_server(one, _PORTS[self.engine]) for one in servers}:
            raise Forbidden.because("connection-server-not-allowed")


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def _server(listed: str, port: int) -> tuple[str, int]:
    """Host, or folder of a socket, and port of an entry of the settings.

    >>> _server("DB.example", 5432), _server("db.example:5433", 5432), _server("/run/postgresql", 5432)
    (('db.example', 5432), ('db.example', 5433), ('/run/postgresql', 5432))
    """
    wrong = BadInput.because("data-server-unreadable", server=listed)
    if listed.startswith("/"):
        folder, _, own_port = listed.partition(":")
        return folder.casefold(), instead(wrong, (ValueError,), lambda: int(own_port or port))
    parts = instead(wrong, (ValueError,), lambda: urlsplit(f"//{listed}"))
    return instead(wrong, (ValueError,), lambda: ((parts.hostname or "").casefold(), parts.port or port))
