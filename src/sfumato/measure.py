"""Statement + Schema -> Measurement. Sensitivities are computed here and nowhere else (methods 15)."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from itertools import product

from sfumato.errors import QueryError, SchemaError
from sfumato.model.dataset import Bounds, Schema, Type
from sfumato.model.measurement import Assembly, Measurement, NoisyNumber, NumberKind
from sfumato.model.statement import Aggregate, ColumnRef, Kind, Statement

FINEST = 1024  # the noise grid has at least so many steps to a sensitivity (methods 11.7)
ROUNDED = 2**20  # steps to a sensitivity where values are rounded to the grid one by one
WIDEST = 2**31  # most steps to a sensitivity: 2**31 people at the bound still add up within 64 bits
MOST_CELLS = 100_000


def measure(statement: Statement, schema: Schema) -> Measurement:
    """The noisy numbers of a statement with equal shares of epsilon; a number that serves twice is drawn once."""
    numbers: list[NoisyNumber] = []

    def drawn(number: NoisyNumber) -> int:
        if number not in numbers:
            numbers.append(number)
        return numbers.index(number)

    def assembled(name: str, source: ColumnRef | Aggregate) -> Assembly:
        if isinstance(source, ColumnRef):
            return Assembly(name, key=statement.keys.index(source))
        return Assembly(name, numbers=tuple(drawn(n) for n in _numbers(source, schema)))

    columns = tuple(assembled(output.name, output.source) for output in statement.outputs)
    share = Fraction(1, len(numbers))
    return Measurement(tuple(replace(n, share=share) for n in numbers), _cells(statement, schema), columns)


def _numbers(aggregate: Aggregate, schema: Schema) -> tuple[NoisyNumber, ...]:
    if aggregate.argument is None:
        return (_count(None),)
    column = aggregate.argument.name
    if aggregate.kind is Kind.COUNT:
        return (_count(column),)
    bounds = schema.bounds_of(column)
    whole = aggregate.argument.type is Type.INTEGER
    if aggregate.kind is Kind.SUM:
        return (_sum(column, bounds, bounds.reach, Fraction(0), whole),)
    return (_sum(column, bounds, bounds.half_width, bounds.middle, whole), _count(column))


def _count(column: str | None) -> NoisyNumber:
    return NoisyNumber(NumberKind.COUNT, column, Fraction(1), Fraction(1, FINEST))


def _sum(column: str, bounds: Bounds, sensitivity: Fraction, centre: Fraction, whole: bool) -> NoisyNumber:
    """SUM(v) or SUM(v - centre): one person moves it by at most `sensitivity`.

    Whole numbers are added up as they are; other values are first rounded to 2**20 steps of the sensitivity, one
    by one, because sums of floats depend on the order of the rows.
    """
    kind = NumberKind.CENTRED_SUM if centre else NumberKind.SUM
    step = _whole_step(sensitivity, centre) if whole else sensitivity / ROUNDED
    rounded = not whole
    if sensitivity / step > WIDEST:
        step, rounded = sensitivity / ROUNDED, True
    return NoisyNumber(kind, column, sensitivity, step, centre=centre, bounds=bounds, rounded=rounded)


def _whole_step(sensitivity: Fraction, centre: Fraction) -> Fraction:
    """The coarsest step of 1, 1/2, 1/4, ... on which values and centre lie and the noise is fine enough."""
    step = Fraction(1, centre.denominator)
    while sensitivity / step < FINEST:
        step /= 2
    return step


def _cells(statement: Statement, schema: Schema) -> tuple[tuple[str | int | bool, ...], ...]:
    """Every combination of public keys, whether the data has it or not; one cell without a GROUP BY."""
    keys = []
    for key in statement.keys:
        column = schema.column(key.name)
        if column is None or column.keys is None:
            raise SchemaError(
                f"GROUP BY {key.name} needs a public list of its values",
                hint=f"add categories = [...] under [columns.{key.name}] in {schema.origin}.",
            )
        keys.append(column.keys)
    if math.prod(map(len, keys)) > MOST_CELLS:
        raise QueryError(
            f"GROUP BY makes more than {MOST_CELLS:,} cells", hint="group by fewer columns, or list fewer categories."
        )
    return tuple(product(*keys))
