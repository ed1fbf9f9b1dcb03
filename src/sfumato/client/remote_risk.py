"""A risk view that a server made: the same picture, and the people's own kept out of sight."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from sfumato.api.display import Display
from sfumato.errors import PreferenceError
from sfumato.model.confidential import Confidential
from sfumato.model.exposure_histogram import ExposureHistogram
from sfumato.model.facts import Reach, Summary
from sfumato.model.release import ReleaseCertificate
from sfumato.model.risk import RiskAt, RiskEstimate, RiskView, Source
from sfumato.presentation.document import Document
from sfumato.presentation.risk.report import risk_document
from sfumato.presentation.wording import choosing as of_choosing
from sfumato.presentation.wording import guarantee as of_guarantee

_AT = tuple(field.name for field in fields(RiskAt))


class RemoteRisk(Display, Confidential):
    """How exposed people are under a query, per epsilon; `.source` says whose: anybody's, a look-alike's, theirs."""

    def __init__(self, facts: Mapping[str, Any], sql: str, delta: float | None = None) -> None:
        self.view = _view(facts, sql, delta)
        self._facts = dict(facts)

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
        """What one of the candidate epsilons would mean."""
        for row in self.view.candidates:
            if row.epsilon == epsilon:
                return row
        hint = f"ask for one of {', '.join(f'{row.epsilon:g}' for row in self.view.candidates)}, or state candidates."
        raise PreferenceError(f"epsilon {epsilon:g} is not among the candidates", hint=hint)

    def as_dict(self) -> dict[str, Any]:
        return dict(self._facts)

    @property
    def solution(self) -> Mapping[str, Any] | None:
        """Of a rehearsal: the epsilon that the preferences would lead to there, and why."""
        return self._facts.get("solution")

    def text(self) -> str:
        return self._document.text()

    @property
    def _document(self) -> Document:
        if self.solution is None:
            return risk_document(self.view)
        epsilon = self.solution["epsilon"]
        conclusion = of_choosing.rehearsed(epsilon, self.solution["why"])
        return risk_document(self.view, chosen=epsilon, conclusion=conclusion)

    @property
    def withheld(self) -> str | None:
        return "<Risk of the people; confidential: call .show()>" if self.source is Source.PEOPLE else None

    def _html(self) -> str:
        return self._document.html()


class ConfidentialRecord(Display, Confidential):
    """What a look showed a controller, name by name; it has to be asked with `.show()`."""

    def __init__(self, facts: Mapping[str, Any], text: str) -> None:
        self._facts, self._text = dict(facts), text

    def as_dict(self) -> dict[str, Any]:
        return dict(self._facts)

    def text(self) -> str:
        return f"{of_guarantee.CONTROLLER_ONLY}\n\n{self._text}"

    @property
    def withheld(self) -> str:
        return "<What a look showed; confidential: call .show()>"


def _view(facts: Mapping[str, Any], sql: str, delta: float | None) -> RiskView:
    people = facts["people"]
    exposure_histogram = None
    if "bins" in facts:
        noisy = tuple(each["noisy"] for each in facts["bins"])
        certificate, sum_noise = ReleaseCertificate.from_dict(facts["certificate"]), tuple(facts["sum_noise_90"])
        exposure_histogram = ExposureHistogram(noisy, facts["seen_above"], certificate, sum_noise)
    return RiskView(
        source=Source(facts["source"]),
        query=sql,
        people=people,
        outputs=facts["outputs"],
        mechanism=facts["mechanism"],
        sensitivity=tuple(facts["sensitivity"]),
        influence=_figures(facts["influence"], people),
        exposure=exposure_histogram or _figures(facts["exposure"], people),
        candidates=tuple(_at(row, public=Source(facts["source"]) is not Source.PEOPLE) for row in facts["candidates"]),
        delta=delta,
    )


def _at(told: Mapping[str, Any], *, public: bool) -> RiskAt:
    known: dict[str, Any] = {name: told[name] for name in _AT if name in told} | {"public": public}
    known |= {name: tuple(value) for name, value in known.items() if isinstance(value, list)}
    known |= {"estimate": RiskEstimate(**known["estimate"])} if "estimate" in known else {}
    return RiskAt(**known)


def _figures(told: Mapping[str, Any] | None, people: int | None) -> Summary | Reach | None:
    if told is None:
        return None
    if told.get("sum") is None or people is None:
        return Reach(told["min"], told["max"])
    return Summary(people, told["min"], told["max"], told["sum"], told["sum_sq"])
