"""The pictures of a risk profile: one for each thing that may be asked of it."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

from sfumato.errors import BadInput
from sfumato.model.exposure_histogram import ExposureHistogram
from sfumato.presentation.figures import curves
from sfumato.presentation.figures.figure import Figure
from sfumato.presentation.figures.histogram import histogram_figure
from sfumato.presentation.figures.marks import Limit
from sfumato.presentation.figures.scale import Axis
from sfumato.presentation.risk import exposure_histogram_view, rdr_view
from sfumato.presentation.risk import profile as risk
from sfumato.presentation.wording import pictures as of_pictures
from sfumato.presentation.wording import risk_sentences as of_risk
from sfumato.presentation.wording.numbers import number
from sfumato.privacy.risk.profile import roc_at
from sfumato.release.risk.figures import Figures
from sfumato.release.risk.people_rdr import ends
from sfumato.release.risk.people_rdr import rdr_histogram as people_by_rdr
from sfumato.release.risk.profile import Profile

MOST_EPSILON = 100.0  # beyond it an attacker's curve is a corner, and has been for long


def figure(profile: Profile, kind: str) -> Figure:
    """The picture of this kind, or a sentence that says why there is none."""
    if kind not in KINDS:
        raise BadInput(f"There is no plot {kind!r}", hint=f"use one of {', '.join(KINDS)}.")
    return KINDS[kind](profile)


def _gap(profile: Profile) -> Figure:
    return risk.figure(profile.view, profile.limit, profile.chosen)


def _exposure(profile: Profile) -> Figure:
    """The histogram of exposures; the noisy one of a private exposure histogram."""
    if isinstance(profile.exposure, ExposureHistogram):
        return exposure_histogram_view.bars(profile.exposure)
    if not isinstance(profile.exposure, Figures):
        hint = "use `rehearse`, which shows one for synthetic data."
        raise BadInput(of_pictures.NO_SPREAD[profile.source], hint=hint)
    subtitle = f"{of_risk.source(profile.view)} Exposure {of_risk.EXPOSURE}"
    drawn = histogram_figure(profile.exposure.bars, of_risk.AT_EACH_EXPOSURE, subtitle)
    one_bar = profile.exposure.min == profile.exposure.max
    return replace(drawn, x=Axis("exposure", ticks=(0, 0.5, 1))) if one_bar else drawn


def _frontier(profile: Profile) -> Figure:
    """The gap against the noise range; of several noisy numbers that of the first one that has any."""
    rows = profile.candidates
    at = next((at for at, half in enumerate(rows[0].noise_90) if half is not None), None)
    if at is None:
        hint = "plot 'gap' or 'attack'."
        raise BadInput("Every figure of this answer is selected by its rank, so it has no noise interval", hint=hint)
    named = profile.view.numbers if len(profile.view.numbers) > 1 else ()
    limit = profile.limit
    return curves.frontier(
        [(row.epsilon, row.noise_90[at] or 0.0, row.gap) for row in rows],
        risk.GAP,
        noise=f"noise of {named[at]}" if named else "noise",
        limit=None if limit is None else Limit(limit, f"your limit {limit:.3g}×"),
        chosen=profile.chosen,
        subtitle=of_risk.source(profile.view),
        note=f"{of_pictures.FRONTIER} {of_risk.GAP_IS_NO_PROBABILITY}",
    )


def _attack(profile: Profile) -> Figure:
    chances = [(row.epsilon, row.attack_chance) for row in profile.candidates]
    subtitle = f"{of_risk.source(profile.view)} About {of_pictures.ATTACKED[profile.source]}."
    return curves.attack_curve(chances, profile.chosen, subtitle)


def _roc(profile: Profile) -> Figure:
    """At the chosen epsilon, or at three of the candidates."""
    rows = [row.epsilon for row in profile.candidates]
    epsilons = rows[:: -max(1, len(rows) // 3)][:3][::-1] if profile.chosen is None else [profile.chosen]
    return roc(profile, *epsilons)


def roc(profile: Profile, *epsilons: float, exposure: float | None = None) -> Figure:
    """What an attacker finds at each rate of false alarms: a curve per epsilon, about one person."""
    for epsilon in epsilons:
        if not 0 < epsilon <= MOST_EPSILON:
            raise BadInput(
                f"The epsilon of an attack curve must be above 0 and at most {MOST_EPSILON:g}, not {epsilon:g}",
                hint="try 1.",
            )
    if exposure is not None:
        if math.isnan(exposure) or not 0 <= exposure <= 1:
            hint = "leave it out for the most exposed person."
            raise BadInput(f"An exposure must be between 0 and 1, not {exposure:g}", hint=hint)
        # a replaced person is visible whether the query matches them or not
        if profile.measurement.steps > 1 or profile.not_additive:
            raise BadInput("An exposure does not give odds for this query", hint="leave it out.")
    about = of_pictures.curve_of(profile.source, exposure)
    subtitle = f"{of_risk.source(profile.view)} About {about}."
    drawn = {
        f"{about}, epsilon {number(epsilon)}": roc_at(
            epsilon, profile.spread, profile.measurement, profile.noise, exposure
        )
        for epsilon in epsilons
    }
    return curves.roc(drawn, subtitle)


def _rdr(profile: Profile) -> Figure:
    return rdr_view.ranges_figure(profile.view, [ends(profile, row.epsilon) for row in profile.candidates])


def _rdr_of_people(profile: Profile) -> Figure:
    """At the chosen epsilon, or at the first that was stated, or at 1."""
    first = 1.0 if not profile.epsilons else profile.epsilons[0]
    return rdr_histogram(profile, first if profile.chosen is None else profile.chosen)


def rdr_histogram(profile: Profile, epsilon: float) -> Figure:
    """People by RDR at one epsilon, or a sentence that says why there is none."""
    people = people_by_rdr(profile, epsilon)
    if people is None:
        hint = "use `rehearse`, which shows one for synthetic data."
        raise BadInput(of_pictures.NO_RDRS[profile.source], hint=hint)
    return rdr_view.people_figure(profile.view, people, epsilon)


KINDS: dict[str, Callable[[Profile], Figure]] = {
    "gap": _gap,
    "exposure": _exposure,
    "frontier": _frontier,
    "attack": _attack,
    "roc": _roc,
    "rdr": _rdr,
    "rdr-histogram": _rdr_of_people,
}
