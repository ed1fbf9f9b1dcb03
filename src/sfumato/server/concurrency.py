"""Lanes of work: people take turns in each, so that no one fills a lane alone."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from typing import ParamSpec, TypeVar

from anyio import CapacityLimiter, Event, to_thread

from sfumato.errors import Stopping, TooMany
from sfumato.escrow.turns import Turns

P = ParamSpec("P")
T = TypeVar("T")


class WorkPool:
    """Threads for one kind of work: `size` in all, `each` for one person at once. Lives in the event loop.

    `waiting` calls of one person may wait for their turn; what comes beyond is refused at once.
    """

    def __init__(self, size: int, each: int, waiting: int) -> None:
        self._threads, self._turns = CapacityLimiter(size), Turns[Event](size, each)
        self._most = each + waiting
        self._is_stopped = False

    async def run(self, who: str, work: Callable[P, T], *given: P.args, **named: P.kwargs) -> T:
        """Do the work in a thread when it is this person's turn."""
        async with self.turn(who):
            return await to_thread.run_sync(partial(work, *given, **named), limiter=self._threads)

    @asynccontextmanager
    async def turn(self, who: str) -> AsyncIterator[None]:
        """Wait for this person's turn; it lasts until the end of the `with`."""
        if self._is_stopped:
            raise Stopping
        if self._turns.count(who) >= self._most:
            raise TooMany(
                f"You already have {self._most} calls of this kind running or waiting",
                hint="wait for one of them to end.",
            )
        mine = Event()
        self._turns.add(who, mine)
        self._start()
        try:
            await mine.wait()
            if self._is_stopped:
                raise Stopping
            yield
        finally:
            if not self._turns.remove(who, mine):
                self._turns.end(who)
            self._start()

    def stop(self) -> None:
        """Start nothing from now on, and refuse the calls that wait."""
        self._is_stopped = True
        for waiting in self._turns.waiting:
            waiting.set()

    def _start(self) -> None:
        if not self._is_stopped:
            self._turns.start_all(lambda _person, mine: mine.set())
