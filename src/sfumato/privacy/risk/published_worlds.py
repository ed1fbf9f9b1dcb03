"""The paper's table of possible worlds: a public universe of which one is missing, and what one noisy answer tells."""

from __future__ import annotations

import math
from collections.abc import Sequence

from sfumato.model.world_beliefs import BeliefsAtEpsilon, WorldBelief, WorldBeliefs
from sfumato.privacy.risk.belief import (
    Statistic,
    epsilon_bound,
    epsilon_for_belief,
    global_sensitivity,
    one_missing,
    posterior,
)

PAPER_EPSILONS = (5.0, 2.0, 1.0, 0.5, 0.1, 0.01)  # of its Tables 2 and 3


def beliefs_as_published(
    names: Sequence[str],
    values: Sequence[float],
    answer: Statistic,
    epsilons: Sequence[float],
    response: float | None = None,
    limit: float | None = None,
) -> WorldBeliefs:
    """Each world at each epsilon, with noise sized by the universe (LC definitions 2 to 4).

    Without a response it is the exact answer of the world that can be believed most, as in Table 3 of the paper. With a
    limit: the epsilon of the paper's bound (LC equation 7), and the exact one.

    >>> table = beliefs_as_published(["a", "b", "c", "d"], [1, 2, 3, 10], lambda v: sum(v) / len(v), [2], limit=1 / 3)
    >>> [(world.missing, round(world.posterior, 4)) for world in table.candidates[0].worlds][:2]
    [('d', 0.6825), ('c', 0.1315)]
    >>> round(table.bound, 4), round(table.exact, 4)
    (0.3829, 0.4317)
    """
    answers, missing, prior = [answer(world) for world in one_missing(values)], [*names][::-1], 1 / len(values)
    sensitivity, width = global_sensitivity(values, answer), max(answers) - min(answers)
    at = []
    for epsilon in epsilons:
        scale = (sensitivity or 1.0) / epsilon
        after = _most_revealing(answers, scale) if response is None else response
        each = zip(missing, answers, posterior(answers, scale, after), strict=True)
        at.append(BeliefsAtEpsilon(epsilon, after, tuple(WorldBelief(who, 1, f, prior, p) for who, f, p in each)))
    if limit is None:
        return WorldBeliefs(tuple(at), sensitivity)
    bound = epsilon_bound(len(answers), limit, sensitivity, width)
    exact = epsilon_for_belief(answers, sensitivity, limit) if width else math.inf
    return WorldBeliefs(tuple(at), sensitivity, limit, bound, exact)


def _most_revealing(answers: Sequence[float], scale: float) -> float:
    """The exact answer at which a world is believed most."""
    return max(answers, key=lambda response: max(posterior(answers, scale, response)))
