"""Noisy totals -> the released answer with its noise ranges. Post-processing: it reads nothing but what was drawn."""

from __future__ import annotations

from collections.abc import Sequence

from sfumato.model.measurement import Assembly, Measurement, NoisyNumber, NumberKind
from sfumato.model.release import Answer, Interval
from sfumato.model.statement import NOTHING, Afterwards
from sfumato.risk.noise import laplace_half_width, mean_range, variance_range
from sfumato.session.afterwards import kept
from sfumato.views import words

POST_PROCESSING = (
    "counts are rounded to whole numbers and not below 0",
    "a mean is a noisy sum over a noisy count, kept within its bounds",
)
VARIANCES = "a variance is put together from three noisy numbers, kept between 0 and what the bounds allow"
AFTERWARDS = "HAVING, ORDER BY and LIMIT were applied to the noisy answer"


def post_processing(measurement: Measurement, afterwards: Afterwards) -> tuple[str, ...]:
    """What was done to the noisy numbers before they became this answer."""
    variances = any(c.kind is not None and c.kind.spreads for c in measurement.columns)
    done = (VARIANCES,) if variances else ()
    picked = afterwards.having is not None or afterwards.limit is not None or afterwards.offset > 0
    applied = (AFTERWARDS,) if afterwards != NOTHING else ()
    return (*POST_PROCESSING, *done, *applied, *((words.PICKED,) if picked else ()))


def answer(
    measurement: Measurement,
    drawn: Sequence[Sequence[int]],
    epsilon: float | None,
    afterwards: Afterwards = NOTHING,
) -> Answer:
    """`drawn` has one row per cell, in steps of each number's grid; without an epsilon the ranges are withheld."""
    numbers = [tuple(float(n.step * d) for n, d in zip(measurement.numbers, cell, strict=True)) for cell in drawn]
    cells = list(zip(measurement.public_cells, numbers, strict=True))
    rows = [
        tuple(key[c.key] if c.key is not None else _figure(c, measurement, cell) for c in measurement.columns)
        for key, cell in cells
    ]
    shown = [i for i, c in enumerate(measurement.columns) if c.shown]
    names = [c.name for c in measurement.columns]
    order = kept(afterwards, names, rows)
    ranges = None
    if epsilon is not None:
        ranges = tuple(
            tuple(_range_of(measurement.columns[i], measurement, numbers[row], epsilon) for i in shown) for row in order
        )
    return Answer(
        tuple(names[i] for i in shown),
        tuple(tuple(rows[row][i] for i in shown) for row in order),
        ranges,
        tuple(numbers[row] for row in order),
    )


def half_widths(released: Answer, measurement: Measurement, epsilon: float) -> tuple[float | None, ...]:
    """Per cell of the answer, how far the noise reaches: of what divides, the further end of its range."""
    found: list[float | None] = []
    columns = [c for c in measurement.columns if c.shown]
    for row, ranges in zip(released.rows, released.ranges or (), strict=True):
        for column, value, interval in zip(columns, row, ranges, strict=True):
            if column.key is not None or interval is None:
                continue
            if len(column.numbers) == 1:
                found.append(laplace_half_width(measurement.numbers[column.numbers[0]].scale(epsilon)))
            else:
                found.append(max(float(value) - interval[0], interval[1] - float(value)))  # type: ignore[arg-type]
    return tuple(found)


def _figure(column: Assembly, measurement: Measurement, cell: Sequence[float]) -> int | float:
    first = measurement.numbers[column.numbers[0]]
    values = [cell[i] for i in column.numbers]
    if len(values) == 1:
        return max(0, round(values[0])) if first.kind.counts else values[0]
    if first.kind is NumberKind.SQUARES:
        return _spread(column, first, values)
    assert first.bounds is not None
    reach = float(first.bounds.half_width)
    mean = values[0] / values[1] if values[1] > 0 else 0.0
    return float(first.centre) + max(-reach, min(reach, mean))


def _spread(column: Assembly, squares: NoisyNumber, values: Sequence[float]) -> float:
    """`q/c + H^2/2 - (s/c)^2`, between 0 and the largest variance there is; of a sample, times c / (c - 1)."""
    assert squares.bounds is not None
    assert column.kind is not None
    second, first, count = values
    most = float(squares.bounds.half_width) ** 2
    if count <= 1:
        return 0.0
    variance = max(0.0, min(most, second / count + float(squares.offset) - (first / count) ** 2))
    variance *= count / (count - column.kind.lost)
    return variance**0.5 if column.kind.is_root else variance


def _range_of(column: Assembly, measurement: Measurement, cell: Sequence[float], epsilon: float) -> Interval | None:
    if column.key is not None:
        return None
    parts = [measurement.numbers[i] for i in column.numbers]
    values = [cell[i] for i in column.numbers]
    if len(parts) == 1:
        return _plain_range(parts[0], values[0], epsilon)
    bounds, scales = parts[0].bounds, [part.scale(epsilon) for part in parts]
    assert bounds is not None
    assert column.kind is not None
    if parts[0].kind is NumberKind.SQUARES:
        low, high = variance_range(values, scales, float(bounds.half_width), column.kind.lost)
        return (low**0.5, high**0.5) if column.kind.is_root else (low, high)
    low, high = mean_range(values[0], values[1], (scales[0], scales[1]), float(bounds.half_width))
    centre = float(parts[0].centre)
    return centre + low, centre + high


def _plain_range(number: NoisyNumber, value: float, epsilon: float) -> Interval:
    half = laplace_half_width(number.scale(epsilon))
    if not number.kind.counts:
        return value - half, value + half
    # A rounded count is at most half a person further off, and the true one is whole and not below 0.
    middle, reach = round(value), int(half + 0.5)
    return max(0, middle - reach), max(0, middle + reach)
