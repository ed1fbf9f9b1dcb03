"""Ctrl-C: known to have come, also where an engine makes an error of its own of it."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event
from types import FrameType


@contextmanager
def watch_interrupts() -> Iterator[Event]:
    """Whether it has come; where somebody else minds it, that is theirs to know."""
    came, before = Event(), signal.getsignal(signal.SIGINT)

    def come(number: int, frame: FrameType | None) -> None:
        came.set()
        signal.default_int_handler(number, frame)

    if before is not signal.default_int_handler:
        yield came
        return
    signal.signal(signal.SIGINT, come)
    try:
        yield came
    finally:
        signal.signal(signal.SIGINT, before)
