"""Levels of an answer: the sets of group keys of ROLLUP, CUBE and GROUPING SETS, and the groups that each has."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final, cast

from sfumato.model.schema import Category

Level = tuple[int, ...]
"""The positions of the keys that a level groups by, in order; the others are rolled up."""


class RolledUp(Enum):
    """What stands in a cell for a key that is rolled up: all of its values. NULL may be a value itself."""

    ALL = "all"


ALL: Final = RolledUp.ALL
LevelCell = tuple[Category | RolledUp, ...]


@dataclass(frozen=True)
class Levels:
    """The levels of an answer, and those that noise is drawn for (docs/theory/totals.md)."""

    shown: tuple[Level, ...]
    drawn: tuple[Level, ...]

    @classmethod
    def of(cls, levels: Sequence[Level], leaves: Sequence[tuple[Category, ...]]) -> Levels:
        """All levels are drawn with equal shares, or the groups by all keys alone where these are few.

        That is a rule of thumb for accuracy: sums of few groups are more exact than numbers of which each gets a part
        of epsilon only.

        >>> Levels.of([(0,), ()], [("Birth",), ("Heart",)]).drawn
        ((0,),)
        """
        if len(leaves) <= len(levels) ** 2:
            return cls(tuple(levels), (tuple(sorted({key for level in levels for key in level})),))
        return cls(tuple(levels), tuple(levels))

    @property
    def is_chain(self) -> bool:
        """Whether each level contains the next, as in a ROLLUP: then every group has one parent."""
        by_size = sorted({*self.shown, *self.drawn}, key=len)
        return all(set(small) < set(large) for small, large in itertools.pairwise(by_size))


def group_of(leaf: Sequence[Category | RolledUp], level: Level) -> LevelCell:
    """The group of a level that a group by more keys is part of.

    >>> group_of(("Birth", True), (0,))
    ('Birth', <RolledUp.ALL: 'all'>)
    """
    return tuple(value if position in level else ALL for position, value in enumerate(leaf))


def groups_at(level: Level, leaves: Sequence[tuple[Category, ...]]) -> list[LevelCell]:
    """The group of a level that each group by all keys is part of."""
    columns = zip(*leaves, strict=True)
    return list(
        zip(
            *(values if key in level else [ALL] * len(leaves) for key, values in enumerate(columns)),
            strict=True,
        )
    )


def groups_of(levels: Sequence[Level], leaves: Sequence[tuple[Category, ...]]) -> tuple[LevelCell, ...]:
    """The groups of several levels, in the order of the leaves: a total comes after what it is the total of.

    >>> groups_of([(0,), ()], [("Birth",), ("Heart",)])
    (('Birth',), ('Heart',), (<RolledUp.ALL: 'all'>,))
    """
    order = [
        {value: i for i, value in enumerate([*dict.fromkeys(column), ALL])} for column in zip(*leaves, strict=True)
    ]
    groups = dict.fromkeys(group for level in levels for group in groups_at(level, leaves))
    return tuple(sorted(groups, key=lambda group: [place[value] for place, value in zip(order, group, strict=True)]))


def level_of(group: LevelCell) -> Level:
    """The level that a group is of."""
    return tuple(position for position, value in enumerate(group) if value is not ALL)


def stored_key(key: object) -> object:
    """A key of a cell as JSON has it: no value of a key is a list."""
    return [] if key is ALL else key


def key_from_stored(key: Any) -> Category | RolledUp:
    """The inverse.

    >>> [key_from_stored(stored_key(key)) for key in ("Birth", 3, ALL)]
    ['Birth', 3, <RolledUp.ALL: 'all'>]
    """
    return ALL if key == [] else cast(Category, key)
