"""Facts and preferences -> the largest epsilon that meets them all.

See docs/theory/gap.md, docs/theory/attack.md and docs/theory/preferences.md.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from sfumato.model.choice import Noise
from sfumato.model.measurement import Measurement
from sfumato.model.risk import WORST_CASE, ExposureRange
from sfumato.privacy.preferences.preference import Interval, Preference, Setting
from sfumato.privacy.preferences.private_selection import Selected
from sfumato.privacy.risk.rdr import PAPER_CANDIDATES
from sfumato.privacy.risk.rdr_distribution import rdrs_at

People = Callable[[Preference], ExposureRange]
"""The exposure range of a preference; called once, and only for preferences that read the people."""

_NOISE_ALONE = "this covers the noise only, not clipping, dropped rows or rounded values"


@dataclass(frozen=True)
class Solution:
    epsilon: float | None
    feasible: bool
    unbounded: bool
    why: str
    conflict: tuple[Preference, ...] = field(default=(), compare=False)  # the two that no epsilon meets both of


def solve(
    preferences: Sequence[Preference],
    people: People,
    noise: Noise,
    *,
    measurement: Measurement | None = None,
    candidates: Sequence[float] | None = None,
    epsilon_max: float = 10.0,
    selected: Mapping[Preference, Selected] | None = None,
    selection: float = 0.0,
    bounded: bool = False,
) -> Solution:
    """The top of the intersection, rounded down to a candidate if they are stated, and never above `epsilon_max`.

    Where nothing bounds it above, and only the answer's error asks for an epsilon, it is the bottom, rounded up.
    `measurement`: the noisy numbers, where the schema says what they are. `selected`: what was drawn for those
    preferences that only a draw can meet; `selection`: what such draws cost, where those preferences are left out.
    `bounded`: `epsilon_max` is that of a policy, and holds where every epsilon will do.
    """
    drawn = selected or {}
    for preference, draw in drawn.items():
        if draw.epsilon is None:
            return Solution(None, False, False, f"No epsilon was selected by {preference.words}: {draw.why}.")
    compared = {p: people(p) if p.reads_people and p not in drawn else WORST_CASE for p in preferences}
    for preference, spread in compared.items():
        if spread.empty:
            why = f"{preference.compared_people}, so nothing can be chosen by them; the worst case needs no data."
            return Solution(None, False, False, why)  # see docs/theory/gap.md
    beside = math.fsum({p: p.select_epsilon for p in preferences if p.selects}.values()) or selection
    intervals = {p: p.interval(Setting(spread, noise, measurement, beside)) for p, spread in compared.items()}
    intervals |= {p: Interval(0.0, draw.epsilon or 0.0) for p, draw in drawn.items()}
    floor = max(intervals, key=lambda p: intervals[p].low)
    ceiling = min(intervals, key=lambda p: intervals[p].high)
    low, top = intervals[floor].low, intervals[ceiling].high
    if top <= 0:
        return Solution(None, False, False, f"No epsilon meets {ceiling.words}.")
    if low > top:
        why = f"No epsilon meets both {floor.words} and {ceiling.words}.{floor.caution}"
        return Solution(None, False, False, why, (floor, ceiling))
    tested = {p: spread for p, spread in compared.items() if p.asks_candidates}
    if low > epsilon_max and not floor.outright:
        needed = "no epsilon does" if math.isinf(low) else f"it takes {low:.4g}"
        why = f"No epsilon up to epsilon_max, {epsilon_max:g}, meets {floor.words}: {needed}."
        return Solution(None, False, False, why)
    if math.isinf(top) and not tested and floor.asks_smallest:
        return _smallest(low, candidates, epsilon_max, floor.words)
    if candidates is not None or tested:
        words = " and ".join(dict.fromkeys(p.words for p in (ceiling, *tested)))
        tried = _descending(low, top, candidates, epsilon_max)
        holding = (c for c in tried if all(p.holds_at(rdrs_at(c, spread, noise)) for p, spread in tested.items()))
        solution = _largest(holding, words)
        if solution.epsilon is None or solution.epsilon != tried[0]:
            return solution
        equal = dict.fromkeys(p.equal_at(rdrs_at(solution.epsilon, spread, noise)) for p, spread in tested.items())
        because = " and ".join(reason for reason in equal if reason)
        return (
            replace(solution, why=f"{solution.why} It is the largest of all, because {because}.")
            if because
            else solution
        )
    if math.isinf(top):
        every = f"{'Every epsilon meets' if low == 0 else 'Every larger epsilon meets'} {ceiling.words}"
        if compared[ceiling].low == compared[ceiling].high:
            every += f", because {ceiling.equal_people}"
        elif ceiling.reads_people:
            every += f", because {ceiling.alike_people}"
        if bounded:
            return Solution(
                epsilon_max, True, False, f"{every}: epsilon_max of the policy, {epsilon_max:.6g}, is used."
            )
        return Solution(None, True, True, f"{every}.")
    if top > epsilon_max:
        why = f"Epsilons up to {top:.4g} meet {ceiling.words}; epsilon_max, {epsilon_max:g}, is used."
        return Solution(epsilon_max, True, False, why)
    reasons = {p: draw.why for p, draw in drawn.items()}
    return Solution(top, True, False, ceiling.why(reasons, beside) + floor.caution)


def _smallest(low: float, candidates: Sequence[float] | None, epsilon_max: float, words: str) -> Solution:
    """The bottom of what the answer's error asks for: more would help no one in the data."""
    if candidates is None:
        return Solution(low, True, False, f"The smallest epsilon that meets {words}: {_NOISE_ALONE}.")
    meeting = [candidate for candidate in candidates if low <= candidate <= epsilon_max]
    if not meeting:
        return Solution(None, False, False, f"No candidate meets {words}.")
    return Solution(min(meeting), True, False, f"The smallest candidate that meets {words}: {_NOISE_ALONE}.")


def _descending(low: float, top: float, candidates: Sequence[float] | None, epsilon_max: float) -> list[float]:
    """Candidates from the largest down, as Algorithm 1 tries them; by default the paper's, or the epsilon stated."""
    if candidates is None and low == top:
        return [min(top, epsilon_max)]
    return sorted((c for c in candidates or PAPER_CANDIDATES if low <= c <= min(top, epsilon_max)), reverse=True)


def _largest(holding: Iterator[float], words: str) -> Solution:
    epsilon = next(holding, None)
    if epsilon is None:
        return Solution(None, False, False, f"No candidate meets {words}.")
    return Solution(epsilon, True, False, f"The largest candidate that meets {words}.")
