"""How exposed people are under a query, per epsilon: anyone's, synthetic rows', or those in the data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, replace
from typing import TYPE_CHECKING, Any, TypeAlias, Unpack

from sfumato.model.choice import Noise
from sfumato.model.confidential import Confidential
from sfumato.model.expected_interval import ExpectedCount
from sfumato.model.exposure_histogram import BINS, ExposureHistogram
from sfumato.model.facts import EXPOSURE, INFLUENCE, Reach, Summary
from sfumato.model.measurement import Measurement
from sfumato.model.release import ReleaseCertificate
from sfumato.model.risk import WORST_CASE, ExposureRange, RiskAt, RiskEstimate, RiskView, Source
from sfumato.model.schema import Relation
from sfumato.model.selection_trials import SelectionTrials
from sfumato.privacy.noise.groups import epsilon_of_group
from sfumato.privacy.preferences.preference import Preference
from sfumato.privacy.preferences.solver import Solution
from sfumato.privacy.risk.profile import CANDIDATES, risk_at
from sfumato.release.bound_query import BoundQuery
from sfumato.release.decide import candidates_of
from sfumato.release.keywords import NoiseKeywords, ReleaseTerms
from sfumato.release.people.exposure_range import estimated_spread, require_exact, spread, worst_case_range
from sfumato.release.request import require_group
from sfumato.release.risk.expected_count import expected_count as public_guess
from sfumato.release.risk.expected_count import with_answers
from sfumato.release.risk.figures import Figures

if TYPE_CHECKING:
    from sfumato.release.people.survey import Survey

Candidates: TypeAlias = str | Sequence[float] | None


@dataclass(repr=False, eq=False)
class Profile(Confidential):
    """How exposed people are under a query, per epsilon; `.source` says whose: anyone's, synthetic rows', theirs.

    Of a private exposure histogram the figures are bounds, those of the worst case, and each row has an `estimate`
    beside them; `.exposure` is the noisy histogram, and `.certificate` says what it promises and cost.
    """

    source: Source
    query: str
    measurement: Measurement
    noise: Noise
    spread: ExposureRange
    influence: Figures | Reach | None = None
    exposure: Figures | Reach | ExposureHistogram | None = None
    _: KW_ONLY
    survey: Survey | None = None
    certificate: ReleaseCertificate | None = None
    # the exposure range that the bins of a private histogram suggest, beside the bound `spread`
    estimate: ExposureRange | None = None
    epsilons: Sequence[float] | None = None
    solution: Solution | None = None
    tries: tuple[SelectionTrials, ...] = ()  # of a rehearsal, the trials of a private selection
    preferences: tuple[Preference, ...] = ()  # that were rehearsed, to go on with: `q.choose(*r.preferences)`
    limit: float | None = None  # of the gap of these people
    stand_in: bool = False  # of a rehearsal, on a public table and not on synthetic rows
    exact: bool = False
    expected_count: ExpectedCount | None = None  # a public guess; None where the answer's interval does not need one
    together: int | None = None  # people whose epsilon together is shown

    @property
    def outputs(self) -> int | None:
        return self.spread.k if self.spread.published else self.measurement.k

    @property
    def people_count(self) -> int | None:
        if isinstance(self.exposure, ExposureHistogram):
            return self.exposure.people
        return None if self.survey is None else self.survey.people_count

    @property
    def singletons(self) -> int:
        """Groups of a single person, whose mean, extreme or quantile does not exist without them: it counts as 0."""
        return 0 if self.survey is None else self.survey.singletons

    @property
    def chosen(self) -> float | None:
        """The epsilon that the preferences lead to, where there are any."""
        return None if self.solution is None else self.solution.epsilon

    @property
    def relation(self) -> Relation:
        """What two neighbouring tables differ in."""
        return self.spread.relation

    @property
    def not_additive(self) -> tuple[str, ...]:
        """The columns of the answer whose exposure is influence over its largest possible value."""
        return self.measurement.not_additive

    @property
    def candidates(self) -> tuple[RiskAt, ...]:
        chosen = () if self.chosen is None else (self.chosen,)
        return tuple(map(self.at, sorted({*(self.epsilons or CANDIDATES), *chosen})))

    def at(self, epsilon: float, exact: bool | None = None) -> RiskAt:
        """What this epsilon would mean: by the exact RDR or by Lemma 3.1, as the profile shows it if not said."""
        exact = self.exact if exact is None else exact
        at = risk_at(epsilon, self.spread, self.measurement, self.noise, exact=exact)
        at = replace(at, public=self.source is not Source.PEOPLE)
        if self.together is not None:
            numbers = self.measurement.k or 1
            at = replace(at, together_epsilon=epsilon_of_group(epsilon, self.together, self.noise, numbers))
        if not self.spread.published:
            at = with_answers(at, self.measurement, self.noise, self.expected_count)
        if self.estimate is None:
            return at
        seen = risk_at(epsilon, self.estimate, self.measurement, self.noise)
        return replace(at, estimate=RiskEstimate(seen.gap, seen.ratio, seen.attack_chance))

    @property
    def view(self) -> RiskView:
        return RiskView(
            source=self.source,
            query=self.query,
            people=self.people_count,
            outputs=self.outputs,
            mechanism=self.noise.mechanism,
            sensitivity=tuple(float(n.sensitivity_under(self.noise.mechanism)) for n in self.measurement.numbers),
            influence=_plain(self.influence),
            exposure=self.exposure if isinstance(self.exposure, ExposureHistogram) else _plain(self.exposure),
            candidates=self.candidates,
            exact=self.exact,
            numbers=() if self.spread.published else tuple(n.words for n in self.measurement.numbers),
            delta=self.noise.delta,
            expected_count=self.expected_count,
            stand_in=self.stand_in,
            together=self.together,
        )


def worst_case(
    query: BoundQuery,
    *,
    candidates: Candidates = None,
    exact: bool = False,
    expected_count: float | None = None,
    together: int | None = None,
    **how: Unpack[NoiseKeywords],
) -> Profile:
    """Risk from public facts alone, true for any data: free. `exact` shows the exact RDR."""
    noise = query.noise(**how)
    require_group(query, together, noise)
    if exact:
        require_exact(noise, WORST_CASE.fixed)
    measurement, epsilons = query.public_measurement, candidates_of(candidates)
    reach = Reach(0.0, measurement.largest_influence), Reach(0.0, 1.0)
    facts = Source.WORST_CASE, query.sql, measurement, noise, WORST_CASE
    expected = public_guess(query, expected_count)
    terms: dict[str, Any] = {"epsilons": epsilons, "exact": exact, "expected_count": expected, "together": together}
    return Profile(*facts, *reach, **terms)


def people_profile(
    query: BoundQuery,
    *,
    candidates: Candidates = None,
    exact: bool = False,
    expected_count: float | None = None,
    together: int | None = None,
    **how: Unpack[NoiseKeywords],
) -> Profile:
    """The people themselves: recorded as a look, before anything is shown. `exact` shows the exact RDR."""
    noise = query.noise(**how)
    require_group(query, together, noise)
    if exact:
        require_exact(noise, query.fixed_part)
    expected = public_guess(query, expected_count)
    survey = query.look(noise)
    facts = Source.PEOPLE, query.sql, survey.measurement, noise, spread(survey, noise, sums=True)
    terms: dict[str, Any] = {"epsilons": candidates_of(candidates), "exact": exact, "expected_count": expected}
    terms["together"] = together
    return Profile(*facts, *figures_of(survey), survey=survey, **terms)


def private_histogram(
    query: BoundQuery,
    epsilon: float,
    *,
    bins: int = BINS,
    candidates: Candidates = None,
    allow_no_guarantee: bool = False,
    redraw: bool = False,
    preregistered: str = "",
    **how: Unpack[NoiseKeywords],
) -> Profile:
    """A private histogram of exposures, charged first: what is decided from it rests on no look."""
    from sfumato.release.risk.exposure_histogram import exposure_histogram

    noise, epsilons = query.noise(**how), candidates_of(candidates)
    drawn = exposure_histogram(query, noise, epsilon, bins, ReleaseTerms(allow_no_guarantee, redraw, preregistered))
    measurement, relation = query.public_measurement, query.context.schema.relation
    facts = Source.EXPOSURE_HISTOGRAM, query.sql, measurement, noise, worst_case_range(relation), None, drawn
    estimate = estimated_spread(drawn, measurement, relation)
    known: dict[str, Any] = {"certificate": drawn.certificate, "expected_count": public_guess(query)}
    return Profile(*facts, **known, estimate=estimate, epsilons=epsilons)


def figures_of(survey: Survey) -> tuple[Figures, Figures | None]:
    facts = survey.facts
    influence = Figures(facts.influence, lambda: survey.distribution(INFLUENCE))
    if survey.published:
        return influence, None  # there is no sound sensitivity, so there is no exposure
    return influence, Figures(facts.exposure, lambda: survey.distribution(EXPOSURE))


def _plain(figures: Figures | Reach | None) -> Summary | Reach | None:
    return figures.summary if isinstance(figures, Figures) else figures
