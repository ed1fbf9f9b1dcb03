"""A risk view as its holder sees it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from sfumato.api.attack import Attack, between_0_and_1
from sfumato.api.display import Display
from sfumato.api.figures import Figures
from sfumato.model.choice import Noise
from sfumato.model.confidential import Confidential
from sfumato.model.exposure_histogram import Sketch
from sfumato.model.facts import EXPOSURE, INFLUENCE, Reach, Summary
from sfumato.model.measurement import Measurement
from sfumato.model.release import Certificate
from sfumato.model.risk import Estimate, RiskAt, RiskView, Source, Spread
from sfumato.model.schema import Relation
from sfumato.model.selection_trials import Tries
from sfumato.presentation import risk as view
from sfumato.presentation import selection_trials as tries
from sfumato.presentation.wording import choosing as of_choosing
from sfumato.presentation.wording import risk as of_risk
from sfumato.privacy.preferences.preference import Preference
from sfumato.privacy.preferences.preference import epsilon as stated_epsilon
from sfumato.privacy.preferences.solver import Solution
from sfumato.privacy.risk.profile import CANDIDATES, attack_at, risk_at
from sfumato.release.observed_bounds import AsPublished
from sfumato.release.survey import Survey

if TYPE_CHECKING:
    import pyarrow as pa

    from sfumato.api.figure import Picture


class RiskProfile(Display, Confidential):
    """How exposed people are under a query, per epsilon; `.source` says whose: anybody's, a look-alike's, theirs.

    Of a private sketch the figures are bounds, those of the worst case, and each row has an `estimate` beside them;
    `.exposure` is the noisy histogram, and `.certificate` says what it promises and cost.
    """

    def __init__(
        self,
        source: Source,
        query: str,
        measurement: Measurement,
        noise: Noise,
        spread: Spread,
        *,
        reach: tuple[Reach, Reach] | None = None,
        survey: Survey | None = None,
        sketch: Sketch | None = None,
        estimate: Spread | None = None,
        candidates: Sequence[float] | None = None,
        solution: Solution | None = None,
        tries: tuple[Tries, ...] = (),
        preferences: tuple[Preference, ...] = (),
        limit: float | None = None,
        exact: bool = False,
    ) -> None:
        self.source = source
        self.influence: Figures | Reach | None
        self.exposure: Figures | Reach | Sketch | None
        self.influence, self.exposure = _figures(survey) if survey is not None else reach or (None, sketch)
        self.certificate: Certificate | None = None if sketch is None else sketch.certificate
        self.solution = solution
        self.tries = tries  # of a rehearsal: what a selection that is drawn would come to
        self.preferences = preferences  # those that were rehearsed, to go on with: `q.choose(*r.preferences)`
        self.outputs = spread.k if spread.published else measurement.k
        self._query = query
        self._measurement = measurement
        self._noise = noise
        self._spread = spread
        self._estimate = estimate  # of a private histogram: whom its bins compare, beside whom `spread` bounds
        chosen = () if solution is None or solution.epsilon is None else (solution.epsilon,)
        self._candidates = tuple(sorted({*(candidates or CANDIDATES), *chosen}))
        self._survey = survey
        self._limit = limit
        self._exact = exact

    @property
    def people_count(self) -> int | None:
        if isinstance(self.exposure, Sketch):
            return self.exposure.people
        return None if self._survey is None else self._survey.people_count

    @property
    def singletons(self) -> int:
        """Groups of a single person, whose mean, extreme or quantile does not exist without them: it counts as 0."""
        return 0 if self._survey is None else self._survey.singletons

    @property
    def relation(self) -> Relation:
        """What two neighbouring tables differ in."""
        return self._spread.relation

    @property
    def not_additive(self) -> tuple[str, ...]:
        """The columns of the answer whose exposure is influence over its largest possible value."""
        return self._measurement.not_additive

    @property
    def candidates(self) -> tuple[RiskAt, ...]:
        return tuple(map(self.at, self._candidates))

    def at(self, epsilon: float, exact: bool | None = None) -> RiskAt:
        """What this epsilon would mean: by the exact RDR or by Lemma 3.1, as the profile shows it if not said."""
        exact = self._exact if exact is None else exact
        at = risk_at(epsilon, self._spread, self._measurement, self._noise, exact=exact)
        at = replace(at, public=self.source is not Source.PEOPLE)
        if self._estimate is None:
            return at
        seen = risk_at(epsilon, self._estimate, self._measurement, self._noise)
        return replace(at, estimate=Estimate(seen.gap, seen.ratio, seen.attack_chance))

    def attack(self, epsilon: float, prior: float = 0.5, exposure: float | None = None) -> Attack:
        """What somebody who knows everybody else learns from a release at this epsilon about the most exposed person.

        `prior`: how likely they took it to be that the person is in the data; `exposure`: of somebody else.
        """
        beforehand, at = between_0_and_1("prior", prior, ends=False), stated_epsilon(epsilon).value
        of = None if exposure is None else between_0_and_1("exposure", exposure, ends=True)
        found = attack_at(at, self._spread, self._measurement, self._noise, beforehand, of)
        replaced = self._measurement.steps != 1
        return Attack(**vars(found), source=self.source, stated=exposure is not None, replaced=replaced)

    def people(self) -> pa.Table:
        """One row per person: person, influence, exposure."""
        return self._surveyed.people()

    def most_exposed(self) -> pa.Table:
        """The twenty people who carry most: person, influence, exposure."""
        return self._surveyed.most_exposed()

    @property
    def _surveyed(self) -> Survey:
        if self._survey is None:
            raise ValueError(of_risk.NOBODY_LISTED[self.source])
        return self._survey

    def plot(self, kind: str = "gap") -> Picture:
        """ "gap": per epsilon, from the person least at risk to the one most at risk; "exposure": the histogram;
        "frontier": the gap against the noise; "attack": how often an attacker is right; "roc": what it finds."""
        from sfumato.api import risk_figures
        from sfumato.api.figure import Picture

        return Picture(risk_figures.figure(self, kind), self.source is Source.PEOPLE)

    def roc(self, epsilon: float, exposure: float | None = None) -> Picture:
        """What an attacker finds at each rate of false alarms: of the most exposed, or of somebody this exposed."""
        from sfumato.api import risk_figures
        from sfumato.api.figure import Picture

        return Picture(risk_figures.roc(self, epsilon, exposure=exposure), self.source is Source.PEOPLE)

    @property
    def view(self) -> RiskView:
        return RiskView(
            source=self.source,
            query=self._query,
            people=self.people_count,
            outputs=self.outputs,
            mechanism=self._noise.mechanism,
            sensitivity=tuple(float(n.sensitivity_under(self._noise.mechanism)) for n in self._measurement.numbers),
            influence=_plain(self.influence),
            exposure=self.exposure if isinstance(self.exposure, Sketch) else _plain(self.exposure),
            candidates=self.candidates,
            exact=self._exact,
            numbers=() if self._spread.published else tuple(n.words for n in self._measurement.numbers),
            delta=self._noise.delta,
        )

    @property
    def _chosen(self) -> float | None:
        return None if self.solution is None else self.solution.epsilon

    def text(self, *, colour: bool = False) -> str:
        shown = [view.as_text(self.view, self._limit, self._chosen, colour)]
        shown += [tries.as_text(self.tries)] if self.tries else []
        shown += [] if self.solution is None else [of_choosing.rehearsed(self.solution.epsilon, self.solution.why)]
        return "\n\n".join(shown)

    @property
    def withheld(self) -> str | None:
        return "<RiskProfile of the people; confidential: call .show()>" if self.source is Source.PEOPLE else None

    def _html(self) -> str:
        shown = view.as_html(self.view, self._limit, self._chosen)
        return shown + tries.as_html(self.tries) if self.tries else shown


def _figures(survey: Survey) -> tuple[Figures, Figures | None]:
    found = survey.facts
    influence = Figures(found.influence, lambda: survey.distribution(INFLUENCE))
    if isinstance(survey, AsPublished):
        return influence, None  # there is no sound sensitivity, so there is no exposure
    return influence, Figures(found.exposure, lambda: survey.distribution(EXPOSURE))


def _plain(figures: Figures | Reach | None) -> Summary | Reach | None:
    return figures.summary if isinstance(figures, Figures) else figures
