"""What someone who knows all possible worlds comes to believe of them (Lee & Clifton, "How Much Is Enough?").

A world is what the data may be, by everything but the answer: the paper's are "all of them but one". See
docs/theory/belief.md.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from statistics import median as _median

from sfumato.model.possible_worlds import World
from sfumato.privacy.risk import possible_worlds as several
from sfumato.privacy.risk.guessing import guess_chance

Answers = Sequence[float]
Statistic = Callable[[Answers], float]


# The paper's universe: everyone, of whom one is missing


def one_missing(universe: Answers) -> list[tuple[float, ...]]:
    """The possible worlds: everyone but one, who is the last of them first (LC 5.1).

    >>> one_missing([1, 2, 3, 10])[:2]
    [(1, 2, 3), (1, 2, 10)]
    """
    everyone = tuple(universe)
    return [everyone[:i] + everyone[i + 1 :] for i in reversed(range(len(everyone)))]


def mean(values: Answers) -> float:
    return math.fsum(values) / len(values)


def median(values: Answers) -> float:
    """Of an even number the mean of the two in the middle (LC equation 13)."""
    return float(_median(values))


STATISTICS: dict[str, Statistic] = {"mean": mean, "median": median, "sum": math.fsum}


def local_sensitivity(world: Answers, answer: Statistic) -> float:
    """By how much leaving anyone out moves the answer at most (LC equation 15 is that of the median).

    >>> local_sensitivity([1, 2, 10], median)
    4.0
    """
    return max(abs(answer(world) - answer(rest)) for rest in one_missing(world))


def global_sensitivity(universe: Answers, answer: Statistic) -> float:
    """The largest local sensitivity of a possible world: what the paper's noise is sized by (LC 6).

    >>> round(global_sensitivity([1, 2, 3, 10], mean), 4)
    2.8333
    """
    return max(local_sensitivity(world, answer) for world in one_missing(universe))


# One number with Laplace noise


def laplace_density(output: float, answer: float, scale: float) -> float:
    """`e^(-|g - f| / b) / 2b`.

    >>> laplace_density(2, 2, 0.5)
    1.0
    """
    return math.exp(-abs(output - answer) / scale) / (2 * scale)


def laplace_tail(output: float, answer: float, scale: float) -> float:
    """How often the noisy answer lies above an output.

    >>> laplace_tail(2, 2, 0.5)
    0.5
    """
    beyond = math.exp(-abs(output - answer) / scale) / 2
    return beyond if output >= answer else 1 - beyond


def tail_ratio(output: float, answer: float, other: float, scale: float) -> float:
    """How many times as often an answer comes out above an output as another does (LC 4.1)."""
    return laplace_tail(output, answer, scale) / laplace_tail(output, other, scale)


def posterior(worlds: Answers, scale: float, output: float, prior: Sequence[float] | None = None) -> list[float]:
    """The belief in each world once `output` is out: `a_i e^(-|g - f_i| / b)`, over their sum (LC definition 3).

    >>> [round(belief, 2) for belief in posterior([0, 1], scale=1, output=0)]
    [0.73, 0.27]
    """
    nearest = min(abs(output - answer) for answer in worlds)  # what all share is left out: nothing becomes 0 over 0
    weights = [math.exp((nearest - abs(output - answer)) / scale) for answer in worlds]
    believed = [p * w for p, w in zip(prior or [1.0] * len(weights), weights, strict=True)]
    return [one / math.fsum(believed) for one in believed]


def disclosure_risk(worlds: Answers, scale: float, prior: Sequence[float] | None = None) -> float:
    """The largest belief in any world, at whatever output: `max_i a_i / sum_j a_j e^(-|f_i - f_j| / b)`, exactly.

    >>> round(disclosure_risk([0, 1], scale=1), 2)
    0.73
    """
    return several.risk_at(on_a_line(worlds, scale, prior), 1.0)


def risk_bound(prior: float, epsilon: float, sensitivity: float, width: float) -> float:
    """`1 / (1 + (n - 1) e^(-epsilon Dv / Df))` (LC equation 5), for any prior of which 1/n is one.

    >>> round(risk_bound(1 / 2, epsilon=1, sensitivity=1, width=1), 2)
    0.73
    """
    return guess_chance(epsilon * width / sensitivity, prior)


def epsilon_bound(n: int, rho: float, sensitivity: float, width: float, prior: float | None = None) -> float:
    """`(Df / Dv) ln((n - 1) rho / (1 - rho))` (LC equation 7); 0 where rho is believed already, else of the prior.

    >>> round(epsilon_bound(4, 1 / 2, sensitivity=1, width=1), 4)
    1.0986
    """
    before = 1 / n if prior is None else prior
    if rho <= before:
        return 0.0
    if width == 0 or rho >= 1:
        return math.inf
    return sensitivity / width * math.log(rho * (1 - before) / (before * (1 - rho)))


def epsilon_for_belief(worlds: Answers, sensitivity: float, rho: float, prior: Sequence[float] | None = None) -> float:
    """The largest epsilon at which no belief in a world rises above rho: searched upwards from the bound.

    Infinite where so many worlds have one answer that none is ever believed more; 0 where one is so already.

    >>> round(epsilon_for_belief([2, 2, 3, 3], sensitivity=4, rho=0.4), 4)
    5.5452
    """
    return several.largest_epsilon(on_a_line(worlds, sensitivity, prior), rho)


def average_success(worlds: Answers, scale: float) -> float:
    """How often the best guess at the world is right, on average: `(1 + sum of (1 - e^(-gap / 2b))) / N`.

    See docs/theory/belief.md.

    Gaps are those between neighbouring answers; all worlds are as likely before.

    >>> round(average_success([0, 1], scale=1), 4)
    0.6967
    """
    return several.average_at(on_a_line(worlds, scale), 1.0)


def suspicion(belief: float, prior: float, n: int) -> float:
    """The belief in a world that was believed at `prior`, the n - 1 others alike, where it is `belief` if all are.

    With S = 1 / belief = 1 + sum of `e^(-eps d)` over the others it is `p / (p + (1 - p) (S - 1) / (n - 1))`.

    >>> round(suspicion(1 / 4, 0.7, 4), 4), round(suspicion(0.4, 0.7, 4), 4)
    (0.7, 0.8235)
    """
    return prior / (prior + (1 - prior) * (1 / belief - 1) / (n - 1)) if n > 1 else 1.0


def on_a_line(worlds: Answers, unit: float, prior: Sequence[float] | None = None) -> tuple[World, ...]:
    """Worlds with one noisy number each, of which `unit` is worth an epsilon of 1; alike ones together.

    >>> [(world.mass, world.one) for world in on_a_line([2, 2, 3], unit=4)]
    [(2.0, 1.0), (1.0, 1.0)]
    """
    alike: dict[float, list[float]] = {}
    for answer, believed in zip(worlds, prior or [1.0] * len(worlds), strict=True):
        alike.setdefault(answer, []).append(believed)
    return tuple(World(((0, float(f / unit)),), math.fsum(one), max(one)) for f, one in sorted(alike.items()))
