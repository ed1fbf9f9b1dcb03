"""A private selection, tried on synthetic data: no data is read, nothing is charged, and the noise is real."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from sfumato.model.selection_trials import SelectionTrials
from sfumato.privacy.preferences.preference import Preference
from sfumato.privacy.preferences.private_selection import Selected
from sfumato.release.decide import ReleaseRequest
from sfumato.release.people.survey import Survey
from sfumato.release.selection.draw import LARGER, draw_as_published, draw_selection
from sfumato.release.services import Services

TIMES = 200
_AROUND = (Fraction(1, 10), Fraction(3, 10), Fraction(1), Fraction(3), Fraction(10))


def run_trials(request: ReleaseRequest, survey: Survey, services: Services) -> tuple[SelectionTrials, ...]:
    """What each selection would come to, at the threshold that is stated and at others around it."""
    return tuple(
        replace(_trials(one, request, survey, services), requested=one == preference)
        for preference in request.preferences
        if preference.draws
        for one in preference.around(_AROUND)
    )


def typical_selection(request: ReleaseRequest, tries: Sequence[SelectionTrials]) -> dict[Preference, Selected]:
    """The median of what was selected, for each preference as it is stated."""
    medians = {}
    as_requested = [one for one in tries if one.requested]
    for preference, one in zip((p for p in request.preferences if p.draws), as_requested, strict=True):
        median = one.quantile(0.5) if len(one.epsilons) > one.nothing else None
        none = f"most tries in the rehearsal selected none. {LARGER}"
        medians[preference] = Selected(median, none if median is None else "")
    return medians


def _trials(preference: Preference, request: ReleaseRequest, survey: Survey, services: Services) -> SelectionTrials:
    selections = [_once(preference, request, survey, services) for _ in range(TIMES)]
    epsilons = tuple(selected.epsilon for selected in selections if selected.epsilon is not None)
    words, value = preference.threshold
    return SelectionTrials(words, epsilons, TIMES - len(epsilons), private=preference.selects, value=value)


def _once(preference: Preference, request: ReleaseRequest, survey: Survey, services: Services) -> Selected:
    if not preference.selects:
        return draw_as_published(preference, survey, request, services)
    return draw_selection(preference, survey, request.noise, services, request.candidates, request.epsilon_max)
