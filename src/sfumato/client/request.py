"""A request on its way: where it stands, what happens next, what came of it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from time import monotonic
from typing import Any

from sfumato.client.connection import Connection
from sfumato.client.risk import Looked
from sfumato.client.told import Told
from sfumato.errors import AwaitingApproval
from sfumato.model.release import Answer
from sfumato.session.release import Certificate, Release
from sfumato.views import desk
from sfumato.views.words import of_request

SETTLED = ("released", "refused", "returned", "withdrawn", "failed")
"""The states that nothing follows by itself."""

_SOONEST, _LATEST, _SLOWER = 0.1, 2.0, 1.5


class Answers(list[Release]):
    """What was released for one request, query by query, with what all of it was charged."""

    def __init__(self, releases: Iterable[Release], charged: float | None, guarantee: str | None) -> None:
        super().__init__(releases)
        self.charged = charged
        self.guarantee = guarantee

    @classmethod
    def of(cls, told: Mapping[str, Any]) -> Answers:
        each = (Release(Answer.from_dict(one), Certificate.from_dict(one["certificate"])) for one in told["answers"])
        return cls(each, told.get("charged"), told.get("guarantee"))

    def as_dict(self) -> dict[str, Any]:
        return {"answers": [one.as_dict() for one in self], "charged": self.charged, "guarantee": self.guarantee}

    def text(self) -> str:
        return "\n\n".join(f"{release.certificate.query}\n\n{release}" for release in self)

    def show(self) -> None:
        print(self.text())

    def __repr__(self) -> str:
        return self.text()


class Page(Told):
    """What an approver needs to decide: public facts only. `.binding` is what an approval holds for."""

    @property
    def binding(self) -> str:
        return str(self._facts["binding"])

    def text(self) -> str:
        return desk.page(self._facts)


class Request(Told):
    """Made by `submit`, or found in an inbox. `.state` and `.next` ask the server while something may still happen."""

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
    def purpose(self) -> str:
        return str(self._facts.get("purpose") or "")

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
    def progress(self) -> float | None:
        """How far it is computed, 0 to 1, as far as was told last."""
        share = self._facts.get("progress")
        return float(share) if isinstance(share, int | float) else None

    @property
    def _state(self) -> str:
        return str(self._facts["state"])

    @property
    def _next(self) -> str:
        return str(self._facts.get("next") or of_request.NEXT.get(self._state, ""))

    def refresh(self) -> Request:
        self._facts = dict(self._connection.get("requests", self.id))
        return self

    def wait(self, seconds: float | None = None, told: Callable[[Request], None] | None = None) -> Request:
        """Until it is settled, telling each change (on stderr, if nobody else is `told`); at most so many seconds."""
        tell, until, pause, before = told or _print, seconds and monotonic() + seconds, _SOONEST, ""
        while self.refresh()._state not in SETTLED:
            if before != self._state:
                before, pause = self._state, _SOONEST
                tell(self)
            if until is not None and monotonic() >= until:
                raise AwaitingApproval(f"Request {self.number} is {self._state} still", hint=self._next)
            self._connection.pause(pause)
            pause = min(_LATEST, pause * _SLOWER)
        return self

    def result(self) -> Answers:
        """The answers with their certificates; before they are released, `AwaitingApproval` says what is awaited."""
        return Answers.of(self._connection.get("requests", self.id, "result"))

    # For those who decide

    def page(self) -> Page:
        """What an approver needs, on one page; public facts only."""
        page = Page(self._connection.get("requests", self.id, "page"))
        self._seen = page.binding
        return page

    def answer(self) -> Looked:
        """A withheld answer beside the true one, where the policy approves after the answer: a look, recorded first."""
        told = self._connection.post("requests", self.id, "answer")
        return Looked(told, desk.withheld(Answers.of(told).text(), told["true"]))

    def approve(
        self, note: str = "", *, binding: str = "", accept_none: bool = False, fixed_beforehand: str = ""
    ) -> Request:
        """Let it go ahead as the page showed it that was seen last; whatever changed since is refused."""
        bound = binding or self._seen or self.page().binding
        said = {"binding": bound, "note": note, "accept_none": accept_none, "fixed_beforehand": fixed_beforehand}
        return self._decided("approve", said)

    def return_(self, note: str, *, accept_none: bool = False) -> Request:
        """Back to the analyst, with what is to be changed."""
        return self._decided("return", {"note": note, "accept_none": accept_none})

    def refuse(self, note: str, *, accept_none: bool = False) -> Request:
        return self._decided("refuse", {"note": note, "accept_none": accept_none})

    # For whoever asked

    def withdraw(self) -> Request:
        """Before it is decided."""
        return self._decided("withdraw", {})

    def cancel(self, *, accept_none: bool = False) -> Request:
        """While it is computed; what was charged stays charged. By a controller after a look it is a no."""
        return self._decided("cancel", {"accept_none": accept_none})

    def _decided(self, verb: str, said: Mapping[str, Any]) -> Request:
        told = self._connection.post("requests", self.id, verb, body=said)
        if isinstance(told, dict) and "state" in told:
            self._facts = told
            return self
        return self.refresh()

    def text(self) -> str:
        return desk.request(self._facts)


def _print(request: Request) -> None:
    print(f"Request {request.number} is {request._state}. {request._next}", file=sys.stderr)
