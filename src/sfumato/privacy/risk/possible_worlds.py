"""Beliefs in worlds of several noisy numbers (docs/theory/belief.md has the proofs).

Number l of a world has Laplace noise of scale `D_l / (w_l eps)`. What two worlds may differ by is `eps d_ij` with
`d_ij = sum_l w_l |v_il - v_jl| / D_l`, and the largest belief in any, at whatever answer, is exactly
`max_i a_i / sum_j a_j e^(-eps d_ij)`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import pairwise

from sfumato.model.possible_worlds import World
from sfumato.privacy.bisection import last_below

MOST_WORLDS = 2000  # that are compared one by one
_DOWN = 1 - 1e-9  # so that the bound is met in floats too
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
        return max(max(row) for row in _Tangle(worlds).rows())
    far = sorted((line.furthest for line in lines), reverse=True)[:2]
    return max(math.fsum(far) if len(far) > 1 else 0.0, *(line.width for line in lines))


def widest(worlds: Worlds) -> float:
    """What that is at most, at a glance: no one is further from anyone than twice from nothing."""
    return 2 * max(world.norm + world.apart for world in worlds)


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
        tangle = _Tangle(worlds)
        return [tangle.belief(i, tangle.row(i), epsilon) for i in range(len(worlds))]
    largest = [0.0] * len(worlds)
    for line, beliefs in zip(lines, _on_lines(lines, epsilon), strict=True):
        for place, believed in zip(line.places, beliefs, strict=True):
            largest[place] = believed
    return largest


def largest_epsilon(worlds: Worlds, rho: float) -> float:
    """The largest epsilon at which no belief rises above rho, to twelve digits: searched upwards from a bound.

    Infinite where so many are alike that none is ever believed more; 0 where one is so already.
    """
    if rho <= prior_of(worlds):
        return 0.0
    low, lines = _DOWN * _bound(prior_of(worlds), widest(worlds), rho), lines_of(worlds)
    if lines is not None:
        return _root(lambda e: max(map(max, _on_lines(lines, e))), rho, low, math.inf)
    tangle, epsilon = _Tangle(worlds), math.inf
    for i in tangle.outliers:  # of what meets rho for those, most others hold already
        row = tangle.row(i)
        if tangle.belief(i, row, epsilon) > rho:
            epsilon = _root(partial(tangle.belief, i, row), rho, low, epsilon)
    return epsilon


def bound_of(worlds: Worlds, rho: float) -> float:
    """The paper's upper bound: as if all of them were as far apart as the two furthest (LC equation 7)."""
    return _bound(prior_of(worlds), width_of(worlds), rho)


def average_at(worlds: Worlds, epsilon: float) -> float:
    """How often the best guess is right, on average, where one number tells them apart; else not a number.

    >>> round(average_at([World(((0, 0.0),)), World(((0, 1.0),))], 1), 4)
    0.6967
    """
    lines = lines_of(worlds)
    if lines is None or len(lines) > 1 or any(world.apart or world.one != 1 for world in worlds):
        return math.nan
    gain = math.fsum(-math.expm1(-epsilon * gap / 2) for gap in lines[0].gaps)
    return (1 + gain) / math.fsum(lines[0].mass)


def _bound(prior: float, width: float, rho: float) -> float:
    if rho <= prior:
        return 0.0
    return math.log(rho * (1 - prior) / (prior * (1 - rho))) / width if width and rho < 1 else math.inf


def _root(risk: Callable[[float], float], rho: float, low: float, high: float) -> float:
    """The last epsilon from `low` on, where rho is met, at which it still is."""
    if math.isinf(high):
        if risk(math.inf) <= rho:
            return math.inf
        high = 2 * low
        while risk(high) <= rho and high < _FAR:
            low, high = high, 2 * high
    return last_below(risk, rho, low, high)


# Lines: in each cell of the answer one number tells the worlds apart, and worlds of two cells share no number


@dataclass(frozen=True)
class WorldLine:
    """Worlds of one cell, in order; `places` are theirs among all the worlds."""

    worlds: tuple[World, ...]
    places: tuple[int, ...]
    along: tuple[float, ...]

    @cached_property
    def gaps(self) -> list[float]:
        return [right - left for left, right in pairwise(self.along)]

    @cached_property
    def mass(self) -> list[float]:
        return [world.mass for world in self.worlds]

    @cached_property
    def far(self) -> list[float]:
        return [world.norm + world.apart for world in self.worlds]

    @property
    def apart(self) -> float:
        return self.worlds[0].apart

    @property
    def furthest(self) -> float:
        return max(self.far)

    @property
    def width(self) -> float:
        several = len(self.worlds) > 1 or self.worlds[0].mass > self.worlds[0].one
        return self.along[-1] - self.along[0] + 2 * self.apart if several else 0.0

    def star(self, epsilon: float) -> float:
        """`sum_j a_j e^(-eps |v_j|)`: what they add to a world of another cell, but for its own part."""
        return math.fsum(map(float.__mul__, self.mass, _decays(epsilon, self.far)))

    def beliefs(self, epsilon: float, elsewhere: float) -> list[float]:
        """`L_i = e^(-eps (f_i - f_(i-1))) (a_(i-1) + L_(i-1))`, the same from the right: two passes for all of them."""
        decays, beside = _decays(epsilon, self.gaps), _decays(epsilon, [2 * self.apart])[0]
        left, right = _decayed_mass(decays, self.mass), _decayed_mass(decays[::-1], self.mass[::-1])[::-1]
        others = [before + after for before, after in zip(left, right, strict=True)]
        away = _decays(epsilon, self.far) if elsewhere else [0.0] * len(self.far)
        return [
            world.one / (world.one + (near + world.mass - world.one) * beside + decay * elsewhere)
            for world, near, decay in zip(self.worlds, others, away, strict=True)
        ]


def lines_of(worlds: Worlds) -> list[WorldLine] | None:
    """The lines that they lie on, if they do; None where they must be compared one by one.

    >>> on_lines = [World(((0, 1.0), (1, 0.5))), World(((0, 2.0), (1, 0.5))), World(())]
    >>> [len(line.worlds) for line in lines_of(on_lines)]
    [2, 1]
    """
    cells = _cells(worlds)
    numbers = [place for cell in cells for place in cell]
    if len(set(numbers)) < len(numbers):
        return None
    lines = [_line([worlds[i] for i in places], places) for places in cells.values()]
    kept = [line for line in lines if line is not None]
    return kept if len(kept) == len(lines) else None


def countless(worlds: Worlds) -> bool:
    """Whether they are too many to be compared one by one, and must be."""
    return len(worlds) > MOST_WORLDS and lines_of(worlds) is None


def _cells(worlds: Worlds) -> dict[tuple[int, ...], list[int]]:
    """Which of them have the same numbers."""
    cells: dict[tuple[int, ...], list[int]] = {}
    for i, world in enumerate(worlds):
        cells.setdefault(tuple(place for place, _ in world.loads), []).append(i)
    return cells


def _line(worlds: Worlds, places: Sequence[int]) -> WorldLine | None:
    columns = _columns(worlds)
    varying = [column for column in columns if len(set(column)) > 1]
    if len(varying) > 1 or len({world.apart for world in worlds}) > 1:
        return None
    along = varying[0] if varying else (0.0,) * len(worlds)
    order = sorted(range(len(worlds)), key=along.__getitem__)
    ordered = tuple(worlds[i] for i in order), tuple(places[i] for i in order), tuple(along[i] for i in order)
    return WorldLine(*ordered)


def _columns(worlds: Worlds) -> list[tuple[float, ...]]:
    """Number by number, of worlds that have the same ones."""
    return list(zip(*([load for _, load in world.loads] for world in worlds), strict=True))


def _on_lines(lines: Sequence[WorldLine], epsilon: float) -> list[list[float]]:
    if len(lines) == 1:
        return [lines[0].beliefs(epsilon, 0.0)]
    stars = [line.star(epsilon) for line in lines]
    every = math.fsum(stars)
    return [line.beliefs(epsilon, max(0.0, every - star)) for line, star in zip(lines, stars, strict=True)]


def _decayed_mass(decays: Sequence[float], mass: Sequence[float]) -> list[float]:
    masses, last = [0.0], 0.0
    for decay, many in zip(decays, mass, strict=False):
        last = decay * (many + last)
        masses.append(last)
    return masses


def _decays(epsilon: float, far: Sequence[float]) -> list[float]:
    if math.isinf(epsilon):
        return [0.0 if d else 1.0 for d in far]
    return [math.exp(-epsilon * d) for d in far]


# One by one


class _Tangle:
    """Worlds that lie on no lines: what tells each from all the others is a row of distances."""

    def __init__(self, worlds: Worlds) -> None:
        self.worlds = worlds
        self._mass = [world.mass for world in worlds]
        self._cells = [(set(cell), of, _columns([worlds[i] for i in of])) for cell, of in _cells(worlds).items()]

    @property
    def outliers(self) -> list[int]:
        """The furthest from the middle of all first."""
        total, middle = math.fsum(self._mass), dict[int, float]()
        for world in self.worlds:
            for place, load in world.loads:
                middle[place] = middle.get(place, 0.0) + load * world.mass / total
        centre = World(tuple(sorted(middle.items())))
        return sorted(range(len(self.worlds)), key=lambda i: -distance(self.worlds[i], centre))

    def rows(self) -> list[list[float]]:
        return [self.row(i) for i in range(len(self.worlds))]

    def row(self, i: int) -> list[float]:
        """How far the others are; of the world itself, those that are alike."""
        world = self.worlds[i]
        places, distances = {place for place, _ in world.loads}, [0.0] * len(self.worlds)
        for cell, of, columns in self._cells:
            if cell == places:
                away = [0.0] * len(of)
                for (_, load), column in zip(world.loads, columns, strict=True):
                    away = [d + abs(load - its) for d, its in zip(away, column, strict=True)]
                for j, d in zip(of, away, strict=True):
                    distances[j] = d + world.apart + self.worlds[j].apart
            else:
                for j in of:
                    distances[j] = distance(world, self.worlds[j])
        if self.worlds[i].mass == self.worlds[i].one:
            distances[i] = 0.0
        return distances

    def belief(self, i: int, row: Sequence[float], epsilon: float) -> float:
        one, decays = self.worlds[i].one, _decays(epsilon, row)
        others = math.fsum(map(float.__mul__, self._mass, decays)) - one * decays[i]
        return one / (one + max(0.0, others))
