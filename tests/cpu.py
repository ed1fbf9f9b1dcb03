"""CPU seconds of this process and of every process below it, ended or not."""

from __future__ import annotations

import os
import resource
import time
from pathlib import Path

_TICKS = os.sysconf("SC_CLK_TCK")


def seconds() -> float:
    """CPU seconds, user and system, so far. Processes that still run count only where /proc shows them."""
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + ended.ru_utime + ended.ru_stime + sum(map(_seconds, _children(os.getpid())))


def _seconds(process: int) -> float:
    """With the children that it waited for, and those that still run."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text("utf-8", "replace").rpartition(")")[2].split()
    except OSError:  # it has ended
        return 0.0
    return sum(map(int, fields[11:15])) / _TICKS + sum(map(_seconds, _children(process)))


def _children(process: int) -> list[int]:
    children: list[int] = []
    try:
        for thread in Path(f"/proc/{process}/task").iterdir():
            children += map(int, (thread / "children").read_text("ascii").split())
    except OSError:
        return children
    return children
