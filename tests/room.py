"""An escrow room for tests: a real database, a real vault and real answers; the jobs are done here, step by step."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from sfumato.adapters.storage.database import Database
from sfumato.adapters.vault.files import VaultFiles
from sfumato.composition import local, worker
from sfumato.composition.locks import VaultLocks
from sfumato.composition.sources import source_version
from sfumato.errors import BadInput, EngineFailure, Refused, SandboxMissing, SfumatoError
from sfumato.escrow.identity.person import Person
from sfumato.escrow.ports import EscrowPorts
from sfumato.escrow.service import Escrow
from sfumato.escrow.submissions.request_payload import Request
from sfumato.ledger.entry import Entry, Event
from sfumato.ports import Columns, LedgerStore, Row, Seals
from sfumato.presentation.escrow.submission_view import worded_answers
from sfumato.presentation.exploration_view import exploration
from tests.ledgers import MASTER

SCHEMA = """name = "stays"
[columns.days]
type = "integer"
bounds = [0, 60]
[columns.age]
type = "integer"
bounds = [0, 100]
[columns.ward]
categories = ["a", "b", "c"]
"""
DATA = b"days,age,ward\n" + b"".join(b"%d,%d,%s\n" % (3 * i % 61, 7 * i % 101, b"abc"[i % 3 :][:1]) for i in range(30))
RULE = {"gap": 1.2, "worst_case": True}
COUNT = "SELECT COUNT(*) FROM stays WHERE days > 5"
SUM = "SELECT SUM(age) FROM stays"
BY_WARD = "SELECT ward, COUNT(*) FROM stays GROUP BY ward"
BOARD = "Health Board"
FIRST = datetime(2026, 11, 16, 9, tzinfo=UTC)


class Here:
    """Does each job at once, in this process: what goes in and comes out is JSON, and errors are as a worker's."""

    def __init__(self, ledger: LedgerStore, files: VaultFiles) -> None:
        self._opened = worker.WorkerState(ledger, files, 256)
        self.done: list[Mapping[str, Any]] = []
        self.turns: list[tuple[str, bool]] = []  # for whom each was, and whether a controller waits for it
        self.stopped: list[str] = []
        self.meanwhile: Callable[[Mapping[str, Any]], None] = lambda _job: None  # what others do while a job runs

    def run(self, _name: str, job: Mapping[str, Any], person: str, *, deciding: bool = False) -> Mapping[str, Any]:
        self.done.append(job)
        self.turns.append((person, deciding))
        self.meanwhile(job)
        try:
            left: Mapping[str, Any] = json.loads(
                json.dumps(worker.work(self._opened, json.loads(json.dumps(job)), lambda _told: None))
            )
        except SfumatoError as error:
            if isinstance(error, BadInput | Refused):
                raise
            raise EngineFailure from None
        return left

    def progress(self, _name: str) -> float | None:
        return 0.5

    def cancel(self, name: str) -> bool:
        self.stopped.append(name)
        return True

    def close(self) -> None:
        while self._opened.engines:
            _, (engine, descriptor) = self._opened.engines.popitem()
            engine.close()
            if descriptor is not None:
                os.close(descriptor)


class Plain:
    """No sandbox: runs functions of ours in this process, on plain columns, and notes what they were given."""

    def __init__(self) -> None:
        self.lacking: str | None = None
        self.runs: list[tuple[str, list[dict[str, list[Any]]], bool]] = []
        self.meanwhile: Callable[[], None] = lambda: None

    def missing(self) -> SandboxMissing | None:
        return None if self.lacking is None else SandboxMissing("There is no sandbox", hint=self.lacking)

    def score(self, code: str, tables: Sequence[Columns], *, padded: bool = True) -> float | None:
        given = [{name: list(values) for name, values in table.items()} for table in tables]
        self.runs.append((code, given, padded))
        self.meanwhile()
        known: dict[str, Any] = {}
        try:
            exec(code, known)
            return round(float(known["evaluate"](given)), 2)
        except (ArithmeticError, ImportError, LookupError, TypeError, ValueError):
            return None


class Room:
    """Whoever acts is named by their name; `later` and `in_turn` wait until `go`."""

    def __init__(self, folder: Path, url: str, seals: Seals | None = None) -> None:
        self.folder, self.url, self.now = folder, url, FIRST
        self.waiting: list[Callable[[], None]] = []
        self.turns: list[Callable[[], None]] = []
        self.timers: list[tuple[float, Callable[[], None]]] = []
        self.database = Database(self.url, seals or VaultLocks(MASTER))
        files = VaultFiles(folder / "vault", MASTER)
        self.runner = Here(self.database.ledger(), files)
        self.sandbox = Plain()
        self.ports = EscrowPorts(
            rows=self.database.rows,
            transaction=self.database.transaction,
            reading=self.database.reading,
            audit=self.database.audit(),
            ledger=self.database.ledger(),
            locks=VaultLocks(MASTER),
            files=files,
            runner=self.runner,
            sandbox=self.sandbox,
            planned=partial(local.open_registered, None, ledger=self.database.ledger()),
            exploration_view=exploration,
            written=source_version,
            later=lambda _person, work: self.waiting.append(work),
            in_turn=lambda _person, work: self.turns.append(work),
            after=lambda seconds, work: self.timers.append((seconds, work)),
            now=lambda: self.now,
            new_id=lambda: os.urandom(12).hex(),
        )
        self.escrow = Escrow(self.ports)
        self.accounts, self.datasets, self.policies = self.escrow.accounts, self.escrow.datasets, self.escrow.policies
        self.questions, self.requests, self.decisions = (
            self.escrow.questions,
            self.escrow.requests,
            self.escrow.requests.approval,
        )
        self.signals, self.signal_decisions = self.escrow.signals, self.escrow.signals.approval
        self.execution, self.notifications, self.audit = (
            self.escrow.requests.execution,
            self.escrow.notifications,
            self.escrow.audit,
        )

    # Who is there, and what they hold

    def peopled(self) -> Room:
        """With tables, an admin, two controllers of one dataset, two analysts of two organisations, an auditor."""
        self.database.upgrade()
        locks = self.ports.locks
        public, private = locks.new_pair()
        root = {"name": "root", "organisation": "", "roles": ["admin"], "password": None, "public_key": public}
        root |= {"sealed_key": locks.seal(private, "signing key of root"), "created_at": self.ports.moment}
        self.ports.rows("people").add(root | {"disabled": False})  # without a password: hashing one takes a while
        admin = self["root"]
        for name, role, organisation in (
            ("alice", "controller", ""),
            ("carol", "controller", ""),
            ("bob", "analyst", BOARD),
            ("dan", "analyst", "Insurer"),
            ("eve", "auditor", ""),
        ):
            self.accounts.add(admin, name, [role], organisation=organisation)
        self.datasets.register(self["alice"], SCHEMA, title="Stays")
        self.datasets.controllers(self["alice"], "stays", ["alice", "carol"])
        self.datasets.deliver(self["alice"], "stays", [DATA], "csv")
        return self

    def __getitem__(self, name: str) -> Person:
        return self.accounts.one(name)

    # What they do

    def policy(
        self, *flows: Mapping[str, Any], by: str = "alice", allow_no_guarantee: bool = False, **said: Any
    ) -> None:
        stated = list(map(dict, flows)) or [{}]
        policy = {"rule": RULE} | said | {"access_rule": [{"who": ["everyone"]} | flow for flow in stated]}
        self.policies.set(self[by], "stays", policy, allow_no_guarantee=allow_no_guarantee)

    def submit(
        self, *queries: str, by: str = "bob", preference: Mapping[str, Any] | None = None, **how: Any
    ) -> Request:
        asked = [{"sql": sql} for sql in queries or (COUNT,)]
        return self.requests.submit(self[by], "stays", "planning beds", asked, preference, **how)

    def approve(self, request: Request, by: str = "alice", **how: Any) -> Request:
        binding = self.decisions.inspect(self[by], request.id).binding
        return self.decisions.approve(self[by], request.id, binding, **how)

    def look(self, by: str = "alice", sql: str = SUM) -> None:
        self.questions.look(self[by], "stays", sql, {})

    def go(self) -> None:
        """What was left for later, now."""
        while left := self.waiting or self.turns:
            left.pop(0)()

    def state(self, request: Request) -> str:
        return str(self._row(request)["state"])

    def note(self, request: Request) -> str:
        return str(self._row(request)["note"])

    def _row(self, request: Request) -> Row:
        row = self.ports.rows("requests").one(id=request.id)
        assert row is not None
        return row

    def result(self, request: Request) -> dict[str, Any]:
        """As the API tells it, with the sentences of its certificates."""
        return worded_answers(self.requests.result(self[request.analyst], request.id))

    def released(self, *queries: str, by: str = "bob", allow_no_guarantee: bool = False, **how: Any) -> dict[str, Any]:
        """All the way: asked, approved where somebody has to, answered."""
        request = self.submit(*queries, by=by, **how)
        if request.state == "submitted":
            self.approve(request, allow_no_guarantee=allow_no_guarantee)
        self.go()
        return self.result(request)

    # What was recorded

    def entries(self, *events: Event) -> list[Entry]:
        every = self.database.ledger().read(0)
        return [entry for entry in every if not events or entry.draft.event in events]

    @property
    def charged(self) -> float:
        return sum(entry.draft.nano_epsilon for entry in self.entries()) / 10**9

    def sql(self, text: str, **values: object) -> None:
        """As anybody may who can write to the database, without us."""
        engine = sa.create_engine(self.url, poolclass=sa.pool.NullPool)
        with engine.begin() as connection:
            assert connection.execute(sa.text(text), values).rowcount, "it changes something"
        engine.dispose()

    def pass_(self, **time: float) -> None:
        self.now += timedelta(**time)

    def close(self) -> None:
        self.runner.close()
        self.database.close()
