"""Open connections: how many there may be, and how long each may wait for its peer."""

from __future__ import annotations

import logging
import resource
import socket
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from time import monotonic
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

from sfumato.server.rate_limit import network

_log = logging.getLogger("sfumato.connections")
BACKLOG = 2048  # connections that the kernel accepts before we do: beyond, a peer tries again after a second
_FILES = 512  # descriptors for everything else: connections that are being closed, workers, files, the database
_LOGGED = 60.0  # seconds between two lines about closed connections
Peer = tuple[str, int]


@dataclass(frozen=True, kw_only=True)
class ConnectionLimits:
    """`each` is for one address, as it is counted for rates; None behind a proxy, which has one address for all."""

    most: int = 1000
    each: int | None = 100
    header_seconds: float = 10.0
    body_seconds: float = 60.0
    idle_seconds: float = 30.0


@dataclass
class _Open:
    sock: socket.socket
    network: str
    ends: float | None  # when it has waited for its peer long enough; None while we work for it


@dataclass
class Connections:
    """Which connections are open, by their peer.

    Where there are too many, the one of the same address, or of all, that has waited longest for its peer makes room; a
    new one is refused only where all of them are being answered. They are ended by `shutdown`, which their transport
    notices: it is the same for one amid a TLS handshake.
    """

    limits: ConnectionLimits = ConnectionLimits()
    clock: Callable[[], float] = monotonic
    _open: dict[Peer, _Open] = field(default_factory=dict)  # those that have waited longest first
    _of: Counter[str] = field(default_factory=Counter)
    _closed: Counter[str] = field(default_factory=Counter)  # since the last line of the log, by the reason
    _logged: float = float("-inf")

    def __post_init__(self) -> None:
        self._most = _files_for(self.limits.most)
        self.batch = max(2, min(self.limits.each or self._most, self._most) // 8)  # to accept before others are read

    def enter(self, peer: Peer, sock: socket.socket) -> bool:
        """Whether there is room for a new connection."""
        each, name = self.limits.each, network(peer[0])
        has_room = each is None or self._of[name] < each or self._make_room(name)
        if not has_room or (len(self._open) >= self._most and not self._make_room(None)):
            self._closed["were refused"] += 1
            return False
        self._open[peer] = _Open(sock, name, self.clock() + self.limits.header_seconds)
        self._of[name] += 1
        return True

    def leave(self, peer: Peer, sock: socket.socket) -> None:
        if peer in self._open and self._open[peer].sock is sock:
            self._forget(peer)

    def wait(self, peer: Peer | None, seconds: float | None) -> None:
        """It waits for its peer, for so long at most; None: we work for it."""
        if peer in self._open:
            connection = self._open.pop(peer)
            connection.ends = None if seconds is None else self.clock() + seconds
            self._open[peer] = connection

    def count(self, why: str) -> None:
        self._closed[why] += 1

    def sweep(self) -> None:
        """End those that have waited too long, and write the line about all that were ended, once a minute."""
        now = self.clock()
        for peer in [peer for peer, one in self._open.items() if one.ends is not None and one.ends <= now]:
            self._end(peer, "sent nothing for too long")
        if self._closed and now - self._logged >= _LOGGED:
            why = ", ".join(f"{number:,} {reason}" for reason, number in self._closed.items())
            _log.warning("closed %d connections: %s", self._closed.total(), why)
            self._closed.clear()
            self._logged = now

    def _make_room(self, name: str | None) -> bool:
        waiting = (p for p, one in self._open.items() if one.ends is not None and name in (None, one.network))
        oldest = next(waiting, None)
        if oldest is not None:
            self._end(oldest, "made room for others")
        return oldest is not None

    def _end(self, peer: Peer, why: str) -> None:
        with suppress(OSError):
            self._open[peer].sock.shutdown(socket.SHUT_RDWR)
        self._forget(peer)
        self._closed[why] += 1

    def _forget(self, peer: Peer) -> None:
        name = self._open.pop(peer).network
        self._of[name] -= 1
        if not self._of[name]:
            del self._of[name]

    def __len__(self) -> int:
        return len(self._open)


class LimitedSocket(socket.socket):
    """A socket that listens, and accepts as many as `connections` has room for.

    It accepts few at a time: the event loop reads what others sent in between, so that one whose request is there
    already does not make room for those that come right after it.
    """

    def __init__(self, connections: Connections, taken: socket.socket) -> None:
        super().__init__(taken.family, taken.type, taken.proto, taken.detach())
        self._connections, self._accepted = connections, 0

    def accept(self) -> tuple[socket.socket, Any]:
        while True:
            self._accepted = (self._accepted + 1) % self._connections.batch
            if not self._accepted:
                raise BlockingIOError
            accepted, address = super().accept()
            one = _Accepted(self._connections, address[:2], accepted)
            if self._connections.enter(address[:2], one):
                return one, address
            one.close()


class _Accepted(socket.socket):
    """A connection that is counted until it is closed."""

    def __init__(self, connections: Connections, peer: Peer, accepted: socket.socket) -> None:
        super().__init__(accepted.family, accepted.type, accepted.proto, accepted.detach())
        self._connections, self._peer = connections, peer

    def close(self) -> None:
        self._connections.leave(self._peer, self)
        super().close()


class LimitedProtocol(H11Protocol):
    """HTTP that says when it waits for its peer. Each server has a subclass with its `open`."""

    open: Connections

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._note()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._note(after_response=True)

    def pause_writing(self) -> None:
        super().pause_writing()
        self.open.wait(self.client, self.open.limits.body_seconds)

    def resume_writing(self) -> None:
        super().resume_writing()
        self._note()

    def send_400_response(self, msg: str) -> None:
        self.open.count("sent no valid request")
        super().send_400_response(msg)

    def _note(self, *, after_response: bool = False) -> None:
        """Idle connections are closed by uvicorn's own timer, which ends with the first byte of the next header."""
        limits = self.open.limits
        cycle: RequestResponseCycle | None = self.cycle  # none before the first request
        if cycle is not None and not cycle.response_complete:
            self.open.wait(self.client, None)
        elif after_response:
            self.open.wait(self.client, limits.idle_seconds + limits.header_seconds)


def _files_for(connections: int) -> int:
    """Raise the limit of open files for so many connections, and return how many fit beside everything else."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = connections + _FILES
    if soft != resource.RLIM_INFINITY and soft < wanted:
        soft = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    return connections if soft == resource.RLIM_INFINITY else min(connections, max(soft - _FILES, 16))
