"""Contribution bounds from a private histogram of what people contribute: a release like any other, then arithmetic."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from sfumato.errors import BadInput
from sfumato.model.release import ReleaseCertificate
from sfumato.model.schema import Schema
from sfumato.model.suggested_bounds import SuggestedBounds
from sfumato.privacy.contribution_choice import BEYOND, EDGES, compared_bounds, least_bound
from sfumato.privacy.preferences.preference import epsilon as stated_epsilon
from sfumato.release.bound_query import bind
from sfumato.release.context import DatasetContext
from sfumato.release.keywords import ReleaseTerms
from sfumato.release.pipeline import release
from sfumato.release.request import request_of


def private_bounds(
    context: DatasetContext, epsilon: float, for_epsilon: float, terms: ReleaseTerms, *, groups: str, column: str
) -> SuggestedBounds:
    """From a histogram that is charged: each person is in one bin of it."""
    stated_epsilon(for_epsilon)
    query = bind(context, histogram_query(context.schema, groups=groups, column=column))
    released = release(query, request_of(query, [stated_epsilon(epsilon)]), terms)
    rows = zip(released.rows, released.numbers, strict=True)
    people = {int(str(end)): many for (end, _), (many,) in rows}  # as drawn: below 0 too, or sums would be too large
    return _suggested(context.schema, people, for_epsilon, groups, column, released.certificate)


def public_bounds(
    schema: Schema, people: Mapping[int, float], for_epsilon: float, *, groups: str = "", column: str = ""
) -> SuggestedBounds:
    """From public knowledge: how many people contribute how much."""
    stated_epsilon(for_epsilon)
    return _suggested(schema, people, for_epsilon, groups, column, None)


def histogram_query(schema: Schema, *, groups: str = "", column: str = "") -> str:
    """How many people are in each public bin: of rows, of different values, or of a sum beside the reach of a row."""
    if schema.tables:
        raise BadInput.because("histogram-of-several-tables")
    person = _quoted(str(schema.unit.column or schema.name))
    where = ""
    if column:
        where = f" WHERE {_quoted(column)} IS NOT NULL"
        low, high = _per_row(schema, column)
        tests = [f"SUM({_quoted(column)}) BETWEEN {_decimal(low * m)} AND {_decimal(high * m)}" for m in EDGES]
    else:
        counted = f"COUNT(DISTINCT {_quoted(groups)})" if groups else "COUNT(*)"
        tests = [f"{counted} <= {m}" for m in EDGES]
    branches = " ".join(f"WHEN {test} THEN {m}" for test, m in zip(tests, EDGES, strict=True))
    inner = f"SELECT {person}, CASE {branches} ELSE {BEYOND} END AS most FROM {_quoted(schema.name)}{where} GROUP BY 1"
    return f"SELECT most, COUNT(*) FROM ({inner}) GROUP BY most"


def _suggested(
    schema: Schema,
    people: Mapping[int, float],
    epsilon: float,
    groups: str,
    column: str,
    certificate: ReleaseCertificate | None,
) -> SuggestedBounds:
    bound = least_bound(people, epsilon)
    statement = f"max_groups = {bound}" if groups else f"max_rows = {bound}"
    if column:
        low, high = _per_row(schema, column)
        statement = f"per_person = [{_decimal(low * bound)}, {_decimal(high * bound)}]"
    candidates = compared_bounds(people, epsilon)
    return SuggestedBounds(statement, bound, epsilon, candidates, certificate)


def _per_row(schema: Schema, column: str) -> tuple[Fraction, Fraction]:
    """How far one row moves a sum down and up."""
    bounds = schema.bounds_of(column)
    return min(bounds.lower, Fraction(0)), max(bounds.upper, Fraction(0))


def _decimal(value: Fraction) -> str:
    return str(value) if value.denominator == 1 else repr(float(value))


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
