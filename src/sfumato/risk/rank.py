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
    """`(2 GS / eps) ln(10 M)`: the rank of what is selected is within it of the best candidate's, 90 times of 100."""
    return 2 * float(number.sensitivity) / epsilon * math.log(number.candidates / (1 - COVERAGE))


def target(sensitivity: Fraction, candidates: int, epsilon: float) -> int:
    """How many persons an extreme leaves beyond it: `t = ceil((2 GS / eps) ln(M / 0.05))`.

    With none beyond it, every candidate further out would be as good as the extreme itself.

    >>> target(Fraction(1), 101, 1.0)
    16
    """
    return math.ceil(2 * float(sensitivity) / epsilon * math.log(candidates / MISSED))


def scores(number: NoisyNumber, counts: Sequence[int], epsilon: float) -> list[int]:
    """How good each candidate is, in steps of the score: the better the nearer to 0.

    `counts` says how many lie below the first candidate, at it, between it and the second, at that, and so on. Of a
    quantile q a candidate y leaves `(1 - q) #{v < y}` on one side and `q #{v > y}` on the other, and is the better the
    less these differ; without ties that is `#{v < y} - q #{v}`. Of an extreme it is the number of persons who reach
    the candidate that should be the target.
    """
    assert number.selects is not None
    upto = list(accumulate(counts))
    total, at, extreme = upto[-1], number.selects.at, number.selects.extreme
    pairs = list(zip(upto[0::2], upto[1::2], strict=False))  # below each candidate, and up to it
    if at is not None and extreme is None:
        over, under = at.denominator - at.numerator, at.numerator
        return [-abs(over * below - under * (total - reached)) for below, reached in pairs]
    wanted = target(number.sensitivity, number.candidates, epsilon)
    if extreme is Kind.MIN:
        return [-abs(reached - wanted) for _, reached in pairs]
    return [-abs(total - below - wanted) for below, _ in pairs]
