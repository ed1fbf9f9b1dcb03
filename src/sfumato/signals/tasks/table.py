"""A released table as a task reads it: rows by the label of their group, figures by the name of their column."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

Row = tuple[object, ...]
Tables = Sequence["Table"]


@dataclass(frozen=True)
class Table:
    """`figures` are the columns that carry noise when they are released; all others say which group a row is about.

    >>> table = Table(("place", "n"), (("here", 3), ("there", 5)), ("n",))
    >>> table.labels, table.figure("n")
    (('here', 'there'), {'here': 3.0, 'there': 5.0})
    """

    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    figures: tuple[str, ...]

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """What each row is about; the empty text where nothing is grouped."""
        keys = [place for place, name in enumerate(self.columns) if name not in self.figures]
        return tuple(label(row[place] for place in keys) for row in self.rows)

    def figure(self, name: str) -> dict[str, float]:
        """One column by label, where it is a number; of rows with the same label the first."""
        figures: dict[str, float] = {}
        place = self.columns.index(name)
        for row_label, row in zip(self.labels, self.rows, strict=True):
            value = row[place]
            if isinstance(value, int | float) and math.isfinite(value):
                figures.setdefault(row_label, float(value))
        return figures

    def as_dict(self) -> dict[str, Any]:
        return {"columns": list(self.columns), "rows": [list(row) for row in self.rows], "figures": list(self.figures)}

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> Self:
        return cls(tuple(stored["columns"]), tuple(map(tuple, stored["rows"])), tuple(stored["figures"]))


def label(keys: Any) -> str:
    """Several keys are one label, as they stand in a formula or a reference: "Bern, 2024"."""
    return ", ".join(map(str, keys))
