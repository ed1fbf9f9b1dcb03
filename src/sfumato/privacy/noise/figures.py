"""Figures of aggregates from noisy numbers, and their noise intervals (docs/theory/ranges.md)."""

from __future__ import annotations

from collections.abc import Sequence

from sfumato.model.calibration import Drawing, NoiseLaw
from sfumato.model.measurement import Assembly, Measurement, NoisyNumber, NumberKind
from sfumato.model.release import Interval
from sfumato.privacy.noise.intervals import COVERAGE, mean_range, printed_count, reach, variance_range


def figure_of(column: Assembly, measurement: Measurement, cell: Sequence[float]) -> int | float:
    first = measurement.numbers[column.numbers[0]]
    values = [cell[i] for i in column.numbers]
    if len(values) == 1:
        return printed_count(values[0], 0.0)[1] if first.kind.counts else values[0]
    if first.kind is NumberKind.SQUARES:
        return _spread(column, first, values)
    assert first.bounds is not None
    furthest = float(first.bounds.half_width)
    mean = values[0] / values[1] if values[1] > 0 else 0.0
    return float(first.centre) + max(-furthest, min(furthest, mean))


def _spread(column: Assembly, squares: NoisyNumber, values: Sequence[float]) -> float:
    """`q/c + H^2/2 - (s/c)^2`, between 0 and the largest variance there is; of a sample, times c / (c - 1).

    There is no sample of fewer than two: near one that factor would go beyond all that the bounds allow.
    """
    assert squares.bounds is not None
    assert column.kind is not None
    second, first, count = values
    most = float(squares.bounds.half_width) ** 2
    if count <= 1:
        return 0.0
    variance = max(0.0, min(most, second / count + float(squares.offset) - (first / count) ** 2))
    counted = max(count, 1.0 + column.kind.lost)
    variance *= counted / (counted - column.kind.lost)
    return variance**0.5 if column.kind.is_root else variance


def range_of(
    column: Assembly,
    measurement: Measurement,
    cell: Sequence[float],
    drawn: Sequence[Drawing],
    miss: float = 1 - COVERAGE,
) -> Interval | None:
    """Where the true figure lies, but for a share `miss` of the time; of keys and selections, nothing.

    It contains the released figure, also where that was limited to what is possible (docs/theory/ranges.md).
    """
    if column.is_public:
        return None
    parts = [measurement.numbers[i] for i in column.numbers]
    drawings = [drawn[i] for i in column.numbers]
    values = [cell[i] for i in column.numbers]
    if len(parts) == 1:
        return _plain_range(parts[0], values[0], drawings[0], miss)
    low, high = composed_range(column, parts[0], values, drawings, miss)
    figure = figure_of(column, measurement, cell)
    return min(low, figure), max(high, figure)


def composed_range(
    column: Assembly, first: NoisyNumber, values: Sequence[float], drawings: Sequence[Drawing], miss: float
) -> Interval:
    """The interval of a mean, a variance or its root, from the noisy numbers that it is computed from."""
    law, scales, bounds = drawings[0].law, [drawing.scale or 0.0 for drawing in drawings], first.bounds
    assert bounds is not None
    assert column.kind is not None
    if first.kind is NumberKind.SQUARES:
        low, high = variance_range(values, scales, float(bounds.half_width), column.kind.lost, law, miss)
        return (low**0.5, high**0.5) if column.kind.is_root else (low, high)
    low, high = mean_range(values[0], values[1], (scales[0], scales[1]), float(bounds.half_width), law, miss)
    return float(first.centre) + low, float(first.centre) + high


def _plain_range(number: NoisyNumber, value: float, drawing: Drawing, miss: float) -> Interval | None:
    half = number_reach(drawing, miss)
    if half is None:
        return None
    if not number.kind.counts:
        return value - half, value + half
    low, _, high = printed_count(value, half)
    return low, high


def number_reach(drawing: Drawing, miss: float = 1 - COVERAGE) -> float | None:
    if drawing.law is NoiseLaw.EXPONENTIAL or drawing.scale is None:
        return None
    return reach(drawing.law, drawing.scale, miss, drawing.furthest)
