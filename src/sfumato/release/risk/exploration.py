"""A risk profile as sliders move through it: every stop solved, and what each epsilon would mean."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from sfumato.model.confidential import Confidential
from sfumato.model.facts import Histogram
from sfumato.model.risk import WORST_CASE, RiskView, Source
from sfumato.privacy.preferences.sweep import Slider, sliders
from sfumato.privacy.risk.profile import risk_at
from sfumato.release.bound_query import BoundQuery
from sfumato.release.risk.figures import Figures
from sfumato.release.risk.profile import Profile

LISTED = (0.05, 0.1, 0.25, 0.5, 0.75, 1.0, 2.0, 3.0, 5.0)  # epsilons that are always in the table and in the picture


@dataclass(frozen=True)
class PolicyInForce:
    """What a policy has in force: epsilon_max, the preference, and the epsilon of that, if it is known."""

    epsilon_max: float
    preference: Mapping[str, Any]
    epsilon: float | None
    delta: float = 0.0  # of the noise


@dataclass(frozen=True, repr=False)
class Exploration(Confidential):
    """One source of risk, whole: `worst_case` has the attack success of the worst case at each candidate.

    `cell` is a true figure of the answer, after a look: its noise range is then shown around it. `replaced`: where
    neighbours have someone else in a person's place.
    """

    view: RiskView
    worst_case: Sequence[float]
    sliders: Sequence[Slider]
    policy: PolicyInForce
    histogram: Histogram | None
    cell: tuple[str, float] | None
    replaced: bool


def explore(
    profile: Profile,
    *,
    epsilon_max: float,
    preference: Mapping[str, Any],
    now: float | None,
    cell: tuple[str, float] | None = None,
) -> Exploration:
    """What a page looks up: the same shape for each source of risk. Confidential where that is the people."""
    noise, measurement = profile.noise, profile.measurement
    policy = PolicyInForce(epsilon_max, preference, now, noise.delta or 0.0)
    bounded = profile.source is Source.EXPOSURE_HISTOGRAM  # it bounds no one: its sliders are those of the worst case
    spread = WORST_CASE if bounded else profile.spread
    moved = sliders(spread, noise, measurement, epsilon_max=epsilon_max, rule=preference, now=now)
    epsilons = _epsilons(moved, policy)
    view = replace(profile.view, candidates=tuple(map(profile.at, epsilons)))
    worst_case = [risk_at(at, WORST_CASE, measurement, noise).attack_chance for at in epsilons]
    replaced = measurement.steps != 1
    return Exploration(view, worst_case, moved, policy, _histogram(profile), cell, replaced)


def _epsilons(sliders: Sequence[Slider], policy: PolicyInForce) -> tuple[float, ...]:
    """Every epsilon that a stop leads to, those that are always shown, and epsilon_max."""
    solved = [stop.solution.epsilon for slider in sliders for stop in slider.stops if stop.solution is not None]
    own = () if policy.epsilon is None else (policy.epsilon,)
    return tuple(sorted({*LISTED, *own, policy.epsilon_max, *(one for one in solved if one is not None)}))


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
    """Of synthetic data and of the people; where all are alike, one bar that ends where they are."""
    return profile.exposure.bars if isinstance(profile.exposure, Figures) else None
