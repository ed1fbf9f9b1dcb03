"""A new file is there whole, and synced, or not at all; never in place of another."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from sfumato.errors import SfumatoError, instead

PART = ".part"
ABANDONED = 24 * 3600.0  # seconds since anything was written to it


@contextmanager
def new_file(path: Path, unwritable: SfumatoError, taken: SfumatoError) -> Iterator[Callable[[bytes], None]]:
    """Gives what to write with; what fails on the disk is one of the two sentences, and leaves nothing behind."""
    part = path.with_name(f"{path.name}.{os.urandom(8).hex()}{PART}")
    flags = os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC
    handle = instead(unwritable, (OSError,), lambda: os.open(part, flags, 0o600))
    try:
        yield lambda data: instead(unwritable, (OSError,), lambda: write_all(handle, data))
        instead(unwritable, (OSError,), lambda: os.fsync(handle))
        # A link, unlike a renaming, never replaces what is there.
        instead(unwritable, (OSError,), lambda: instead(taken, (FileExistsError,), lambda: os.link(part, path)))
    finally:
        os.close(handle)
        with suppress(OSError):
            part.unlink(missing_ok=True)
    try:
        instead(unwritable, (OSError,), lambda: sync_folder(path.parent))
    except SfumatoError:
        with suppress(OSError):
            path.unlink(missing_ok=True)
        raise


def write_all(handle: int, data: bytes) -> None:
    left = memoryview(data)
    while left:
        left = left[os.write(handle, left) :]


def sync_folder(folder: Path) -> None:
    """What was linked into it, or taken out of it, stays so after a power failure."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def sweep(folder: Path) -> None:
    """Remove what was left by a program that was killed while it wrote here."""
    for part in folder.glob(f"*{PART}"):
        with suppress(OSError):
            if time.time() - part.stat().st_mtime > ABANDONED:
                part.unlink()
