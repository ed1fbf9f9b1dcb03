"""Quantiles from a noisy tree of counts, and intervals of their values (docs/theory/histogram-tree.md).

It reads what was drawn and public facts, so it is post-processing.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import accumulate

from sfumato.model.calibration import Drawing
from sfumato.model.histogram_tree import HistogramTree
from sfumato.model.measurement import NoisyNumber
from sfumato.model.release import Interval
from sfumato.model.statement import AggregateKind
from sfumato.privacy.noise.figure_noise import combined_noise
from sfumato.privacy.noise.intervals import COVERAGE, reach


def consistent_leaves(tree: HistogramTree, noisy: Sequence[float]) -> list[float]:
    """The least-squares estimates of the leaves, in two passes: every node is then the sum of its children.

    Nodes of one level have one variance, so the weights are those of the level (Hay et al. 2010, section 4).

    >>> [round(leaf, 3) for leaf in consistent_leaves(HistogramTree(2, 2), [6, 2, 5, 1, 0, 5])]
    [5.0, 1.0, -1.0, 4.0]
    """
    f, levels = tree.branching, _by_level(tree, noisy)
    variance, estimates = 1.0, levels[-1]
    upwards = [estimates]
    for own in reversed(levels[:-1]):
        below = f * variance
        sums = _sums(estimates, f)
        estimates = [(y * below + s) / (below + 1) for y, s in zip(own, sums, strict=True)]
        variance = below / (below + 1)
        upwards.append(estimates)
    fitted = upwards[-1]
    for own in reversed(upwards[:-1]):
        beyond = [(value - s) / f for value, s in zip(fitted, _sums(own, f), strict=True)]
        fitted = [value + beyond[i // f] for i, value in enumerate(own)]
    return fitted


def _by_level(tree: HistogramTree, nodes: Sequence[float]) -> list[list[float]]:
    levels, start = [], 0
    for level in range(1, tree.height + 1):
        levels.append(list(nodes[start : start + tree.branching**level]))
        start += tree.branching**level
    return levels


def _sums(values: Sequence[float], each: int) -> list[float]:
    return [math.fsum(values[start : start + each]) for start in range(0, len(values), each)]


@lru_cache(maxsize=64)
def _root_variance(tree: HistogramTree) -> tuple[float, ...]:
    """By height, the variance of the estimate of a node from its own subtree, in units of one node's noise."""
    variances = [1.0]
    for _ in range(1, tree.height):
        below = tree.branching * variances[-1]
        variances.append(below / (below + 1))
    return tuple(variances)


@lru_cache(maxsize=16)
def prefix_variances(tree: HistogramTree) -> tuple[float, ...]:
    """The variance of the sum of the first k leaves, for each k, in units of one node's noise.

    Within a node, what its children say of a prefix splits into a part along their sum, which the node's own estimate
    replaces, and a rest that does not depend on it: `B(r) - (r/N)^2 (V_s - V)` for r of its N leaves.

    >>> [round(variance, 3) for variance in prefix_variances(HistogramTree(2, 2))]
    [0.0, 0.667, 0.667, 1.333, 1.333]
    """
    f, variances = tree.branching, _root_variance(tree)
    within = [0.0, 1.0]  # of a leaf
    for height in range(tree.height):
        many, child = len(within) - 1, variances[height]
        sums = [full * child + within[rest] for full in range(f) for rest in range(many)] + [f * child]
        if height == tree.height - 1:
            return tuple(sums)  # the root is not counted
        surer, leaves = f * child - variances[height + 1], many * f
        within = [b - (r / leaves) ** 2 * surer for r, b in enumerate(sums)]
    raise ValueError("a tree has a level")


@lru_cache(maxsize=64)
def _deviations(tree: HistogramTree, at: Fraction) -> tuple[float, ...]:
    """Of `R(edge) - q n` at each edge, in standard deviations of one node's noise.

    What is estimated below an edge and in all go together as far as the edge is on its way.
    """
    q, prefixes = float(at), prefix_variances(tree)
    total = prefixes[-1]
    return tuple(
        math.sqrt(max(0.0, variance + q * total * (q - 2 * edge / tree.leaves)))
        for edge, variance in enumerate(prefixes)
    )


@dataclass(frozen=True)
class NoisyDistribution:
    """A column's distribution, from the leaves of its tree as least squares estimates them."""

    number: NoisyNumber
    leaves: Sequence[float]

    @cached_property
    def _upto(self) -> list[float]:
        """The estimated number of values below each edge of a leaf."""
        return [0.0, *accumulate(self.leaves)]

    @property
    def count(self) -> float:
        return self._upto[-1]

    def quantile(self, at: Fraction, kind: AggregateKind) -> float:
        """The upper end of the first bin up to which the estimated counts, at their running maximum, reach the rank."""
        return self._ends(self._bin(at), kind)[1]

    def _bin(self, at: Fraction) -> int:
        wanted, last = float(at) * self.count, self.number.bins - 1
        if wanted <= 0:
            return 0
        return min(last, next((k for k, upto in enumerate(self._upto[1:]) if upto >= wanted), last))

    def interval(self, at: Fraction, kind: AggregateKind, drawing: Drawing, miss: float = 1 - COVERAGE) -> Interval:
        """The hull of the bins that may hold the quantile: the right one is left out with probability at most `miss`.

        A bin is left out if the values below it are certainly more than the rank, or those up to its end certainly
        fewer. The rank of a value between two others, as QUANTILE_CONT has it, is off by less than one row.
        """
        bins, deviations, upto, q = range(self.number.bins), _deviations(self.number.tree, at), self._upto, float(at)
        one, wanted = reach(*combined_noise(drawing.law, drawing.scale or 0.0, 1.0), miss), q * self.count

        def may_hold(k: int) -> bool:
            below = upto[k] - wanted <= one * deviations[k] + 1 - q
            return below and upto[k + 1] - wanted >= -one * deviations[k + 1] - q

        first, last, own = (
            next(filter(may_hold, bins), 0),
            next(filter(may_hold, reversed(bins)), bins[-1]),
            self._bin(at),
        )
        return self._ends(min(first, own), kind)[0], self._ends(max(last, own), kind)[1]

    def _ends(self, position: int, kind: AggregateKind) -> Interval:
        """The values of a bin. Between two whole numbers lies no value, but the middle of two others may."""
        bounds, apart = self.number.bounds, self.number.apart
        assert bounds is not None
        whole = self.number.has_whole_bins and kind is not AggregateKind.QUANTILE_CONT
        low = bounds.lower + position * apart
        return float(low), float(min(bounds.upper, low + apart - (1 if whole else 0)))
