"""A risk profile as sliders move through it: every stop solved, and what each epsilon would mean."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

from sfumato.model.facts import Histogram
from sfumato.model.risk import WORST_CASE, Source
from sfumato.presentation.exploration import Policy, epsilons, exploration
from sfumato.privacy.preferences.sweep import sliders
from sfumato.privacy.risk.profile import risk_at
from sfumato.release.bound_query import BoundQuery
from sfumato.release.figures import Figures
from sfumato.release.profile import Profile

ALIKE = 0.01


def explored(
    profile: Profile,
    *,
    ceiling: float,
    stated: Mapping[str, Any],
    now: float | None,
    cell: tuple[str, float] | None = None,
) -> dict[str, Any]:
    """What a page looks up: the same shape for each source of risk. Confidential where that is the people."""
    noise, measurement = profile.noise, profile.measurement
    policy = Policy(ceiling, stated, now, noise.delta or 0.0)
    bounded = (
        profile.source is Source.SKETCH
    )  # a noisy histogram bounds nobody: its sliders are those of the worst case
    spread = WORST_CASE if bounded else profile.spread
    moved = sliders(spread, noise, measurement, ceiling=ceiling, stated=stated, now=now)
    grid = epsilons(moved, policy)
    view = replace(profile.view, candidates=tuple(map(profile.at, grid)))
    anybody = [risk_at(at, WORST_CASE, measurement, noise).attack_chance for at in grid]
    replaced = measurement.steps != 1
    return exploration(view, anybody, moved, policy, histogram=_histogram(profile), cell=cell, replaced=replaced)


def first_figure(query: BoundQuery) -> tuple[str, float] | None:
    """A true figure of the answer, by its name, where it is one noisy number: a look."""
    column = next(column for column in query.measurement.columns if column.numbers)
    if len(column.numbers) != 1 or column.numbers[0] != 0 or not query.measurement.numbers[0].kind.additive:
        return None
    if query.measurement.cells is None:
        return None
    name, value = [*map(str, query.measurement.cells[0]), column.name], query.answer()[0][0]
    return (" · ".join(name), float(value)) if isinstance(value, int | float | Fraction) else None


def _histogram(profile: Profile) -> Histogram | None:
    """Of a look-alike and of the people; where all are alike, one bar that ends where they are."""
    exposure = profile.exposure
    if not isinstance(exposure, Figures) or profile.source is Source.WORST_CASE:
        return None
    if exposure.min == exposure.max:
        high = max(exposure.max, ALIKE)
        return Histogram((high - ALIKE, high), exposure.histogram.people)
    return exposure.histogram
