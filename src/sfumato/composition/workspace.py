"""An open workspace: its escrow, with the adapters that it needs."""

from __future__ import annotations

import fcntl
import os
import platform
import resource
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from threading import Event, Thread
from typing import Self

from sfumato.adapters.sandbox.bubblewrap import Bubblewrap
from sfumato.adapters.sandbox.limits import SandboxLimits
from sfumato.adapters.storage.database import Database
from sfumato.adapters.vault.files import VaultFiles
from sfumato.adapters.vault.master_key import MasterKey
from sfumato.adapters.vault.vault_file import unlock
from sfumato.adapters.workers.lanes import WorkerLanes
from sfumato.adapters.workers.pool import Workers
from sfumato.composition import local, sources, worker
from sfumato.composition.background import Background, Timers
from sfumato.composition.locks import VaultLocks
from sfumato.composition.settings import FILE, SQLITE, WorkspaceSettings, load
from sfumato.composition.stopping import StoppableLedger
from sfumato.errors import BadInput
from sfumato.escrow.ports import EscrowLimits, EscrowPorts
from sfumato.escrow.service import Escrow
from sfumato.presentation.exploration_view import exploration
from sfumato.release.records import Records
from sfumato.signals.tasks.task import DECIMALS

VAULT = "vault"
_CLOSING = 1.0  # seconds that are left for recording what is abandoned
_FAR = 1e9  # bound of every score; each signal clips scores to its own range


class Workspace:
    """Created by `open_workspace`. `close` waits for approved requests, and for one function of an analyst.

    Other functions of analysts run after the next start. After `stop`, `close` waits only for what runs.
    """

    def __init__(self, folder: Path, settings: WorkspaceSettings, master: MasterKey, *, encrypted: bool = True) -> None:
        self.folder, self.settings = folder, settings
        self._database = Database(settings.database_url(folder), VaultLocks(master))
        self._database.upgrade()
        self._master, self._encrypted = master, encrypted
        self._is_stopping, self._is_closed = False, Event()
        self._ledger = StoppableLedger(self._database.ledger(), lambda: self._is_stopping)
        self._runner = WorkerLanes(self._workers(settings.workers, settings.workers_each), self._workers(1, 1))
        self._background = Background(settings.workers, settings.workers_each, "sfumato request")
        self._functions = Background(1, 1, "sfumato function")
        self._timers = Timers()
        self.escrow = Escrow(self._ports())

    def _ports(self) -> EscrowPorts:
        database, settings = self._database, self.settings
        return EscrowPorts(
            rows=database.rows,
            transaction=database.transaction,
            reading=database.reading,
            audit=database.audit(),
            ledger=self._ledger,
            locks=VaultLocks(self._master),
            files=VaultFiles(self.folder / VAULT, self._master, encrypted=self._encrypted),
            runner=self._runner,
            sandbox=Bubblewrap(SandboxLimits(settings.code_seconds, settings.code_memory_mb, DECIMALS, -_FAR, _FAR)),
            planned=partial(local.open_registered, None, ledger=self._ledger, records=Records()),
            exploration_view=exploration,
            written=sources.source_version,
            later=self._background.submit,
            in_turn=self._functions.submit,
            after=self._timers.after,
            now=lambda: datetime.now(UTC),
            new_id=lambda: os.urandom(12).hex(),
            limits=EscrowLimits(
                session_hours=settings.session_hours,
                most_queries=settings.queries,
                references=settings.references,
                data_servers=settings.data_servers,
                lease_seconds=settings.lease_seconds,
                server=f"{platform.node()}:{self.folder.resolve()}",
                code_seconds=float(settings.code_seconds),
                undo_seconds=float(settings.undo_seconds),
                most_waiting=settings.waiting_each,
            ),
        )

    def _workers(self, size: int, each: int) -> Workers:
        settings = self.settings
        vault, url = str(self.folder / VAULT), settings.database_url(self.folder)
        given = worker.WorkerStart(
            url, vault, self._master.secret, settings.memory_mb // 2, self._encrypted, settings.data_servers
        )
        how = {"size": size, "each": each, "seconds": settings.seconds, "memory_mb": settings.memory_mb}
        return Workers(worker.work, worker.set_up, given, **how)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def stop(self) -> None:
        """Charge and start nothing from now on: for the handler of a signal, before `close`.

        What runs is abandoned when its time is nearly over, and so is this process should it still be there then: what
        it leaves is what a crash leaves.
        """
        if self._is_stopping:
            return
        self._is_stopping = True
        self._timers.stop()
        self._background.stop()
        self._functions.stop()
        self._runner.stop()
        Thread(target=self._abandon, name="sfumato stop", daemon=True).start()

    def _abandon(self) -> None:
        if not self._is_closed.wait(self.settings.grace_seconds - _CLOSING):
            self._runner.close()
        if not self._is_closed.wait(_CLOSING):
            os._exit(0)

    def close(self) -> None:
        self._timers.close()
        self._functions.stop()
        self._background.close()
        self._functions.close()
        self._runner.close()
        self._database.close()
        self._is_closed.set()


@contextmanager
def lock_for_serving(folder: Path, settings: WorkspaceSettings) -> Iterator[bool]:
    """Whether no other server serves this folder. With SQLite a second server is refused."""
    with (folder / FILE).open(encoding="utf-8") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            alone = False
        else:
            alone = True
        if not alone and settings.database == SQLITE:
            hint = "stop that server; to run several, set `database` to PostgreSQL."
            raise BadInput(f"Another server already serves {folder}", hint=hint)
        yield alone


def open_workspace(
    folder: str | Path, *, passphrase: str | None = None, key_file: Path | None = None, encrypted: bool = True
) -> Workspace:
    """Unlock a workspace. `encrypted=False` is for measuring the cost of encryption."""
    place = Path(folder)
    settings = load(place)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # a core dump would contain the keys
    key = key_file or (Path(settings.key_file) if settings.key_file else None)
    if passphrase is None and key is None:
        hint = "type the passphrase, or add --passphrase-file FILE."
        raise BadInput("This workspace needs a passphrase", hint=hint)
    return Workspace(place, settings, unlock(place, passphrase=passphrase, key_file=key), encrypted=encrypted)
