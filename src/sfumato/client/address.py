"""Server addresses that a token may be sent to."""

from __future__ import annotations

from dataclasses import dataclass
from ipaddress import ip_address
from urllib.parse import urlsplit

from sfumato.errors import BadInput

_HINT = "write it as https://escrow.example.org."


@dataclass(frozen=True)
class Address:
    url: str
    host: str
    loopback: bool


def address(url: str, *, insecure: bool = False) -> Address:
    """Parse an address; one that would send a token over a network in plain text is refused.

    >>> address("http://127.0.0.1:8000/").url
    'http://127.0.0.1:8000'
    """
    try:
        parts = urlsplit(url.strip())
        host, port = parts.hostname or "", parts.port
    except ValueError:
        raise BadInput("The address of the server cannot be read", hint=_HINT) from None
    if parts.username is not None or parts.password is not None:
        raise BadInput("The address of a server must not contain a name or a password", hint="pass a token instead.")
    if parts.scheme not in ("http", "https") or not host or parts.query or parts.fragment:
        raise BadInput("The address of a server starts with https:// and has no query or fragment", hint=_HINT)
    loopback = _is_loopback(host)
    if parts.scheme == "http" and not loopback and not insecure:
        raise BadInput.because("address-without-tls", host=host)
    named = f"[{host}]" if ":" in host else host
    place = named if port is None else f"{named}:{port}"
    return Address(f"{parts.scheme}://{place}{parts.path.rstrip('/')}", place, loopback)


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
