"""Noisy numbers in the record: drawn and charged once, they answer every question that asks for them.

Such an answer is a function of the question and of what was released before, so that it costs nothing
(docs/theory/charges.md).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from typing import Any, cast

from sfumato.ledger.entry import Entry
from sfumato.ledger.history import Record
from sfumato.model.calibration import Calibration, Drawing, NoiseLaw
from sfumato.model.canonical import canonical
from sfumato.model.facts import Cell
from sfumato.model.guarantee import Guarantee
from sfumato.model.levels import RolledUp, key_from_stored, stored_key
from sfumato.model.measurement import NoisyNumber
from sfumato.model.release import ReleaseCertificate, read_cell_value
from sfumato.model.schema import PER_PERSON, Category
from sfumato.model.statement import Statement, columns_in
from sfumato.release.bound_query import BoundQuery
from sfumato.release.ledger import digest
from sfumato.release.noise import Drawn, Noisy, in_order
from sfumato.release.question import number_form
from sfumato.release.reserve import version_of
from sfumato.sql.plans.rows import PlanInput

_ALONE = (NoiseLaw.LAPLACE, NoiseLaw.EXPONENTIAL)  # of these each number has a part of epsilon that is its own


def number_keys(query: BoundQuery, calibration: Calibration, guarantee: Guarantee) -> tuple[str, ...]:
    """One key for each noisy number of a query: which data, rows and groups, which number, and its exact noise."""
    asked_before = query.number_keys
    if (calibration, guarantee) not in asked_before:
        asked_before[calibration, guarantee] = _number_keys(query, calibration, guarantee)
    return asked_before[calibration, guarantee]


def _number_keys(query: BoundQuery, calibration: Calibration, guarantee: Guarantee) -> tuple[str, ...]:
    measurement = query.measurement
    question = PlanInput(query.context.schema, query.statement, measurement)
    scales = [
        [d.law.value, _scale(n, d), canonical(d.step), d.reach]
        for n, d in zip(measurement.numbers, calibration.numbers, strict=True)
    ]
    at = measurement.thresholded
    groups = None if at is None else [scales[at], number_form(measurement.numbers[at], question)]
    shared = [version_of(query.context), query.scope, [groups, canonical(calibration.threshold)], guarantee.value]
    return tuple(
        digest(["number", shared, _stated_facts(query, number), number_form(number, question), scale])
        for number, scale in zip(measurement.numbers, scales, strict=True)
    )


def _scale(number: NoisyNumber, drawing: Drawing) -> str:
    """Exactly as it is drawn: the sensitivity over the number's part of the budget."""
    return str(number.sensitivity_under(drawing.law) / Fraction(drawing.budget))


def _stated_facts(query: BoundQuery, number: NoisyNumber) -> list[object]:
    """The schema's facts about the table and about every column that the number depends on."""
    statement, schema = query.statement, query.context.ledger.schema
    read: set[str] = set()
    for part in (*(key.expression for key in statement.keys), statement.where, number.argument):
        read |= {column.name for column in columns_in(part)} if part is not None else set()
    several_rows = query.context.schema.unit.column is not None  # which of them count depends on all that is read
    if several_rows or statement.derived is not None:
        read |= set(statement.columns)
    if PER_PERSON in schema and query.measurement.is_sums_in_public_cells:
        read.add(PER_PERSON)  # it decides whom the number is about (docs/theory/filter.md)
    return [[name, schema.get(name)] for name in ("", *sorted(read))]


@dataclass(frozen=True)
class Recorded:
    """The noisy numbers of a query that the record has: by position, the entry that has each."""

    keys: tuple[str, ...]
    entries: Mapping[int, Entry]

    @property
    def is_complete(self) -> bool:
        return bool(self.keys) and len(self.entries) == len(self.keys)

    @property
    def sources(self) -> tuple[tuple[int, ReleaseCertificate], ...]:
        """The releases that they were drawn for: the number of the charge, and the certificate."""
        releases = {entry.number: entry.draft.public for entry in self.entries.values()}
        return tuple(
            (cast(int, public["reserved"]), ReleaseCertificate.from_dict(cast(dict[str, Any], public["certificate"])))
            for _, public in sorted(releases.items())
        )

    @property
    def charges(self) -> tuple[int, ...]:
        """The numbers of the entries that they were charged in."""
        return tuple(sorted({number for number, _ in self.sources}))

    def columns(self, query: BoundQuery) -> dict[int, list[Drawn]]:
        """By position, the number of each public cell, in their order."""
        order, columns = key_order(query.statement), {}
        for position, entry in self.entries.items():
            values = dict(zip(*_stored_numbers(entry, self.keys[position]), strict=True))
            cells = query.measurement.drawn_cells
            columns[position] = [values[tuple(_written(cell[i]) for i in order)] for cell in cells]
        return columns

    def noisy(self, query: BoundQuery) -> Noisy:
        """All of them, as they were drawn. Private groups come in the order of their keys."""
        if query.measurement.cells is not None:
            columns = self.columns(query)
            each = zip(*(columns[i] for i in range(len(self.keys))), strict=True)
            return Noisy(query.measurement.drawn_cells, tuple(each))
        order = key_order(query.statement)
        stored = [_stored_numbers(self.entries[i], key) for i, key in enumerate(self.keys)]
        types = [key.type for key in query.statement.keys]
        places = [(order.index(i), type_) for i, type_ in enumerate(types)]
        cells = [tuple(read_cell_value(cell[i], type_) for i, type_ in places) for cell in stored[0][0]]
        numbers = dict(zip(cells, zip(*(values for _, values in stored), strict=True), strict=True))
        ordered = tuple(sorted(cells, key=in_order))
        return Noisy(ordered, tuple(numbers[cell] for cell in ordered))


NOTHING = Recorded((), {})


def recorded_numbers(query: BoundQuery, calibration: Calibration, guarantee: Guarantee, record: Record) -> Recorded:
    """What the record has of a query's noisy numbers, with this very noise.

    Groups of private keys were found by one draw, so that all numbers come from that draw, or none does. Gaussian and
    truncated noise is calibrated for all numbers together, and has no parts that could be charged: all, or none.
    """
    keys = number_keys(query, calibration, guarantee)
    newest = {i: entry for i, key in enumerate(keys) if (entry := record.number_entry(key)) is not None}
    at = query.measurement.thresholded
    if at is not None:
        together = newest.get(at)
        has_all = together is not None and all(key in _draw(together)["numbers"] for key in keys)
        newest = dict.fromkeys(range(len(keys)), together) if together is not None and has_all else {}
    recorded = Recorded(keys, newest)
    parts = at is None and all(drawing.law in _ALONE for drawing in calibration.numbers)
    return recorded if recorded.is_complete or parts else Recorded(keys, {})


def draw_record(
    query: BoundQuery, noisy: Noisy, calibration: Calibration, guarantee: Guarantee, positions: Sequence[int]
) -> dict[str, object]:
    """What a record keeps of a draw: all its cells, shown or not, and the numbers that were drawn."""
    order, keys = key_order(query.statement), number_keys(query, calibration, guarantee)
    return {
        "keys": [query.statement.keys[i].name for i in order],
        "cells": [[stored_key(_written(cell[i])) for i in order] for cell in noisy.cells],
        "numbers": {keys[i]: [_as_stored(numbers[i]) for numbers in noisy.numbers] for i in positions},
    }


def key_order(statement: Statement) -> list[int]:
    """The positions of the group keys, by their names."""
    return sorted(range(len(statement.keys)), key=lambda i: statement.keys[i].name)


def _written(value: Category | RolledUp) -> Category | RolledUp:
    """A key as a record has it: days and times in ISO 8601."""
    return value.isoformat() if isinstance(value, date) else value


def _draw(entry: Entry) -> dict[str, Any]:
    return cast(dict[str, Any], entry.draft.public["draw"])


def _as_stored(number: Drawn) -> float | list[float]:
    return [float(node) for node in number] if isinstance(number, tuple) else float(number)


def _from_stored(number: float | list[float]) -> Drawn:
    return tuple(map(Fraction, number)) if isinstance(number, list) else Fraction(number)


def _stored_numbers(entry: Entry, key: str) -> tuple[list[Cell], list[Drawn]]:
    """The cells of a draw, in the order of the keys' names, and one of its numbers in each."""
    draw = _draw(entry)
    return [tuple(map(key_from_stored, cell)) for cell in draw["cells"]], [
        _from_stored(value) for value in draw["numbers"][key]
    ]
