"""Data as delivered, encrypted on the disk and plain in memory only.

    MAGIC | nonce | data key, wrapped by the master key | chunk 0 | chunk 1 | ... | last chunk

Each version of a dataset has a random data key of its own. Dataset and version are associated data of the wrapped key
and of every chunk: what belongs elsewhere opens nowhere.
"""

from __future__ import annotations

import fcntl
import hmac
import json
import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from sfumato.adapters.vault.atomic_file import new_file, sweep, sync_folder, write_all
from sfumato.adapters.vault.master_key import MasterKey
from sfumato.adapters.vault.stream_cipher import SIZE, TAG, decrypt, encrypt
from sfumato.errors import EngineFailure, VaultBroken, VaultUnwritable, instead

MAGIC = b"sfumato vault 1\n"
NONCE, WRAPPED = 12, 32 + TAG
HEADER = len(MAGIC) + NONCE + WRAPPED
SEALS = fcntl.F_SEAL_WRITE | fcntl.F_SEAL_GROW | fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_SEAL


@dataclass(frozen=True)
class StoredFile:
    """What was kept. The fingerprint tells whether two deliveries are the same: for controllers only."""

    bytes: int
    fingerprint: str


class VaultFiles:
    """The data of every dataset, one file a version. `encrypted=False` is for measuring what encryption does."""

    def __init__(self, folder: Path, master: MasterKey, *, encrypted: bool = True) -> None:
        self._folder = folder
        self._master = master
        self._encrypted = encrypted

    def keep(self, dataset: str, version: str, chunks: Iterable[bytes]) -> StoredFile:
        """Reads the chunks once, and holds one at a time. Only ciphertext is written, and kept when all of it is."""
        unwritable = VaultUnwritable.because("data-unwritable", dataset=dataset)
        taken = VaultUnwritable.because("data-version-taken", dataset=dataset)
        instead(unwritable, (OSError,), lambda: self._folder.mkdir(mode=0o700, exist_ok=True))
        sweep(self._folder)
        plain = _MeasuredPieces(chunks, self._master.key("fingerprints"))
        with new_file(self._path(dataset, version), unwritable, taken) as write:
            for piece in self._encrypt(_about(dataset, version), plain) if self._encrypted else plain:
                write(piece)
        return StoredFile(plain.size, plain.mac.hexdigest())

    def opened(self, dataset: str, version: str, called: str = "") -> int:
        """A descriptor of the plain bytes in memory, at their beginning, sealed against writing. Close it.

        What cannot be opened is, in sentences, `called` so.
        """
        memory = os.memfd_create("sfumato", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
        try:
            for piece in self._plain(dataset, version, called or dataset):
                _pour(piece, memory)
            fcntl.fcntl(memory, fcntl.F_ADD_SEALS, SEALS)
            os.lseek(memory, 0, os.SEEK_SET)
        except BaseException:
            os.close(memory)
            raise
        return memory

    def read(self, dataset: str, version: str, called: str = "") -> bytes:
        """The plain bytes of something small."""
        return b"".join(self._plain(dataset, version, called or dataset))

    def keyed(self, digest: str) -> str:
        """A digest of rows under a key of the vault: without that key it cannot be compared with other rows."""
        return hmac.digest(self._master.key("row digests"), digest.encode(), "sha256").hex()

    def forget(self, dataset: str, version: str) -> None:
        """Remove its file, and its key with it. What is not there is forgotten already."""
        unwritable = VaultUnwritable.because("data-unremovable", dataset=dataset)
        instead(unwritable, (OSError,), lambda: self._remove(self._path(dataset, version)))

    def _encrypt(self, about: bytes, plain: Iterable[bytes]) -> Iterator[bytes]:
        key, nonce = os.urandom(32), os.urandom(NONCE)
        yield MAGIC + nonce + self._wrapping().encrypt(nonce, key, MAGIC + about)
        yield from encrypt(key, about, plain)

    def _plain(self, dataset: str, version: str, called: str) -> Iterator[bytes]:
        """Each piece is what was kept, or the error; only at the end is it known that none is missing."""
        altered = VaultBroken.because("data-altered", dataset=called)
        unreadable = VaultBroken.because("data-unreadable", dataset=called)
        pieces = self._read(dataset, version)

        def piece() -> bytes | None:
            return instead(altered, (InvalidTag,), lambda: next(pieces, None))

        while (data := instead(unreadable, (OSError,), piece)) is not None:
            yield data

    def _read(self, dataset: str, version: str) -> Iterator[bytes]:
        about = _about(dataset, version)
        with self._path(dataset, version).open("rb", buffering=0) as file:
            blocks = iter(lambda: file.read(SIZE), b"")
            if not self._encrypted:
                yield from blocks
                return
            header = file.read(HEADER)
            magic, nonce, wrapped = header[: -NONCE - WRAPPED], header[-NONCE - WRAPPED : -WRAPPED], header[-WRAPPED:]
            if magic != MAGIC:
                raise InvalidTag
            key = self._wrapping().decrypt(nonce, wrapped, MAGIC + about)
            yield from decrypt(key, about, blocks)

    def _wrapping(self) -> AESGCM:
        return AESGCM(self._master.key("data keys"))

    def _path(self, dataset: str, version: str) -> Path:
        """Its name tells nothing, and is a name of a file whatever dataset and version are called."""
        return self._folder / hmac.digest(self._master.key("file names"), _about(dataset, version), "sha256").hex()

    def _remove(self, path: Path) -> None:
        with suppress(FileNotFoundError):
            path.unlink()
            sync_folder(self._folder)


class _MeasuredPieces:
    """Passes the pieces on as they are read, and knows afterwards how much it was, and what."""

    def __init__(self, pieces: Iterable[bytes], key: bytes) -> None:
        self._pieces = pieces
        self.size = 0
        self.mac = hmac.new(key, digestmod="sha256")

    def __iter__(self) -> Iterator[bytes]:
        for piece in self._pieces:
            self.size += len(piece)
            self.mac.update(piece)
            yield piece


def _about(dataset: str, version: str) -> bytes:
    """Dataset and version as one text that no other two have."""
    return json.dumps([dataset, version]).encode()


def _pour(piece: bytes, memory: int) -> None:
    """What does not fit into memory is a failure like any other of a run."""
    instead(EngineFailure(), (OSError,), lambda: write_all(memory, piece))
