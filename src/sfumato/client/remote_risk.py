"""Risk views from a server; the risk of the people in the data is confidential."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sfumato.api.display import Display
from sfumato.client.records import record_of
from sfumato.errors import PreferenceError
from sfumato.escrow.questions.risk_facts import (
    HistogramFacts,
    RehearsalFacts,
    RehearsedSolution,
    RiskFacts,
    RiskMoments,
)
from sfumato.model.confidential import Confidential
from sfumato.model.exposure_histogram import ExposureHistogram
from sfumato.model.facts import Reach, Summary
from sfumato.model.risk import RiskAt, RiskView, Source
from sfumato.presentation.document import Document
from sfumato.presentation.risk.report import risk_document
from sfumato.presentation.wording import choosing as of_choosing
from sfumato.presentation.wording import guarantee as of_guarantee


class RemoteRisk(Display, Confidential):
    """Risk of a query for each epsilon; `.source` says from what: public facts, synthetic rows or the people."""

    def __init__(
        self, facts: Mapping[str, Any], sql: str, delta: float | None = None, kind: type[RiskFacts] = RiskFacts
    ) -> None:
        self.facts = record_of(kind, facts)
        self.view = _view(self.facts, sql, delta)
        self._json = dict(facts)

    @property
    def source(self) -> Source:
        return self.view.source

    @property
    def outputs(self) -> int | None:
        return self.view.outputs

    @property
    def people_count(self) -> int | None:
        return self.view.people

    @property
    def influence(self) -> Summary | Reach | None:
        return self.view.influence

    @property
    def exposure(self) -> Summary | Reach | ExposureHistogram | None:
        return self.view.exposure

    @property
    def candidates(self) -> tuple[RiskAt, ...]:
        return self.view.candidates

    def at(self, epsilon: float) -> RiskAt:
        """Risk at one of the candidate epsilons."""
        for row in self.view.candidates:
            if row.epsilon == epsilon:
                return row
        hint = f"use one of {', '.join(f'{row.epsilon:g}' for row in self.view.candidates)}, or state candidates."
        raise PreferenceError(f"epsilon {epsilon:g} is not among the candidates", hint=hint)

    def as_dict(self) -> dict[str, Any]:
        return dict(self._json)

    @property
    def solution(self) -> RehearsedSolution | None:
        """Epsilon and reason by the preferences on synthetic rows; None if this is not a rehearsal."""
        return self.facts.solution if isinstance(self.facts, RehearsalFacts) else None

    def text(self) -> str:
        return self._document.text()

    @property
    def _document(self) -> Document:
        if self.solution is None:
            return risk_document(self.view)
        conclusion = of_choosing.rehearsed(self.solution.epsilon, self.solution.why)
        return risk_document(self.view, chosen=self.solution.epsilon, conclusion=conclusion)

    @property
    def withheld(self) -> str | None:
        return "<Individual risks (confidential): call .show()>" if self.source is Source.PEOPLE else None

    def _html(self) -> str:
        return self._document.html()


class ConfidentialRecord(Display, Confidential):
    """Facts from a look, for a controller; printed by `.show()` only."""

    def __init__(self, facts: Mapping[str, Any], text: str) -> None:
        self._facts, self._text = dict(facts), text

    def as_dict(self) -> dict[str, Any]:
        return dict(self._facts)

    def text(self) -> str:
        return f"{of_guarantee.CONTROLLER_ONLY}\n\n{self._text}"

    @property
    def withheld(self) -> str:
        return "<Result of a look (confidential): call .show()>"


def _view(facts: RiskFacts, sql: str, delta: float | None) -> RiskView:
    histogram = None
    if isinstance(facts, HistogramFacts):
        assert facts.certificate is not None  # a histogram is charged, and so certified
        noisy = tuple(each.noisy for each in facts.bins)
        histogram = ExposureHistogram(noisy, facts.seen_above, facts.certificate, facts.sum_noise_90)
    public = facts.source is not Source.PEOPLE
    return RiskView(
        source=facts.source,
        query=sql,
        people=facts.people,
        outputs=facts.outputs,
        mechanism=facts.mechanism,
        sensitivity=facts.sensitivity,
        influence=_figures(facts.influence, facts.people),
        exposure=histogram or _figures(facts.exposure, facts.people),
        candidates=tuple(RiskAt(**vars(candidate), public=public) for candidate in facts.candidates),
        delta=delta,
        expected_count=facts.expected_count,
    )


def _figures(moments: RiskMoments | None, people: int | None) -> Summary | Reach | None:
    if moments is None:
        return None
    if moments.sum is None or moments.sum_sq is None or people is None:
        return Reach(moments.min, moments.max)
    return Summary(people, moments.min, moments.max, moments.sum, moments.sum_sq)
