"""How far a histogram lies from a reference."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import ClassVar, Self

from sfumato.errors import BadInput
from sfumato.signals.tasks.table import Table, Tables
from sfumato.signals.tasks.task import ReferenceTask


@dataclass(frozen=True, kw_only=True)
class HistogramDistance(ReferenceTask):
    """`min(1, sum |c - r| / (2 sum |r|))`: of two histograms of one total, the total variation distance.

    `r` are public numbers by label (left out: those of the release itself), 0 where they have none. The denominator is
    public, so that the score moves by at most `1 / (2 sum |r|)` for each 1 that a figure moves.

    >>> table = Table(("place", "n"), (("here", 30), ("there", 70)), ("n",))
    >>> task = HistogramDistance(column="n", reference={"here": 50, "there": 50})
    >>> task.score([table]), task.lipschitz
    (0.2, 0.005)
    """

    name: ClassVar[str] = "histogram_distance"

    undefined = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.reference and not self._total > 0:
            raise BadInput.because("task-reference-zero", task=self.name)
        if not math.isfinite(2 * self._total):
            raise BadInput.because("task-reference-too-large", task=self.name)
        self.require_slopes()

    @property
    def slopes(self) -> Mapping[str, float] | None:
        return {self.column: 1 / (2 * self._total)} if self.reference else None

    @property
    def _total(self) -> float:
        return sum(abs(number) for _, number in self.reference)

    def against(self, tables: Tables) -> Self:
        if self.reference or self.table >= len(tables) or self.column not in tables[self.table].columns:
            return self
        figures = tables[self.table].figure(self.column)
        return replace(self, reference=tuple(figures.items())) if any(figures.values()) else self

    def _score(self, table: Table) -> float | None:
        figures, known = table.figure(self.column), dict(self.reference)
        if not known:
            return None
        apart = math.fsum(abs(figures.get(label, 0.0) - known.get(label, 0.0)) for label in sorted({*figures, *known}))
        return apart / (2 * self._total)
