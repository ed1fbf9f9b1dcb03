"""What a score can carry: its digits, its lattice, and how far one person moves it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from sfumato.signals.tasks.task import DECIMALS, Task

FINEST = 1024  # steps of the noise lattice to a sensitivity (docs/theory/noise.md)


def bits(width: float, decimals: int = DECIMALS, *, beside: int = 0) -> float:
    """`log2` of how many scores can be told apart, once they are rounded: what one of them tells at most.

    `beside` counts what else may come in place of a score.

    >>> round(bits(1.0, 2), 2), round(bits(2.0, 2), 2), bits(1.0, 0), bits(1.0, 0, beside=2)
    (6.66, 7.65, 1.0, 2.0)
    """
    return math.log2(math.floor(Fraction(str(width)) * 10**decimals) + 1 + beside)


def rounded_score(score: float, decimals: int = DECIMALS) -> float:
    """As it may leave; there is no negative zero.

    >>> rounded_score(0.1234), rounded_score(-0.001)
    (0.12, 0.0)
    """
    return round(score, decimals) + 0.0


def width_once_rounded(low: float, high: float, decimals: int = DECIMALS) -> float:
    """Between the ends of a range as they may leave: an end between two steps is one of these.

    >>> width_once_rounded(0.004, 1.006), width_once_rounded(0.1, 1.13)
    (1.01, 1.03)
    """
    return round(rounded_score(high, decimals) - rounded_score(low, decimals), decimals)


@dataclass(frozen=True)
class ScoreLattice:
    """Scores in whole steps: one person moves what is drawn by at most `sensitivity` steps of `step`."""

    step: Fraction
    sensitivity: int

    def steps(self, amount: float) -> int:
        """Half a step further is the next one: two amounts that lie s steps apart, s whole, stay within s."""
        return math.floor(Fraction(amount) / self.step + Fraction(1, 2))

    @property
    def most(self) -> float:
        """What one person moves it by, in its own units."""
        return float(self.step * self.sensitivity)


def difference_lattice(task: Task, moved: Mapping[str, Fraction] | None) -> ScoreLattice:
    """The lattice of `|g(S) - g(q(x))|`: its sensitivity is `min(R, sum L_c D_c)`, at most `L D1`.

    See docs/theory/signalling.md#noisy-difference.

    `moved` is D_c, by which one person moves the figures of each column that the task reads; None: the range is all
    that is known. Below the range one step more covers what floats lose on the way to a score: far from 0 that is more
    than the width of a range says.
    """
    width, slope = Fraction(task.span), None
    furthest = max(width, *(abs(Fraction(end)) for end in task.range))
    if task.slopes is not None and moved is not None:
        slope = sum((Fraction(steep) * moved[column] for column, steep in task.slopes.items()), Fraction(0))
    if slope is None or slope >= width:
        return ScoreLattice(width / FINEST, FINEST)
    step = max(slope / FINEST, furthest / 2**40)
    return ScoreLattice(step, min(math.ceil(slope / step) + 1, math.ceil(width / step)))


def block_lattice(task: Task, changed: int) -> ScoreLattice:
    """The lattice of a sum over blocks of which one person changes so many, each by the range at most.

    See docs/theory/signalling.md#sample-and-aggregate.
    """
    return ScoreLattice(Fraction(task.span) / FINEST, changed * FINEST)
