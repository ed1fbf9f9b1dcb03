"""Requests and signals on a server: state, decisions and results."""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from time import monotonic
from typing import Any, ClassVar, Self

from sfumato.api.release import Certificate, Release
from sfumato.api.signal import Signalled, printable_signal
from sfumato.client.connection import Connection, new_key
from sfumato.client.records import Listing, RemoteRecord, record_of
from sfumato.client.remote_risk import ConfidentialRecord
from sfumato.errors import AwaitingApproval, BadInput
from sfumato.model.release import Answer
from sfumato.model.signal_score import SignalKind, from_stored
from sfumato.presentation.escrow import listing as escrow
from sfumato.presentation.escrow import signals_view as signalling
from sfumato.presentation.escrow.submission_types import (
    RequestPage,
    SignalPage,
    WordedRequest,
    WordedSignal,
    WordedTaskLibrary,
)
from sfumato.presentation.noise_view import meaningful_answer, meaningful_text
from sfumato.presentation.posthoc_view import PosthocFacts
from sfumato.presentation.wording import requests_sentences as of_request
from sfumato.presentation.wording.signals import requests_sentences as of_signalling
from sfumato.signals.tasks.task import Task

SETTLED = ("released", "refused", "returned", "withdrawn", "failed")
"""Final states."""

_SOONEST, _LATEST, _SLOWER = 0.1, 2.0, 1.5


class ApprovalPage(RemoteRecord):
    """The approver's page, from public facts. `.binding` identifies what an approval is for."""

    def __init__(self, facts: Mapping[str, Any], text: Callable[[Mapping[str, Any]], str]) -> None:
        super().__init__(facts)
        self._text = text

    @property
    def binding(self) -> str:
        return str(self._facts["binding"])

    @property
    def facts(self) -> RequestPage | SignalPage:
        kind: Any = SignalPage if "signal" in self._facts else RequestPage
        page: RequestPage | SignalPage = record_of(kind, self._facts)
        return page

    def text(self) -> str:
        return self._text(self._facts)


class RemoteSubmission(RemoteRecord, ABC):
    """A request or a signal. `.state` and `.next` ask the server while something may still happen."""

    noun: ClassVar[str]
    sentences: ClassVar[Mapping[str, str]]  # what happens next, by state
    page_text: ClassVar[Callable[[Mapping[str, Any]], str]]

    def __init__(self, connection: Connection, facts: Mapping[str, Any]) -> None:
        super().__init__(facts)
        self._connection = connection
        self._path = f"{self.noun}s"
        self._seen = ""  # binding of the page fetched last

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
        """The next step."""
        if self._state not in SETTLED:
            self.refresh()
        return self._next

    @property
    def progress(self) -> float | None:
        """Progress from 0 to 1, as of the last refresh; None if unknown."""
        share = self._facts.get("progress")
        return float(share) if isinstance(share, int | float) else None

    @property
    def _state(self) -> str:
        return str(self._facts["state"])

    @property
    def _next(self) -> str:
        return str(self._facts.get("next") or self.sentences.get(self._state, ""))

    def refresh(self) -> Self:
        self._facts = dict(self._connection.get(self._path, self.id))
        return self

    def wait(self, seconds: float | None = None, report: Callable[[Self], None] | None = None) -> Self:
        """Wait until it is settled, at most `seconds`; each change is reported, by default on stderr."""
        tell, until, pause, before = report or _print, seconds and monotonic() + seconds, _SOONEST, ""
        while self.refresh()._state not in SETTLED:
            if before != self._state:
                before, pause = self._state, _SOONEST
                tell(self)
            if until is not None and monotonic() >= until:
                raise AwaitingApproval(f"{self.name} is still {self._state}", hint=self._next)
            self._connection.pause(pause)
            pause = min(_LATEST, pause * _SLOWER)
        return self

    @property
    def name(self) -> str:
        """Noun and number."""
        return f"{self.noun.capitalize()} {self.number}"

    @abstractmethod
    def result(self) -> Any:
        """The result; `AwaitingApproval` is raised before it is released."""

    # For those who decide

    def page(self) -> ApprovalPage:
        """Fetch the approver's page."""
        page = ApprovalPage(self._connection.get(self._path, self.id, "page"), type(self).page_text)
        self._seen = page.binding
        return page

    def approve(
        self,
        note: str = "",
        *,
        binding: str = "",
        allow_no_guarantee: bool = False,
        preregistered: str = "",
        at_once: bool = False,
    ) -> Self:
        """Approve it as on the page fetched last; a later change is refused.

        It starts after some seconds, in which `undo` takes the approval back, or `at_once`.
        """
        how = {"allow_no_guarantee": allow_no_guarantee, "preregistered": preregistered}
        how |= {"at_once": True} if at_once else {}
        return self._act("approve", {"binding": binding or self._seen or self.page().binding, "note": note} | how)

    def return_(self, note: str, *, allow_no_guarantee: bool = False) -> Self:
        """Return it to the analyst, with a note on what to change."""
        return self._act("return", {"note": note, "allow_no_guarantee": allow_no_guarantee})

    def refuse(self, note: str, *, allow_no_guarantee: bool = False) -> Self:
        return self._act("refuse", {"note": note, "allow_no_guarantee": allow_no_guarantee})

    def undo(self, *, allow_no_guarantee: bool = False) -> Self:
        """Take back your own approval before it starts."""
        return self._act("undo", {"allow_no_guarantee": allow_no_guarantee})

    def assign(self, to: str | None) -> Self:
        """Assign it to a controller of the dataset, or to none."""
        return self._act("assign", {"to": to})

    # For the analyst

    def withdraw(self) -> Self:
        """Withdraw it before it is decided."""
        return self._act("withdraw", {})

    def _act(self, verb: str, body: Mapping[str, Any]) -> Self:
        facts = self._connection.post(self._path, self.id, verb, body=body)
        if isinstance(facts, dict) and "state" in facts:
            self._facts = facts
            return self
        return self.refresh()


class RemoteSignal(RemoteSubmission):
    """Made by `RemoteRequest.signal` or `Answers.signal`; a free one of a task is released already."""

    noun, sentences, page_text = "signal", of_signalling.NEXT, signalling.page

    @property
    def facts(self) -> WordedSignal:
        """Fields that this person may see, as of the last refresh."""
        return record_of(WordedSignal, self._facts)

    @property
    def kind(self) -> str:
        return str(self._facts["kind"])

    def result(self) -> Signalled:
        """The signal; `AwaitingApproval` is raised before it is released."""
        facts = self._connection.get("signals", self.id, "result")
        return printable_signal(from_stored(facts, Certificate.from_dict(facts["certificate"])))

    def value(self) -> ConfidentialRecord:
        """Both scores of a withheld signal `as_published`: logged as a look."""
        facts = self._connection.post("signals", self.id, "value")
        return ConfidentialRecord(facts, signalling.value(facts))

    def text(self) -> str:
        return signalling.signal(self._facts)


class PosthocRecord(ConfidentialRecord):
    """What an answer tells about each person; printed by `.show()` only."""

    @property
    def facts(self) -> PosthocFacts:
        return record_of(PosthocFacts, self._facts)


class Tasks(RemoteRecord, WordedTaskLibrary):
    """Tasks and kinds of signals, and whether code of your own can run on the server."""

    def text(self) -> str:
        return signalling.library(self._facts)


class Answers(list[Release]):
    """Releases of one request in the order of its queries, with the total charge."""

    def __init__(self, releases: Iterable[Release], charged: float | None, guarantee: str | None) -> None:
        super().__init__(releases)
        self.charged = charged
        self.guarantee = guarantee
        self.request: RemoteRequest | None = None

    @property
    def least(self) -> list[float | None]:
        """The smallest meaningful answer of each with one figure, at 10% and 90%."""
        return [meaningful_answer(release.certificate) for release in self]

    @property
    def notes(self) -> list[str]:
        """The same in sentences; empty where there is no such figure."""
        return [meaningful_text(release.certificate) for release in self]

    @classmethod
    def from_dict(cls, facts: Mapping[str, Any]) -> Answers:
        answers = facts["answers"]
        releases = (Release(Answer.from_dict(one), Certificate.from_dict(one["certificate"])) for one in answers)
        return cls(releases, facts.get("charged"), facts.get("guarantee"))

    def signal(self, task: Task | Mapping[str, Any] | None = None, kind: str = "free", **how: Any) -> RemoteSignal:
        """Request a signal; see `RemoteRequest.signal`."""
        if self.request is None:
            raise BadInput("These answers have no request", hint="use client.request(number).signal(…).")
        return self.request.signal(task, kind, **how)

    def as_dict(self) -> dict[str, Any]:
        releases = [release.as_dict() for release in self]
        return {"answers": releases, "charged": self.charged, "guarantee": self.guarantee, "least": self.least}

    def text(self) -> str:
        texts = ([f"{one.certificate.query}\n\n{one}", note] for one, note in zip(self, self.notes, strict=True))
        return "\n\n".join("\n".join(filter(None, pair)) for pair in texts)

    def show(self) -> None:
        print(self.text())

    def __repr__(self) -> str:
        return self.text()


class RemoteRequest(RemoteSubmission):
    """A request; made by `submit`, `Client.request` and `Client.inbox`."""

    noun, sentences, page_text = "request", of_request.NEXT, escrow.page

    @property
    def facts(self) -> WordedRequest:
        """Fields that this person may see, as of the last refresh."""
        return record_of(WordedRequest, self._facts)

    @property
    def purpose(self) -> str:
        return str(self._facts.get("purpose") or "")

    def result(self) -> Answers:
        """The answers with their certificates; `AwaitingApproval` is raised before they are released."""
        answers = Answers.from_dict(self._connection.get("requests", self.id, "result"))
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
    ) -> RemoteSignal:
        """Request the effect of noise on a task, for the answer to a query; or on `code` of your own, within a `range`.

        A free signal of a task is released at once; others wait for a decision. Sent twice with one `key`, it is one.
        """
        scored = task.as_dict() if isinstance(task, Task) else task
        body: dict[str, Any] = {
            "query": query,
            "kind": SignalKind.from_text(kind).value,
            "task": scored,
            "code": _source(code),
        }
        how = {"epsilon": epsilon, "blocks": blocks, "draws": draws, "by_range": by_range}
        body |= how | {"range": None if range is None else _numbers(range)}
        facts = self._connection.post("requests", self.id, "signals", body=body, key=key or new_key())
        return RemoteSignal(self._connection, facts)

    def signals(self) -> Listing[RemoteSignal]:
        """Signals about this request."""
        return signals(self._connection, self._connection.items("requests", self.id, "signals"))

    def answer(self) -> ConfidentialRecord:
        """A withheld answer and the true one, if the policy decides after the answer: logged as a look."""
        facts = self._connection.post("requests", self.id, "answer")
        return ConfidentialRecord(facts, escrow.withheld(Answers.from_dict(facts).text(), facts["true"]))

    def posthoc_risk(self, query: int = 1, between: str | None = None) -> PosthocRecord:
        """What an answer, withheld or released, tells about each person: for controllers, logged as a look."""
        facts = self._connection.post("requests", self.id, "posthoc-risk", body={"query": query, "between": between})
        return PosthocRecord(facts, facts["text"])

    def cancel(self, *, allow_no_guarantee: bool = False) -> RemoteRequest:
        """Cancel it while it is computed; a charge stays. By a controller after a look it counts as a refusal."""
        return self._act("cancel", {"allow_no_guarantee": allow_no_guarantee})

    def text(self) -> str:
        return escrow.request(self._facts)


def signals(connection: Connection, items: Iterable[Mapping[str, Any]]) -> Listing[RemoteSignal]:
    return Listing.of((RemoteSignal(connection, facts) for facts in items), signalling.SIGNALS, "There are no signals.")


def _print(submission: RemoteSubmission) -> None:
    print(f"{submission.name} is {submission._state}. {submission._next}", file=sys.stderr)


def _source(code: str | Path | None) -> str | None:
    """A function as text, or from a file."""
    if not isinstance(code, Path):
        return code
    try:
        return code.read_text("utf-8")
    except (OSError, UnicodeError):
        raise BadInput(f"{code} cannot be read", hint="name a file with def evaluate(tables): ...") from None


def _numbers(range: Sequence[float]) -> list[float]:
    try:
        return [float(end) for end in range]
    except (TypeError, ValueError):
        raise BadInput(f"A range must be two numbers, not {range!r}", hint="try range=[0, 1].") from None
