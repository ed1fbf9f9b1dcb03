"""A server that stops charges nothing more: what was charged before is recorded to its end."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sfumato.errors import Stopping
from sfumato.ledger.entry import Draft, Entry, Event
from sfumato.ports import LedgerStore


@dataclass(frozen=True)
class StoppableLedger:
    """A ledger whose charges are refused once its process is stopping, in the transaction that would enter them."""

    store: LedgerStore
    is_stopping: Callable[[], bool]

    @property
    def recorded(self) -> bool:
        return self.store.recorded

    def read(self, after: int, head: str | None = None) -> Sequence[Entry]:
        return self.store.read(after, head)

    def append(
        self, after: int, decide: Callable[[Sequence[Entry]], Sequence[Draft]], head: str | None = None
    ) -> Sequence[Entry]:
        def unless_stopping(new: Sequence[Entry]) -> Sequence[Draft]:
            drafts = decide(new)
            if self.is_stopping() and any(draft.event is Event.RESERVED for draft in drafts):
                raise Stopping
            return drafts

        return self.store.append(after, unless_stopping, head)
