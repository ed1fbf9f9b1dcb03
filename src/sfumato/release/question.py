"""What a statement asks for, whatever its words: the noisy numbers, and the rows and groups that they are about.

Names and order of columns, HAVING, ORDER BY and LIMIT are no part of it: they are done to the noisy answer. Two
statements that mean the same in other ways may still be two questions: taking them for two costs budget, never privacy.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from sfumato.model.canonical import canonical, unordered
from sfumato.model.levels import stored_key
from sfumato.model.measurement import Measurement, NoisyNumber, NumberKind
from sfumato.model.schema import Schema
from sfumato.model.statement import ColumnRef, Statement
from sfumato.privacy.key_values import public_values
from sfumato.release.ledger import digest
from sfumato.sql.plans.rows import PlanInput


def question_key(scope: str, statement: Statement, schema: Schema, measurement: Measurement | None) -> str:
    """One hash for one set of noisy numbers. Without a measurement, which then reads the data, of its aggregates."""
    if measurement is None:
        return digest([scope, unordered(statement.aggregates)])
    question = PlanInput(schema, statement, measurement)
    numbers = sorted(digest(number_form(number, question)) for number in measurement.numbers)
    thresholded = None if measurement.thresholded is None else measurement.numbers[measurement.thresholded]
    persons = None if thresholded is None else number_form(thresholded, question)
    return digest([scope, numbers, persons])


def scope_key(statement: Statement, schema: Schema, measurement: Measurement | None) -> str:
    """One hash for the rows that count and the groups they are in: the WHERE, the keys, the contribution bounds."""
    keys = sorted(statement.keys, key=lambda key: key.name)
    scope: dict[str, object] = {
        "table": statement.table,
        "where": canonical(statement.where),
        "keys": canonical([key.expression for key in keys]),
        "cells": None if measurement is None else _groups(statement, schema, measurement),
        "unit": canonical(schema.unit),
        "relation": schema.relation.value,
        "truncation": _truncation(statement, schema, measurement),
    }
    if statement.derived is not None:
        scope["derived"] = canonical(statement.derived)
    return digest(scope)


def _groups(statement: Statement, schema: Schema, measurement: Measurement) -> Sequence[object]:
    """The public cells, in the order of the keys' names; of private keys the values that the others may have."""
    order = sorted(range(len(statement.keys)), key=lambda i: statement.keys[i].name)
    if measurement.cells is not None:
        cells = ([stored_key(cell[i]) for i in order] for cell in measurement.drawn_cells)
        return sorted(json.dumps(cell, default=str) for cell in cells)
    read = statement.schema(schema)
    values = [public_values(statement.keys[i], read) for i in order]
    return [None if each is None else canonical(tuple(each)) for each in values]


def _truncation(statement: Statement, schema: Schema, measurement: Measurement | None) -> object:
    """What decides which rows of a person count: all columns that are read, and the value that must be there.

    Where every row is a person, nothing does.
    """
    if schema.unit.column is None:
        return None
    question = None if measurement is None else PlanInput(schema, statement, measurement)
    present = question.values[0] if question is not None and question.only_present else None
    needed = None if present is None else [canonical(present.argument), canonical(present.bounds)]
    return [sorted(statement.columns), needed]


def number_form(number: NoisyNumber, question: PlanInput) -> list[object]:
    """A noisy number as it is in every statement: its share of epsilon is in its scale.

    A count beside a mean counts clamped values: of a computed value those may be others than a COUNT counts.
    """
    form = canonical(replace(number, share=Fraction(1)))
    if number.kind is not NumberKind.COUNT or number.argument is None or isinstance(number.argument, ColumnRef):
        return [form, None]
    reading = question.reading_of(number)
    return [form, None if reading is None else reading.bounds is not None]
