"""Noisy numbers -> the released answer with its noise intervals. Post-processing: it reads only what was drawn."""

from __future__ import annotations

from collections.abc import Sequence

from sfumato.model.calibration import Calibration, Drawing, NoiseLaw
from sfumato.model.measurement import Assembly, Measurement, NoisyNumber, NumberKind
from sfumato.model.release import Answer, Interval, PostProcessing
from sfumato.model.schema import Type
from sfumato.model.statement import NOTHING, Afterwards, AggregateKind, columns_in
from sfumato.privacy.noise.intervals import COVERAGE, mean_range, printed_count, reach, variance_range
from sfumato.release.noise import Noisy
from sfumato.release.postprocess import apply_having_order_limit


def answer(
    measurement: Measurement, noisy: Noisy, calibration: Calibration | None, afterwards: Afterwards = NOTHING
) -> Answer:
    """Without a calibration, which tells epsilon, the intervals are withheld."""
    numbers = [tuple(map(float, cell)) for cell in noisy.numbers]
    cells = list(zip(noisy.cells, numbers, strict=True))
    rows = [
        tuple(key[c.key] if c.key is not None else _figure(c, measurement, cell) for c in measurement.columns)
        for key, cell in cells
    ]
    visible = [i for i, c in enumerate(measurement.columns) if c.visible]
    names = [c.name for c in measurement.columns]
    order = apply_having_order_limit(afterwards, names, rows)
    intervals = None
    if calibration is not None:
        intervals = tuple(
            tuple(range_of(measurement.columns[i], measurement, numbers[row], calibration.numbers) for i in visible)
            for row in order
        )
    return Answer(
        tuple(names[i] for i in visible),
        tuple(tuple(rows[row][i] for i in visible) for row in order),
        intervals,
        tuple(numbers[row] for row in order),
        tuple(_type_of(measurement.columns[i], measurement) for i in visible),
        tuple(_has_intervals(measurement.columns[i], measurement) for i in visible),
        tuple(tuple(_count_behind(measurement.columns[i], numbers[row]) for i in visible) for row in order),
    )


def _count_behind(column: Assembly, cell: Sequence[float]) -> int | None:
    """The noisy count that a mean or a variance is divided by."""
    return max(0, round(cell[column.numbers[-1]])) if len(column.numbers) > 1 else None


def half_widths(released: Answer, measurement: Measurement, calibration: Calibration) -> tuple[float | None, ...]:
    """Per cell of the answer, how far the noise reaches: of what divides, the further end; of a selection, nothing."""
    widths: list[float | None] = []
    columns = [c for c in measurement.columns if c.visible]
    for row, intervals in zip(released.rows, released.intervals or (), strict=True):
        for column, value, interval in zip(columns, row, intervals, strict=True):
            if column.key is not None:
                continue
            if len(column.numbers) == 1:
                widths.append(_reach(calibration.numbers[column.numbers[0]]))
            elif interval is not None:
                widths.append(max(float(value) - interval[0], interval[1] - float(value)))  # type: ignore[arg-type]
    return tuple(widths)


def post_processing(measurement: Measurement, afterwards: Afterwards) -> tuple[PostProcessing, ...]:
    """What was done to the noisy numbers before they became this answer."""
    columns = [c for c in measurement.columns if c.kind is not None]
    done = (
        (any(measurement.numbers[c.numbers[0]].kind.counts for c in columns), PostProcessing.COUNTS_ROUNDED),
        (any(c.kind is AggregateKind.AVG for c in columns), PostProcessing.MEANS_DIVIDED),
        (any(c.kind and c.kind.spreads for c in columns), PostProcessing.VARIANCES_COMPOSED),
        (measurement.thresholded is not None, PostProcessing.THRESHOLDED),
        (afterwards != NOTHING, PostProcessing.APPLIED_AFTERWARDS),
        (picks_rows(measurement, afterwards), PostProcessing.ROWS_PICKED),
    )
    return tuple(step for applies, step in done if applies)


def picks_rows(measurement: Measurement, afterwards: Afterwards) -> bool:
    """Whether which rows are in the answer depends on their noisy figures."""
    read = [] if afterwards.having is None else [column.name for column in columns_in(afterwards.having)]
    read += [by.output for by in afterwards.order] if afterwards.limit is not None or afterwards.offset else []
    noisy = {column.name for column in measurement.columns if column.key is None}
    return measurement.thresholded is not None or not noisy.isdisjoint(read)


def _type_of(column: Assembly, measurement: Measurement) -> Type | None:
    if column.key is not None:
        return column.type
    counted = len(column.numbers) == 1 and measurement.numbers[column.numbers[0]].kind.counts
    return Type.INTEGER if counted else Type.NUMBER


def _has_intervals(column: Assembly, measurement: Measurement) -> bool:
    """Whether its figures have noise; keys have none, and a selection is within so many ranks instead."""
    return all(measurement.numbers[i].kind is not NumberKind.SELECTION for i in column.numbers) and column.key is None


def _figure(column: Assembly, measurement: Measurement, cell: Sequence[float]) -> int | float:
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
    if column.key is not None:
        return None
    parts = [measurement.numbers[i] for i in column.numbers]
    drawings = [drawn[i] for i in column.numbers]
    values = [cell[i] for i in column.numbers]
    if len(parts) == 1:
        return _plain_range(parts[0], values[0], drawings[0], miss)
    low, high = composed_range(column, parts[0], values, drawings, miss)
    figure = _figure(column, measurement, cell)
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
    half = _reach(drawing, miss)
    if half is None:
        return None
    if not number.kind.counts:
        return value - half, value + half
    low, _, high = printed_count(value, half)
    return low, high


def _reach(drawing: Drawing, miss: float = 1 - COVERAGE) -> float | None:
    if drawing.law is NoiseLaw.EXPONENTIAL or drawing.scale is None:
        return None
    return reach(drawing.law, drawing.scale, miss, drawing.furthest)
