"""A tree of counts over the bins of a column: its shape, and the exact counts of its nodes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache


@dataclass(frozen=True)
class HistogramTree:
    """Each level is a histogram of the same rows, `branching` times as fine as the one above; the root is not counted.

    The last level has a leaf for each bin, and beyond them leaves that no value can be in.
    """

    branching: int
    height: int

    @property
    def leaves(self) -> int:
        return int(self.branching**self.height)

    @property
    def nodes(self) -> int:
        """The nodes of all levels."""
        return sum(self.branching**level for level in range(1, self.height + 1))

    def counts(self, bins: Mapping[int, int]) -> list[int]:
        """The exact count of each node, the coarsest level first.

        >>> HistogramTree(2, 2).counts({0: 5, 1: 1, 3: 2})
        [6, 2, 5, 1, 0, 2]
        """
        counts: list[int] = []
        for level in range(1, self.height + 1):
            wide, own = self.branching ** (self.height - level), [0] * self.branching**level
            for position, rows in bins.items():
                own[position // wide] += rows
            counts += own
        return counts


@lru_cache(maxsize=1024)
def tree_for(bins: int) -> HistogramTree:
    """The shape with the least noise for so many bins: `(f - 1) h^3` is least, with `f^h` leaves or fewer empty ones.

    See docs/theory/histogram-tree.md.

    >>> tree_for(1_000), tree_for(100_000), tree_for(2)
    (HistogramTree(branching=10, height=3), HistogramTree(branching=18, height=4), HistogramTree(branching=2, height=1))
    """
    shapes = [HistogramTree(_branching(bins, height), height) for height in range(1, max(1, bins - 1).bit_length() + 1)]
    return min(shapes, key=lambda tree: ((tree.branching - 1) * tree.height**3, tree.height))


def _branching(bins: int, height: int) -> int:
    """The least branching of at least 2 with so many leaves."""
    branching = max(2, round(bins ** (1 / height)) - 1)
    while branching**height < bins:
        branching += 1
    return int(branching)
