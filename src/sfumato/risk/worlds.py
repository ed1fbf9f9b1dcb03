"""Beliefs in worlds of several noisy numbers (methods 6; docs/theory/belief.md has the proofs).

Number l of a world has Laplace noise of scale `D_l / (w_l eps)`. What two worlds may differ by is `eps d_ij` with
`d_ij = sum_l w_l |v_il - v_jl| / D_l`, and the largest belief in any, at whatever answer, is exactly
`max_i a_i / sum_j a_j e^(-eps d_ij)`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from sfumato.model.worlds import World
from sfumato.risk.bisection import largest

MOST_WORLDS = 2000  # that are compared one by one
_DOWN = 1 - 1e-12  # rounded down, so that the bound is met in floats too
_FAR = 2.0**40  # an epsilon beyond which nothing is searched

Worlds = Sequence[World]


def distance(one: World, other: World) -> float:
    """`d_ij`: what an epsilon of 1 lets two different worlds differ by, at most.

    >>> distance(World(((0, 0.5), (1, 0.5))), World(((0, 0.25),)))
    0.75
    """
    theirs = dict(other.loads)
    shared = ((mine, theirs[place]) for place, mine in one.loads if place in theirs)
    saved = sum(abs(mine) + abs(its) - abs(mine - its) for mine, its in shared)
    return max(0.0, one.norm + other.norm - saved) + one.apart + other.apart


def prior_of(worlds: Worlds) -> float:
    """What is believed of the likeliest world before any answer.

    >>> prior_of([World((), mass=3), World(((0, 1.0),))])
    0.25
    """
    return max(world.one for world in worlds) / math.fsum(world.mass for world in worlds)


def width_of(worlds: Worlds) -> float:
    """The largest distance between two of them."""
    lines = lines_of(worlds)
    if lines is None:
        return max((distance(a, b) for a in worlds for b in worlds if a is not b or a.mass > a.one), default=0.0)
    far = sorted((line.furthest for line in lines), reverse=True)[:2]
    return max(math.fsum(far) if len(far) > 1 else 0.0, *(line.width for line in lines))


def risk_at(worlds: Worlds, epsilon: float) -> float:
    """The largest belief in any of them, at whatever answer.

    >>> round(risk_at([World(((0, 0.0),)), World(((0, 1.0),))], 1), 2)
    0.73
    """
    return max(beliefs_at(worlds, epsilon))


def beliefs_at(worlds: Worlds, epsilon: float) -> list[float]:
    """The largest belief in each of them: it is held where its own numbers come out."""
    lines = lines_of(worlds)
    if lines is None:
        return [_belief(i, _row(worlds, i), worlds, epsilon) for i in range(len(worlds))]
    return _on_lines(lines, epsilon)


def _on_lines(lines: Sequence[Line], epsilon: float) -> list[float]:
    stars = [line.star(epsilon) for line in lines]
    every, found = math.fsum(stars), [0.0] * sum(len(line.worlds) for line in lines)
    for line, star in zip(lines, stars, strict=True):
        for place, believed in line.beliefs(epsilon, max(0.0, every - star)):
            found[place] = believed
    return found


def largest_epsilon(worlds: Worlds, rho: float) -> float:
    """The largest epsilon at which no belief rises above rho: searched upwards from the bound, which meets it."""
    if rho <= prior_of(worlds):
        return 0.0
    low, lines, found = _DOWN * bound_of(worlds, rho), lines_of(worlds), math.inf
    if lines is not None:
        if max(_on_lines(lines, math.inf)) <= rho:
            return math.inf
        high = _beyond(lambda e: max(_on_lines(lines, e)), low, rho)
        return largest(lambda e: max(_on_lines(lines, e)) <= rho, low, high)
    for i in range(len(worlds)):  # of what meets rho so far, most worlds hold already
        row = _row(worlds, i)
        if _belief(i, row, worlds, found) > rho:
            found = _root(i, row, worlds, rho, low, found)
    return found


def bound_of(worlds: Worlds, rho: float) -> float:
    """The paper's upper bound: as if all of them were as far apart as the two furthest (001 equation 7)."""
    before, width = prior_of(worlds), width_of(worlds)
    if rho <= before:
        return 0.0
    return math.log(rho * (1 - before) / (before * (1 - rho))) / width if width and rho < 1 else math.inf


def average_at(worlds: Worlds, epsilon: float) -> float:
    """How often the best guess is right, on average, where one number tells them apart; else not a number.

    >>> round(average_at([World(((0, 0.0),)), World(((0, 1.0),))], 1), 4)
    0.6967
    """
    lines = lines_of(worlds)
    if lines is None or len(lines) > 1 or any(world.apart or world.one != 1 for world in worlds):
        return math.nan
    gaps = pairwise(lines[0].along)
    told = math.fsum(-math.expm1(-epsilon * (right - left) / 2) for left, right in gaps)
    return (1 + told) / math.fsum(world.mass for world in worlds)


# Lines: in each cell of the answer one number tells the worlds apart, and worlds of two cells share no number


@dataclass(frozen=True)
class Line:
    """Worlds of one cell, in order; `places` are theirs among all the worlds."""

    worlds: tuple[World, ...]
    places: tuple[int, ...]
    varying: int

    @cached_property
    def along(self) -> list[float]:
        return [world.loads[self.varying][1] if world.loads else 0.0 for world in self.worlds]

    @cached_property
    def apart(self) -> float:
        return self.worlds[0].apart

    @property
    def furthest(self) -> float:
        return max(world.norm for world in self.worlds) + self.apart

    @property
    def width(self) -> float:
        several = len(self.worlds) > 1 or self.worlds[0].mass > self.worlds[0].one
        return self.along[-1] - self.along[0] + 2 * self.apart if several else 0.0

    def star(self, epsilon: float) -> float:
        """`sum_j a_j e^(-eps |v_j|)`: what they add to a world of another cell, but for its own part."""
        return math.fsum(world.mass * _decay(epsilon, world.norm + self.apart) for world in self.worlds)

    def beliefs(self, epsilon: float, elsewhere: float) -> Iterable[tuple[int, float]]:
        """`L_i = e^(-eps (f_i - f_(i-1))) (a_(i-1) + L_(i-1))`, the same from the right: two passes for all of them."""
        left, right = _passed(epsilon, self.along, self.worlds), _passed(epsilon, self.along[::-1], self.worlds[::-1])
        beside = _decay(epsilon, 2 * self.apart)
        for world, place, before, after in zip(self.worlds, self.places, left, reversed(right), strict=True):
            here = (before + after + world.mass - world.one) * beside
            total = world.one + here + _decay(epsilon, world.norm + self.apart) * elsewhere
            yield place, world.one / total


def lines_of(worlds: Worlds) -> list[Line] | None:
    """The lines that they lie on, if they do; None where they must be compared one by one.

    >>> on_lines = [World(((0, 1.0), (1, 0.5))), World(((0, 2.0), (1, 0.5))), World(())]
    >>> [len(line.worlds) for line in lines_of(on_lines)]
    [2, 1]
    """
    cells: dict[tuple[int, ...], list[int]] = {}
    for i, world in enumerate(worlds):
        cells.setdefault(tuple(place for place, _ in world.loads), []).append(i)
    numbers = [place for cell in cells for place in cell]
    if len(set(numbers)) == len(numbers):
        lines = [_line([worlds[i] for i in found], found) for found in cells.values()]
        if all(line is not None for line in lines):
            return [line for line in lines if line is not None]
    return None


def countless(worlds: Worlds) -> bool:
    """Whether they are too many to be compared one by one, and must be."""
    return len(worlds) > MOST_WORLDS and lines_of(worlds) is None


def _line(worlds: Worlds, places: Sequence[int]) -> Line | None:
    varying = [k for k in range(len(worlds[0].loads)) if len({world.loads[k][1] for world in worlds}) > 1]
    if len(varying) > 1 or len({world.apart for world in worlds}) > 1:
        return None
    number = varying[0] if varying else 0
    order = sorted(range(len(worlds)), key=lambda i: worlds[i].loads[number][1] if worlds[i].loads else 0.0)
    return Line(tuple(worlds[i] for i in order), tuple(places[i] for i in order), number)


def _passed(epsilon: float, along: Sequence[float], worlds: Worlds) -> list[float]:
    found = [0.0]
    for (here, there), world in zip(pairwise(along), worlds, strict=False):
        found.append(_decay(epsilon, abs(there - here)) * (world.mass + found[-1]))
    return found


# One by one


def _row(worlds: Worlds, i: int) -> list[float]:
    return [distance(worlds[i], other) for other in worlds]


def _belief(i: int, row: Sequence[float], worlds: Worlds, epsilon: float) -> float:
    one, alike = worlds[i].one, worlds[i].mass - worlds[i].one
    others = math.fsum(w.mass * _decay(epsilon, d) for j, (w, d) in enumerate(zip(worlds, row, strict=True)) if j != i)
    return one / (one + alike * _decay(epsilon, 2 * worlds[i].apart) + others)


def _root(i: int, row: Sequence[float], worlds: Worlds, rho: float, low: float, high: float) -> float:
    if math.isinf(high):
        high = _beyond(lambda e: _belief(i, row, worlds, e), low, rho)
    return largest(lambda e: _belief(i, row, worlds, e) <= rho, low, high)


def _beyond(risk: Callable[[float], float], low: float, rho: float) -> float:
    """An epsilon at which rho is exceeded."""
    high = 2 * low
    while risk(high) <= rho and high < _FAR:
        high *= 2
    return high


def _decay(epsilon: float, far: float) -> float:
    return math.exp(-epsilon * far) if far else 1.0
