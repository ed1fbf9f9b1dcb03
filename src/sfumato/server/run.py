"""Listening: an address that is free, TLS or loopback, and then the app until it is stopped."""

from __future__ import annotations

import errno
import logging
import math
import signal
import socket
import ssl
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from ipaddress import ip_address
from pathlib import Path
from types import FrameType

import uvicorn
from fastapi import FastAPI

from sfumato.errors import BadInput, Refused
from sfumato.server.connections import BACKLOG, ConnectionLimits, Connections, LimitedProtocol, LimitedSocket


@dataclass(frozen=True)
class Tls:
    """Two PEM files: a certificate with what vouches for it, and its key."""

    certificate: Path
    key: Path

    def __post_init__(self) -> None:
        for path in (self.certificate, self.key):
            if not path.is_file():
                raise BadInput(f"There is no file {path}", hint="name a certificate and its key as PEM files.")
        try:
            ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(self.certificate, self.key, password="")
        except (ssl.SSLError, OSError, ValueError):
            hint = "use two PEM files that belong together, with a key without a passphrase."
            raise BadInput(f"{self.certificate} and {self.key} are not a certificate and its key", hint=hint) from None


def bind_socket(host: str, port: int, *, tls: Tls | None = None, behind_proxy: bool = False) -> socket.socket:
    """The socket a server is to listen on; taken first, so that a refusal leaves nothing half done.

    Beyond this machine passwords and answers travel by TLS only: the server's own, or that of a proxy before it.
    """
    family, place = _place(host, port)
    if not ip_address(place[0]).is_loopback and tls is None and not behind_proxy:
        raise Refused(
            f"{host} can be reached from other machines, and TLS is not set up",
            hint="set certificate and certificate_key, or set behind_proxy for a proxy with TLS, or use 127.0.0.1.",
        )
    taken = socket.socket(family, socket.SOCK_STREAM)
    taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        taken.bind(place)
        taken.listen()
    except OSError as error:
        taken.close()
        number = error.errno
    else:
        return taken
    if number == errno.EADDRINUSE:
        raise BadInput(f"Port {port} of {host} is in use", hint="stop its program, or choose another --port.")
    if number == errno.EACCES:
        raise BadInput(f"This user may not use port {port}", hint="choose one above 1023.")
    raise _no_address(host)


def serve(
    app: FastAPI,
    listening: socket.socket,
    *,
    tls: Tls | None = None,
    behind_proxy: bool = False,
    limits: ConnectionLimits | None = None,
    grace_seconds: float = 10.0,
    stop: Callable[[], None] = lambda: None,
) -> None:
    """Serve until SIGINT or SIGTERM on the socket that `bind_socket` returned; a signal calls `stop` first of all.

    Calls that are being answered then have until the last second of `grace_seconds`.
    """
    _write_logs()
    limits = limits or ConnectionLimits()
    connections = Connections(replace(limits, each=None) if behind_proxy else limits)
    config = uvicorn.Config(
        app,
        log_config=None,
        access_log=False,  # it writes paths and queries; server/middleware/access_log.py writes neither
        server_header=False,
        proxy_headers=behind_proxy,  # else a caller could choose the address that it seems to call from
        lifespan="off",
        loop="asyncio",  # which accepts by the socket's own `accept`
        http=type("Protocol", (LimitedProtocol,), {"open": connections}),
        ws=None,  # type: ignore[arg-type]
        backlog=BACKLOG,
        timeout_keep_alive=math.ceil(limits.idle_seconds),
        timeout_graceful_shutdown=max(1, math.floor(grace_seconds) - 1),
        ssl_certfile=tls.certificate if tls else None,
        ssl_keyfile=tls.key if tls else None,
    )
    # To be stopped is how a server ends: uvicorn raises the signal again when it is done, and our caller cleans up.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with suppress(KeyboardInterrupt), LimitedSocket(connections, listening) as limited:
        _Server(config, connections, stop).run([limited])


class _Server(uvicorn.Server):
    def __init__(self, config: uvicorn.Config, connections: Connections, stop: Callable[[], None]) -> None:
        super().__init__(config)
        self._connections, self._stop = connections, stop

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        self._stop()
        super().handle_exit(sig, frame)

    async def on_tick(self, counter: int) -> bool:
        self._connections.sweep()
        return await super().on_tick(counter)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self.config.app.state.lanes.stop()  # type: ignore[union-attr]
        await super().shutdown(sockets)


def _place(host: str, port: int) -> tuple[socket.AddressFamily, tuple[str, int]]:
    if not 0 <= port <= 65535:
        raise BadInput(f"{port} is not a port", hint="choose one from 1024 to 65535.")
    try:
        addresses = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except OSError:
        raise _no_address(host) from None
    family, _, _, _, place = addresses[0]
    return family, (str(place[0]), port)


def _no_address(host: str) -> BadInput:
    return BadInput(f"{host} is not an address of this machine", hint="use 127.0.0.1, or an address of this machine.")


def _write_logs() -> None:
    """What the server says of itself goes to stderr, one line each."""
    log = logging.getLogger("sfumato")
    if not log.handlers:
        handler = logging.StreamHandler(sys.stderr)
        handler.setFormatter(logging.Formatter("%(asctime)s %(name)s %(message)s"))
        log.addHandler(handler)
        log.setLevel(logging.INFO)
    logging.getLogger("uvicorn.error").setLevel(logging.ERROR)  # a line for each bad request; they are counted
