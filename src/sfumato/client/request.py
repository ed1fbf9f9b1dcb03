"""A request on its way: where it stands, what happens next, what came of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from sfumato.api.release import Certificate, Release
from sfumato.client.connection import new_key
from sfumato.client.on_its_way import OnItsWay
from sfumato.client.records import Listing, RemoteRecord
from sfumato.client.remote_risk import ConfidentialRecord
from sfumato.client.signal import SIGNALS, Signal, source_of
from sfumato.errors import BadInput
from sfumato.model.release import Answer
from sfumato.model.signal import SignalKind
from sfumato.presentation.escrow import listing as escrow
from sfumato.presentation.wording import requests_sentences as of_request
from sfumato.signals.tasks.task import Task


class Answers(list[Release]):
    """What was released for one request, query by query, with what all of it was charged."""

    def __init__(self, releases: Iterable[Release], charged: float | None, guarantee: str | None) -> None:
        super().__init__(releases)
        self.charged = charged
        self.guarantee = guarantee
        self.request: Request | None = None  # where they come from

    @classmethod
    def of(cls, told: Mapping[str, Any]) -> Answers:
        each = (Release(Answer.from_dict(one), Certificate.from_dict(one["certificate"])) for one in told["answers"])
        return cls(each, told.get("charged"), told.get("guarantee"))

    def signal(self, task: Task | Mapping[str, Any] | None = None, kind: str = "free", **how: Any) -> Signal:
        """What the noise did to a task; see `Request.signal`."""
        if self.request is None:
            raise BadInput("These answers do not know their request", hint="ask it: client.request(number).signal(…).")
        return self.request.signal(task, kind, **how)

    def as_dict(self) -> dict[str, Any]:
        return {"answers": [one.as_dict() for one in self], "charged": self.charged, "guarantee": self.guarantee}

    def text(self) -> str:
        return "\n\n".join(f"{release.certificate.query}\n\n{release}" for release in self)

    def show(self) -> None:
        print(self.text())

    def __repr__(self) -> str:
        return self.text()


class Page(RemoteRecord):
    """What an approver needs to decide: public facts only. `.binding` is what an approval holds for."""

    @property
    def binding(self) -> str:
        return str(self._facts["binding"])

    def text(self) -> str:
        return escrow.page(self._facts)


class Request(OnItsWay):
    """Made by `submit`, or found in an inbox. `.state` and `.next` ask the server while something may still happen."""

    path, called, words = "requests", "Request", of_request.NEXT

    @property
    def purpose(self) -> str:
        return str(self._facts.get("purpose") or "")

    @property
    def progress(self) -> float | None:
        """How far it is computed, 0 to 1, as far as was told last."""
        share = self._facts.get("progress")
        return float(share) if isinstance(share, int | float) else None

    def result(self) -> Answers:
        """The answers with their certificates; before they are released, `AwaitingApproval` says what is awaited."""
        answers = Answers.of(self._connection.get("requests", self.id, "result"))
        answers.request = self
        return answers

    def signal(
        self,
        task: Task | Mapping[str, Any] | None = None,
        kind: str = "free",
        *,
        query: int = 1,
        code: str | Path | None = None,
        range: Sequence[float] | None = None,
        epsilon: float | None = None,
        blocks: int | None = None,
        draws: int | None = None,
        by_range: bool = False,
        key: str = "",
    ) -> Signal:
        """Ask what the noise did to a task, about the answer to a query; or to `code` of your own, within a `range`.

        A free signal of a task is here at once; others wait for a decision. Sent twice with one `key`, it is one.
        """
        scored = task.as_dict() if isinstance(task, Task) else task
        stated = {"query": query, "kind": SignalKind.from_text(kind).value, "task": scored}
        how = {"epsilon": epsilon, "blocks": blocks, "draws": draws, "by_range": by_range}
        ends = None if range is None else _numbers(range)
        body = stated | how | {"code": source_of(code), "range": ends}
        return Signal(self._connection, self._connection.post("requests", self.id, "signals", body=body,
                                                              key=key or new_key()))  # fmt: skip

    def signals(self) -> Listing[Signal]:
        """Those that were asked for about it."""
        told = self._connection.items("requests", self.id, "signals")
        return Listing.of((Signal(self._connection, each) for each in told), SIGNALS, "There are no signals.")

    # For those who decide

    def page(self) -> Page:
        """What an approver needs, on one page; public facts only."""
        page = Page(self._connection.get("requests", self.id, "page"))
        self._seen = page.binding
        return page

    def answer(self) -> ConfidentialRecord:
        """A withheld answer beside the true one, where the policy approves after the answer: a look, recorded first."""
        told = self._connection.post("requests", self.id, "answer")
        return ConfidentialRecord(told, escrow.withheld(Answers.of(told).text(), told["true"]))

    # For whoever asked

    def cancel(self, *, allow_no_guarantee: bool = False) -> Request:
        """While it is computed; what was charged stays charged. By a controller after a look it is a no."""
        return self._decided("cancel", {"allow_no_guarantee": allow_no_guarantee})

    def text(self) -> str:
        return escrow.request(self._facts)

    def _bound(self) -> str:
        return self.page().binding


def _numbers(range: Sequence[float]) -> list[float]:
    try:
        return [float(end) for end in range]
    except (TypeError, ValueError):
        raise BadInput(f"A range has two numbers, not {range!r}", hint="state range=[0, 1].") from None
