"""An open workspace: its escrow, with the adapters that it needs."""

from __future__ import annotations

import fcntl
import os
import platform
import resource
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Self

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
from sfumato.presentation.exploration_view import exploration
from sfumato.release.records import Records
from sfumato.signals.tasks.task import DECIMALS

VAULT = "vault"
_FAR = 1e9  # bound of every score; each signal clips scores to its own range


class Workspace:
    """Created by `open_workspace`. `close` waits for approved requests, and for one function of an analyst.

    Other functions of analysts run after the next start.
    """

    def __init__(self, folder: Path, settings: WorkspaceSettings, master: MasterKey, *, encrypted: bool = True) -> None:
        self.folder, self.settings = folder, settings
        self._database = Database(settings.database_url(folder), VaultLocks(master))
        self._database.upgrade()
        self._master, self._encrypted = master, encrypted
        self._runner = self._workers()
        self._background = ThreadPoolExecutor(settings.workers, "sfumato request")
        self._turns = ThreadPoolExecutor(1, "sfumato function")
        self.escrow = Escrow(self._ports())

    def _ports(self) -> EscrowPorts:
        database, settings = self._database, self.settings
        return EscrowPorts(
            rows=database.rows,
            transaction=database.transaction,
            reading=database.reading,
            audit=database.audit(),
            ledger=database.ledger(),
            locks=VaultLocks(self._master),
            files=VaultFiles(self.folder / VAULT, self._master, encrypted=self._encrypted),
            runner=self._runner,
            sandbox=Bubblewrap(SandboxLimits(settings.code_seconds, settings.code_memory_mb, DECIMALS, -_FAR, _FAR)),
            planned=partial(local.open_registered, None, ledger=database.ledger(), records=Records()),
            exploration_view=exploration,
            written=local.source_version,
            later=self._background.submit,
            in_turn=self._turns.submit,
            now=lambda: datetime.now(UTC),
            new_id=lambda: os.urandom(12).hex(),
            limits=EscrowLimits(
                session_hours=settings.session_hours,
                most_queries=settings.queries,
                references=settings.references,
                lease_seconds=settings.lease_seconds,
                server=f"{platform.node()}:{self.folder.resolve()}",
                code_seconds=float(settings.code_seconds),
            ),
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
