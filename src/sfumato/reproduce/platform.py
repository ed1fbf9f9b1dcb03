"""The data of PRI 6.2.3, as a plain file, and held by an escrow that answers an analyst by its policy."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from sfumato import demo
from sfumato.adapters.vault.vault_file import Argon2Cost
from sfumato.composition.create import create_workspace
from sfumato.composition.settings import WorkspaceSettings
from sfumato.composition.workspace import open_workspace
from sfumato.escrow.service import Escrow
from sfumato.escrow.submissions.request_payload import ReleasedAnswers, Request
from sfumato.ledger.entry import NANO
from sfumato.model.schema import Schema
from sfumato.reproduce.data import Study
from sfumato.schema.write import write

COLUMNS = ("age", "sex", "race", "income")
EPSILON = 0.1
QUERIES = {  # PRI 6.2.4
    "Q1": "SELECT COUNT(*) FROM {table} WHERE age BETWEEN 20 AND 30",
    "Q2": "SELECT race, COUNT(*) FROM {table} GROUP BY race",
    "Q3": "SELECT COUNT(*) FROM {table} WHERE sex = 'Female' AND income = '>50K'",
}
POLICY = {"access_rule": [{"who": ["analyst"], "approve": "automatic", "preferences": ["epsilon"]}]}
CHEAP = Argon2Cost(1, 64, 1)  # of a passphrase that is forgotten with the folder


def schema_of(table: str = "adult") -> Schema:
    described = demo.schema()
    columns = tuple(column for column in described.columns if column.name in COLUMNS)
    return replace(described, name=table, columns=columns, rule=None)


def four_columns(study: Study, folder: Path) -> Path:
    """The four columns of Adult, or of the embedded population, as CSV."""
    from pyarrow import csv, parquet

    if study.adult is None:
        data, _ = demo.write(folder)
        rows = parquet.read_table(data, columns=list(COLUMNS))
    else:
        rows = csv.read_csv(study.file).select(COLUMNS)
    file = folder / "four.csv"
    csv.write_csv(rows, file, csv.WriteOptions(quoting_style="needed"))
    return file


def epsilon_of(draw: int) -> float:
    """0.1, and a billionth more for each draw: the same request would get the same answer again."""
    return (round(EPSILON * NANO) + draw) / NANO


class Platform:
    """A workspace with the file delivered as each of the tables: one worker, SQLite, everything synced."""

    def __init__(
        self,
        folder: Path,
        file: Path,
        tables: Sequence[str] = ("adult",),
        *,
        policy: Mapping[str, Any] = POLICY,
        described: Callable[[str], Schema] = schema_of,
    ) -> None:
        key = os.urandom(16).hex()
        create_workspace(
            folder, admin="controller", password=key, passphrase=key, settings=WorkspaceSettings(workers=1), cost=CHEAP
        )
        self._workspace = open_workspace(folder, passphrase=key)
        self._background = ThreadPoolExecutor(1)
        self._begun: list[Future[None]] = []
        self.escrow = Escrow(replace(self._workspace.escrow.ports, later=self._later))
        self._controller = controller = self.escrow.accounts.one("controller")
        self._analyst = self.escrow.accounts.add(controller, "analyst", ["analyst"])
        for table in tables:
            self.escrow.datasets.register(controller, write(described(table), "PRI paper, section 6"))
            self.escrow.datasets.deliver(controller, table, [file.read_bytes()], file.suffix.removeprefix("."))
            self.escrow.policies.set(controller, table, policy)

    def answer(self, table: str, sql: str, epsilon: float) -> ReleasedAnswers:
        """Submit as the analyst, wait until what the policy approved is done, and fetch the answer."""
        requests, purpose = self.escrow.requests, "to see how long it takes"
        request = requests.submit(self._analyst, table, purpose, [{"sql": sql}], {"epsilon": epsilon})
        return self._answer_of(request)

    def find(self, table: str, sql: str, preference: Mapping[str, Any]) -> ReleasedAnswers:
        """The same with an epsilon that is found from the people, and a controller who approves it: no guarantee."""
        requests, purpose = self.escrow.requests, "to see how long it takes"
        request = requests.submit(self._analyst, table, purpose, [{"sql": sql}], preference)
        binding = requests.approval.inspect(self._controller, request.id, rehearse=False).binding
        requests.approval.approve(self._controller, request.id, binding, allow_no_guarantee=True, at_once=True)
        return self._answer_of(request)

    def _answer_of(self, request: Request) -> ReleasedAnswers:
        while self._begun:
            self._begun.pop().result()
        return self.escrow.requests.result(self._analyst, request.id)

    def _later(self, _person: str, work: Callable[[], None]) -> None:
        """In the background, as in use; the caller is told at once when it is done, so that no polling is counted."""
        self._begun.append(self._background.submit(work))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _at: TracebackType | None
    ) -> None:
        self._background.shutdown()
        self._workspace.close()
