"""Where tests keep files that need not outlive them: in memory, if there is room."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

_ENOUGH = 1 << 30  # bytes; a container has 64 MiB there unless it is told otherwise


def in_memory() -> Path | None:
    """A folder in memory; None, which `tempfile` takes for the usual place, where it is missing, small or not ours."""
    memory = Path("/dev/shm")
    if memory.is_dir() and os.access(memory, os.W_OK) and shutil.disk_usage(memory).free >= _ENOUGH:
        return memory
    return None
