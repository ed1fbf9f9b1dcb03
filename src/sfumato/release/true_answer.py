"""The true answer, with its computed columns: a look, before HAVING, ORDER BY and LIMIT."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from sfumato.model.levels import ALL
from sfumato.model.measurement import Measurement
from sfumato.model.statement import SumOverGroups, sums_over_groups
from sfumato.release.postprocess import value


def true_rows(measurement: Measurement, figures: Sequence[Sequence[object]]) -> tuple[tuple[object, ...], ...]:
    """One row per group, one figure per column of the answer that is no key; from one figure per aggregate.

    Without computed columns, aggregates that only HAVING and ORDER BY read come with the others. A computed column that
    reads a private group key is missing: the groups of a true answer do not tell their keys.
    """
    columns = measurement.columns
    if all(column.computed is None for column in columns):
        return tuple(map(tuple, figures))
    aggregates = [column.name for column in columns if column.numbers]
    public = measurement.shown_cells if measurement.cells is not None else [()] * len(figures)
    rows: list[dict[object, object]] = []
    for cell, own in zip(public, figures, strict=True):
        named: dict[object, object] = dict.fromkeys((column.name for column in columns), None)
        named |= dict(zip(aggregates, own, strict=True))
        for column in columns:
            if column.key is not None and cell:
                named[column.name] = None if cell[column.key] is ALL else cell[column.key]
            elif column.grouping and cell:
                named[column.name] = sum((cell[key] is ALL) << i for i, key in enumerate(reversed(column.grouping)))
        rows.append(named)
    computed = {column.name: column.computed for column in columns if column.computed is not None}
    for part in dict.fromkeys(part for expression in computed.values() for part in sums_over_groups(expression)):
        figures_of = defaultdict(list)
        for named in rows:
            figures_of[_values(part, named)].append(named[part.of.name])
        sums = {values: _sum(same) for values, same in figures_of.items()}
        for named in rows:
            named[part] = sums[_values(part, named)]
    for named in rows:
        named |= {name: value(expression, named) for name, expression in computed.items()}
    names = [column.name for column in columns if column.visible and not column.is_public]
    return tuple(tuple(named[name] for name in names) for named in rows)


def _values(part: SumOverGroups, named: dict[object, object]) -> tuple[object, ...]:
    return tuple(named[key.name] for key in part.within)


def _sum(figures: Sequence[Any]) -> object:
    present = [figure for figure in figures if figure is not None]
    return sum(present) if present else None
