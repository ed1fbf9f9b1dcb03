"""Whose work is next: people take turns, and the work of one person is done in the order in which it came."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class Turns(Generic[T]):
    """Work that runs or waits: at most `size` run at once, at most `each` of one person.

    Round robin over people: work that waits, of a person who has less than `each` running, is started after at most
    one other start of each other person. Pure: the caller does the work, and has a lock where threads call.
    """

    def __init__(self, size: int, each: int) -> None:
        self._size, self._each = size, each
        self._waiting: dict[str, deque[T]] = {}  # the next person first
        self._running: Counter[str] = Counter()

    def add(self, person: str, work: T) -> None:
        self._waiting.setdefault(person, deque()).append(work)

    def remove(self, person: str, work: T) -> bool:
        """Take back what waits, and return whether it did."""
        queue = self._waiting.get(person, deque())
        if work not in queue:
            return False
        queue.remove(work)
        if not queue:
            del self._waiting[person]
        return True

    def start(self) -> tuple[str, T] | None:
        """The next work that may run, with its person, which runs from now on until `end`; None if there is none."""
        if self._running.total() >= self._size:
            return None
        person = next((name for name in self._waiting if self._running[name] < self._each), None)
        if person is None:
            return None
        queue = self._waiting.pop(person)
        work = queue.popleft()
        if queue:
            self._waiting[person] = queue  # behind everyone else
        self._running[person] += 1
        return person, work

    def start_all(self, begin: Callable[[str, T], object]) -> None:
        """Begin whatever may run."""
        while (started := self.start()) is not None:
            begin(*started)

    def end(self, person: str) -> None:
        self._running[person] -= 1
        if not self._running[person]:
            del self._running[person]

    def count(self, person: str) -> int:
        """Work of one person that runs or waits."""
        return self._running[person] + len(self._waiting.get(person, ()))

    @property
    def waiting(self) -> list[T]:
        """What waits, of everyone."""
        return [work for queue in self._waiting.values() for work in queue]

    @property
    def is_idle(self) -> bool:
        return not self._waiting and not self._running
