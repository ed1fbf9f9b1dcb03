"""The groups of an answer with their noisy numbers: as drawn, or of several levels as least squares estimates them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from sfumato.model.calibration import Calibration, Drawing
from sfumato.model.facts import Cell
from sfumato.model.measurement import Assembly, Measurement
from sfumato.privacy.noise.consistent_totals import ConsistentTotals, whole_counts
from sfumato.privacy.noise.figure_noise import combined_noise
from sfumato.privacy.noise.histogram_tree import NoisyDistribution, consistent_leaves
from sfumato.release.noise import Drawn, Noisy


@dataclass(frozen=True)
class ShownGroup:
    """One group: its noisy numbers, the noise that each is off by, and the counts that are printed in their place."""

    cell: Cell
    numbers: tuple[float, ...]
    drawn: Sequence[Drawing] | None  # None: withheld
    counts: Mapping[int, int]  # by the position of the number; empty: each is rounded by itself
    distributions: Mapping[int, NoisyDistribution] = field(default_factory=dict)  # of histograms, by the same

    def printed(self, column: Assembly) -> int | None:
        """The count that a column prints, where it has to add up with others."""
        return self.counts.get(column.numbers[0]) if len(column.numbers) == 1 else None


def shown_groups(measurement: Measurement, noisy: Noisy, calibration: Calibration | None) -> list[ShownGroup]:
    """One for each row of the answer before HAVING, ORDER BY and LIMIT."""
    drawn = None if calibration is None else calibration.numbers
    if measurement.levels is None:
        cells = zip(noisy.cells, noisy.numbers, strict=True)
        return [_group(measurement, cell, numbers, drawn) for cell, numbers in cells]
    fit = ConsistentTotals(measurement.levels, measurement.public_cells)
    columns = [fit.fitted([float(number) for number in numbers]) for numbers in zip(*noisy.numbers, strict=True)]
    counts = {
        position: whole_counts(measurement.levels, fit.shown, columns[position])
        for position, number in enumerate(measurement.numbers)
        if number.kind.counts
    }
    noises: list[Sequence[Drawing] | None] = [None] * len(fit.shown)
    if drawn is not None:
        known = {variance: _combined(drawn, variance) for variance in set(fit.variances())}
        noises = [known[variance] for variance in fit.variances()]
    return [
        ShownGroup(cell, numbers, noise, {position: whole[row] for position, whole in counts.items()})
        for row, (cell, numbers, noise) in enumerate(zip(fit.shown, zip(*columns, strict=True), noises, strict=True))
    ]


def _group(
    measurement: Measurement, cell: Cell, numbers: Sequence[Drawn], drawn: Sequence[Drawing] | None
) -> ShownGroup:
    """A group as it was drawn: of a histogram its distribution, and the estimated count of all its values."""
    distributions = {
        i: NoisyDistribution(number, consistent_leaves(number.tree, list(map(float, nodes))))
        for i, (number, nodes) in enumerate(zip(measurement.numbers, numbers, strict=True))
        if isinstance(nodes, tuple)
    }
    figures = tuple(
        distributions[i].count if isinstance(number, tuple) else float(number) for i, number in enumerate(numbers)
    )
    return ShownGroup(cell, figures, drawn, {}, distributions)


def _combined(drawn: Sequence[Drawing], variance: float) -> Sequence[Drawing]:
    """The noise of estimates with this share of a drawn number's variance: a sum of noises with public weights."""
    noises = [combined_noise(drawing.law, drawing.scale or 0.0, variance) for drawing in drawn]
    return [
        replace(drawing, law=law, scale=scale, reach=None) for drawing, (law, scale) in zip(drawn, noises, strict=True)
    ]
