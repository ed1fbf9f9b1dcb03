"""Noisy numbers -> the released answer with its noise intervals. Post-processing: it reads only what was drawn."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from sfumato.model.calibration import Calibration
from sfumato.model.levels import ALL
from sfumato.model.measurement import Assembly, Measurement, NumberKind
from sfumato.model.release import Answer, Interval, PostProcessing, Ranking
from sfumato.model.schema import Type
from sfumato.model.statement import NOTHING, Afterwards, AggregateKind, columns_in, sums_over_groups
from sfumato.privacy.noise.computed import ComputedColumns
from sfumato.privacy.noise.figure_noise import drawings_with_others
from sfumato.privacy.noise.figures import figure_of, number_reach, range_of
from sfumato.privacy.noise.intervals import COVERAGE
from sfumato.privacy.noise.true_ranks import apart, ranks_of_intervals, ranks_of_numbers
from sfumato.release.noise import Noisy
from sfumato.release.postprocess import apply_having_order_limit, value
from sfumato.release.shown_groups import ShownGroup, shown_groups


def answer(
    measurement: Measurement, noisy: Noisy, calibration: Calibration | None, afterwards: Afterwards = NOTHING
) -> Answer:
    """Without a calibration, which tells epsilon, the intervals are withheld."""
    groups = shown_groups(measurement, noisy, calibration)
    columns = AnswerColumns(measurement, groups)
    rows = [columns.row(group) for group in groups]
    visible = [i for i, c in enumerate(measurement.columns) if c.visible]
    names = [c.name for c in measurement.columns]
    order = apply_having_order_limit(afterwards, names, rows)
    intervals = None
    if calibration is not None:
        intervals = tuple(tuple(columns.interval(i, rows[row], groups[row]) for i in visible) for row in order)
    return Answer(
        tuple(names[i] for i in visible),
        tuple(tuple(rows[row][i] for i in visible) for row in order),
        intervals,
        tuple(groups[row].numbers for row in order),
        tuple(_type_of(measurement.columns[i], measurement) for i in visible),
        tuple(columns.has_intervals(measurement.columns[i]) for i in visible),
        tuple(tuple(_count_behind(measurement.columns[i], groups[row]) for i in visible) for row in order),
        tuple(tuple(_is_rolled_up(measurement.columns[i], groups[row]) for i in visible) for row in order)
        if measurement.levels is not None
        else (),
        _ranking(columns, rows, groups, afterwards, order) if calibration is not None else None,
    )


def _ranking(
    columns: AnswerColumns,
    rows: Sequence[Sequence[object]],
    groups: Sequence[ShownGroup],
    afterwards: Afterwards,
    order: Sequence[int],
) -> Ranking | None:
    """The true ranks of the rows, among all groups that HAVING keeps, where they are ordered by a noisy figure.

    Private keys have none: which groups there are is known by their noise alone. Nor has what reads a sum over
    groups: its intervals are checked at 90% each, not so that all hold at once.
    """
    measurement, named = columns.measurement, {c.name: i for i, c in enumerate(columns.measurement.columns)}
    if not afterwards.order or measurement.cells is None or measurement.levels is not None:
        return None
    by = afterwards.order[0]
    position = named[by.output]
    column = measurement.columns[position]
    every = apply_having_order_limit(replace(afterwards, order=(), limit=None, offset=0), list(named), rows)
    if len(every) < 2 or not order or not columns.has_intervals(column) or measurement.reads_other_groups(column):
        return None
    drawn = groups[0].drawn
    assert drawn is not None
    if len(column.numbers) == 1 and not _is_read(column, measurement):
        number = column.numbers[0]
        far = apart(drawn[number], len(groups))
        ranks = ranks_of_numbers([groups[row].numbers[number] for row in every], far, descending=by.descending)
    else:
        each = (1 - COVERAGE) / len(groups)
        intervals = [columns.interval(position, rows[row], groups[row], each) for row in every]
        whole = [interval for interval in intervals if interval is not None]
        if len(whole) < len(intervals):
            return None
        ranks = ranks_of_intervals(whole, descending=by.descending)
    own = dict(zip(every, ranks, strict=True))
    return Ranking(by.output, len(every), tuple(own[row] for row in order))


class AnswerColumns:
    """The columns of an answer, from the key and the noisy numbers of a group, and their sums over all groups."""

    def __init__(self, measurement: Measurement, groups: Sequence[ShownGroup]) -> None:
        self.measurement = measurement
        within = {measurement.sum_within(column) for column in measurement.columns}
        self.sums = {keys: _sums(groups, keys) for keys in within if keys is not None}
        self.names = [column.name for column in measurement.columns]
        self.computed = ComputedColumns(measurement)
        self.guarded = {c.name: self.computed.guarded(c.computed) for c in measurement.columns if c.computed}

    def row(self, group: ShownGroup) -> tuple[object, ...]:
        """Keys and figures, and what is computed from them as they are printed."""
        named: dict[object, object] = {}
        for column in self.measurement.columns:
            if column.computed is None:
                named[column.name] = self._plain(column, group)
        for column in self.measurement.columns:
            if column.computed is not None:
                self._add_sums(column, group, named)
                named[column.name] = self._limited(column, named)
        return tuple(named[name] for name in self.names)

    def _add_sums(self, column: Assembly, group: ShownGroup, named: dict[object, object]) -> None:
        """The sums over groups that it reads: each is rounded and limited by itself, as one more group would be."""
        keys = self.measurement.sum_within(column)
        if keys is None or column.computed is None:
            return
        sums = self.sums[keys][_values_of(group, keys)]
        for part in sums_over_groups(column.computed):
            added = next(c for c in self.measurement.columns if c.name == part.of.name)
            named[part] = figure_of(added, self.measurement, sums.totals)

    def _plain(self, column: Assembly, group: ShownGroup) -> object:
        """A key, what says which are rolled up, or a figure. A key that is rolled up has no value, as in SQL."""
        if column.key is not None:
            return None if _is_rolled_up(column, group) else group.cell[column.key]
        if column.grouping:
            return sum((group.cell[key] is ALL) << i for i, key in enumerate(reversed(column.grouping)))
        if column.at is not None and column.kind is not None and column.numbers[0] in group.distributions:
            return group.distributions[column.numbers[0]].quantile(column.at, column.kind)
        printed = group.printed(column)
        return figure_of(column, self.measurement, group.numbers) if printed is None else printed

    def interval(
        self, position: int, row: Sequence[object], group: ShownGroup, miss: float = 1 - COVERAGE
    ) -> Interval | None:
        """Of a count that has to add up with others, so wide that it contains what is printed."""
        column = self.measurement.columns[position]
        assert group.drawn is not None
        if column.computed is not None:
            if not self.has_intervals(column):
                return None
            keys = dict(zip(self.names, row, strict=True))
            numbers, drawn = group.numbers, group.drawn
            within = self.measurement.sum_within(column)
            if within is not None:
                sums = self.sums[within][_values_of(group, within)]
                others = [total - own for total, own in zip(sums.totals, numbers, strict=True)]
                numbers, drawn = (*numbers, *others), drawings_with_others(drawn, sums.groups - 1)
            return self.computed.interval(column.computed, keys, numbers, drawn, row[position], miss)
        if column.at is not None and column.kind is not None and column.numbers[0] in group.distributions:
            distribution, drawing = group.distributions[column.numbers[0]], group.drawn[column.numbers[0]]
            return distribution.interval(column.at, column.kind, drawing, miss)
        interval, printed = range_of(column, self.measurement, group.numbers, group.drawn, miss), group.printed(column)
        if interval is None or printed is None:
            return interval
        return min(interval[0], printed), max(interval[1], printed)

    def has_intervals(self, column: Assembly) -> bool:
        """Whether its figures have noise; keys have none, and a selection is within so many ranks instead."""
        if column.computed is not None:
            return self.computed.has_interval(column)
        kinds = [self.measurement.numbers[i].kind for i in column.numbers]
        return not column.is_public and NumberKind.SELECTION not in kinds

    def _limited(self, column: Assembly, named: Mapping[Any, object]) -> object:
        """A computed value, within what is possible."""
        figure = value(self.guarded[column.name], named)
        assert column.computed is not None
        if isinstance(figure, Fraction):
            figure = float(figure)
        if isinstance(figure, bool) or not isinstance(figure, int | float):
            return figure
        low, high = self.computed.limits(column.computed, named)
        limited = min(high, max(low, figure))
        return limited if math.isfinite(limited) else None


@dataclass(frozen=True)
class _Sums:
    """The noisy numbers added up over groups, and how many groups these are."""

    totals: tuple[float, ...]
    groups: int


def _sums(groups: Sequence[ShownGroup], keys: Sequence[int]) -> Mapping[tuple[object, ...], _Sums]:
    """For each combination of values of these keys."""
    alike: defaultdict[tuple[object, ...], list[ShownGroup]] = defaultdict(list)
    for group in groups:
        alike[_values_of(group, keys)].append(group)
    return {
        values: _Sums(tuple(map(math.fsum, zip(*(group.numbers for group in same), strict=True))), len(same))
        for values, same in alike.items()
    }


def _values_of(group: ShownGroup, keys: Sequence[int]) -> tuple[object, ...]:
    return tuple(group.cell[key] for key in keys)


def _is_read(column: Assembly, measurement: Measurement) -> bool:
    """Whether it is read from a histogram."""
    return bool(column.numbers) and measurement.numbers[column.numbers[0]].kind is NumberKind.HISTOGRAM


def _is_rolled_up(column: Assembly, group: ShownGroup) -> bool:
    return column.key is not None and group.cell[column.key] is ALL


def _count_behind(column: Assembly, group: ShownGroup) -> int | None:
    """The noisy count that a mean or a variance is divided by."""
    if len(column.numbers) < 2:
        return None
    count = column.numbers[-1]
    return group.counts.get(count, max(0, round(group.numbers[count])))


def half_widths(released: Answer, measurement: Measurement, calibration: Calibration) -> tuple[float | None, ...]:
    """Per cell of the answer, how far the noise reaches: of what divides, the further end; of a selection, nothing."""
    widths: list[float | None] = []
    columns = [c for c in measurement.columns if c.visible]
    for row, intervals in zip(released.rows, released.intervals or (), strict=True):
        for column, figure, interval in zip(columns, row, intervals, strict=True):
            if column.is_public:
                continue
            if len(column.numbers) == 1 and measurement.levels is None and not _is_read(column, measurement):
                widths.append(number_reach(calibration.numbers[column.numbers[0]]))
            elif interval is not None:
                widths.append(max(float(figure) - interval[0], interval[1] - float(figure)))  # type: ignore[arg-type]
            elif measurement.behind(column):
                widths.append(None)
    return tuple(widths)


def post_processing(measurement: Measurement, afterwards: Afterwards) -> tuple[PostProcessing, ...]:
    """What was done to the noisy numbers before they became this answer."""
    columns = [c for c in measurement.columns if c.kind is not None]
    done = (
        (any(measurement.numbers[c.numbers[0]].kind.counts for c in columns), PostProcessing.COUNTS_ROUNDED),
        (measurement.levels is not None and measurement.drawn_levels == 1, PostProcessing.TOTALS_SUMMED),
        (measurement.drawn_levels > 1, PostProcessing.TOTALS_FITTED),
        (_rounds_totals(measurement), PostProcessing.TOTALS_ROUNDED),
        (any(_is_read(c, measurement) for c in columns), PostProcessing.QUANTILES_READ),
        (any(c.kind is AggregateKind.AVG for c in columns), PostProcessing.MEANS_DIVIDED),
        (any(c.kind and c.kind.spreads for c in columns), PostProcessing.VARIANCES_COMPOSED),
        (any(c.computed is not None for c in measurement.columns), PostProcessing.COMPUTED),
        (measurement.thresholded is not None, PostProcessing.THRESHOLDED),
        (afterwards != NOTHING, PostProcessing.APPLIED_AFTERWARDS),
        (picks_rows(measurement, afterwards), PostProcessing.ROWS_PICKED),
    )
    return tuple(step for applies, step in done if applies)


def _rounds_totals(measurement: Measurement) -> bool:
    """Whether counts are rounded one by one, so that those that are printed need not add up."""
    counted = any(number.kind.counts for number in measurement.numbers)
    return counted and measurement.levels is not None and not measurement.levels.is_chain


def picks_rows(measurement: Measurement, afterwards: Afterwards) -> bool:
    """Whether which rows are in the answer depends on their noisy figures."""
    read = [] if afterwards.having is None else [column.name for column in columns_in(afterwards.having)]
    read += [by.output for by in afterwards.order] if afterwards.limit is not None or afterwards.offset else []
    noisy = {column.name for column in measurement.columns if measurement.behind(column)}
    return measurement.thresholded is not None or not noisy.isdisjoint(read)


def _type_of(column: Assembly, measurement: Measurement) -> Type | None:
    if column.is_public or column.computed is not None:
        return column.type
    counted = len(column.numbers) == 1 and measurement.numbers[column.numbers[0]].kind.counts
    return Type.INTEGER if counted else Type.NUMBER
