"""Least squares on noisy numbers of several levels, so that groups add up to their totals (docs/theory/totals.md).

Each number was measured in every group of the drawn levels, with noise of one scale. The estimates are those of the
groups by all keys that lie nearest to everything that was measured; every other group is a sum of them. It reads what
was drawn and public facts, so it is post-processing.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import chain, combinations, pairwise

from sfumato.model.levels import Level, LevelCell, Levels, group_of, groups_at, groups_of, level_of
from sfumato.model.schema import Category

_CLOSE = 1e-13  # of the length of what is solved for
_MOST_STEPS = 1_000


class ConsistentTotals:
    """The fit of one set of levels over these groups by all keys: the same for each number."""

    def __init__(self, levels: Levels, leaves: Sequence[tuple[Category, ...]]) -> None:
        self.levels = levels
        self.leaves = leaves
        self.drawn, self.shown = groups_of(levels.drawn, leaves), groups_of(levels.shown, leaves)
        self._measured = _memberships(levels.drawn, self.drawn, leaves)
        alike = self.drawn == self.shown
        self._asked = self._measured if alike else _memberships(levels.shown, self.shown, leaves)

    def fitted(self, noisy: Sequence[float]) -> list[float]:
        """What was measured in the drawn groups -> the estimate of each group that is shown."""
        if self.levels.is_chain and len(self.levels.drawn) > 1:
            leaves = self._by_tree(noisy)
        else:
            leaves = self._by_gradients(noisy)
        return self._sums(leaves, self._asked, len(self.shown))

    def _sums(self, leaves: Sequence[float], memberships: Sequence[Sequence[int]], groups: int) -> list[float]:
        """H: the sum of each group's leaves."""
        sums = [0.0] * groups
        for places in memberships:
            for place, value in zip(places, leaves, strict=True):
                sums[place] += value
        return sums

    # Trees: each group has one parent

    def _by_tree(self, noisy: Sequence[float]) -> list[float]:
        tree = self._tree()
        values = dict(zip(self.drawn, noisy, strict=True))
        fitted = tree_least_squares(tree, values, dict.fromkeys(self.drawn, 1.0))[0]
        return [fitted[leaf] for leaf in self.leaves]

    def _tree(self) -> dict[LevelCell, list[LevelCell]]:
        """Each drawn group that is not a leaf, with its groups in the next finer level; parents come before children.

        Without a level of one group there are several roots.
        """
        levels = sorted(self.levels.drawn, key=len)
        return {
            parent: children
            for coarse, fine in pairwise(levels)
            for parent, children in _children(groups_of([fine], self.leaves), coarse).items()
        }

    # Any levels: conjugate gradients

    def _by_gradients(self, noisy: Sequence[float]) -> list[float]:
        """Solve H'H x = H'y, each step in as many additions as there are memberships.

        Where the leaves are all combinations of the keys' values, H'H has one eigenvalue for each set of keys, and so
        many steps are enough.
        """
        estimate = [0.0] * len(self.leaves)
        rest = self._spread(noisy)
        if self.levels.drawn == ((*range(len(self.leaves[0])),),):
            return rest  # the leaves themselves were measured
        direction, size = list(rest), _dot(rest, rest)
        enough = size * _CLOSE**2
        for _ in range(_MOST_STEPS):
            if size <= enough:
                break
            image = self._spread(self._sums(direction, self._measured, len(self.drawn)))
            step = size / _dot(direction, image)
            estimate = [x + step * d for x, d in zip(estimate, direction, strict=True)]
            rest = [r - step * i for r, i in zip(rest, image, strict=True)]
            before, size = size, _dot(rest, rest)
            direction = [r + size / before * d for r, d in zip(rest, direction, strict=True)]
        return estimate

    def _spread(self, measured: Sequence[float]) -> list[float]:
        """H': at each leaf, the sum of what was measured in the groups that it is in."""
        return [math.fsum(measured[place] for place in places) for places in zip(*self._measured, strict=True)]

    # How exact

    def variances(self) -> list[float]:
        """The variance of each shown estimate, or a bound of it, in units of that of one measured number."""
        if self._is_product:
            by_level = {level: self._of_product(level) for level in self.levels.shown}
            return [by_level[level_of(group)] for group in self.shown]
        if len(self.levels.drawn) == 1:
            return self._sums([1.0] * len(self.leaves), self._asked, len(self.shown))
        if self.levels.is_chain:
            of_tree = tree_least_squares(self._tree(), dict.fromkeys(self.drawn, 0.0), dict.fromkeys(self.drawn, 1.0))[
                1
            ]
            return [of_tree[group] for group in self.shown]
        return [1.0] * len(self.shown)  # it was measured itself, and least squares makes nothing less exact

    @property
    def _sizes(self) -> list[int]:
        return [len(set(values)) for values in zip(*self.leaves, strict=True)]

    @property
    def _is_product(self) -> bool:
        """Whether the leaves are all combinations of the keys' values."""
        return math.prod(self._sizes) == len(self.leaves)

    def _of_product(self, level: Level) -> float:
        """Effects of different sets of keys are estimated apart from each other, each by the levels that have it.

        The effect of S is in all levels that contain S; one that sums over m leaves sees it m times as large in
        variance. So a group of this level has the mean over its groups of `sum_S dim(S) m / sum_l m_l`.
        """
        sizes = self._sizes

        def leaves_of_one(of: Level) -> int:
            return math.prod(size for key, size in enumerate(sizes) if key not in of)

        def precision(effect: tuple[int, ...]) -> int:
            return sum(leaves_of_one(drawn) for drawn in self.levels.drawn if set(effect) <= set(drawn))

        effects = chain.from_iterable(combinations(level, many) for many in range(len(level) + 1))
        parts = (math.prod(sizes[key] - 1 for key in effect) / precision(effect) for effect in effects)
        return math.fsum(parts) * leaves_of_one(level) / math.prod(sizes[key] for key in level)


Tree = Mapping[LevelCell, Sequence[LevelCell]]


def tree_least_squares(
    children: Tree, measured: Mapping[LevelCell, float], variance: Mapping[LevelCell, float]
) -> tuple[dict[LevelCell, float], dict[LevelCell, float]]:
    """The least-squares estimates of a tree's groups and their variances, in two passes; parents come first.

    Up: what a group's children say together, weighed with what was measured. Down: what a parent knows better than the
    sum of its children is shared among these by their variances (Hay et al. 2010, section 4).
    """
    value, spread = dict(measured), dict(variance)
    below: dict[LevelCell, tuple[float, float]] = {}  # the sum of the children, and its variance
    for group, parts in reversed(list(children.items())):
        total, wide = math.fsum(value[part] for part in parts), math.fsum(spread[part] for part in parts)
        below[group] = total, wide
        own = variance[group]
        value[group] = (measured[group] * wide + total * own) / (wide + own)
        spread[group] = wide * own / (wide + own)
    for group, parts in children.items():
        total, wide = below[group]
        beyond, surer = value[group] - total, wide - spread[group]
        for part in parts:
            share = spread[part] / wide
            value[part] += share * beyond
            spread[part] -= share**2 * surer
    return value, spread


def whole_counts(levels: Levels, groups: Sequence[LevelCell], estimates: Sequence[float]) -> list[int]:
    """Counts as they are printed: whole and not below 0; where every group has one parent, they add up to it.

    From the top down: what a parent prints is shared among its children, nearest to their estimates.

    >>> from sfumato.model.levels import ALL
    >>> levels = Levels(((0,), ()), ((0,), ()))
    >>> whole_counts(levels, [("a",), ("b",), ("c",), (ALL,)], [2.4, 3.4, -0.2, 5.6])
    [3, 3, 0, 6]
    """
    printed = dict(zip(groups, (max(0, round(estimate)) for estimate in estimates), strict=True))
    if not levels.is_chain:
        return list(printed.values())
    exact = dict(zip(groups, estimates, strict=True))
    by_size = sorted(levels.shown, key=len)
    for coarse, fine in pairwise(by_size):
        children_of = _children([group for group in groups if level_of(group) == fine], coarse)
        for parent, children in children_of.items():
            shares = _shared(printed[parent], [exact[child] for child in children])
            printed |= dict(zip(children, shares, strict=True))
    return [printed[group] for group in groups]


def _shared(total: int, estimates: Sequence[float]) -> list[int]:
    """Whole numbers of 0 or more with this total, near the estimates: all are moved alike, and rounded to fit."""
    moved = _moved_alike(total, estimates)
    whole = [math.floor(value) for value in moved]
    by_rest = sorted(range(len(moved)), key=lambda i: whole[i] - moved[i])
    for i in by_rest[: total - sum(whole)]:
        whole[i] += 1
    return whole


def _moved_alike(total: int, estimates: Sequence[float]) -> list[float]:
    """The nearest numbers of 0 or more with this total: `max(0, x - t)` for the t that makes them add up to it."""
    ordered, together, off = sorted(estimates, reverse=True), 0.0, 0.0
    for many, estimate in enumerate(ordered, 1):
        together += estimate
        if many > 1 and estimate <= (together - total) / many:
            break
        off = (together - total) / many
    return [max(0.0, estimate - off) for estimate in estimates]


def _children(groups: Sequence[LevelCell], coarse: Level) -> dict[LevelCell, list[LevelCell]]:
    """The groups of a level by the group of a coarser one that they are part of."""
    children: dict[LevelCell, list[LevelCell]] = {}
    for group in groups:
        children.setdefault(group_of(group, coarse), []).append(group)
    return children


def _memberships(
    levels: Sequence[Level], groups: Sequence[LevelCell], leaves: Sequence[tuple[Category, ...]]
) -> list[list[int]]:
    """Level by level, in which group each leaf is."""
    places = {group: i for i, group in enumerate(groups)}
    return [[places[group] for group in groups_at(level, leaves)] for level in levels]


def _dot(one: Sequence[float], other: Sequence[float]) -> float:
    return math.fsum(a * b for a, b in zip(one, other, strict=True))
