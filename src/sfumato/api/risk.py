"""A risk view as its holder sees it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from sfumato.api.attack import Attack, between_0_and_1
from sfumato.api.display import DocumentDisplay
from sfumato.model.risk import Source
from sfumato.presentation.document import Document
from sfumato.presentation.risk.report import risk_document
from sfumato.presentation.wording import choosing as of_choosing
from sfumato.presentation.wording import risk_sentences as of_risk
from sfumato.privacy.preferences.preference import epsilon as stated_epsilon
from sfumato.privacy.risk.profile import attack_at
from sfumato.release.risk.profile import Profile

if TYPE_CHECKING:
    import pyarrow as pa

    from sfumato.api.figure import Picture
    from sfumato.presentation.risk.exposure import ExposureTable
    from sfumato.presentation.risk.rdr_view import RdrTable
    from sfumato.release.people.survey import Survey


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

    def people(self, epsilons: Sequence[float] = ()) -> pa.Table:
        """One row per person: person, influence, exposure, and the RDR at each epsilon, such as `rdr_0.1`."""
        from sfumato.release.risk.people_rdr import people_with_rdrs

        at = [stated_epsilon(epsilon).value for epsilon in epsilons]
        return people_with_rdrs(self, self._people_surveyed, at)

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
        "frontier": the gap against the noise; "attack": how often an attacker is right; "roc": what it finds;
        "rdr": per epsilon, from the lowest RDR to the highest; "rdr-histogram": people by RDR at one epsilon."""
        from sfumato.api import risk_figures
        from sfumato.api.figure import Picture

        return Picture(risk_figures.figure(self, kind), self.source is Source.PEOPLE)

    def rdr_histogram(self, epsilon: float) -> Picture:
        """People by RDR at this epsilon."""
        from sfumato.api import risk_figures
        from sfumato.api.figure import Picture

        at = stated_epsilon(epsilon).value
        return Picture(risk_figures.rdr_histogram(self, at), self.source is Source.PEOPLE)

    def roc(self, epsilon: float, exposure: float | None = None) -> Picture:
        """What an attacker finds at each rate of false alarms: of the most exposed, or of someone this exposed."""
        from sfumato.api import risk_figures
        from sfumato.api.figure import Picture

        return Picture(risk_figures.roc(self, epsilon, exposure=exposure), self.source is Source.PEOPLE)

    def _document(self) -> Document:
        return self.document()

    def document(self, people: ExposureTable | None = None) -> Document:
        conclusion = "" if self.solution is None else of_choosing.rehearsed(self.solution.epsilon, self.solution.why)
        view, rdrs = self.view, self._rdr_table()
        terms: dict[str, Any] = {"limit": self.limit, "chosen": self.chosen, "tries": self.tries}
        return risk_document(view, people, **terms, conclusion=conclusion, rdrs=rdrs)

    def _rdr_table(self) -> RdrTable | None:
        """The RDRs of the people, one by one where there are few of them."""
        from sfumato.presentation.risk.rdr_view import PersonRdrs, RdrTable
        from sfumato.release.risk import people_rdr as rdr

        if self.survey is None or self.not_additive:
            return None
        few = (self.people_count or 0) <= rdr.FEW_PEOPLE
        epsilons = [row.epsilon for row in self.candidates]
        columns = [math.inf, *epsilons] if few else []
        rows = rdr.people_with_rdrs(self, self.survey, columns).to_pylist() if few else []
        people = tuple(PersonRdrs(str(row["person"]), tuple(row[f"rdr_{at:g}"] for at in columns)) for row in rows)
        ends = tuple(rdr.ends(self, epsilon) for epsilon in epsilons)
        figures = tuple((one.name, one.value) for one in rdr.exact_figures(self))
        return RdrTable(rdr.ends(self, math.inf), ends, figures, people, rdr.is_of_the_answer(self))

    @property
    def withheld(self) -> str | None:
        return "<RiskProfile of the people; confidential: call .show()>" if self.source is Source.PEOPLE else None
