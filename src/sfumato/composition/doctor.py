"""Checks of a workspace: each has a result and, if something is wrong, a remedy."""

from __future__ import annotations

import shutil
import sqlite3
import ssl
import stat
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.util import find_spec
from pathlib import Path

from sfumato.composition.settings import SQLITE, WorkspaceSettings, load
from sfumato.composition.worker import PING
from sfumato.composition.workspace import VAULT, Workspace
from sfumato.errors import SfumatoError
from sfumato.escrow.identity.person import Role
from sfumato.ledger import audit_log as chain
from sfumato.ledger.entry import verify
from sfumato.presentation.wording import sandbox as of_sandbox

_ROOM = 1 << 30  # bytes that should be free
_BROKEN_SQLITE = ((3, 7, 0), (3, 51, 2))  # versions whose write-ahead log may be reset wrongly; ours uses none


@dataclass(frozen=True)
class Diagnosis:
    """The result of one check; `good` None: nothing is wrong, but it is worth knowing."""

    what: str
    good: bool | None
    said: str
    do: str = ""

    def as_dict(self) -> dict[str, object]:
        return dict(vars(self))


def examine(folder: Path, unlocked: Callable[[], Workspace] | None) -> list[Diagnosis]:
    """All checks, or those that need no key if the workspace is not unlocked."""
    try:
        settings = load(folder)
    except SfumatoError as wrong:
        return [Diagnosis("settings", False, wrong.message, wrong.hint)]
    diagnoses = [*_folder(folder, settings), *_machine(settings)]
    if unlocked is None:
        hint = "add --passphrase-file FILE to run all checks."
        return [*diagnoses, Diagnosis("keys", None, "The workspace is locked.", hint)]
    try:
        workspace = unlocked()
    except SfumatoError as wrong:
        return [*diagnoses, Diagnosis("keys", False, wrong.message, wrong.hint)]
    with workspace:
        return [*diagnoses, Diagnosis("keys", True, "The vault can be unlocked."), *_inside(workspace)]


def _check(what: str, good: bool, sentence: str, remedy: str) -> Diagnosis:
    return Diagnosis(what, good, sentence, "" if good else remedy)


def _there(what: str, name: str, there: bool, remedy: str) -> Diagnosis:
    return _check(what, there, f"{name} {'exists' if there else 'is missing'}.", remedy)


def _folder(folder: Path, settings: WorkspaceSettings) -> Iterator[Diagnosis]:
    yield Diagnosis("settings", True, f"{folder} is set up; the server listens on {settings.host}:{settings.port}.")
    others = bool(stat.S_IMODE(folder.stat().st_mode) & 0o077)
    yield _check(
        "access", not others, f"Other users can{'' if others else 'not'} read the folder.", f"chmod 700 {folder}"
    )
    free = shutil.disk_usage(folder).free
    yield _check("disk space", free >= _ROOM, f"{free / _ROOM:,.1f} GiB are free.", "free some disk space.")
    for name in filter(None, (settings.certificate, settings.certificate_key, settings.key_file)):
        yield _there("files", name, Path(name).is_file(), "put the file there, or correct the settings.")
    if settings.certificate and Path(settings.certificate).is_file():
        yield _certificate(Path(settings.certificate))
    for name in settings.references:
        yield _there("references", name, Path(name).is_dir(), "create the folder, or correct the settings.")


def _certificate(path: Path) -> Diagnosis:
    try:
        until = ssl._ssl._test_decode_cert(str(path))["notAfter"]  # type: ignore[attr-defined]
        left = datetime.fromtimestamp(ssl.cert_time_to_seconds(until), UTC) - datetime.now(UTC)
    except (OSError, ValueError, KeyError):
        return Diagnosis("certificate", False, "The certificate cannot be read.", "use a PEM file.")
    return _check("certificate", left.days >= 14, f"The certificate is valid for {left.days} more days.", "renew it.")


def _machine(settings: WorkspaceSettings) -> Iterator[Diagnosis]:
    yield Diagnosis("Python", True, f"Python {sys.version.split()[0]}.")
    low, high = _BROKEN_SQLITE
    if settings.database == SQLITE and low <= sqlite3.sqlite_version_info <= high:
        sentence = f"SQLite {sqlite3.sqlite_version} has a known fault in its write-ahead log, which is not used here."
        yield Diagnosis("SQLite", None, sentence)
    if settings.database != SQLITE:
        there = find_spec("psycopg") is not None
        sentence = f"psycopg is {'' if there else 'not '}installed."
        yield _check("PostgreSQL", there, sentence, "pip install 'sfumato[postgres]'.")
    swap = Path("/proc/swaps")
    if swap.is_file() and len(swap.read_text(encoding="ascii").splitlines()) > 1:
        sentence = "Memory may be written to a swap file in plain text."
        yield Diagnosis("swap", None, sentence, "encrypt the swap space, or turn it off with swapoff -a.")


def _inside(workspace: Workspace) -> Iterator[Diagnosis]:
    escrow = workspace.escrow
    outside = escrow.ports
    yield Diagnosis("database", True, "The database is reachable, and its tables are up to date.")
    yield _chain("ledger", lambda: verify(outside.ledger.read(0))[0])
    yield _chain("audit log", lambda: chain.verify(outside.audit.read())[0])
    people = escrow.accounts.all()
    admins = [person for person in people if person.has(Role.ADMIN) and not person.disabled]
    yield Diagnosis("users", bool(admins), f"Users: {len(people)}. Users with the role admin: {len(admins)}.")
    for row in outside.rows("datasets").many(limit=100_000, retired=False):
        yield _dataset(workspace, row["name"])
    strangers = _strangers(workspace)
    if strangers:
        sentence = f"{strangers} files in the vault belong to no dataset."
        yield Diagnosis("vault", None, sentence, "they are encrypted; you can delete them.")
    yield _worker(workspace)
    missing = outside.sandbox.missing()
    if missing is None:
        yield Diagnosis("sandbox", True, of_sandbox.READY)
    else:
        yield Diagnosis("sandbox", None, f"{missing.message}.", missing.hint)


def _chain(what: str, follow: Callable[[], int]) -> Diagnosis:
    try:
        return Diagnosis(what, True, f"The chain is unbroken. Entries: {follow()}.")
    except SfumatoError as wrong:
        return Diagnosis(what, False, wrong.message, wrong.hint)


def _dataset(workspace: Workspace, name: str) -> Diagnosis:
    """Open its data as for a query; nothing about its people is shown."""
    datasets, runner = workspace.escrow.datasets, workspace.escrow.ports.runner
    dataset = datasets.of(name)
    try:
        policy = datasets.policy_of(dataset)
        if dataset.version is None:
            hint = f"sfumato dataset deliver {name} FILE."
            return Diagnosis(f"dataset {name}", None, "It has no data yet, so it cannot be queried.", hint)
        runner.run(f"doctor {name}", datasets.job("fits", dataset, "the doctor", None), "")
    except SfumatoError as wrong:
        return Diagnosis(f"dataset {name}", False, wrong.message, wrong.hint)
    if policy is None:
        hint = f"sfumato policy set {name} FILE."
        return Diagnosis(f"dataset {name}", None, "It has no policy, so no one can query it.", hint)
    return Diagnosis(f"dataset {name}", True, f"Its data can be opened, and policy {policy.number} is signed.")


def _strangers(workspace: Workspace) -> int:
    stored = sum(1 for path in (workspace.folder / VAULT).glob("*") if path.is_file())
    rows = workspace.escrow.ports.rows("versions").many(limit=100_000, forgotten=False)
    return max(stored - sum(1 for row in rows if row["fingerprint"]), 0)


def _worker(workspace: Workspace) -> Diagnosis:
    try:
        workspace.escrow.ports.runner.run("doctor", {"verb": PING}, "")
    except SfumatoError as wrong:
        return Diagnosis("workers", False, wrong.message, "check the limits of memory and processes.")
    return Diagnosis("workers", True, "A worker starts and responds.")
