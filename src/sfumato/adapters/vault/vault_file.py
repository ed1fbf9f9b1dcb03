"""The file that the master key is locked in; a passphrase or a key file unlocks it."""

from __future__ import annotations

import base64
import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from argon2.exceptions import HashingError
from argon2.low_level import Type, hash_secret_raw

from sfumato.adapters.vault.atomic_file import new_file
from sfumato.adapters.vault.master_key import SIZE, MasterKey
from sfumato.adapters.vault.passwords import password_bytes
from sfumato.adapters.vault.sealed_text import seal, unseal
from sfumato.errors import BadInput, VaultBroken, VaultUnwritable, instead

FILE = "vault.json"
VERSION = 1
SALT = 16
ABOUT = "the master key"
PASSPHRASE, KEY_FILE = "passphrase", "key file"


@dataclass(frozen=True)
class Argon2Cost:
    """What one guess of a passphrase costs an attacker: passes of argon2id over this much memory (RFC 9106)."""

    passes: int
    memory_kib: int
    lanes: int

    def __post_init__(self) -> None:
        if not (1 <= self.passes <= 100 and 1 <= self.lanes <= 64 and 8 * self.lanes <= self.memory_kib <= 1 << 22):
            raise ValueError("no cost of argon2id that is paid here")


COST = Argon2Cost(passes=3, memory_kib=1 << 18, lanes=4)  # RFC 9106's second choice with four times its memory


def create(
    folder: Path, *, passphrase: str | None = None, key_file: Path | None = None, cost: Argon2Cost = COST
) -> MasterKey:
    """A new master key, locked in `folder`/vault.json. A key file that is not there yet is made."""
    new_key_file = (
        _create_key_file(key_file) if passphrase is None and key_file is not None and not key_file.exists() else None
    )
    try:
        salt = os.urandom(SALT)
        derivation = (
            {"argon2id": asdict(cost), "salt": base64.b64encode(salt).decode()} if passphrase is not None else {}
        )
        by = {"locked_by": KEY_FILE if passphrase is None else PASSPHRASE}
        master = MasterKey(os.urandom(SIZE))
        sealed = seal(_lock(by | derivation, passphrase, key_file), master.secret, ABOUT)
        text = json.dumps({"version": VERSION} | by | derivation | {"master": sealed}, indent=2) + "\n"
        taken = BadInput.because("vault-taken", folder=str(folder))
        with new_file(folder / FILE, _unwritable(folder / FILE), taken) as write:
            write(text.encode())
    except BaseException:
        if new_key_file is not None:
            new_key_file.unlink(missing_ok=True)
        raise
    return master


def unlock(folder: Path, *, passphrase: str | None = None, key_file: Path | None = None) -> MasterKey:
    """The master key of `folder`, by what it was locked with."""
    vault = _read_vault(folder)
    lock = instead(_unreadable(folder), (KeyError, TypeError, ValueError), lambda: _lock(vault, passphrase, key_file))
    wrong = BadInput.because("lock-wrong", locked_by=vault["locked_by"], file=FILE)
    return MasterKey(instead(wrong, (VaultBroken,), lambda: unseal(lock, str(vault.get("master")), ABOUT)))


def _lock(vault: Mapping[str, Any], passphrase: str | None, key_file: Path | None) -> MasterKey:
    """The key that the master key is sealed with."""
    if (passphrase is None) == (key_file is None):
        raise BadInput.because("lock-not-one")
    if (given := KEY_FILE if passphrase is None else PASSPHRASE) != (by := vault["locked_by"]):
        raise BadInput.because("lock-other", locked_by=by, given=given)
    if key_file is not None:
        return MasterKey(_read_key_file(key_file))
    if not passphrase:
        raise BadInput.because("passphrase-empty")
    cost, salt = Argon2Cost(**vault["argon2id"]), base64.b64decode(vault["salt"], validate=True)
    if len(salt) != SALT:
        raise ValueError(f"a salt has {SALT} bytes")
    memory = BadInput.because("unlocking-memory", mebibytes=cost.memory_kib >> 10)

    def derive() -> bytes:
        work = cost.passes, cost.memory_kib, cost.lanes
        return hash_secret_raw(password_bytes(passphrase), salt, *work, hash_len=SIZE, type=Type.ID)

    return MasterKey(instead(memory, (HashingError, MemoryError), derive))


def _read_vault(folder: Path) -> Mapping[str, Any]:
    nowhere = BadInput.because("vault-missing", folder=str(folder))

    def read() -> Any:
        path = folder / FILE
        text = instead(nowhere, (FileNotFoundError, NotADirectoryError), lambda: path.read_text("utf-8"))
        return json.loads(text)

    vault = instead(_unreadable(folder), (OSError, ValueError, RecursionError), read)
    if not isinstance(vault, dict) or not isinstance(version := vault.get("version"), int):
        raise _unreadable(folder)
    if version > VERSION:
        raise BadInput.because("vault-newer")
    if version != VERSION or vault.get("locked_by") not in (PASSPHRASE, KEY_FILE):
        raise _unreadable(folder)
    return vault


def _create_key_file(key_file: Path) -> Path:
    with new_file(key_file, _unwritable(key_file), _unwritable(key_file)) as write:
        write(os.urandom(SIZE))
    return key_file


def _read_key_file(key_file: Path) -> bytes:
    def read() -> bytes:
        with key_file.open("rb") as file:
            return file.read(SIZE + 1)

    missing = BadInput.because("key-file-unreadable", path=str(key_file))
    key = instead(missing, (OSError,), read)
    if len(key) != SIZE:
        raise BadInput.because("key-file-size", path=str(key_file), bytes=SIZE)
    return key


def _unwritable(path: Path) -> VaultUnwritable:
    return VaultUnwritable.because("vault-file-unwritable", path=str(path))


def _unreadable(folder: Path) -> VaultBroken:
    return VaultBroken.because("vault-file-unreadable", path=str(folder / FILE))
