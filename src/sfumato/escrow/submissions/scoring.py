"""How a signal is scored: by a task of the library, or by an analyst's own function in the sandbox."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from threading import Event
from typing import Any

from sfumato.errors import Cancelled
from sfumato.escrow.submissions.code_review import fingerprint
from sfumato.escrow.submissions.signal import Signal
from sfumato.model.signal import SignalKind
from sfumato.ports import Sandbox
from sfumato.signals.signal_request import SignalRequest, signal_request
from sfumato.signals.tasks.own_code import OwnCode, Run
from sfumato.signals.tasks.registry import task as task_of
from sfumato.signals.tasks.table import Table
from sfumato.signals.tasks.task import Task

OWN_DRAWS, OWN_BLOCKS = 20, 10
"""So many unless it is stated: each is a run of its own."""

MOST_OWN_DRAWS, MOST_OWN_BLOCKS = 100, 50


@dataclass(frozen=True)
class Withheld(Table):
    """A table of the exact answer: it equals no other, and no time that it takes is told."""


class Runs:
    """Runs a function on the released table, which is public, and on tables that are withheld: those are padded.

    `all_public`: no table is withheld. How many are `done` tells nothing: each takes as long, or is public.
    """

    def __init__(self, sandbox: Sandbox, code: str, released: Table, *, all_public: bool) -> None:
        self._sandbox, self._code, self._released, self._all_public = sandbox, code, released, all_public
        self._known: list[float | None] = []
        self._stopped = Event()
        self.done = 0

    def stop(self) -> None:
        """After the one that runs there is no other."""
        self._stopped.set()

    def __call__(self, table: Table) -> float | None:
        if table != self._released:
            return self._run(table, padded=not self._all_public)
        if not self._known:
            self._known.append(self._run(table, padded=False))
        return self._known[0]

    def _run(self, table: Table, *, padded: bool) -> float | None:
        if self._stopped.is_set():
            raise Cancelled
        self.done += 1
        columns = {name: [row[place] for row in table.rows] for place, name in enumerate(table.columns)}
        return self._sandbox.score(self._code, [columns], padded=padded)


class Exact:
    """Exact answers that a worker read, and that live here only while they are scored."""

    def __init__(self, tables: Callable[[int | None], Mapping[str, Any]]) -> None:
        self._tables = tables

    def table(self) -> Table:
        return self._read(None)[0]

    def blocks(self, many: int) -> list[Table]:
        return self._read(many)

    def _read(self, blocks: int | None) -> list[Table]:
        return [Withheld.from_dict(one) for one in self._tables(blocks)["tables"]]


def task_for(found: Signal, run: Run = lambda _table: None) -> Task:
    """What it is scored by; without a `run` nothing can be scored, only checked."""
    if found.code is None:
        return task_of(dict(found.task or {}))
    low, high = found.how["range"]
    return OwnCode(sha256=fingerprint(found.code), low=low, high=high, run=run)


def most_runs(found: Signal) -> int:
    """How often a function is run at most: on the release, and on each draw, each block or the exact answer."""
    if found.code is None:
        return 0
    draws, blocks = found.how.get("draws") or OWN_DRAWS, found.how.get("blocks") or OWN_BLOCKS
    return 1 + {SignalKind.FREE: draws, SignalKind.BLOCKS: blocks}.get(found.kind, 1)


def asked_by(found: Signal, *, allow_no_guarantee: bool = False, attestation: str = "") -> SignalRequest:
    """What it is to be. Of code nothing but its range is known: that is what noise is then sized by."""
    own, stated = found.code is not None, found.how
    how: dict[str, Any] = {name: stated[name] for name in ("draws", "blocks") if stated.get(name) is not None}
    if own:
        how = {"draws": OWN_DRAWS, "blocks": OWN_BLOCKS} | how
    how |= {
        "by_range": own or bool(stated.get("by_range")),
        "allow_no_guarantee": allow_no_guarantee,
        "attestation": attestation,
    }
    return signal_request(found.kind.value, stated.get("epsilon"), **how)
