"""Slow work has lanes of its own, so that quick calls are served while it lasts and nobody fills a lane alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import ParamSpec, TypeVar

from anyio import CapacityLimiter, to_thread

from sfumato.errors import TooMany

P = ParamSpec("P")
T = TypeVar("T")


class WorkPool:
    """Threads for one kind of slow work: `size` in all, `each` for one person. Lives in the event loop."""

    def __init__(self, size: int, each: int) -> None:
        self._threads = CapacityLimiter(size)
        self._each = each
        self._busy: Counter[str] = Counter()

    async def run(self, who: str, work: Callable[P, T], *given: P.args, **named: P.kwargs) -> T:
        """Do the work in a thread when it is its turn; one person's work beyond `each` is refused at once."""
        if self._busy[who] >= self._each:
            raise TooMany(
                f"You already have {self._each} calls of this kind running or waiting",
                hint="wait for one of them to end.",
            )
        self._busy[who] += 1
        try:
            return await to_thread.run_sync(partial(work, *given, **named), limiter=self._threads)
        finally:
            self._busy[who] -= 1
            if not self._busy[who]:
                del self._busy[who]
