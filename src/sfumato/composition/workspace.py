"""A workspace, open: its escrow with everything that it needs from the outside."""

from __future__ import annotations

import fcntl
import os
import platform
import resource
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from threading import Lock
from typing import Any, Self

from sfumato.adapters.sandbox.bubblewrap import Bubblewrap
from sfumato.adapters.sandbox.limits import SandboxLimits
from sfumato.adapters.storage.database import Database
from sfumato.adapters.vault.files import VaultFiles
from sfumato.adapters.vault.master_key import MasterKey
from sfumato.adapters.vault.vault_file import unlock
from sfumato.adapters.workers.pool import Workers
from sfumato.composition import local, worker
from sfumato.composition.locks import VaultLocks
from sfumato.composition.settings import FILE, SQLITE, WorkspaceSettings, load
from sfumato.errors import BadInput
from sfumato.escrow.ports import EscrowLimits, EscrowPorts
from sfumato.escrow.service import Escrow
from sfumato.model.authorization import Authorization
from sfumato.model.release import Assumption
from sfumato.model.schema import Schema, Type
from sfumato.presentation.exploration_view import exploration
from sfumato.release.context import DatasetContext
from sfumato.release.records import Records
from sfumato.signals.tasks.task import DECIMALS

VAULT = "vault"
_FAR = 1e9  # no score lies beyond


class Workspace:
    """Made by `opened`. Workers start when the first job comes.

    `close` waits for what was approved. Of functions of analysts one ends; the others go on at the next start.
    """

    def __init__(self, folder: Path, settings: WorkspaceSettings, master: MasterKey, *, encrypted: bool = True) -> None:
        self.folder, self.settings = folder, settings
        self._database = Database(settings.database_url(folder), VaultLocks(master))
        self._database.upgrade()
        self._records = Records()
        self._master, self._encrypted = master, encrypted
        self._runner = _Runner(self._workers)
        self._background = ThreadPoolExecutor(settings.workers, "sfumato request")
        self._turns = ThreadPoolExecutor(1, "sfumato function")
        self.escrow = Escrow(self._ports())

    def _ports(self) -> EscrowPorts:
        database = self._database
        return EscrowPorts(
            rows=database.rows,
            transaction=database.transaction,
            reading=database.reading,
            audit=database.audit(),
            ledger=database.ledger(),
            locks=VaultLocks(self._master),
            files=VaultFiles(self.folder / VAULT, self._master, encrypted=self._encrypted),
            runner=self._runner,
            sandbox=self._sandbox(),
            planned=self._open_without_data,
            exploration_view=exploration,
            written=local.source_version,
            later=self._later,
            in_turn=self._in_turn,
            now=lambda: datetime.now(UTC),
            new_id=lambda: os.urandom(12).hex(),
            limits=self._limits(),
        )

    def _sandbox(self) -> Bubblewrap:
        """Ranges are each signal's own: a score is held within them where it is used."""
        settings = self.settings
        return Bubblewrap(SandboxLimits(settings.code_seconds, settings.code_memory_mb, DECIMALS, -_FAR, _FAR))

    def _limits(self) -> EscrowLimits:
        here = f"{platform.node()}:{self.folder.resolve()}"
        settings = self.settings
        seconds = float(settings.code_seconds)
        return EscrowLimits(
            settings.session_hours, settings.queries, settings.references, settings.lease_seconds, here, seconds
        )

    def _later(self, work: Callable[[], None]) -> None:
        self._background.submit(work)

    def _in_turn(self, work: Callable[[], None]) -> None:
        self._turns.submit(work)

    def _open_without_data(
        self,
        schema: Schema,
        mandate: Authorization | None,
        who: str,
        present: Mapping[str, Type | None] | None,
        *,
        version: str = "",
        assumed: tuple[Assumption, ...] | None = None,
    ) -> DatasetContext:
        how: dict[str, Any] = {"mandate": mandate, "present": present, "records": self._records}
        return local.open_registered(
            None, schema, self._database.ledger(), who=who, version=version, assumed=assumed, **how
        )

    def _workers(self) -> Workers:
        settings = self.settings
        vault, url = str(self.folder / VAULT), settings.database_url(self.folder)
        given = worker.WorkerStart(url, vault, self._master.secret, settings.memory_mb // 2, self._encrypted)
        how = {"size": settings.workers, "seconds": settings.seconds, "memory_mb": settings.memory_mb}
        return Workers(worker.work, worker.set_up, given, **how)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def close(self) -> None:
        self._background.shutdown(wait=True)
        self._turns.shutdown(wait=True, cancel_futures=True)
        self._runner.close()
        self._database.close()


class _Runner:
    """Workers that are started when they are first needed."""

    def __init__(self, start: Callable[[], Workers]) -> None:
        self._start = start
        self._made: Workers | None = None
        self._lock = Lock()

    def run(self, name: str, job: Mapping[str, Any]) -> Mapping[str, Any]:
        return self._workers().run(name, job)

    def progress(self, name: str) -> float | None:
        return None if self._made is None else self._made.progress(name)

    def cancel(self, name: str) -> bool:
        return self._made is not None and self._made.cancel(name)

    def close(self) -> None:
        if self._made is not None:
            self._made.close()

    def _workers(self) -> Workers:
        with self._lock:
            if self._made is None:
                self._made = self._start()
            return self._made


@contextmanager
def lock_for_serving(folder: Path, settings: WorkspaceSettings) -> Iterator[bool]:
    """Whether no other server of this folder lives. In a file there is room for one only."""
    with (folder / FILE).open(encoding="utf-8") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            alone = False
        else:
            alone = True
        if not alone and settings.database == SQLITE:
            hint = "stop that one; for several servers set database to PostgreSQL."
            raise BadInput(f"{folder} is being served already", hint=hint)
        yield alone


def open_workspace(
    folder: str | Path, *, passphrase: str | None = None, key_file: Path | None = None, encrypted: bool = True
) -> Workspace:
    """Unlock a workspace. `encrypted=False` is for measuring what encryption does."""
    place = Path(folder)
    settings = load(place)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # a core would hold the keys
    key = key_file or (Path(settings.key_file) if settings.key_file else None)
    if passphrase is None and key is None:
        hint = "type it, or name a file with --passphrase-file."
        raise BadInput("This workspace is locked by a passphrase", hint=hint)
    return Workspace(place, settings, unlock(place, passphrase=passphrase, key_file=key), encrypted=encrypted)
