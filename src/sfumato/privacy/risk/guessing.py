"""The chance of guessing one person's secret value (Pankova et al., "Decision Support for Sharing Data").

See docs/theory/guessing.md.

An `exponent` is what two values of one person may differ by: where people are replaced it is epsilon, where they are
added or removed it is twice that, since one value goes and another comes. It is joint, of all the numbers together.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

_FLOATS_END = 700.0  # largest exponent; the chance is 1 long before


def exponent_of(epsilon: float, steps: int) -> float:
    """Of two values of one person; `steps` is 2 where the relation replaces people, 1 where it adds or removes them.

    >>> exponent_of(0.5, steps=1), exponent_of(0.5, steps=2)
    (1.0, 0.5)
    """
    return 2 * epsilon / steps


def delta_of(epsilon: float, delta: float, steps: int) -> float:
    """The delta that goes with it: two steps cost `(1 + e^epsilon)` times that of one."""
    return delta * (1 + math.exp(min(epsilon, _FLOATS_END))) if steps == 1 else delta


def joint_exponent(epsilons: Sequence[float], moved: Sequence[float]) -> float:
    """The exponent of several noisy numbers: `sum_j eps_j |f_j(x) - f_j(x')| / D_j`; `moved` are these shares of D_j.

    Another value moves two bars of a histogram, however many there are.

    >>> joint_exponent([0.5] * 4, [1, 1, 0, 0])
    1.0
    """
    return math.fsum(epsilon * share for epsilon, share in zip(epsilons, moved, strict=True))


def guess_chance(exponent: float, prior: float, delta: float = 0.0) -> float:
    """At most `(p e^x + delta) / (1 - p + p e^x)`: the best guess is right so often, where before it was p.

    Without a delta it also bounds the posterior at any answer. docs/theory/guessing.md has the proof.

    >>> round(guess_chance(0.5, 1 / 4), 4), round(guess_chance(1, 1 / 4), 4)
    (0.3547, 0.4754)
    """
    if exponent > _FLOATS_END:
        return 1.0
    odds = prior * math.exp(exponent)
    return min(1.0, (odds + delta) / (1 - prior + odds))


def epsilon_for_guess(chance: float, prior: float, steps: int, delta: float = 0.0) -> float:
    """The inverse as an epsilon; 0 where no epsilon keeps the chance, infinite where every one does.

    Where two steps are taken, with z = e^eps the chance is q when `p (1 - q) z^2 + delta z = q (1 - p) - delta`.

    >>> round(epsilon_for_guess(0.4, 1 / 4, steps=1), 4), round(epsilon_for_guess(0.4, 1 / 4, steps=2), 4)
    (0.3466, 0.6931)
    """
    if chance >= 1:
        return math.inf
    a, left = prior * (1 - chance), chance * (1 - prior) - delta
    root = math.sqrt(max(0.0, delta * delta + 4 * a * left))
    z = left / a if steps == 2 else 2 * left / (delta + root or math.inf)
    return math.log(z) if z > 1 else 0.0


def largest_advantage(exponent: float) -> float:
    """`tanh(x / 4)`: the most by which any prior grows, at whatever answer; of the prior `1 / (1 + e^(x/2))`.

    >>> round(largest_advantage(1), 4)
    0.2449
    """
    return math.tanh(exponent / 4)


def exponent_for_advantage(advantage: float) -> float:
    """The inverse, `2 ln((1 + a) / (1 - a))`; infinite for an advantage of 1."""
    return 4 * math.atanh(advantage) if advantage < 1 else math.inf


def normalised_advantage(chance: float, prior: float) -> float:
    """`(q - p) / (1 - p)`: 0 where nothing was learned, 1 where everything was.

    >>> round(normalised_advantage(0.4, 0.25), 4)
    0.2
    """
    return (chance - prior) / (1 - prior)


def chance_for_normalised(advantage: float, prior: float) -> float:
    """The inverse, `p + a (1 - p)`."""
    return prior + advantage * (1 - prior)


def average_chance(per_bar: float, choices: int) -> float:
    """How often the best guess from a histogram is right, on average over what is drawn: exact for Laplace noise.

    N bars, `Laplace(1/e)` on each, any of them as likely before:
    `(e^e - (e^-e / 2) * integral of (1-t)^N t^-3 from e^-e/2 to 1/2) / N`. What is drawn lies on a lattice:
    `average_chance_on_lattice`.

    >>> round(average_chance(1, 4), 4)
    0.5013
    """
    low, high = math.exp(-per_bar) / 2, 0.5
    inner = _over_t(choices - 2, low, high)
    squared = (1 - low) ** (choices - 1) / low - (1 - high) ** (choices - 1) / high - (choices - 1) * inner
    cubed = (1 - low) ** choices / (2 * low**2) - (1 - high) ** choices / (2 * high**2) - choices / 2 * squared
    return (math.exp(per_bar) - low * cubed) / choices


def average_chance_on_lattice(per_bar: float, choices: int, steps: int) -> float:
    """The same where the noise of each bar lies on a lattice, of so many steps to a person.

    A bar that came out at j steps speaks for its value `e^(e (2 j / steps - 1))` times as loudly, from j = 0 up to
    j = steps; the loudest of them is believed. It is more than `average_chance`, by little on a fine lattice.

    >>> round(average_chance_on_lattice(1, 4, steps=1024), 4), round(average_chance_on_lattice(1, 4, steps=1), 4)
    (0.5013, 0.5117)
    """
    if per_bar > _FLOATS_END:
        return 1.0
    ratio = math.exp(-per_bar / steps)
    beyond = [-math.expm1(choices * math.log1p(-(ratio ** (j + 1)) / (1 + ratio))) for j in range(steps)]  # any bar
    loudest = [math.exp(per_bar * (2 * j / steps - 1)) for j in range(steps + 1)]
    louder = (chance * (more - less) for (less, more), chance in zip(pairwise(loudest), beyond, strict=True))
    return (loudest[0] + math.fsum(louder)) / choices


def _over_t(power: int, low: float, high: float) -> float:
    """The integral of `(1 - t)^power / t`."""
    integral = math.log(high / low)
    for j in range(1, power + 1):
        integral -= ((1 - low) ** j - (1 - high) ** j) / j
    return integral
