"""Exact totals -> the noisy numbers of a release."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType

from sfumato.model.drawing import Calibration, Drawing, Law
from sfumato.model.facts import Cell, Totals
from sfumato.model.measurement import Measurement
from sfumato.ports import Mechanism, Mechanisms
from sfumato.risk.rank import scores


@dataclass(frozen=True)
class Noisy:
    """Everything that was drawn: the cells that are released, and the noisy numbers of each."""

    cells: tuple[Cell, ...]
    numbers: tuple[tuple[Fraction, ...], ...]


def drawn(
    totals: Totals,
    measurement: Measurement,
    calibration: Calibration,
    mechanism: Mechanisms,
    before: Mapping[int, Sequence[Fraction]] = MappingProxyType({}),
) -> Noisy:
    """Each number with its part of the budget over all its cells: in all of them together, a person moves it by D.

    Where group keys are private, the noisy count of persons comes first, and says which cells there are; in an order
    that does not depend on the data. `before` are numbers of public cells that are not drawn again.
    """
    draw = _Draw(totals, measurement, calibration, mechanism)
    position = measurement.thresholded
    if position is None:
        cells = measurement.public_cells
        columns = [before[i] if i in before else draw.number(i, cells) for i in range(len(measurement.numbers))]
        return Noisy(cells, tuple(zip(*columns, strict=True)))
    found = sorted(totals.cells, key=in_order)
    assert calibration.threshold is not None
    persons = zip(found, draw.number(position, found), strict=True)
    kept = {cell: noisy for cell, noisy in persons if noisy >= calibration.threshold}
    cells = tuple(kept)
    columns = [[*kept.values()] if i == position else draw.number(i, cells) for i in range(len(measurement.numbers))]
    return Noisy(cells, tuple(zip(*columns, strict=True)))


@dataclass(frozen=True)
class _Draw:
    totals: Totals
    measurement: Measurement
    calibration: Calibration
    mechanism: Mechanisms

    def number(self, position: int, cells: Sequence[Cell]) -> list[Fraction]:
        """One number of each cell."""
        drawing = self.calibration.numbers[position]
        if drawing.law is Law.EXPONENTIAL:
            return [self._selected(position, cell) for cell in cells]
        number = self.measurement.numbers[position]
        finer = int(number.step / drawing.step)
        exact = [self.totals.cells[cell][position] * finer for cell in cells]
        noisy = self._by(drawing)(exact, number.steps * finer, drawing.budget)
        return [drawing.step * steps for steps in noisy]

    def _by(self, drawing: Drawing) -> Mechanism:
        return self.mechanism(drawing.law) if drawing.reach is None else self.mechanism(drawing.law, drawing.reach)

    def _selected(self, position: int, cell: Cell) -> Fraction:
        number, drawing = self.measurement.numbers[position], self.calibration.numbers[position]
        counts = self.totals.counts[position].get(cell) or [0] * (2 * number.candidates + 1)
        good = scores(number, counts, drawing.budget)
        (best,) = self.mechanism(drawing.law)(good, number.steps, drawing.budget)
        return number.candidate(best)


def in_order(cell: Cell) -> tuple[tuple[str, object], ...]:
    """By value, each key among those of its kind."""
    return tuple((type(key).__name__, key) for key in cell)
