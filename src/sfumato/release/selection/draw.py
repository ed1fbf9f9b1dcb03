"""One private selection of epsilon, drawn from what the people carry; and one as published.

See docs/theory/variance.md and docs/theory/exposure-cap.md.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

from sfumato.model.calibration import NoiseLaw
from sfumato.model.choice import Noise
from sfumato.model.facts import Moments
from sfumato.model.measurement import NoisyNumber
from sfumato.model.schema import Relation, Schema
from sfumato.privacy.preferences.disparity import ExposureCap, Variance
from sfumato.privacy.preferences.preference import Preference
from sfumato.privacy.preferences.pri import Pri
from sfumato.privacy.preferences.private_selection import (
    LEVELS,
    Selected,
    epsilon_under_cap,
    epsilon_within_variance,
    floor_of_variance,
)
from sfumato.privacy.risk.rdr import PAPER_CANDIDATES
from sfumato.privacy.risk.rdr_distribution import rdrs_at
from sfumato.privacy.risk.rdr_variance import bound_on_variance, fewest_people, slack_of_cap
from sfumato.privacy.sensitivity import people_beyond, spread_of_exposures
from sfumato.release.decide import ReleaseRequest
from sfumato.release.people.exposure_range import compared_spread
from sfumato.release.people.survey import Survey
from sfumato.release.selection import pri as selection_pri
from sfumato.release.services import Services

LARGER = "Ask for a larger one, or spend more on selecting"
KNOWN = "where the schema states people_at_least, this is refused before it is charged"
CLAIMED = 1024  # steps of the lattice to the sensitivity that Algorithm 3 claims, 1/n


def draw_selection(
    preference: Preference,
    survey: Survey,
    noise: Noise,
    services: Services,
    candidates: Sequence[float] | None,
    epsilon_max: float,
) -> Selected:
    """One private selection. Everything after its noisy numbers is post-processing of them."""
    match preference:
        case Variance():
            epsilon = _by_variance(preference, survey, noise, services)
        case ExposureCap():
            epsilon = _by_cap(preference, survey, noise, services)
        case _:
            raise ValueError("nothing is selected for this preference")
    return Selected(None, epsilon) if isinstance(epsilon, str) else Selected.rounded(epsilon, epsilon_max, candidates)


def _by_variance(preference: Variance, survey: Survey, noise: Noise, services: Services) -> float | str:
    """The largest epsilon that is allowed, or why there is none."""
    schema, spends, beta = survey.question.schema, preference.select_epsilon, float(preference.beta)
    moments = survey.moments
    public = moments.people if schema.relation is Relation.REPLACE else None
    numbers = selection_numbers(schema, moments.people, noise)
    exact = [moments.spread, moments.people * int(1 / numbers[-1].step)][: len(numbers)]
    laplace = services.mechanism(NoiseLaw.LAPLACE)
    noisy = [
        float(n.step * laplace([total], n.steps, n.part(spends))[0]) for n, total in zip(numbers, exact, strict=True)
    ]
    scales, steps = [n.scale(spends) for n in numbers], [float(n.step) for n in numbers]
    known = schema.people_at_least or 0
    bound = bound_on_variance(noisy, scales, steps, beta, people=public, at_least=known)
    if bound is None:
        return "there are too few people for it"
    people = public or fewest_people(noisy, scales, steps, beta, known)
    if preference.tau < floor_of_variance(preference, people, scales[0], noise, alone=public is not None):
        return f"the variance asked for is below its noise. {LARGER}; {KNOWN}"
    return epsilon_within_variance(preference, bound, noise)


def selection_numbers(schema: Schema, people: int, noise: Noise) -> tuple[NoisyNumber, ...]:
    """What a selection by variance draws; how many people there are is public where they are only replaced."""
    replaced = schema.relation is Relation.REPLACE
    return spread_of_exposures(schema, people if replaced else None, squared=noise.mechanism == NoiseLaw.GAUSSIAN)


def _by_cap(preference: ExposureCap, survey: Survey, noise: Noise, services: Services) -> float:
    """From an exposure of 1 down, until more people than allowed may lie above: AboveThreshold.

    Where people are replaced, the new person adds up to a half to the exposure of the old one.
    """
    one, spends = Moments.ONE, preference.select_epsilon
    allowed = Fraction(math.floor((preference.allow or 0) * one), one)
    number = people_beyond(survey.question.schema, allowed)
    bins = survey.people_by_bin(LEVELS)
    slack = slack_of_cap(float(number.sensitivity), spends, float(preference.beta))
    earlier = math.ceil(slack / float(number.step)) + 2  # noise on a lattice reaches a step further, on either side
    above = [sum(bins[level + 1 :]) for level in range(LEVELS, 0, -1)]
    totals = [many * one - int(allowed * one) * sum(bins) + earlier for many in above]
    stopped = services.mechanism(NoiseLaw.SPARSE_VECTOR)(totals, number.steps, spends)
    passed = stopped[0] if stopped else LEVELS
    at_rest = survey.question.schema.relation.at_rest
    most_exposed = min(1.0, (LEVELS + 1 - max(passed, 1)) / LEVELS + at_rest)
    return epsilon_under_cap(preference, most_exposed, noise)


def draw_as_published(preference: Preference, survey: Survey, request: ReleaseRequest, services: Services) -> Selected:
    """One draw as the papers have it."""
    match preference:
        case Variance():
            return _algorithm_3(preference, survey, request, services)
        case Pri():
            return selection_pri.select_by_pri(preference, survey, request, services)
    raise ValueError("nothing is drawn for this preference")


def _algorithm_3(preference: Variance, survey: Survey, request: ReleaseRequest, services: Services) -> Selected:
    """Algorithm 3 of the RDR paper: sparse vector over the candidates, by a sensitivity of 1/n that does not hold."""
    people = compared_spread(preference, survey, request.noise)
    if people.figures is None or people.empty:
        return Selected(None, "there is no one in the data")
    candidates = sorted((c for c in request.candidates or PAPER_CANDIDATES if c <= request.epsilon_max), reverse=True)
    each = [rdrs_at(candidate, people, request.noise).normalised_variance for candidate in candidates]
    steps = people.figures.people * CLAIMED
    totals = [round((float(preference.tau) - variance) * steps) for variance in each]
    first = services.mechanism(NoiseLaw.SPARSE_VECTOR_AS_PUBLISHED)(totals, CLAIMED, preference.select_epsilon)
    return Selected(candidates[first[0]]) if first else Selected(None, "no candidate passed")


def floor(preference: Variance, schema: Schema, people: float, noise: Noise) -> float:
    """The smallest variance that a selection among so many people can be asked for."""
    number = selection_numbers(schema, math.ceil(people), noise)[0]
    scale, replaced = number.scale(preference.select_epsilon), schema.relation is Relation.REPLACE
    return floor_of_variance(preference, people, scale, noise, alone=replaced)
