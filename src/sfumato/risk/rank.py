"""A value selected by its rank from public candidates (methods 15): what makes a candidate a good one."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import accumulate

from sfumato.model.measurement import NoisyNumber
from sfumato.model.statement import Kind
from sfumato.risk.noise import COVERAGE

MISSED = 0.05  # how often the target of an extreme may lie beyond everybody


def rank_90(number: NoisyNumber, epsilon: float) -> float:
    """`(2 GS / eps) ln(10 M)`: what is selected misses by at most so many more than the best candidate, 90 of 100."""
    return 2 * float(number.sensitivity) / epsilon * math.log(number.candidates / (1 - COVERAGE))


def target(sensitivity: Fraction, candidates: int, epsilon: float) -> int:
    """How many persons an extreme leaves beyond it: `t = ceil((2 GS / eps) ln(M / 0.05))`.

    With none beyond it, every candidate further out would be as good as the extreme itself.

    >>> target(Fraction(1), 101, 1.0)
    16
    """
    return math.ceil(2 * float(sensitivity) / epsilon * math.log(candidates / MISSED))


def scores(number: NoisyNumber, counts: Sequence[int], epsilon: float) -> list[int]:
    """How good each candidate is, in steps of the score: by how many people it misses the rank that is asked for.

    `counts` says how many lie below the first candidate, at it, between it and the second, at that, and so on. A
    candidate y stands at the ranks from `#{v < y}` to `#{v <= y}`; of a quantile q of n values `q n` is asked for. Of
    an extreme these are persons, counted from that end, and the target is asked for.
    """
    assert number.selects is not None
    upto = list(accumulate(counts))
    total, at, extreme = upto[-1], number.selects.at, number.selects.extreme
    ranks = list(zip(upto[0::2], upto[1::2], strict=False))  # below each candidate, and up to it
    if at is not None and extreme is None:
        asked, whole = at.numerator * total, at.denominator
        return [-_missed(asked, whole * below, whole * reached) for below, reached in ranks]
    asked = target(number.sensitivity, number.candidates, epsilon)
    if extreme is Kind.MAX:
        ranks = [(total - reached, total - below) for below, reached in ranks]
    return [-_missed(asked, first, last) for first, last in ranks]


def _missed(rank: int, first: int, last: int) -> int:
    """How far a rank lies outside those from `first` to `last`."""
    return max(0, first - rank, rank - last)
