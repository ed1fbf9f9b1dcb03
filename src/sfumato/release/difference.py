"""The difference of two released figures: what noise makes of it. It reads nothing but what was released."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from sfumato.errors import BadInput, Conflict, NoGuarantee
from sfumato.model.calibration import Drawing, NoiseLaw
from sfumato.model.measurement import Assembly, Measurement
from sfumato.model.release import Answer, Interval, ReleaseCertificate
from sfumato.privacy.noise.computed import ComputedColumns
from sfumato.privacy.noise.difference import AddedNoise, reach_apart
from sfumato.privacy.noise.figures import range_of
from sfumato.privacy.noise.intervals import COVERAGE
from sfumato.release.answer import picks_rows
from sfumato.release.bound_query import BoundQuery
from sfumato.release.output_distance import require_one_level


@dataclass(frozen=True)
class Cell:
    """Which figure: of which query of a request, in which row and column of its answer, from 1."""

    query: int
    row: int
    column: int


@dataclass(frozen=True)
class ReleasedFigure:
    """A released figure with the noise of the numbers that it is put together from."""

    cell: Cell
    value: float
    column: Assembly
    measurement: Measurement
    numbers: Sequence[float]
    drawn: Sequence[Drawing]
    furthest: float
    picked: bool
    row: Mapping[str, object]

    @property
    def sources(self) -> frozenset[tuple[int, int, int]]:
        """The noisy numbers behind it, each with noise of its own."""
        return frozenset((self.cell.query, self.cell.row, i) for i in self.measurement.behind(self.column))

    @property
    def is_plain(self) -> bool:
        return len(self.column.numbers) == 1

    @property
    def counts(self) -> bool:
        return self.is_plain and self.measurement.numbers[self.column.numbers[0]].kind.counts

    @property
    def noise(self) -> AddedNoise:
        drawing = self.drawn[self.column.numbers[0]]
        return AddedNoise(drawing.law, drawing.scale or 0.0, drawing.step, self.furthest)

    def range(self, miss: float) -> Interval:
        if self.column.computed is None:
            interval = range_of(self.column, self.measurement, self.numbers, self.drawn, miss)
        elif self.measurement.reads_other_groups(self.column):
            interval = None  # the answer may not have all groups, and two figures of it share every number
        else:
            computed = ComputedColumns(self.measurement)
            terms = (self.numbers, self.drawn, self.value, miss)
            interval = computed.interval(self.column.computed, self.row, *terms)
        if interval is None:
            raise BadInput.because("difference-without-interval", column=self.column.name)
        return interval


@dataclass(frozen=True)
class Difference:
    """How much larger the first is than the second, with the 90% interval of the true difference."""

    value: float
    low: float
    high: float
    picked: bool


def figure_of(query: BoundQuery, answer: Answer, certificate: ReleaseCertificate, cell: Cell) -> ReleasedFigure:
    """A cell of an answer, as its certificate says that it was drawn; what has no noise range is refused."""
    if not 0 < cell.row <= len(answer.rows) or not 0 < cell.column <= len(answer.columns):
        raise BadInput.because("difference-figure-unknown")
    if certificate.scale is None or certificate.laws is None or certificate.grid_step is None:
        raise NoGuarantee.because("difference-withheld")
    measurement = query.measurement
    require_one_level(measurement)
    _require_the_same(measurement, answer, certificate)
    column = [c for c in measurement.columns if c.visible][cell.column - 1]
    if not answer.ranged[cell.column - 1]:
        if column.is_public:
            raise BadInput.because("difference-of-group", column=column.name)
        raise BadInput.because("difference-of-selected", column=column.name)
    drawn = [
        Drawing(NoiseLaw(law), 0.0, Fraction(str(step)), scale)
        for law, step, scale in zip(certificate.laws, certificate.grid_step, certificate.scale, strict=True)
    ]
    figure = answer.rows[cell.row - 1][cell.column - 1]
    if figure is None:
        raise BadInput.because("difference-without-interval", column=column.name)
    whole = certificate.reach if len(certificate.reach or ()) == len(drawn) else None
    return ReleasedFigure(
        cell,
        float(figure),  # type: ignore[arg-type]
        column,
        measurement,
        answer.numbers[cell.row - 1],
        drawn,
        math.inf if whole is None or not column.numbers else whole[column.numbers[0]],
        picks_rows(measurement, query.statement.afterwards),
        dict(zip(answer.columns, answer.rows[cell.row - 1], strict=True)),
    )


def difference(first: ReleasedFigure, second: ReleasedFigure) -> Difference:
    """First less second. Of two numbers with noise of their own, by the law of what is left of it; otherwise bounded.

    A count is rounded, and not below 0: its difference is taken before that and rounded itself, so that the true one,
    which is whole, is at most half a person further off. What is put together from several numbers, which two figures
    may share, goes by ranges that each miss half as often: that both hold needs no independence.
    """
    one, other = ((figure.column.kind, figure.column.computed) for figure in (first, second))
    if first.sources == second.sources and one == other:
        raise BadInput.because("difference-of-same-number")
    picked = first.picked or second.picked
    if first.is_plain and second.is_plain and first.sources != second.sources:
        half = reach_apart(first.noise, second.noise)
        (number,), (lesser,) = ([figure.numbers[i] for i in figure.column.numbers] for figure in (first, second))
        if first.counts and second.counts:
            value, furthest = round(number - lesser), math.floor(half + 0.5)
            return Difference(value, value - furthest, value + furthest, picked)
        return Difference(number - lesser, number - lesser - half, number - lesser + half, picked)
    (low, high), (below, above) = (figure.range((1 - COVERAGE) / 2) for figure in (first, second))
    return Difference(first.value - second.value, low - above, high - below, picked)


def _require_the_same(measurement: Measurement, answer: Answer, certificate: ReleaseCertificate) -> None:
    """What is read of the query now is what was drawn then: another schema may have other numbers, bounds or keys."""
    numbers = measurement.numbers
    now = (
        tuple(n.words for n in numbers),
        tuple(float(n.sensitivity_under(certificate.mechanism)) for n in numbers),
        tuple(float(n.share) for n in numbers),
        tuple(c.name for c in measurement.columns if c.visible),
    )
    if now != (certificate.numbers, certificate.sensitivity, certificate.shares, answer.columns):
        raise Conflict.because("difference-schema-changed")
