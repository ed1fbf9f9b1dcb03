"""The sparse vector technique (AboveThreshold): the first of many totals that is large enough, at the price of one.

OpenDP has none. Its noise is OpenDP's: whole numbers, drawn exactly (Lyu, Su, Li 2017, Algorithm 1 with c = 1).
"""

from __future__ import annotations

from collections.abc import Sequence

from sfumato.adapters.noise.laplace import laplace
from sfumato.adapters.noise.lattice import within

PUBLISHED_SPLIT = 1 / (1 + 2 ** (2 / 3))  # for the threshold; the totals have the rest (RDR 5.1)


def sparse_vector(totals: Sequence[int], sensitivity: int, epsilon: float) -> list[int]:
    """Where the first total stands that is, with noise, not below 0; nothing where none is.

    One person moves every total by at most `sensitivity`, either way. Half of epsilon is for the threshold.
    """
    return first_not_below(totals, sensitivity, (epsilon / 2, epsilon / 2))


def sparse_vector_as_published(totals: Sequence[int], sensitivity: int, epsilon: float) -> list[int]:
    """The same with the split 1 : 2^(2/3) of the RDR paper."""
    threshold = epsilon * PUBLISHED_SPLIT
    return first_not_below(totals, sensitivity, (threshold, epsilon - threshold))


def first_not_below(totals: Sequence[int], sensitivity: int, epsilons: tuple[float, float]) -> list[int]:
    """`total + Lap(2 D / e2) >= Lap(D / e1)`: one draw for the threshold, which is never drawn anew, one for each."""
    if not totals:
        return []
    (threshold,) = laplace([0], sensitivity, epsilons[0])
    noisy = laplace(within(totals), 2 * sensitivity, epsilons[1])
    return next(([place] for place, total in enumerate(noisy) if total >= threshold), [])
