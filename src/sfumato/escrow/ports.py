"""What the escrow needs from the outside, handed in by `workspace`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Protocol

from sfumato.model.authorization import Authorization
from sfumato.model.release import Assumption
from sfumato.model.schema import Schema, Type
from sfumato.ports import AuditStore, LedgerStore, Rows, Sandbox
from sfumato.release.context import DatasetContext
from sfumato.release.risk.exploration import Exploration
from sfumato.release.risk.posthoc import PosthocAnalysis

ExplorationView = Callable[[Exploration], dict[str, Any]]
"""An exploration as plain values with sentences, for a page."""

DIGEST, EXPLORE, FITS, POSTHOC = "digest", "explore", "fits", "posthoc"  # jobs


@dataclass(frozen=True)
class JobViews:
    """What a worker has computed as plain values with sentences, for a page."""

    exploration: ExplorationView
    posthoc: Callable[[PosthocAnalysis], dict[str, Any]]


class Kept(Protocol):
    """What a file came to when it was encrypted: how large it was, and a keyed hash for its controllers."""

    @property
    def bytes(self) -> int: ...

    @property
    def fingerprint(self) -> str: ...


class Files(Protocol):
    """Keeps datasets encrypted."""

    def keep(self, dataset: str, version: str, chunks: Iterable[bytes]) -> Kept: ...

    def read(self, dataset: str, version: str, called: str = "") -> bytes: ...

    def forget(self, dataset: str, version: str) -> None: ...


class Locks(Protocol):
    """Seals texts, signs them, and hides passwords and tokens."""

    def seal(self, plain: bytes, about: str) -> str: ...

    def unseal(self, sealed: str, about: str) -> bytes: ...

    def new_pair(self) -> tuple[str, bytes]: ...

    def sign(self, private: bytes, message: bytes) -> str: ...

    def verify(self, public: str, message: bytes, signature: str) -> bool: ...

    def hashed(self, password: str) -> str: ...

    def matches(self, stored: str | None, password: str) -> bool: ...

    def digest_of(self, secret: str) -> str: ...

    def new_secret(self) -> str: ...


class Runner(Protocol):
    """Does a job where it can be stopped; a job and what comes of it are plain values."""

    def run(self, name: str, job: Mapping[str, Any], person: str, *, deciding: bool = False) -> Mapping[str, Any]:
        """When it is this person's turn; `deciding`: for a controller, whom the work of analysts does not delay."""

    def progress(self, name: str) -> float | None: ...

    def cancel(self, name: str) -> bool: ...


class Planned(Protocol):
    """A dataset whose data is not read here; `version` and `assumed` are of what another process reads."""

    def __call__(
        self,
        schema: Schema,
        *,
        who: str,
        version: str = "",
        authorization: Authorization | None = None,
        present: Mapping[str, Type | None] | None = None,
        assumed: tuple[Assumption, ...] | None = None,
    ) -> DatasetContext: ...


@dataclass(frozen=True)
class EscrowLimits:
    """What the settings leave to choose."""

    session_hours: float = 12.0
    most_queries: int = 20
    references: tuple[str, ...] = ()  # folders whose files may be registered without being copied
    data_servers: tuple[str, ...] = ()  # servers whose tables may be registered
    lease_seconds: float = 0.0  # that what one server runs is left to it by others; 0: there are no others
    server: str = ""  # which one this is
    code_seconds: float = 30.0  # that one run of an analyst's own function takes
    undo_seconds: float = 0.0  # that an approval by a person waits before it starts, and can be taken back
    most_waiting: int = 100  # approved submissions of one kind that one analyst may have waiting or running


@dataclass(frozen=True)
class EscrowPorts:
    rows: Callable[[str], Rows]
    transaction: Callable[[], AbstractContextManager[None]]
    reading: Callable[[], AbstractContextManager[None]]  # what is read inside is of one moment
    audit: AuditStore
    ledger: LedgerStore
    locks: Locks
    files: Files
    runner: Runner
    sandbox: Sandbox  # where analysts' own functions run
    planned: Planned
    exploration_view: ExplorationView
    written: Callable[[str], str]  # when a file that lies elsewhere was last written, opaquely
    later: Callable[[str, Callable[[], None]], object]  # do this in the background, when it is this person's turn
    in_turn: Callable[[str, Callable[[], None]], object]  # one at a time: functions of analysts
    after: Callable[[float, Callable[[], None]], object]  # do this when so many seconds are over
    now: Callable[[], datetime]
    new_id: Callable[[], str]
    limits: EscrowLimits = EscrowLimits()

    def lease(self, more: float = 0.0) -> str:
        """Until when what runs is this server's, whatever others find, and which one it is."""
        seconds = self.limits.lease_seconds and self.limits.lease_seconds + more
        return f"{(self.now() + timedelta(seconds=seconds)).isoformat()} {self.limits.server}"

    def is_over(self, lease: str | None, *, alone: bool) -> bool:
        """Whether the lease has ended; `alone`: no other server of this workspace runs."""
        until, _, server = (lease or "").partition(" ")
        over = not until or datetime.fromisoformat(until) <= self.now()
        return over or (alone and server == self.limits.server)

    def until(self, moment: str) -> float:
        """Seconds until an approval starts: at most what the settings say, also after a clock was put back."""
        left = (datetime.fromisoformat(moment) - self.now()).total_seconds()
        return max(0.0, min(left, self.limits.undo_seconds))

    @property
    def moment(self) -> str:
        return self.now().isoformat(timespec="seconds")
