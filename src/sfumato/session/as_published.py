"""Bounds, group keys and sensitivity read off the table, as the authors of the RDR paper do. No guarantee."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

from sfumato.measure import measure
from sfumato.model.choice import Noise
from sfumato.model.dataset import Bounds, Category, Column, Schema
from sfumato.model.facts import AsPublishedFacts
from sfumato.model.measurement import Measurement
from sfumato.model.statement import Kind, Statement
from sfumato.ports import Engine
from sfumato.session import gather
from sfumato.sql import plan

_FAR = Fraction(10**100)


def measured(engine: Engine, statement: Statement, schema: Schema) -> tuple[Measurement, int, dict[str, Bounds]]:
    """The measurement with what the data shows, the number of rows, and the extremes of each summed column."""
    names = sorted({a.argument.name for a in statement.aggregates if a.argument and a.kind is not Kind.COUNT})
    rows, *values = engine.rows(plan.extremes(statement, names).sql(engine.dialect))[0]
    pairs = zip(values[::2], values[1::2], strict=True)
    extremes = {n: Bounds(_exact(low), _exact(high)) for n, (low, high) in zip(names, pairs, strict=True)}
    cells: tuple[tuple[Category, ...], ...] = ((),)
    if statement.keys:
        found = engine.rows(plan.observed_keys(statement).sql(engine.dialect))
        cells = tuple(sorted(found, key=repr))
    shown = replace(schema, columns=_columns(schema, statement, extremes))
    return replace(measure(statement, shown), cells=cells), int(rows), extremes


def facts(engine: Engine, statement: Statement, schema: Schema, noise: Noise) -> tuple[AsPublishedFacts, Measurement]:
    """Influences as they are, and the sensitivity of the authors' code: of an AVG, (max - min) / all rows."""
    measurement, rows, extremes = measured(engine, statement, schema)
    found = gather.facts(engine, statement, measurement, noise)
    sensitivity = Fraction(0)
    for aggregate in statement.aggregates:
        bounds = extremes.get(aggregate.argument.name) if aggregate.argument else None
        if aggregate.kind is Kind.COUNT or bounds is None:
            sensitivity += 1
        elif aggregate.kind is Kind.SUM:
            sensitivity += bounds.reach
        else:
            sensitivity += (bounds.upper - bounds.lower) / max(1, rows)
    k = max(1, len(measurement.cells)) * len(statement.aggregates)
    return AsPublishedFacts(found.answer, found.influence, k, float(sensitivity)), measurement


def _columns(schema: Schema, statement: Statement, extremes: dict[str, Bounds]) -> tuple[Column, ...]:
    listed = {key.name: ("",) for key in statement.keys}  # cells are replaced by those that were observed
    columns = {c.name: c for c in schema.columns}
    for reference in {a.argument for a in statement.aggregates if a.argument} | set(statement.keys):
        if reference.type is not None:
            columns.setdefault(reference.name, Column(reference.name, reference.type))
    return tuple(
        replace(
            c,
            bounds=_apart(extremes[c.name]) if c.name in extremes else c.bounds,
            categories=listed.get(c.name, c.categories),
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
