"""Threads for approved submissions, and timers: people take turns, and a server that stops leaves what waits."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Condition, Timer

from sfumato.errors import DatabaseFailure
from sfumato.escrow.turns import Turns

Work = Callable[[], None]
_AGAIN = 1.0  # seconds


class Background:
    """`size` threads, `each` of them for one person at once."""

    def __init__(self, size: int, each: int, name: str) -> None:
        self._turns: Turns[Work] = Turns(size, each)
        self._threads = ThreadPoolExecutor(size, name)
        self._changed = Condition()  # its lock is reentrant
        self._is_stopped = False

    def submit(self, person: str, work: Work) -> None:
        with self._changed:
            self._turns.add(person, work)
            self._start()

    def stop(self) -> None:
        """Start nothing from now on. What waits is in the database, and is started by the next server."""
        self._is_stopped = True

    def close(self) -> None:
        """Wait for everything that was submitted, or for what runs if it was stopped."""
        with self._changed:
            self._changed.wait_for(lambda: self._is_stopped or self._turns.is_idle)
        self._threads.shutdown()

    def _start(self) -> None:
        if not self._is_stopped:
            self._turns.start_all(lambda person, work: self._threads.submit(self._run, person, work))

    def _run(self, person: str, work: Work) -> None:
        try:
            if not self._is_stopped:
                work()
        finally:
            with self._changed:
                self._turns.end(person)
                self._start()
                self._changed.notify_all()


class Timers:
    """Work that is due in some seconds. What is left when the server stops is in the database, for the next start."""

    def __init__(self) -> None:
        self._timers: set[Timer] = set()
        self._changed = Condition()
        self._is_stopped = False

    def after(self, seconds: float, work: Work) -> None:
        with self._changed:
            if self._is_stopped:
                return
            timer = Timer(seconds, lambda: self._run(timer, work))
            timer.daemon = True
            self._timers.add(timer)
            timer.start()

    def stop(self) -> None:
        with self._changed:
            self._is_stopped = True
            for timer in self._timers:
                timer.cancel()
            self._timers.clear()
            self._changed.notify_all()

    def close(self) -> None:
        """Wait until all of it is done, or stopped."""
        with self._changed:
            self._changed.wait_for(lambda: not self._timers)
        self.stop()

    def _run(self, timer: Timer, work: Work) -> None:
        try:
            work()
        except DatabaseFailure:  # another has it locked, or it was away for a moment
            self.after(_AGAIN, work)
        finally:
            with self._changed:
                self._timers.discard(timer)
                self._changed.notify_all()
