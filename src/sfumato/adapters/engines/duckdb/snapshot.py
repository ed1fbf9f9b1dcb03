"""The state that files were in when they were opened, as the file system tells it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

State = tuple[int, ...] | None


@dataclass(frozen=True)
class Snapshot:
    """Where files lie, how large they are, and when they were last written and changed.

    The time of change is the system's own: it tells of a file whose time of writing was put back.
    """

    states: tuple[tuple[Path, State], ...]

    @classmethod
    def of(cls, files: Iterable[Path]) -> Snapshot:
        return cls(tuple((file, _state(file)) for file in files))

    @property
    def holds(self) -> bool:
        """Whether the files still are what they were."""
        return all(_state(file) == state for file, state in self.states)

    @property
    def digest(self) -> str:
        """A name of this state: another one has another name."""
        return f"state {hashlib.sha256(repr(self.states).encode()).hexdigest()}"


def _state(file: Path) -> State:
    try:
        status = file.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns
