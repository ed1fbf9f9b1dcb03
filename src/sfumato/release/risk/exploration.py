"""A risk profile as sliders move through it: every stop solved, and what each epsilon would mean."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from sfumato.model.confidential import Confidential
from sfumato.model.exposure_histogram import ExposureHistogram
from sfumato.model.facts import Histogram
from sfumato.model.measurement import Measurement
from sfumato.model.risk import WORST_CASE, RiskView, Source
from sfumato.privacy.preferences.sweep import Slider, sliders
from sfumato.privacy.risk.profile import rdr_range, risk_at
from sfumato.release.decide import candidates_of
from sfumato.release.risk.figures import Figures
from sfumato.release.risk.profile import Profile

Cell = tuple[str, float]  # a group of the answer, and its figure
MARKS = 5  # on the axis of a histogram
MOST_CELLS = 200  # of an answer, to choose one from
LISTED = (0.05, 0.1, 0.25, 0.5, 0.75, 1.0, 2.0, 3.0, 5.0)  # epsilons that are always in the table and in the picture


@dataclass(frozen=True)
class PolicyInForce:
    """What a policy has in force: epsilon_max, the preference, and the epsilon of that, if it is known.

    `limit` is the largest epsilon by the policy's rule for this query; None where the rule leads to none. `accuracy` is
    what the analyst needs: the 90% interval of a figure within plus or minus this.
    """

    epsilon_max: float
    preference: Mapping[str, Any]
    epsilon: float | None
    delta: float = 0.0  # of the noise
    limit: float | None = None
    accuracy: float | None = None


@dataclass(frozen=True, repr=False)
class Exploration(Confidential):
    """One source of risk, whole: `worst_case` has the attack success of the worst case at each candidate.

    `rdr` has the RDRs at each candidate: of the least and the most exposed, then at the marks of the histogram's axis.
    `cells` are figures of the answer, each with its group: of synthetic rows, or the true ones after a look. Their
    noise range is shown around them. `replaced`: where neighbours have someone else in a person's place. `listed` are
    the epsilons that are always in the table and in the picture.
    """

    view: RiskView
    worst_case: Sequence[float]
    rdr: Sequence[tuple[float, ...]]
    sliders: Sequence[Slider]
    policy: PolicyInForce
    histogram: Histogram | None
    cells: Sequence[Cell]
    replaced: bool
    listed: Sequence[float] = LISTED


def explore(
    profile: Profile,
    *,
    epsilon_max: float,
    preference: Mapping[str, Any],
    now: float | None,
    limit: float | None = None,
    accuracy: float | None = None,
    cells: Sequence[Cell] = (),
    candidates: Sequence[float] | None = None,
) -> Exploration:
    """What a page looks up: the same shape for each source of risk. Confidential where that is the people."""
    noise, measurement = profile.noise, profile.measurement
    policy = PolicyInForce(epsilon_max, preference, now, noise.delta or 0.0, limit, accuracy)
    bounded = profile.source is Source.EXPOSURE_HISTOGRAM  # it bounds no one: its sliders are those of the worst case
    spread = WORST_CASE if bounded else profile.spread
    moved = sliders(spread, noise, measurement, epsilon_max=epsilon_max, rule=preference, now=now)
    listed = tuple(candidates_of(candidates or None) or LISTED)
    epsilons = _epsilons(moved, policy, listed)
    view = replace(profile.view, candidates=tuple(map(profile.at, epsilons)))
    worst_case = [risk_at(at, WORST_CASE, measurement, noise).attack_chance for at in epsilons]
    replaced, histogram = measurement.steps != 1, _histogram(profile)
    rdr = [_rdrs(at, profile, histogram) for at in epsilons]
    return Exploration(view, worst_case, rdr, moved, policy, histogram, cells, replaced, listed)


def _rdrs(epsilon: float, profile: Profile, histogram: Histogram | None) -> tuple[float, ...]:
    """RDRs of the least and the most exposed, and at the marks of the histogram's axis."""
    spread, terms = profile.spread, (profile.measurement, profile.noise)
    ends = rdr_range(epsilon, spread, *terms)
    if histogram is None:
        return ends
    low, high = Fraction(histogram.edges[0]), Fraction(histogram.edges[-1])
    marks = [low + (high - low) * i / (MARKS - 1) for i in range(MARKS)]
    return *ends, *(rdr_range(epsilon, replace(spread, low=at, high=at), *terms)[0] for at in marks)


def _epsilons(sliders: Sequence[Slider], policy: PolicyInForce, listed: Sequence[float]) -> tuple[float, ...]:
    """Every epsilon that a stop leads to, those that are always shown, and epsilon_max."""
    solved = [stop.solution.epsilon for slider in sliders for stop in slider.stops if stop.solution is not None]
    own = () if policy.epsilon is None else (policy.epsilon,)
    return tuple(sorted({*listed, *own, policy.epsilon_max, *(one for one in solved if one is not None)}))


def figures(
    measurement: Measurement, answer: Callable[[], Sequence[Sequence[object]]], *, composed: bool = False
) -> tuple[Cell, ...]:
    """Exact figures of the first column of an answer with their groups, where each is one noisy number.

    `composed`: also averages and variances, whose noise depends on how many are counted.
    """
    column = next((column for column in measurement.columns if column.visible and not column.is_public), None)
    if column is None or column.numbers[:1] != (0,) or (len(column.numbers) > 1 and not composed):
        return ()
    if not all(measurement.numbers[number].kind.additive for number in column.numbers):
        return ()
    cells = (measurement.cells or ())[:MOST_CELLS]
    named = [" · ".join([*map(str, cell), column.name]) for cell in cells]
    rows = zip(named, answer(), strict=False) if named else ()
    return tuple((name, float(row[0])) for name, row in rows if isinstance(row[0], int | float | Fraction))


def _histogram(profile: Profile) -> Histogram | None:
    """Of synthetic data and of the people; where all are alike, one bar that ends where they are.

    Of a private histogram without its first bin, which is exposure 0.
    """
    if isinstance(profile.exposure, ExposureHistogram):
        drawn = profile.exposure
        return Histogram(drawn.edges[1:], drawn.histogram.people[1:])
    return profile.exposure.bars if isinstance(profile.exposure, Figures) else None
