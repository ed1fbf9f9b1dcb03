"""A new workspace: all of it, or nothing."""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from sfumato.adapters.vault.vault_file import COST, Argon2Cost, create
from sfumato.composition.settings import WorkspaceSettings
from sfumato.composition.workspace import Workspace
from sfumato.errors import BadInput
from sfumato.escrow.identity.person import Person

ADMIN_ROLES = ("admin", "controller")


def create_workspace(
    folder: str | Path,
    *,
    admin: str,
    password: str,
    passphrase: str | None = None,
    key_file: Path | None = None,
    settings: WorkspaceSettings | None = None,
    roles: Iterable[str] = ADMIN_ROLES,
    cost: Argon2Cost = COST,
) -> Person:
    """Create the folder with settings, keys, database and the first admin; an error leaves nothing behind."""
    place = Path(folder)
    if passphrase is None and key_file is None:
        raise BadInput("A workspace needs a passphrase or a key file", hint="state one of them.")
    was_there = place.is_dir()
    if place.exists() and (not was_there or any(place.iterdir())):
        raise BadInput(f"{place} exists and is not an empty folder", hint="name a new or an empty folder.")
    try:
        place.mkdir(mode=0o700, parents=True, exist_ok=True)
        place.chmod(0o700)
    except OSError:
        raise BadInput(f"{place} cannot be created", hint="name a folder that you may write to.") from None
    try:
        set_to = replace(settings or WorkspaceSettings(), key_file="" if key_file is None else str(key_file.resolve()))
        set_to.write(place)
        master = create(place, passphrase=passphrase, key_file=key_file, cost=cost)
        with Workspace(place, set_to, master) as workspace:
            return workspace.escrow.accounts.first(admin, password, roles)
    except BaseException:
        _undo(place, keep=was_there)
        raise


def _undo(place: Path, *, keep: bool) -> None:
    shutil.rmtree(place, ignore_errors=True)
    if keep:
        place.mkdir(mode=0o700)
