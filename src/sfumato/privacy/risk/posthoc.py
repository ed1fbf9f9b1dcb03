"""What an answer says of each person once it is drawn: output-dependent RDR, which the PRI paper calls PRI, and loss.

RDR is Zhu & Castro Fernandez, "Within-Dataset Disclosure Risk for Differential Privacy" (section 3.2); PRI the same
authors', "Making Differential Privacy Easier to Use ..." (sections 2.2 and 3.2). They are for the controller: a release
that is decided by them has no guarantee.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

Numbers = Sequence[float]


def pri(output: Numbers, without: Numbers) -> float:
    """`PRI_i = ||r - q(x_-i)||_1` (Definition 1), also the output-dependent RDR under Laplace noise.

    >>> pri([85], [90]), pri([85], [98])
    (5.0, 13.0)
    """
    return math.fsum(abs(r - q) for r, q in zip(output, without, strict=True))


def pri_gaussian(output: Numbers, without: Numbers) -> float:
    """`||r - q(x_-i)||_2`, the output-dependent RDR under Gaussian noise."""
    return math.dist(output, without)


def loss_laplace(output: Numbers, answer: Numbers, without: Numbers, scales: Numbers) -> float:
    """`ln p(r | x) / p(r | x_-i)`: above 0, this very output speaks for the person being there.

    With one scale it is `(PRI_i - ||r - q(x)||_1) / b`: in the order of the PRIs, which its size is not.

    >>> [loss_laplace([85], [100], [without], [1]) for without in (90, 98)]
    [-10.0, -2.0]
    """
    each = zip(output, answer, without, scales, strict=True)
    return math.fsum((abs(r - q) - abs(r - here)) / b for r, here, q, b in each)


def loss_gaussian(output: Numbers, answer: Numbers, without: Numbers, sigmas: Numbers) -> float:
    """The same of Gaussian noise: `(||r - q(x_-i)||^2 - ||r - q(x)||^2) / 2 sigma^2`.

    >>> loss_gaussian([3], [1], [0], [1])
    2.5
    """
    each = zip(output, answer, without, sigmas, strict=True)
    return math.fsum((here - q) * (2 * r - here - q) / (2 * s * s) for r, here, q, s in each)


def ratio(least: float, most: float) -> float:
    """`PRI_min / PRI_max`; where all are 0 they are equal."""
    return least / most if most else 1.0


def is_accepted(least: float, most: float, percent: Fraction) -> bool:
    """Line 13 of Find-eps-from-PRI: `PRI_min / PRI_max >= 1 - p/100`."""
    return ratio(least, most) >= 1 - percent / 100


@dataclass(frozen=True)
class Window:
    """Which outputs of a COUNT the test accepts where one person is counted: at most `below`, at least `above`, or
    from `low` to `high`, about the middle between the answers with and without that person.
    """

    below: float
    low: float
    high: float
    above: float

    def outside(self, centre: float, scale: float) -> float:
        """The probability that Laplace noise about `centre` falls where nothing is accepted."""

        def up_to(r: float) -> float:
            tail = math.exp(-abs(r - centre) / scale) / 2
            return tail if r < centre else 1 - tail

        return up_to(self.above) - up_to(self.high) + up_to(self.low) - up_to(self.below)


def window(percent: Fraction) -> Window:
    """The distances from 1, and without that person from 0, must be alike: `p` in 100, above 0 and below 100.

    >>> window(Fraction(50)).below, window(Fraction(50)).above
    (-1.0, 2.0)
    """
    share = 1 - percent / 100
    ends = (-share / (1 - share), share / (1 + share), 1 / (1 + share), 1 / (1 - share))
    return Window(*map(float, ends))
