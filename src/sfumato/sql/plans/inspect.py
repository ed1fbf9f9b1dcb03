"""Questions about the raw table itself: how it fits its schema, and what a first draft of one would say."""

from __future__ import annotations

from collections.abc import Mapping

from sqlglot import exp

from sfumato.model.fit import ColumnFit, Fit
from sfumato.model.schema import Schema, SchemaColumn, Type
from sfumato.sql.builder.ast import column, is_listed, number, table
from sfumato.sql.plans.clean import missing_text, try_cast
from sfumato.sql.plans.exposure_summary import Rows, whole

MOST_VALUES = 50  # a column with more values than this is no list of categories
_FITS = 0.95  # a draft calls a column by a type when nearly all its values fit it


def fit(schema: Schema, present: Mapping[str, Type | None], raw: str) -> exp.Select:
    """People, then per declared column: missing, unfit, beyond the bounds, not listed."""
    counts = [part for c in schema.columns for part in _misfits(c, schema, _stored(c.name, present))]
    return exp.select(exp.func("COUNT", exp.Star()), *counts).from_(table(raw))


def read_fit(rows: Rows, schema: Schema) -> Fit:
    people, *counts = map(whole, rows[0])
    quads = [counts[i : i + 4] for i in range(0, len(counts), 4)]
    return Fit(people, tuple(ColumnFit(c.name, *quad) for c, quad in zip(schema.columns, quads, strict=True)))


def _misfits(declared: SchemaColumn, schema: Schema, present: Type | None) -> list[exp.Expr]:
    raw = column(declared.name)
    is_null = exp.Is(this=raw, expression=exp.Null())
    as_text = raw if present is Type.TEXT else try_cast(raw, Type.TEXT)
    missing = exp.or_(is_null, missing_text(as_text, schema)) if present in (Type.TEXT, None) else is_null
    typed = try_cast(as_text if present is None else raw, declared.type)
    unfit = exp.and_(exp.Not(this=exp.Paren(this=missing)), exp.Is(this=typed, expression=exp.Null()))
    beyond: exp.Expr = exp.false()
    if declared.bounds is not None:
        low, high = number(declared.bounds.lower), number(declared.bounds.upper)
        beyond = exp.or_(exp.LT(this=typed.copy(), expression=low), exp.GT(this=typed.copy(), expression=high))
    unlisted: exp.Expr = exp.false()
    if declared.categories is not None:
        known = is_listed(typed.copy(), declared.categories)
        unlisted = exp.and_(exp.Not(this=exp.Paren(this=missing.copy())), exp.Not(this=known))
    return [exp.func("COUNT_IF", part) for part in (missing.copy(), unfit, beyond, unlisted)]


def guesses(present: Mapping[str, Type | None], raw: str) -> exp.Select:
    """Per column: values that are there, and how many of them read as whole numbers, numbers and dates."""
    parts = [part for name in present for part in _readings(name)]
    return exp.select(*parts).from_(table(raw))


def _readings(name: str) -> list[exp.Expr]:
    as_number = try_cast(column(name), Type.NUMBER)
    is_whole = exp.EQ(this=as_number, expression=exp.func("ROUND", as_number.copy()))
    readings = [try_cast(column(name), type_) for type_ in (Type.NUMBER, Type.DATE)]
    counts = [exp.func("COUNT", tree) for tree in (column(name), *readings)]
    return [counts[0], exp.func("COUNT_IF", is_whole), *counts[1:]]


def read_guesses(rows: Rows, present: Mapping[str, Type | None]) -> dict[str, Type]:
    """The stored type where there is one; text that nearly always reads as something narrower becomes that."""
    counts = list(map(whole, rows[0]))
    quads = dict(zip(present, (counts[i : i + 4] for i in range(0, len(counts), 4)), strict=True))
    return {name: _guess(stored, *quads[name]) for name, stored in present.items()}


def _guess(stored: Type | None, there: int, wholes: int, numbers: int, dates: int) -> Type:
    if stored not in (Type.TEXT, None) or not there:
        return stored or Type.TEXT
    fits = {Type.INTEGER: wholes, Type.NUMBER: numbers, Type.DATE: dates}
    return next((type_ for type_, count in fits.items() if count >= _FITS * there), Type.TEXT)


def values(name: str, raw: str) -> exp.Select:
    """A few of a column's values, one more than a list of categories may have."""
    present = exp.Not(this=exp.Is(this=column(name), expression=exp.Null()))
    query = exp.select(column(name)).distinct().from_(table(raw)).where(present)
    return query.limit(MOST_VALUES + 1)


def _stored(name: str, present: Mapping[str, Type | None]) -> Type | None:
    return next(type_ for stored, type_ in present.items() if stored.lower() == name.lower())
