"""Something that was asked for and that others decide: where it stands, what happens next, and their decisions."""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from time import monotonic
from typing import Any, ClassVar, Self

from sfumato.client.connection import Connection
from sfumato.client.records import RemoteRecord
from sfumato.errors import AwaitingApproval

SETTLED = ("released", "refused", "returned", "withdrawn", "failed")
"""The states that nothing follows by itself."""

_SOONEST, _LATEST, _SLOWER = 0.1, 2.0, 1.5


class OnItsWay(RemoteRecord, ABC):
    """`.state` and `.next` ask the server while something may still happen."""

    path: ClassVar[str]  # where the server has them
    called: ClassVar[str]
    words: ClassVar[Mapping[str, str]]  # what happens next, by state

    def __init__(self, connection: Connection, facts: Mapping[str, Any]) -> None:
        super().__init__(facts)
        self._connection = connection
        self._seen = ""  # the binding of the page that was shown last

    @property
    def id(self) -> str:
        return str(self._facts["id"])

    @property
    def number(self) -> int:
        return int(self._facts["number"])

    @property
    def dataset(self) -> str:
        return str(self._facts["dataset"])

    @property
    def note(self) -> str:
        return str(self._facts.get("note") or "")

    @property
    def state(self) -> str:
        if self._state not in SETTLED:
            self.refresh()
        return self._state

    @property
    def next(self) -> str:
        """What happens next, and by whom."""
        if self._state not in SETTLED:
            self.refresh()
        return self._next

    @property
    def _state(self) -> str:
        return str(self._facts["state"])

    @property
    def _next(self) -> str:
        return str(self._facts.get("next") or self.words.get(self._state, ""))

    def refresh(self) -> Self:
        self._facts = dict(self._connection.get(self.path, self.id))
        return self

    def wait(self, seconds: float | None = None, told: Callable[[Self], None] | None = None) -> Self:
        """Until it is settled, telling each change (on stderr, if nobody else is `told`); at most so many seconds."""
        tell, until, pause, before = told or _print, seconds and monotonic() + seconds, _SOONEST, ""
        while self.refresh()._state not in SETTLED:
            if before != self._state:
                before, pause = self._state, _SOONEST
                tell(self)
            if until is not None and monotonic() >= until:
                raise AwaitingApproval(f"{self.called} {self.number} is {self._state} still", hint=self._next)
            self._connection.pause(pause)
            pause = min(_LATEST, pause * _SLOWER)
        return self

    # For those who decide

    @abstractmethod
    def _bound(self) -> str:
        """What was seen last; or as it is now."""

    def approve(
        self, note: str = "", *, binding: str = "", allow_no_guarantee: bool = False, preregistered: str = ""
    ) -> Self:
        """Let it go ahead as the page showed it that was seen last; whatever changed since is refused."""
        bound = binding or self._seen or self._bound()
        said = {
            "binding": bound,
            "note": note,
            "allow_no_guarantee": allow_no_guarantee,
            "preregistered": preregistered,
        }
        return self._decided("approve", said)

    def return_(self, note: str, *, allow_no_guarantee: bool = False) -> Self:
        """Back to the analyst, with what is to be changed."""
        return self._decided("return", {"note": note, "allow_no_guarantee": allow_no_guarantee})

    def refuse(self, note: str, *, allow_no_guarantee: bool = False) -> Self:
        return self._decided("refuse", {"note": note, "allow_no_guarantee": allow_no_guarantee})

    # For whoever asked

    def withdraw(self) -> Self:
        """Before it is decided."""
        return self._decided("withdraw", {})

    def _decided(self, verb: str, said: Mapping[str, Any]) -> Self:
        told = self._connection.post(self.path, self.id, verb, body=said)
        if isinstance(told, dict) and "state" in told:
            self._facts = told
            return self
        return self.refresh()


def _print(one: OnItsWay) -> None:
    print(f"{one.called} {one.number} is {one._state}. {one._next}", file=sys.stderr)
