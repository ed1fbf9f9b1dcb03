"""Houses to visit: a workspace as `sfumato demo --serve` furnishes it, served by a thread, on a port of its own."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from threading import Thread
from unittest.mock import patch

import httpx
import uvicorn
from argon2 import PasswordHasher

from sfumato.cli import open_house
from sfumato.cli.open_house import ANALYST, CONTROLLER, HOST, PASSWORD
from sfumato.escrow.service import Escrow
from sfumato.model.signal import SignalKind
from sfumato.sandbox.bubblewrap import Bubblewrap
from sfumato.server.app import API
from sfumato.server.app import made as app_on
from sfumato.server.run import bound
from sfumato.server.settings import Guest, Settings
from sfumato.vault import passwords
from sfumato.workspace.create import made
from sfumato.workspace.opening import Workspace, opened

AUDITOR = "edith"
PEOPLE = (CONTROLLER, ANALYST, AUDITOR)
BARE = "bare"
MARKUP = '<b onclick="alert(1)" style="color: red">bold</b><script>alert(2)</script><img src="https://elsewhere.test/">'
CODE = f"import os\n\n\ndef evaluate(tables):\n    return 1  # {MARKUP}\n"
# All that may be asked about noise; what has no guarantee is charged more than the usual stop.
_FLOW = open_house.POLICY["flow"][0] | {"signals": [kind.value for kind in SignalKind], "code": True}  # type: ignore[index]
POLICY = open_house.POLICY | {"stop": 40.0, "flow": [_FLOW]}
_ROWS, _SEED = 500, 1
_FREELY = 10**9  # calls and sign-ins a minute


@dataclass(frozen=True)
class Plan:
    """A workspace that nobody is in, to be copied; `is_empty` where there are people and nothing else."""

    folder: Path
    key: Path
    is_empty: bool


@dataclass
class House:
    """Served until `served` is left."""

    folder: Path
    workspace: Workspace
    url: str
    guests: tuple[Guest, ...] = field(default=())

    @property
    def escrow(self) -> Escrow:
        return self.workspace.escrow

    def request_in(self, state: str) -> str:
        """The number of the latest request that has come as far as this."""
        found = self.escrow.requests.many(self.escrow.people.one(CONTROLLER), state=state)
        return str(found[0]["id"])

    def signal_in(self, state: str) -> str:
        found = self.escrow.signals.many(self.escrow.people.one(CONTROLLER), state=state)
        return str(found[0]["id"])

    def sql(self, statement: str) -> None:
        with closing(sqlite3.connect(self.folder / "escrow.db")) as database, database:
            database.execute(statement)

    @contextmanager
    def caller(self, name: str | None = None) -> Iterator[httpx.Client]:
        """Somebody without a browser; signed in if they have a name."""
        with httpx.Client(base_url=self.url) as caller:
            if name is not None:
                answer = caller.post(f"{API}/session", json={"name": name, "password": PASSWORD})
                assert answer.status_code == 201, answer.text
            yield caller


@contextmanager
def quick_passwords() -> Iterator[None]:
    """Passwords are hashed as they always are, but for the time that it takes."""
    with patch.object(passwords, "_HASHER", PasswordHasher(1, 8, 1)):
        yield


@contextmanager
def ready_sandbox() -> Iterator[None]:
    """It is not tried out: code is read here, and never run."""
    with patch.object(Bubblewrap, "missing", return_value=None):
        yield


def furnished(folder: Path) -> Plan:
    """With a dataset, its policy, an answer, a request that waits; and with one that came back, signals about the
    answer, a dataset of which there is nothing but a name, and an auditor. Whatever people wrote is full of markup.
    """
    place = folder / "workspace"
    key = open_house.furnished(place, _ROWS, _SEED)
    with opened(place, key_file=key) as workspace:
        escrow = workspace.escrow
        clara, arthur = escrow.people.one(CONTROLLER), escrow.people.one(ANALYST)
        escrow.people.add(clara, AUDITOR, ["auditor"], organisation=MARKUP[:200], password=PASSWORD)
        escrow.people.new_token(arthur, MARKUP)
        escrow.datasets.register(
            clara, f'name = "{BARE}"\n[columns.days]\ntype = "integer"\nbounds = [0, 60]\n', title=MARKUP
        )
        sql = "SELECT COUNT(*) AS \"<i>people</i>\" FROM adult WHERE sex = '<script>alert(3)</script>'"
        asked = escrow.requests.submit(arthur, "adult", MARKUP, [{"sql": sql}], None)
        escrow.decisions.return_(clara, asked.id, MARKUP)
        escrow.policies.set(clara, "adult", POLICY)
        answered = escrow.requests.many(arthur, state="released")[0]["id"]
        task = {"task": "above", "column": "people", "a": "Female", "b": "Male"}
        escrow.signals.submit(arthur, answered, 1, "free", task=task)
        with ready_sandbox():
            escrow.signals.submit(arthur, answered, 1, "as_published", code=CODE, how={"range": [0, 1]})
    return Plan(place, key, False)


def unfurnished(folder: Path) -> Plan:
    """With the same people, on the first morning."""
    place, key = folder / "workspace", folder / "key"
    key.write_bytes(bytes(range(32)))
    key.chmod(0o600)
    made(place, admin=CONTROLLER, password=PASSWORD, key_file=key)
    with opened(place, key_file=key) as workspace:
        people = workspace.escrow.people
        clara = people.one(CONTROLLER)
        people.add(clara, ANALYST, ["analyst"], organisation=open_house.BOARD, password=PASSWORD)
        people.add(clara, AUDITOR, ["auditor"], password=PASSWORD)
    return Plan(place, key, True)


@contextmanager
def served(plan: Plan, folder: Path) -> Iterator[House]:
    """A copy of it in this folder, which may be changed."""
    place = shutil.copytree(plan.folder, folder / "workspace")
    with bound(HOST, 0) as taken, opened(place, key_file=plan.key) as workspace, ready_sandbox():
        guests = () if plan.is_empty else open_house.welcomed(workspace)
        settings = Settings(guests=guests, calls_a_minute=_FREELY, sign_ins_a_minute=_FREELY)
        config = uvicorn.Config(
            app_on(workspace.escrow, settings),
            log_config=None,
            access_log=False,
            server_header=False,
            lifespan="off",
            ws=None,  # type: ignore[arg-type]
            timeout_graceful_shutdown=1,
        )
        server = uvicorn.Server(config)
        thread = Thread(target=server.run, args=([taken],), name="a house")
        thread.start()
        try:
            yield House(place, workspace, f"http://{HOST}:{taken.getsockname()[1]}", guests)
        finally:
            server.should_exit = True
            thread.join()
