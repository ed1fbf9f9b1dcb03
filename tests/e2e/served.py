"""A workspace that a process of its own serves, with everything that it writes in one folder; and how it is ended."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import TracebackType
from typing import Self

from sfumato.adapters.vault.vault_file import Argon2Cost
from sfumato.client.client import Client, connect
from sfumato.composition.create import create_workspace
from sfumato.composition.settings import WorkspaceSettings
from sfumato.composition.workspace import open_workspace
from tests.e2e.command import PATIENCE, SFUMATO

PASSPHRASE, PASSWORD = "open sesame please", "correct horse battery"
CHEAP = Argon2Cost(passes=1, memory_kib=64, lanes=1)  # of a passphrase, where its cost is not what is shown
PEOPLE = (("alice", "controller", ""), ("bob", "analyst", "Health Board"), ("carol", "auditor", ""))


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


@dataclass
class Served:
    """`sfumato serve`, as often as it is started. Its folder holds the workspace, its logs and what is temporary."""

    folder: Path
    command: tuple[object, ...] = (SFUMATO, "serve")
    port: int = field(default_factory=free_port)
    _process: subprocess.Popen[bytes] | None = None

    def __post_init__(self) -> None:
        for name in ("home", "tmp"):
            (self.folder / name).mkdir(exist_ok=True)

    @property
    def workspace(self) -> Path:
        return self.folder / "workspace"

    @property
    def passphrase_file(self) -> Path:
        return secret_file(self.folder, "passphrase", PASSPHRASE)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def log(self) -> str:
        return (self.folder / "stderr").read_text("utf-8")

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    @property
    def workers(self) -> list[int]:
        """The processes that it started and that work for it."""
        return [pid for pid in children(self.pid) if "spawn_main" in _command_line(pid)]

    def start(self) -> Self:
        """Until it listens."""
        typed = [*self.command, self.workspace, "--port", self.port, "--passphrase-file", self.passphrase_file]
        environment = os.environ | {"HOME": str(self.folder / "home"), "TMPDIR": str(self.folder / "tmp")}
        said = (self.folder / "stdout").open("ab"), (self.folder / "stderr").open("ab")
        with said[0] as out, said[1] as err:
            before = err.tell()
            self._process = subprocess.Popen(
                list(map(str, typed)), stdout=out, stderr=err, env=environment, cwd=self.folder / "home"
            )
        while b"sfumato serves" not in (self.folder / "stderr").read_bytes()[before:]:
            try:
                raise AssertionError(f"it ended with {self._process.wait(timeout=0.05)}: {self.log}")
            except subprocess.TimeoutExpired:
                continue
        return self

    def stop(self) -> int:
        """As an operator does; how it ended."""
        return self._ended(signal.SIGTERM)

    def kill(self) -> None:
        """As a power cut does; its workers are gone too when this returns."""
        workers = self.workers
        self._ended(signal.SIGKILL)
        for pid in workers:
            while _is_alive(pid):
                os.sched_yield()

    def _ended(self, by: signal.Signals) -> int:
        assert self._process is not None
        self._process.send_signal(by)
        return self.wait()

    def wait(self) -> int:
        """How it ended, once it has."""
        assert self._process is not None
        return self._process.wait(PATIENCE)

    def client(self, token: str) -> Client:
        return connect(self.url, token, timeout=PATIENCE)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _at: TracebackType | None
    ) -> None:
        if self._process is not None and self._process.poll() is None:
            self.kill()


@dataclass(frozen=True)
class Tokens:
    """Of whom a workspace knows: alice holds the data, bob of the Health Board asks, carol may look at the record."""

    alice: str
    bob: str
    carol: str


def prepared(folder: Path, settings: WorkspaceSettings | None = None) -> Tokens:
    """A workspace in a folder, made quickly: its passphrase is as weak as it can be, and people come by tokens."""
    place = folder / "workspace"
    settings = replace(settings or WorkspaceSettings(), undo_seconds=0)  # an approval starts at once
    create_workspace(place, admin="root", password=PASSWORD, passphrase=PASSPHRASE, settings=settings, cost=CHEAP)
    with open_workspace(place, passphrase=PASSPHRASE) as workspace:
        people = workspace.escrow.accounts
        root, tokens = people.one("root"), []
        for name, role, organisation in PEOPLE:
            people.add(root, name, [role], organisation=organisation)
            tokens.append(people.new_token(people.one(name), "a test")[1])
    return Tokens(*tokens)


def secret_file(folder: Path, name: str, secret: str) -> Path:
    """Beside the folder, which is searched for what must not be in it."""
    path = folder.with_name(f"{folder.name}.{name}")
    path.write_text(f"{secret}\n", "utf-8")
    return path


def until(is_so: Callable[[], bool], every: float = 0.02) -> None:
    """Ask again and again, seldom enough that asking costs little beside what is waited for."""
    ends = time.monotonic() + PATIENCE
    while not is_so():
        assert time.monotonic() < ends, "it never came"
        time.sleep(every)


def children(pid: int) -> list[int]:
    """Of a process, all of them and theirs."""
    found = []
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            found += [int(child) for child in task.read_text("ascii").split()]
        except OSError:  # it is gone
            continue
    return found + [below for child in found for below in children(child)]


def _command_line(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_text("utf-8")
    except OSError:
        return ""


def _is_alive(pid: int) -> bool:
    """Whatever still waits to be reaped by somebody is dead."""
    try:
        return Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False
