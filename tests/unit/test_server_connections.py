"""How many connections are open, which one makes room, and how long one waits: by a clock of the test's own."""

from __future__ import annotations

import logging
import socket
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pytest

from sfumato.server.connections import ConnectionLimits, Connections, LimitedSocket
from sfumato.server.run import bind_socket

A, B = "192.0.2.1", "192.0.2.2"


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


class Ended(socket.socket):
    """Which were ended."""

    def __init__(self) -> None:
        super().__init__()
        self.is_ended = False

    def shutdown(self, _how: int) -> None:
        self.is_ended = True


@pytest.fixture
def sockets() -> Iterator[list[Ended]]:
    made = [Ended() for _ in range(8)]
    yield made
    for one in made:
        one.close()


def registry(clock: Clock | None = None, **limits: Any) -> Connections:
    return Connections(ConnectionLimits(**limits), clock or Clock())


def test_the_one_that_waited_longest_makes_room(sockets: list[Ended]) -> None:
    connections = registry(most=3, each=None)
    for port in range(3):
        assert connections.enter((A, port), sockets[port])
    connections.wait((A, 0), None)  # a request came: it is being answered
    assert connections.enter((B, 3), sockets[3])
    assert [one.is_ended for one in sockets[:4]] == [False, True, False, False]
    assert len(connections) == 3
    connections.leave((A, 1), sockets[1])  # its transport noticed: it was counted out already
    assert len(connections) == 3


def test_one_address_makes_room_for_itself_only(sockets: list[Ended]) -> None:
    connections = registry(most=100, each=2)
    for number, address in enumerate((A, A, B, A)):
        assert connections.enter((address, number), sockets[number])
    assert [one.is_ended for one in sockets[:4]] == [True, False, False, False]
    assert connections.enter(("2001:db8::1", 4), sockets[4])
    assert connections.enter(("2001:db8::2", 5), sockets[5])
    assert connections.enter(("2001:db8::3", 6), sockets[6])
    assert sockets[4].is_ended, "addresses of one subscriber are one"


def test_a_new_one_is_refused_where_all_are_being_answered(sockets: list[Ended]) -> None:
    connections = registry(most=2, each=2)
    for port in range(2):
        connections.enter((A, port), sockets[port])
        connections.wait((A, port), None)
    assert not connections.enter((A, 2), sockets[2])
    assert not connections.enter((B, 3), sockets[3])
    connections.leave((A, 0), sockets[0])
    assert connections.enter((A, 4), sockets[4])
    assert not any(one.is_ended for one in sockets)


def test_a_header_has_so_long_and_an_answer_as_long_as_it_takes(sockets: list[Ended]) -> None:
    clock = Clock()
    connections = registry(clock, header_seconds=10.0)
    for port in range(3):
        connections.enter((A, port), sockets[port])
    connections.wait((A, 1), None)
    clock.now = 9.0
    connections.sweep()
    connections.wait((A, 2), 60)  # its peer does not take the answer
    assert not any(one.is_ended for one in sockets)
    clock.now = 10.0
    connections.sweep()
    assert [one.is_ended for one in sockets[:3]] == [True, False, False]
    clock.now = 1000.0
    connections.sweep()
    assert [one.is_ended for one in sockets[:3]] == [True, False, True]


def test_the_log_has_one_line_a_minute(sockets: list[Ended], caplog: pytest.LogCaptureFixture) -> None:
    clock = Clock()
    connections = registry(clock, most=1, each=None)
    with caplog.at_level(logging.WARNING, "sfumato.connections"):
        for second in range(130):
            clock.now = float(second)
            for port in range(100):
                connections.enter((A, 1000 * second + port), sockets[0])
            connections.sweep()
    lines = [record.getMessage() for record in caplog.records]
    assert len(lines) == 3
    assert lines[1] == "closed 6000 connections: 6,000 made room for others"


def test_a_socket_counts_what_it_accepted_until_that_is_closed() -> None:
    connections = registry(most=2, each=2)
    with LimitedSocket(connections, bind_socket("127.0.0.1", 0)) as listening:
        peers = [socket.create_connection(listening.getsockname()) for _ in range(3)]
        accepted: list[socket.socket] = []
        while len(accepted) < 3:
            with suppress(BlockingIOError):  # the event loop does something else then
                accepted.append(listening.accept()[0])
        assert len(connections) == 2
        assert accepted[0].recv(1) == b"", "it was ended to make room"
        assert peers[0].recv(1) == b""
        for one in (*accepted, *peers):
            one.close()
        assert len(connections) == 0
