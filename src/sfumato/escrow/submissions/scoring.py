"""How a signal is scored: by a task of the library, or by an analyst's own function in the sandbox."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import copy
from dataclasses import dataclass
from threading import Event
from typing import Any, Self

from sfumato.errors import Cancelled
from sfumato.model.guarantee import Guarantee
from sfumato.model.release import ReleaseCertificate, Released
from sfumato.model.signal_score import SignalScore, from_stored
from sfumato.ports import Sandbox
from sfumato.release.bound_query import BoundQuery
from sfumato.release.risk.posthoc import require_same_numbers
from sfumato.signals.signal_request import SignalRequest
from sfumato.signals.tasks.table import Table
from sfumato.signals.tasks.task import Task
from sfumato.signals.utility_signal import make_signal

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


@dataclass(frozen=True)
class SignalResult:
    """A score, and the guarantee with which it leaves: one that comes back after a look has less than it had."""

    score: SignalScore
    guarantee: Guarantee

    @classmethod
    def from_stored(cls, stored: Mapping[str, Any]) -> Self:
        score = from_stored(stored, ReleaseCertificate.from_dict(stored["certificate"]))
        return cls(score, Guarantee(stored["guarantee"]))

    def stored(self) -> dict[str, Any]:
        return self.score.stored() | {"guarantee": self.guarantee.value}


def score(
    query: BoundQuery, release: Released, task: Task, parameters: SignalRequest, exact: Exact | None = None
) -> SignalScore:
    """A signal about a release that these noisy numbers gave."""
    require_same_numbers(query, release)
    return make_signal(query, release, task, parameters, exact)


def require_sandbox(sandbox: Sandbox) -> None:
    if (missing := sandbox.missing()) is not None:
        raise copy(missing)
