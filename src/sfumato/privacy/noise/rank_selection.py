"""A value selected by its rank from public candidates (docs/theory/selection.md): what makes a candidate a good one."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction

from sfumato.model.facts import Counts
from sfumato.model.measurement import NoisyNumber
from sfumato.model.statement import AggregateKind
from sfumato.privacy.noise.intervals import COVERAGE

MISSED = 0.05  # how often the target of an extreme may lie beyond everyone


def rank_90(number: NoisyNumber, epsilon: float) -> float:
    """`(2 GS / eps) ln(10 M)`: with 90% probability the rank is off by at most this more than that of the best
    candidate."""
    return rank_error(number, epsilon, 1 - COVERAGE)


def rank_error(number: NoisyNumber, epsilon: float, miss: float) -> float:
    """`(2 GS / eps) ln(M / miss)`: the same but for a share `miss` of the time."""
    return 2 * float(number.sensitivity) / epsilon * math.log(number.candidates / miss)


def target(sensitivity: Fraction, candidates: int, epsilon: float) -> int:
    """How many persons an extreme leaves beyond it: `t = ceil((2 GS / eps) ln(M / 0.05))`.

    With none beyond it, every candidate further out would be as good as the extreme itself.

    >>> target(Fraction(1), 101, 1.0)
    16
    """
    return math.ceil(2 * float(sensitivity) / epsilon * math.log(candidates / MISSED))


def scores(number: NoisyNumber, counts: Counts, epsilon: float) -> list[int]:
    """How good each candidate is, in steps of the score: by how many people it misses the rank that is asked for.

    A candidate y stands at the ranks from `#{v < y}` to `#{v <= y}`; of a quantile q of n values `q n` is asked for. Of
    an extreme these are persons, counted from that end, and the target is asked for. Candidates with no value between
    them are as good as each other: time and memory go by the number of candidates, which is public.
    """
    assert number.selects is not None
    total, at, extreme = sum(counts.values()), number.selects.at, number.selects.extreme
    wanted, whole = target(number.sensitivity, number.candidates, epsilon), 1
    if at is not None and extreme is None:
        wanted, whole = at.numerator * total, at.denominator
    scores: list[int] = []
    for below, reached, candidates in _ranks(counts, number.candidates):
        first, last = (total - reached, total - below) if extreme is AggregateKind.MAX else (below, reached)
        scores += [-max(0, whole * first - wanted, wanted - whole * last)] * candidates
    return scores


def _ranks(counts: Counts, candidates: int) -> Iterator[tuple[int, int, int]]:
    """How many values lie below a candidate, how many up to it, and for how many candidates in a row that is so."""
    reached = passed = 0
    for position in sorted({place // 2 for place in counts}):
        if passed < position:
            yield reached, reached, position - passed
        below = reached + counts.get(2 * position, 0)
        reached = below + counts.get(2 * position + 1, 0)
        if position < candidates:
            yield below, reached, 1
        passed = position + 1
    if passed < candidates:
        yield reached, reached, candidates - passed
