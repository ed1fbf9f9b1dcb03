"""One analyst's many requests, a server that is told to stop, and connections that send nothing: on a real server.

Workers that are stopped by a signal stand for work that takes long, so that no test depends on how fast a machine is.
"""

from __future__ import annotations

import os
import resource
import signal
import socket
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path
from urllib.parse import quote
from urllib.request import Request, urlopen

import pytest

from sfumato.adapters.storage.database import Database
from sfumato.client.client import Client
from sfumato.client.submissions import RemoteRequest
from sfumato.composition.settings import WorkspaceSettings
from sfumato.composition.workspace import open_workspace
from sfumato.errors import Gone
from sfumato.ledger.entry import NANO, Event
from tests.depth import depth
from tests.e2e import census
from tests.e2e.command import PATIENCE
from tests.e2e.served import PASSPHRASE, Served, prepared, until

pytestmark = pytest.mark.e2e

FLOOD, QUEUED = 12, 40
EACH = 100  # connections of one address
POLICY = {"access_rule": [{"who": ["everyone"], "preferences": ["epsilon"], "approve": "automatic"}]}


class House:
    """A server with two workers, on data that alice controls and bob and dan ask about."""

    def __init__(self, folder: Path) -> None:
        settings = WorkspaceSettings(grace_seconds=60, header_seconds=5, connections_each=EACH)
        tokens = prepared(folder, settings)
        self.served = Served(folder)
        with open_workspace(self.served.workspace, passphrase=PASSPHRASE) as workspace:
            people = workspace.escrow.accounts
            people.add(people.one("root"), "dan", ["analyst"])
            dan = people.new_token(people.one("dan"), "a test")[1]
        self.alice_token = tokens.alice
        self.served.start()
        self.alice, self.bob, self.dan = map(self.served.client, (tokens.alice, tokens.bob, dan))
        self._database = Database(settings.database_url(self.served.workspace))
        self._asked = 0

    def submit(self, by: Client) -> RemoteRequest:
        """One count, at an epsilon that no other was asked at, so that it is drawn."""
        self._asked += 1
        return by.dataset("adult").submit([census.QUERIES[0]], {"epsilon": 0.001 * self._asked}, purpose="A test.")

    def set(self, *lines: str) -> None:
        """Settings, from the next start on."""
        settings = self.served.workspace / "sfumato.toml"
        names = tuple(line.partition(" ")[0] for line in lines)
        others = [line for line in settings.read_text("utf-8").splitlines() if not line.startswith(names)]
        settings.write_text("\n".join([*others, *lines, ""]), "utf-8")

    def page(self, path: str) -> int:
        headers = {"Authorization": f"Bearer {self.alice_token}", "Accept": "text/html"}
        with urlopen(Request(self.served.url + path, headers=headers), timeout=PATIENCE) as answer:
            return int(answer.status)

    def charges(self) -> list[float]:
        """In the order in which they were entered."""
        entries = self._database.ledger().read(0)
        return [entry.draft.nano_epsilon / NANO for entry in entries if entry.draft.event is Event.RESERVED]

    @contextmanager
    def workers_stopped(self) -> Iterator[list[int]]:
        """Those that are there by now: what they are told is done later."""
        workers = self.served.workers
        for pid in workers:
            os.kill(pid, signal.SIGSTOP)
        try:
            yield workers
        finally:
            for pid in workers:
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGCONT)

    def close(self) -> None:
        for one in (self.alice, self.bob, self.dan, self._database):
            one.close()


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    folder = tmp_path_factory.mktemp("queues")
    (folder / "server").mkdir()
    data, schema = census.written(folder, 500)
    house = House(folder / "server")
    with house.served, closing(house):
        house.alice.register(data, schema)
        house.alice.set_policy("adult", POLICY)
        yield house


def states(requests: list[RemoteRequest]) -> list[str]:
    return [request.state for request in requests]


def settled(requests: list[RemoteRequest]) -> set[str]:
    return {request.wait(PATIENCE, report=lambda _: None).state for request in requests}


def test_one_analyst_does_not_keep_others_waiting(house: House) -> None:
    """While both workers are busy, another's query has one of them, and a controller's pages need neither."""
    before = len(house.charges())
    with house.workers_stopped() as workers:
        assert len(workers) == 2
        flood = [house.submit(house.bob) for _ in range(FLOOD)]
        until(lambda: flood[0].state == "running")
        small = house.submit(house.dan)
        until(lambda: small.state == "running")
        assert states(flood) == ["running"] + ["approved"] * (FLOOD - 1)
        assert house.alice.request(flood[-1].id).page().as_dict()["rehearsal"], "a worker answers that"
        sql = quote(census.QUERIES[1])
        for path in ("/inbox", f"/requests/{flood[-1].id}", f"/datasets/adult/risk?sql={sql}"):
            assert house.page(path) == 200
        assert states([*flood, small]).count("running") == 2
    assert settled([small, *flood]) == {"released"}
    charges = house.charges()[before:]
    assert len(charges) == FLOOD + 1
    assert charges.index(small.as_dict()["charged"]) <= 1, "one turn of the other analyst came before it, at most"


def test_a_server_that_is_stopped_charges_nothing_more_and_goes_on_at_the_next_start(house: House) -> None:
    before = house.charges()
    with house.workers_stopped() as workers:
        requests = [house.submit(house.bob) for _ in range(QUEUED + 1)]
        until(lambda: requests[0].state == "running")
        os.kill(house.served.pid, signal.SIGTERM)
        until(lambda: any(map(is_told, workers)))
    assert house.served.wait() == 0
    assert house.charges() == before
    assert "Traceback" not in house.served.log
    house.set("grace_seconds = 2", "workers = 1")
    house.served.start()
    assert settled(requests) == {"released"}
    assert sorted(house.charges()[len(before) :]) == sorted(request.as_dict()["charged"] for request in requests)
    abandon(house)


def abandon(house: House) -> None:
    """What does not end in time: its worker never gets on. The server is gone all the same, and says so at a start."""
    before = len(house.charges())
    with house.workers_stopped() as workers:
        requests = [house.submit(house.bob) for _ in range(3)]
        until(lambda: requests[0].state == "running")
        assert house.served.stop() == 0
        assert not any(Path(f"/proc/{pid}/exe").exists() for pid in workers)
    house.served.start()
    assert settled(requests[1:]) == {"released"}
    assert requests[0].state == "failed"
    with pytest.raises(Gone, match="stopped while it ran"):
        requests[0].result()
    assert len(house.charges()) == before + 2


@pytest.mark.depth("half-open connections")
def test_connections_that_send_nothing_keep_no_one_out(house: House) -> None:
    number = depth("half-open connections")
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(number + 1000, hard), hard))
    lines = house.served.log.count("sfumato.connections")
    with ExitStack() as stack:
        peers = []
        for _ in range(number):
            peer = stack.enter_context(socket.create_connection(("127.0.0.1", house.served.port), PATIENCE))
            peer.sendall(b"GET /inbox HTTP/1.1\r\nHost: half")
            peers.append(peer)
        assert house.page("/inbox") == 200
        assert sockets_of(house.served.pid) < EACH + 100
        assert {ends(peer) for peer in peers} == {True}, "those that were left ended when their time was over"
        assert house.page("/inbox") == 200
    assert house.served.log.count("sfumato.connections") - lines <= 2, "lines that count, not one for each"


def is_told(worker: int) -> bool:
    """Whether a stopped worker was told that the server stops: the signal waits for it."""
    status = Path(f"/proc/{worker}/status").read_text("ascii")
    pending = next(line.split()[1] for line in status.splitlines() if line.startswith("ShdPnd"))
    return bool(int(pending, 16) >> (signal.SIGUSR1 - 1) & 1)


def ends(peer: socket.socket) -> bool:
    try:
        return peer.recv(1) == b""
    except ConnectionResetError:
        return True


def sockets_of(pid: int) -> int:
    def is_socket(link: Path) -> bool:
        with suppress(OSError):
            return str(link.readlink()).startswith("socket:")
        return False

    return sum(map(is_socket, Path(f"/proc/{pid}/fd").iterdir()))
