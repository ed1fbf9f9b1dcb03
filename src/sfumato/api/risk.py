"""A risk view as its holder sees it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sfumato.api.attack import Attack, between_0_and_1
from sfumato.api.display import DocumentDisplay
from sfumato.model.risk import Source
from sfumato.presentation.document import Document
from sfumato.presentation.risk.report import risk_document
from sfumato.presentation.wording import choosing as of_choosing
from sfumato.presentation.wording import risk_sentences as of_risk
from sfumato.privacy.preferences.preference import epsilon as stated_epsilon
from sfumato.privacy.risk.profile import attack_at
from sfumato.release.people.survey import Survey
from sfumato.release.risk.profile import Profile

if TYPE_CHECKING:
    import pyarrow as pa

    from sfumato.api.figure import Picture
    from sfumato.presentation.risk.exposure import ExposureTable


class RiskProfile(DocumentDisplay, Profile):
    """How exposed people are under a query, per epsilon; `.source` says whose: anyone's, synthetic rows', theirs.

    Of a private exposure histogram the figures are bounds, those of the worst case, and each row has an `estimate`
    beside them; `.exposure` is the noisy histogram, and `.certificate` says what it promises and cost.
    """

    def attack(self, epsilon: float, prior: float = 0.5, exposure: float | None = None) -> Attack:
        """What someone who knows everyone else learns from a release at this epsilon about the most exposed person.

        `prior`: how likely they took it to be that the person is in the data; `exposure`: of someone else.
        """
        beforehand, at = between_0_and_1("prior", prior, ends=False), stated_epsilon(epsilon).value
        of = None if exposure is None else between_0_and_1("exposure", exposure, ends=True)
        attack = attack_at(at, self.spread, self.measurement, self.noise, beforehand, of)
        replaced = self.measurement.steps != 1
        return Attack(**vars(attack), source=self.source, stated=exposure is not None, replaced=replaced)

    def people(self) -> pa.Table:
        """One row per person: person, influence, exposure."""
        return self._people_surveyed.people()

    def most_exposed(self) -> pa.Table:
        """The twenty people who carry most: person, influence, exposure."""
        return self._people_surveyed.most_exposed()

    @property
    def _people_surveyed(self) -> Survey:
        if self.survey is None:
            raise ValueError(of_risk.NO_ONE_LISTED[self.source])
        return self.survey

    def plot(self, kind: str = "gap") -> Picture:
        """ "gap": per epsilon, from the person least at risk to the one most at risk; "exposure": the histogram;
        "frontier": the gap against the noise; "attack": how often an attacker is right; "roc": what it finds."""
        from sfumato.api import risk_figures
        from sfumato.api.figure import Picture

        return Picture(risk_figures.figure(self, kind), self.source is Source.PEOPLE)

    def roc(self, epsilon: float, exposure: float | None = None) -> Picture:
        """What an attacker finds at each rate of false alarms: of the most exposed, or of someone this exposed."""
        from sfumato.api import risk_figures
        from sfumato.api.figure import Picture

        return Picture(risk_figures.roc(self, epsilon, exposure=exposure), self.source is Source.PEOPLE)

    def _document(self) -> Document:
        return self.document()

    def document(self, people: ExposureTable | None = None) -> Document:
        conclusion = "" if self.solution is None else of_choosing.rehearsed(self.solution.epsilon, self.solution.why)
        return risk_document(
            self.view, people, limit=self.limit, chosen=self.chosen, tries=self.tries, conclusion=conclusion
        )

    @property
    def withheld(self) -> str | None:
        return "<RiskProfile of the people; confidential: call .show()>" if self.source is Source.PEOPLE else None
