"""Exact totals -> the noisy numbers of a release."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice
from operator import add
from types import MappingProxyType
from typing import Protocol, TypeAlias

from sfumato.model.calibration import Calibration, Drawing, NoiseLaw
from sfumato.model.facts import Cell, Counts
from sfumato.model.levels import groups_at
from sfumato.model.measurement import Measurement, NumberKind
from sfumato.ports import Mechanism, Mechanisms
from sfumato.privacy.noise.rank_selection import scores
from sfumato.sql.plans.ranks import bins_of

_AT_ONCE = 10_000  # private groups whose noisy counts of persons are drawn together


Drawn: TypeAlias = Fraction | tuple[Fraction, ...]
"""A number of a cell with its noise; of a histogram, all nodes of its tree."""


@dataclass(frozen=True)
class Noisy:
    """Everything that was drawn: the cells that are released, and the noisy numbers of each."""

    cells: tuple[Cell, ...]
    numbers: tuple[tuple[Drawn, ...], ...]


class ByCell(Protocol):
    """Exact totals, in whole steps, and the counts of what is selected by its rank: one cell after the other."""

    def by_cell(self) -> Iterable[tuple[Cell, tuple[int, ...]]]: ...

    def counts_by_cell(self, position: int) -> Iterable[tuple[Cell, Counts]]: ...


def draw_noise(
    exact: ByCell,
    measurement: Measurement,
    calibration: Calibration,
    mechanism: Mechanisms,
    before: Mapping[int, Sequence[Drawn]] = MappingProxyType({}),
) -> Noisy:
    """Each number with its part of the budget over all its cells: in all of them together, a person moves it by D.

    Where group keys are private, the noisy count of persons comes first, and says which cells there are; in an order
    that does not depend on the data. Of the others nothing is held: what a draw holds goes by public facts, and by
    what it shows. `before` are numbers of public cells that are not drawn again.
    """
    draw = _Draw(exact, measurement, calibration, mechanism)
    position = measurement.thresholded
    columns: dict[int, Sequence[Drawn]] = dict(before)
    if position is None:
        totals = level_totals(dict(exact.by_cell()), measurement)
    else:
        totals, columns[position] = draw.visible_cells(position)
    columns |= draw.select_by_rank(totals, before)
    columns |= draw.fill_histograms(totals, before)
    for i in range(len(measurement.numbers)):
        if i not in columns:
            columns[i] = draw.add_noise(i, [steps[i] for steps in totals.values()])
    return Noisy(tuple(totals), tuple(zip(*(columns[i] for i in sorted(columns)), strict=True)))


def level_totals(leaves: dict[Cell, tuple[int, ...]], measurement: Measurement) -> dict[Cell, tuple[int, ...]]:
    """The exact totals of the groups that noise is drawn for: those of coarser levels are sums of the leaves' steps."""
    if measurement.levels is None:
        return leaves
    totals = {cell: (0,) * len(measurement.numbers) for cell in measurement.drawn_cells}
    for level in measurement.levels.drawn:
        for cell, group in zip(leaves, groups_at(level, list(leaves)), strict=True):  # type: ignore[arg-type]
            totals[group] = tuple(map(add, totals[group], leaves[cell]))
    return totals


@dataclass(frozen=True)
class _Draw:
    exact: ByCell
    measurement: Measurement
    calibration: Calibration
    mechanism: Mechanisms

    def visible_cells(self, position: int) -> tuple[dict[Cell, tuple[int, ...]], list[Fraction]]:
        """The cells with enough persons, by the noisy count of them: their exact totals, and that count."""
        threshold, groups = self.calibration.threshold, iter(self.exact.by_cell())
        assert threshold is not None
        visible: list[tuple[Cell, tuple[int, ...], Fraction]] = []
        while some := list(islice(groups, _AT_ONCE)):
            persons = self.add_noise(position, [steps[position] for _, steps in some])
            noisy = zip(some, persons, strict=True)
            visible += [(cell, steps, many) for (cell, steps), many in noisy if many >= threshold]
        visible.sort(key=lambda group: in_order(group[0]))
        return {cell: steps for cell, steps, _ in visible}, [many for _, _, many in visible]

    def add_noise(self, position: int, totals: Sequence[int]) -> list[Fraction]:
        """One number of several cells, with noise."""
        number, drawing = self.measurement.numbers[position], self.calibration.numbers[position]
        finer = int(number.step / drawing.step)
        most = int(number.sensitivity_under(drawing.law) / drawing.step)
        noisy = self._by(drawing)([steps * finer for steps in totals], most, drawing.budget)
        return [drawing.step * steps for steps in noisy]

    def select_by_rank(self, cells: Collection[Cell], before: Collection[int]) -> dict[int, list[Fraction]]:
        """The other numbers that are selected by their rank: one cell at a time, of whose counts nothing is kept."""
        alike: dict[object, list[int]] = {}
        for i, drawing in enumerate(self.calibration.numbers):
            if drawing.law is NoiseLaw.EXPONENTIAL and i not in before:
                alike.setdefault(self.measurement.numbers[i].ranks, []).append(i)
        selections: dict[int, dict[Cell, Fraction]] = {i: {} for positions in alike.values() for i in positions}
        for positions in alike.values():
            for cell, counts in self.exact.counts_by_cell(positions[0]):
                if cell in cells:
                    for i in positions:
                        selections[i][cell] = self._select(i, counts)
            for i in positions:
                selections[i] |= {cell: self._select(i, {}) for cell in cells if cell not in selections[i]}
        return {i: [selections[i][cell] for cell in cells] for i in selections}

    def fill_histograms(
        self, cells: Collection[Cell], before: Collection[int]
    ) -> dict[int, list[tuple[Fraction, ...]]]:
        """The nodes of each tree with noise: one cell at a time, those in which no one is as well."""
        numbers = self.measurement.numbers
        histograms = [i for i, n in enumerate(numbers) if n.kind is NumberKind.HISTOGRAM and i not in before]
        columns: dict[int, list[tuple[Fraction, ...]]] = {}
        for i in histograms:
            nodes = {cell: self._fill(i, counts) for cell, counts in self.exact.counts_by_cell(i) if cell in cells}
            columns[i] = [nodes[cell] if cell in nodes else self._fill(i, {}) for cell in cells]
        return columns

    def _fill(self, position: int, counts: Counts) -> tuple[Fraction, ...]:
        number = self.measurement.numbers[position]
        per_row = int(1 / number.step)
        exact = number.tree.counts(bins_of(number, counts))
        return tuple(self.add_noise(position, [rows * per_row for rows in exact]))

    def _by(self, drawing: Drawing) -> Mechanism:
        return self.mechanism(drawing.law) if drawing.reach is None else self.mechanism(drawing.law, drawing.reach)

    def _select(self, position: int, counts: Counts) -> Fraction:
        number, drawing = self.measurement.numbers[position], self.calibration.numbers[position]
        good = scores(number, counts, drawing.budget)
        (best,) = self.mechanism(drawing.law)(good, number.steps, drawing.budget)
        return number.candidate(best)


def in_order(cell: Cell) -> tuple[tuple[str, object], ...]:
    """By value, each key among those of its kind."""
    return tuple((type(key).__name__, key) for key in cell)
