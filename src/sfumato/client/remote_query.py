"""A statement of a dataset that a server holds: see its worst case, estimate, submit, and wait for the answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from sfumato.api.release import Release
from sfumato.client.records import RemoteRecord
from sfumato.client.remote_risk import RemoteRisk
from sfumato.client.stated import Stated, preference
from sfumato.client.submissions import RemoteRequest
from sfumato.errors import AwaitingApproval, Refused
from sfumato.escrow.questions.risk_facts import RehearsalFacts, RiskFacts
from sfumato.presentation.escrow import listing as escrow
from sfumato.presentation.escrow.questions_view import WordedEstimate, WordedHistogram


class RemoteEstimate(RemoteRecord, WordedEstimate):
    """What a request would come to, from public facts: nothing is drawn, charged or entered."""

    def __init__(self, facts: Mapping[str, Any], stated: Mapping[str, Any] | None) -> None:
        super().__init__(facts)
        vars(self)["preference"] = stated

    preference: Mapping[str, Any] | None  # None: the preregistered rule

    def text(self) -> str:
        return escrow.foreseen(self._facts)


class QueriedDataset(Protocol):
    """What a query needs of the dataset that it is made by."""

    @property
    def name(self) -> str: ...

    def ask(self, verb: str, body: Mapping[str, Any]) -> Any: ...

    def estimate(
        self, asked: Sequence[RemoteQuery], *stated: Stated, mechanism: str | None, delta: float | None
    ) -> RemoteEstimate: ...

    def submit(
        self,
        asked: Sequence[RemoteQuery],
        *stated: Stated | RemoteEstimate,
        purpose: str,
        weights: Sequence[float] | None,
        mechanism: str | None,
        delta: float | None,
    ) -> RemoteRequest: ...


class RemoteQuery:
    """Made by `Dataset.query`. What is public is free; `.risk()`, `.exposure_histogram()` are for controllers."""

    def __init__(self, dataset: QueriedDataset, sql: str) -> None:
        self.dataset = dataset
        self.sql = sql

    def worst_case(
        self,
        mechanism: str = "laplace",
        delta: float | None = None,
        candidates: str | Sequence[float] | None = None,
        calibration: str = "analytic",
        exact: bool = False,
    ) -> RemoteRisk:
        """Risk from public facts alone, true for any data: free."""
        how = _how(mechanism, delta, candidates, calibration) | {"exact": exact}
        return self._risk(RiskFacts, "worst-case", {"how": how}, delta)

    def rehearse(self, *stated: Stated, mechanism: str | None = None, delta: float | None = None) -> RemoteRisk:
        """The same query on invented rows that follow the schema: free, nobody is read."""
        body = {"preference": preference(stated, mechanism, delta)}
        return self._risk(RehearsalFacts, "rehearse", body, delta)

    def choose(self, *stated: Stated, mechanism: str | None = None, delta: float | None = None) -> RemoteEstimate:
        """What these preferences would come to; without any, the rule of record. An estimate: nothing is entered."""
        return self.dataset.estimate([self], *stated, mechanism=mechanism, delta=delta)

    def submit(
        self,
        *stated: Stated | RemoteEstimate,
        purpose: str,
        weight: float = 1.0,
        mechanism: str | None = None,
        delta: float | None = None,
    ) -> RemoteRequest:
        """Ask for it. An estimate is submitted with the preference that it was made with."""
        return self.dataset.submit([self], *stated, weights=[weight], purpose=purpose, mechanism=mechanism, delta=delta)

    def release(
        self,
        *stated: Stated | RemoteEstimate,
        purpose: str,
        wait: bool = True,
        seconds: float | None = None,
        mechanism: str | None = None,
        delta: float | None = None,
    ) -> Release:
        """Submit it, wait until it is decided and computed, and fetch the answer.

        Without `wait` it is fetched if the policy approves by itself, and `AwaitingApproval` is raised otherwise.
        """
        request = self.submit(*stated, purpose=purpose, mechanism=mechanism, delta=delta)
        if wait or request.state in ("approved", "running"):
            request.wait(seconds)
        if request.state == "submitted":
            raise AwaitingApproval(f"Request {request.number} awaits approval", hint=request.next)
        if request.state in ("refused", "returned", "withdrawn"):
            raise Refused(f"Request {request.number} was {request.state}", hint=request.note)
        return request.result()[0]

    # For controllers

    def risk(
        self,
        mechanism: str = "laplace",
        delta: float | None = None,
        candidates: str | Sequence[float] | None = None,
        calibration: str = "analytic",
        exact: bool = False,
    ) -> RemoteRisk:
        """The people themselves, for the dataset's controllers: recorded as a look."""
        how = _how(mechanism, delta, candidates, calibration) | {"exact": exact}
        return self._risk(RiskFacts, "risk", {"how": how}, delta)

    def exposure_histogram(
        self,
        epsilon: float,
        *,
        mechanism: str = "laplace",
        delta: float | None = None,
        candidates: str | Sequence[float] | None = None,
        calibration: str = "analytic",
    ) -> RemoteRisk:
        """A private histogram of exposures, charged: what is decided from it rests on no look."""
        how = _how(mechanism, delta, candidates, calibration)
        return self._risk(WordedHistogram, "exposure-histogram", {"epsilon": epsilon, "how": how}, delta)

    def _risk(self, kind: type[RiskFacts], verb: str, body: Mapping[str, Any], delta: float | None) -> RemoteRisk:
        return RemoteRisk(self.dataset.ask(verb, {"sql": self.sql} | dict(body)), self.sql, delta, kind)

    def __repr__(self) -> str:
        return f"<Query of {self.dataset.name}: {self.sql}>"


def _how(
    mechanism: str, delta: float | None, candidates: str | Sequence[float] | None, calibration: str
) -> dict[str, Any]:
    listed = candidates if candidates is None or isinstance(candidates, str) else list(candidates)
    return {"mechanism": mechanism, "delta": delta, "candidates": listed, "calibration": calibration}
