"""Houses to visit: a workspace as `sfumato demo --serve` furnishes it, served by a thread, on a port of its own."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from socket import SO_REUSEADDR, SOL_SOCKET, socket
from threading import Thread
from typing import Any
from unittest.mock import patch

import httpx
import uvicorn
from argon2 import PasswordHasher
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from sfumato.adapters.sandbox.bubblewrap import Bubblewrap
from sfumato.adapters.vault import passwords
from sfumato.cli.local import demo_server as open_house
from sfumato.cli.local.demo_server import ANALYST, CONTROLLER, HOST, PASSWORD
from sfumato.composition import settings
from sfumato.composition.create import create_workspace
from sfumato.composition.workspace import Workspace, open_workspace
from sfumato.escrow.service import Escrow
from sfumato.model.plain import to_plain
from sfumato.presentation.escrow import dataset_view
from sfumato.server.app import API
from sfumato.server.app import create_app as app_on
from sfumato.server.run import bind_socket
from sfumato.server.settings import Guest, ServerSettings
from sfumato.server.web import assets

AUDITOR = "edith"
PEOPLE = (CONTROLLER, ANALYST, AUDITOR)
BARE = "bare"
ATTEMPTS = (
    "</script><script>alert(1)</script>",
    "<img src=x onerror=alert(2)>",
    '"><svg onload=alert(3)>',
    "<a href=javascript:alert(4)>go</a>",
    '<b onclick="alert(5)" style="color: red">bold</b>',
    "{{7*7}}",
)
PLACES = ("organisation", "token", "title", "column", "category", "purpose", "sql", "note", "policy", "population")
TWIN = "the_same_people_in_a_dataset_with_a_long_name_of_one_word"


def markup(place: str) -> str:
    """What somebody wrote there who tries everything."""
    return place + "".join(ATTEMPTS)


CODE = f"import os\n\n\ndef evaluate(tables):\n    return 1  # {markup('code')}\n"
POLICY = open_house.POLICY | {"budget": 40.0}  # for several signals that have no guarantee
_ROWS, _SEED = 500, 1
_FREELY = 10**9  # calls and sign-ins a minute
_HOUR = 3600  # seconds


@dataclass(frozen=True)
class Plan:
    """A workspace that nobody is in, to be copied; `is_empty` where there are people and nothing else."""

    folder: Path
    key: Path
    is_empty: bool


@dataclass(eq=False)
class House:
    """A workspace in a folder of its own, and its server: open until it is closed, and open again on the same port."""

    folder: Path
    plan: Plan
    guests: tuple[Guest, ...] = ()
    sent: list[tuple[str, str]] | None = None  # path and text of each answer, recorded from the next opening on
    _port: int = 0
    _callers: dict[str | None, httpx.Client] = field(default_factory=dict)
    _opened: list[tuple[Workspace, ExitStack]] = field(default_factory=list)

    def open(self) -> None:
        with ExitStack() as stack:
            taken = stack.enter_context(bind_socket(HOST, self._port))
            workspace = stack.enter_context(open_workspace(self.folder, key_file=self.plan.key))
            self._port = taken.getsockname()[1]
            self.guests = self.guests or (() if self.plan.is_empty else open_house.demo_guests(workspace))
            app: ASGIApp = app_on(workspace.escrow, self._settings)
            stack.callback(running(app if self.sent is None else _recorded(app, self.sent), taken))
            self._opened.append((workspace, stack.pop_all()))

    def close(self) -> None:
        while self._callers:
            self._callers.popitem()[1].close()
        _, stack = self._opened.pop()
        stack.close()

    def stop_timers(self) -> None:
        """Forget what was approved and taken back: a workspace that closes would wait until it was due."""
        self._opened[-1][0]._timers.stop()

    @property
    def url(self) -> str:
        return f"http://{HOST}:{self._port}"

    @property
    def _settings(self) -> ServerSettings:
        return ServerSettings(guests=self.guests, calls_a_minute=_FREELY, sign_ins_a_minute=_FREELY)

    @property
    def escrow(self) -> Escrow:
        return self._opened[-1][0].escrow

    def request_in(self, state: str) -> str:
        """The number of the latest request that has come as far as this."""
        found = self.escrow.requests.many(self.escrow.accounts.one(CONTROLLER), state=state)
        return found[0].submission.id

    def signal_in(self, state: str) -> str:
        found = self.escrow.signals.many(self.escrow.accounts.one(CONTROLLER), state=state)
        return found[0].submission.id

    def end_sessions(self) -> None:
        """Everybody's are over, as after a long time."""
        with closing(sqlite3.connect(self.folder / "escrow.db")) as database, database:
            database.execute("UPDATE sessions SET expires_at = '2001-01-01T00:00:00+00:00'")

    def ledger(self, dataset: str = "adult") -> dict[str, Any]:
        """As its controller sees it."""
        ledger: dict[str, Any] = to_plain(
            dataset_view.ledger(self.escrow.datasets.ledger(self.escrow.accounts.one(CONTROLLER), dataset))
        )
        return ledger

    def entered(self, event: str, dataset: str = "adult") -> int:
        """How many entries of the kind there are in a ledger."""
        return [entry["event"] for entry in self.ledger(dataset)["entries"]].count(event)

    def get(self, address: str, name: str | None = None) -> httpx.Response:
        """What somebody without a browser is answered; signed in if they have a name."""
        if name not in self._callers:
            caller = self._callers[name] = httpx.Client(base_url=self.url, timeout=None)
            if name is not None:
                answer = caller.post(f"{API}/session", json={"name": name, "password": PASSWORD})
                assert answer.status_code == 201, answer.text
        return self._callers[name].get(address)


@contextmanager
def quick_passwords() -> Iterator[None]:
    """Passwords are hashed as they always are, but for the time that it takes."""
    with patch.object(passwords, "_HASHER", PasswordHasher(1, 8, 1)):
        yield


@contextmanager
def reserved_port() -> Iterator[int]:
    """A port that no other process is given: houses after one another may listen on it, and their browsers stay."""
    with socket() as reserved:
        reserved.setsockopt(SOL_SOCKET, SO_REUSEADDR, 1)
        reserved.bind((HOST, 0))
        yield reserved.getsockname()[1]


@contextmanager
def ready_sandbox() -> Iterator[None]:
    """It is not tried out: code is read here, and never run."""
    with patch.object(Bubblewrap, "missing", return_value=None):
        yield


def furnished(folder: Path) -> Plan:
    """With a dataset, its policy, an answer, a request that waits; and with one that came back, signals about the
    answer, a dataset without its data, one with the same rows, and an auditor. Whatever people wrote there is full of
    markup.
    """
    place = folder / "workspace"
    key = open_house.create_demo_workspace(place, _ROWS, _SEED)
    _state_one_worker(place)
    with open_workspace(place, key_file=key) as workspace:
        escrow = workspace.escrow
        clara, arthur = escrow.accounts.one(CONTROLLER), escrow.accounts.one(ANALYST)
        escrow.accounts.add(clara, AUDITOR, ["auditor"], organisation=markup("organisation"), password=PASSWORD)
        escrow.accounts.new_token(arthur, markup("token"))
        escrow.datasets.register(clara, _schema(), title=markup("title"))
        escrow.datasets.populate(clara, BARE, markup("population"))
        twin = (folder / "adult.toml").read_text("utf-8").replace('"adult"', f'"{TWIN}"', 1)
        escrow.datasets.register(clara, twin, title="Twin")
        escrow.datasets.deliver(clara, TWIN, [(folder / "adult.parquet").read_bytes()], "parquet")
        escrow.policies.set(clara, BARE, {"purpose": markup("policy"), "access_rule": [{"who": [ANALYST]}]})
        sql = f"SELECT COUNT(*) AS people FROM adult WHERE sex = '{markup('sql')}'"
        asked = escrow.requests.submit(arthur, "adult", markup("purpose"), [{"sql": sql}], None)
        escrow.requests.approval.return_(clara, asked.id, markup("note"))
        escrow.policies.set(clara, "adult", POLICY)
        answered = escrow.requests.many(arthur, state="released")[0].submission.id
        task = {"task": "above", "column": "people", "a": "Female", "b": "Male"}
        escrow.signals.submit(arthur, answered, 1, "free", task=task)
        with ready_sandbox():
            escrow.signals.submit(arthur, answered, 1, "as_published", code=CODE, how={"range": [0, 1]})
    return Plan(place, key, False)


def _state_one_worker(place: Path) -> None:
    """A house has few visitors, each worker takes a while to start, and an approval starts at once."""
    replace(settings.load(place), workers=1, undo_seconds=0).write(place)


def _schema() -> str:
    """JSON's way to write a text is also TOML's."""
    column, category = json.dumps(markup("column")), json.dumps(markup("category"))
    return f'''name = "{BARE}"\n[columns.{column}]\ntype = "text"\ncategories = [{category}]\n'''


def unfurnished(folder: Path) -> Plan:
    """With the same people, on the first morning."""
    place, key = folder / "workspace", folder / "key"
    key.write_bytes(bytes(range(32)))
    key.chmod(0o600)
    create_workspace(place, admin=CONTROLLER, password=PASSWORD, key_file=key)
    _state_one_worker(place)
    with open_workspace(place, key_file=key) as workspace:
        people = workspace.escrow.accounts
        clara = people.one(CONTROLLER)
        people.add(clara, ANALYST, ["analyst"], organisation=open_house.BOARD, password=PASSWORD)
        people.add(clara, AUDITOR, ["auditor"], password=PASSWORD)
    return Plan(place, key, True)


@contextmanager
def served(plan: Plan, folder: Path, port: int = 0) -> Iterator[House]:
    """A copy of it in this folder, which may be changed."""
    house = House(shutil.copytree(plan.folder, folder / "workspace"), plan, _port=port)
    with ready_sandbox():
        house.open()
        try:
            yield house
        finally:
            house.close()


def _recorded(app: ASGIApp, sent: list[tuple[str, str]]) -> ASGIApp:
    """Notes each answer, headers and all, before it leaves. Static files are the same for everybody."""

    async def recorded(scope: Scope, receive: Receive, send: Send) -> None:
        parts: list[bytes] = []

        async def note(message: Message) -> None:
            parts.extend(part for header in message.get("headers", ()) for part in header)
            parts.append(message.get("body", b""))
            if message["type"] == "http.response.body" and not message.get("more_body"):
                sent.append((scope["path"], b"\n".join(parts).decode()))
            await send(message)

        if scope["type"] == "http":  # not compressed: it is searched for words
            kept = [pair for pair in scope["headers"] if pair[0] != b"accept-encoding"]
            scope = dict(scope) | {"headers": kept}
        is_static = scope["type"] != "http" or scope["path"].startswith(assets.PLACE)
        await app(scope, receive, send if is_static else note)

    return recorded


def running(app: ASGIApp, taken: socket) -> Callable[[], None]:
    """Begins to serve; what is returned ends it."""
    config = uvicorn.Config(
        app,
        log_config=None,
        access_log=False,
        server_header=False,
        lifespan="off",
        ws=None,  # type: ignore[arg-type]
        timeout_keep_alive=_HOUR,  # a visitor who is slow may call just when it ends
        timeout_graceful_shutdown=1,
    )
    server = uvicorn.Server(config)
    thread = Thread(target=server.run, args=([taken],), name="a house")
    thread.start()

    def end() -> None:
        server.should_exit = True
        thread.join()

    return end
