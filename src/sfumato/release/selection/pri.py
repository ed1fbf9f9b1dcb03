"""Find-eps-from-PRI as its paper prints it (Algorithm 1): draw until the people's PRIs are alike. No guarantee."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import cast

from sfumato.errors import NoMechanism, PreferenceError
from sfumato.model.calibration import NoiseLaw
from sfumato.model.choice import Noise
from sfumato.model.confidential import Confidential
from sfumato.ports import Mechanisms
from sfumato.privacy.noise.calibration import calibrate
from sfumato.privacy.preferences.pri import Pri
from sfumato.privacy.preferences.private_selection import Selected
from sfumato.privacy.risk.posthoc import is_accepted
from sfumato.privacy.risk.rdr import PAPER_CANDIDATES
from sfumato.release.bound_query import BoundQuery
from sfumato.release.decide import ReleaseRequest
from sfumato.release.noise import Noisy, draw_noise
from sfumato.release.output_distance import distance_of, residuals_of, truth_of, weights_of
from sfumato.release.people.survey import Survey
from sfumato.release.services import Services

AT_ONCE = 10  # candidates


@dataclass(frozen=True, repr=False)
class Accepted(Confidential):
    """The first output that passed, and the epsilon that it was drawn with."""

    epsilon: float
    output: Noisy


def find_epsilon_from_pri(
    survey: Survey, percent: Fraction, candidates: Sequence[float], mechanism: Mechanisms
) -> Accepted | None:
    """A fresh output for each candidate, from the largest down: the first with `PRI_min / PRI_max >= 1 - p/100`.

    Several are drawn at once and measured in one pass: those after the first that passes are never looked at.
    """
    falling = sorted(candidates, reverse=True)
    blocks = (falling[start : start + AT_ONCE] for start in range(0, len(falling), AT_ONCE))
    accepted_of_each = (_first_accepted(survey, percent, block, falling[0], mechanism) for block in blocks)
    return next((each for each in accepted_of_each if each is not None), None)


def _first_accepted(
    survey: Survey, percent: Fraction, falling: Sequence[float], largest: float, mechanism: Mechanisms
) -> Accepted | None:
    measurement, totals = survey.measurement, survey.totals()
    outputs = [
        draw_noise(totals, measurement, calibrate(measurement, Noise(), epsilon, largest), mechanism)
        for epsilon in falling
    ]
    weights, truth = weights_of(measurement), truth_of(totals, measurement)
    residuals = [
        residuals_of(truth, output.cells, cast(Sequence[Sequence[Fraction]], output.numbers)) for output in outputs
    ]
    for epsilon, output, rests, (low, high) in zip(
        falling, outputs, residuals, survey.largest_moves(residuals, weights), strict=True
    ):
        distance = distance_of(rests, weights)
        if is_accepted(max(0.0, distance + low), distance + high, percent):
            return Accepted(epsilon, output)
    return None


def select_by_pri(preference: Pri, survey: Survey, request: ReleaseRequest, services: Services) -> Selected:
    """What the algorithm comes to for a request; candidates are the papers' 37 where no others are stated."""
    if not survey.people_count:
        return Selected(None, "there is no one in the data")
    spent = max(p.spent or 0 for p in request.preferences)
    candidates = [c for c in request.candidates or PAPER_CANDIDATES if spent < c <= request.epsilon_max]
    first = find_epsilon_from_pri(survey, preference.percent, candidates, services.mechanism)
    if first is None:
        return Selected(None, "no output passed")
    return Selected(first.epsilon, output=tuple(tuple(map(str, cell)) for cell in first.output.numbers))


def require_findable(query: BoundQuery, request: ReleaseRequest) -> None:
    """Refuse what the algorithm does not do: from public facts, before any data is read."""
    columns = [] if query.context.bounds_from_data else [*query.measurement.not_additive, *query.measurement.histograms]
    if columns:
        raise NoMechanism.because("pri-not-additive", columns=columns)
    if any(not p.releases_its_draw and p.spent is None for p in request.preferences):
        raise PreferenceError.because("pri-not-alone")
    if request.noise.mechanism != NoiseLaw.LAPLACE:
        raise PreferenceError.because("pri-mechanism")
