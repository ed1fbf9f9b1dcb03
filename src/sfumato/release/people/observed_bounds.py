"""Bounds, group keys and sensitivity read off the table, as the authors of the RDR paper do. No guarantee."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from sfumato.errors import PreferenceError
from sfumato.model.choice import Noise
from sfumato.model.schema import Bounds, Category, Schema, SchemaColumn
from sfumato.model.statement import Aggregate, AggregateKind, ColumnRef, Statement, columns_in
from sfumato.ports import Engine
from sfumato.privacy.sensitivity import measure
from sfumato.release.people.survey import Survey
from sfumato.sql.plans import observed_bounds

if TYPE_CHECKING:
    import pyarrow as pa

_FAR = Fraction(10**100)


class AsPublished(Survey):
    """A survey with what the data shows, and the sensitivity of the authors' code: of an AVG, (max - min) / rows."""

    published = True

    @property
    def k(self) -> int:
        return max(1, len(self.measurement.public_cells)) * len(self.question.statement.aggregates)

    def people(self) -> pa.Table:
        return _without_exposure(super().people())

    def most_exposed(self) -> pa.Table:
        return _without_exposure(super().most_exposed())


def survey(engine: Engine, statement: Statement, schema: Schema, noise: Noise) -> AsPublished:
    """Bounds of summed columns, group keys and the number of rows, as they are in the data."""
    _answerable(statement, schema)
    names = sorted({c.name for a in statement.aggregates if not a.kind.counts for c in columns_in(_argument(a))})
    rows, *values = engine.rows(engine.spell(observed_bounds.extremes(statement, names)))[0]
    pairs = zip(values[::2], values[1::2], strict=True)
    extremes = {n: Bounds(_exact(low), _exact(high)) for n, (low, high) in zip(names, pairs, strict=True)}
    cells: tuple[tuple[Category, ...], ...] = ((),)
    if statement.keys:
        cells = tuple(sorted(engine.rows(engine.spell(observed_bounds.keys(statement))), key=repr))
    observed = replace(schema, columns=_columns(schema, statement, extremes))
    measurement = replace(measure(replace(statement, where=None), observed), cells=cells)  # observed, not listed
    published = AsPublished(engine, observed, statement, measurement, noise)
    published.sensitivity = sum((_sensitivity(a, extremes, int(rows)) for a in statement.aggregates), Fraction(0))
    return published


def _without_exposure(people: pa.Table) -> pa.Table:
    """There is no sound sensitivity, so there is no exposure."""
    import pyarrow as pa

    return people.set_column(people.schema.get_field_index("exposure"), "exposure", pa.nulls(len(people), pa.float64()))


def _answerable(statement: Statement, schema: Schema) -> None:
    published = (AggregateKind.COUNT, AggregateKind.SUM, AggregateKind.AVG)
    plain = all(a.argument is None or isinstance(a.argument, ColumnRef) for a in statement.aggregates)
    plain = plain and statement.derived is None and not statement.levels
    if schema.unit.column is not None or not plain or any(a.kind not in published for a in statement.aggregates):
        raise PreferenceError.because("bounds-from-data-unknown")


def _argument(aggregate: Aggregate) -> ColumnRef:
    assert isinstance(aggregate.argument, ColumnRef)
    return aggregate.argument


def _sensitivity(aggregate: Aggregate, extremes: Mapping[str, Bounds], rows: int) -> Fraction:
    if aggregate.kind is AggregateKind.COUNT:
        return Fraction(1)
    bounds = extremes[_argument(aggregate).name]
    return bounds.reach if aggregate.kind is AggregateKind.SUM else (bounds.upper - bounds.lower) / max(1, rows)


def _columns(schema: Schema, statement: Statement, extremes: dict[str, Bounds]) -> tuple[SchemaColumn, ...]:
    listed = {key.name: ("",) for key in statement.keys}  # cells are replaced by those that were observed
    columns = {c.name: c for c in schema.columns}
    grouped = {key.column for key in statement.keys if key.column is not None}
    for reference in {a.argument for a in statement.aggregates if isinstance(a.argument, ColumnRef)} | grouped:
        if reference.type is not None:
            columns.setdefault(reference.name, SchemaColumn(reference.name, reference.type))
    return tuple(
        replace(
            c,
            bounds=_apart(extremes[c.name]) if c.name in extremes else c.bounds,
            categories=listed.get(c.name, c.categories),
            private_keys=False,
        )
        for c in columns.values()
    )


def _apart(bounds: Bounds) -> Bounds:
    """Bounds that noise can be drawn for, where all the values are the same."""
    if bounds.upper - bounds.lower > 1 / _FAR:
        return bounds
    return Bounds(min(bounds.lower, Fraction(0)), max(bounds.upper, bounds.lower + 1))


def _exact(value: Any) -> Fraction:
    return Fraction(0) if value is None else Fraction(max(-_FAR, min(_FAR, value)))  # infinity is far enough
