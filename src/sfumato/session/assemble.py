"""Noisy totals -> the released answer with its noise ranges. Post-processing: it reads nothing but what was drawn."""

from __future__ import annotations

from collections.abc import Sequence

from sfumato.model.measurement import Assembly, Measurement, NoisyNumber, NumberKind
from sfumato.model.release import Answer, Interval
from sfumato.risk.noise import laplace_half_width, mean_range

POST_PROCESSING = (
    "counts are rounded to whole numbers and not below 0",
    "a mean is a noisy sum over a noisy count, kept within its bounds",
)


def answer(measurement: Measurement, drawn: Sequence[Sequence[int]], epsilon: float | None) -> Answer:
    """`drawn` has one row per cell, in steps of each number's grid; without an epsilon the ranges are withheld."""
    numbers = [tuple(float(n.step * d) for n, d in zip(measurement.numbers, cell, strict=True)) for cell in drawn]
    cells = list(zip(measurement.cells, numbers, strict=True))
    rows = tuple(
        tuple(key[c.key] if c.key is not None else _figure(c, measurement, cell) for c in measurement.columns)
        for key, cell in cells
    )
    ranges = None
    if epsilon is not None:
        ranges = tuple(
            tuple(None if c.key is not None else _range(c, measurement, cell, epsilon) for c in measurement.columns)
            for _, cell in cells
        )
    return Answer(tuple(c.name for c in measurement.columns), rows, ranges, tuple(numbers))


def half_widths(released: Answer, measurement: Measurement, epsilon: float) -> tuple[float | None, ...]:
    """Per cell of the answer, how far the noise reaches: of a mean, the further end of its range."""
    found: list[float | None] = []
    for row, ranges in zip(released.rows, released.ranges or (), strict=True):
        for column, value, interval in zip(measurement.columns, row, ranges, strict=True):
            if column.key is not None or interval is None:
                continue
            if len(column.numbers) == 1:
                found.append(laplace_half_width(measurement.numbers[column.numbers[0]].scale(epsilon)))
            else:
                found.append(max(float(value) - interval[0], interval[1] - float(value)))  # type: ignore[arg-type]
    return tuple(found)


def _figure(column: Assembly, measurement: Measurement, cell: Sequence[float]) -> int | float:
    number = measurement.numbers[column.numbers[0]]
    first = cell[column.numbers[0]]
    if len(column.numbers) == 1:
        return max(0, round(first)) if number.kind is NumberKind.COUNT else first
    reach = float(number.sensitivity)
    count = cell[column.numbers[1]]
    mean = first / count if count > 0 else 0.0
    return float(number.centre) + max(-reach, min(reach, mean))


def _range(column: Assembly, measurement: Measurement, cell: Sequence[float], epsilon: float) -> Interval:
    parts = [measurement.numbers[i] for i in column.numbers]
    values = [cell[i] for i in column.numbers]
    if len(parts) == 1:
        return _plain_range(parts[0], values[0], epsilon)
    scales = (parts[0].scale(epsilon), parts[1].scale(epsilon))
    low, high = mean_range(values[0], values[1], scales, float(parts[0].sensitivity))
    centre = float(parts[0].centre)
    return centre + low, centre + high


def _plain_range(number: NoisyNumber, value: float, epsilon: float) -> Interval:
    half = laplace_half_width(number.scale(epsilon))
    if number.kind is not NumberKind.COUNT:
        return value - half, value + half
    # A rounded count is at most half a person further off, and the true one is whole and not below 0.
    middle, reach = round(value), int(half + 0.5)
    return max(0, middle - reach), max(0, middle + reach)
