"""Questions about the raw table itself: how it fits its schema, and what a first draft of one would say."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from sqlglot import exp

from sfumato.model.fit import ColumnFit, Fit
from sfumato.model.schema import Format, Schema, SchemaColumn, Type
from sfumato.sql.builder import nodes
from sfumato.sql.builder.ast import column, is_among, table
from sfumato.sql.builder.values import value
from sfumato.sql.plans.clean import missing_text, plain_text, try_cast
from sfumato.sql.plans.exposure_summary import Rows, whole

MOST_VALUES = 50  # a column with more values than this is no list of categories
MISSING_TEXTS = ("NA", "N/A", "n/a", "NaN", "nan", "null", "NULL", "None", "?", "-")  # of the usual ones
MISSING_IN_TEXTS = ("N/A", "n/a", "?")  # those that are nothing else in a column of texts: NA may be Namibia
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
    text = plain_text(as_text, declared.format, declared.type) if declared.format and present is Type.TEXT else as_text
    typed = try_cast(text if present in (Type.TEXT, None) else raw, declared.type, present or Type.TEXT)
    unfit = exp.and_(exp.Not(this=exp.Paren(this=missing)), exp.Is(this=typed, expression=exp.Null()))
    beyond: exp.Expr = exp.false()
    if declared.ends is not None:
        low, high = map(value, declared.ends)
        beyond = exp.or_(exp.LT(this=typed.copy(), expression=low), exp.GT(this=typed.copy(), expression=high))
    unlisted: exp.Expr = exp.false()
    if declared.categories is not None:
        known = is_among(typed.copy(), declared.categories)
        unlisted = exp.and_(exp.Not(this=exp.Paren(this=missing.copy())), exp.Not(this=known))
    return [nodes.CountTrue(this=part) for part in (missing.copy(), unfit, beyond, unlisted)]


@dataclass(frozen=True)
class TextReadings:
    """How the texts of a column can be read: how many values there are, and how many read in each way."""

    there: int
    missing: tuple[str, ...]  # the usual texts for a missing value that occur
    ways: tuple[
        tuple[Type, Format | None, int, int], ...
    ]  # a type, a format, the values that fit, those that are whole

    @property
    def is_settled(self) -> bool:
        return any(fitting == self.there for _, _, fitting, _ in self.ways)

    def guess(self, other: TextReadings | None) -> tuple[Type, Format | None]:
        """The way that reads the most values, if that is nearly all: whole numbers only if no number is another."""
        ways = (*self.ways, *(other.ways if other is not None else ()))
        type_, format_, fitting, wholes = max(ways, key=lambda way: way[2])
        if not self.there or fitting < _FITS * self.there:
            return Type.TEXT, None
        return Type.INTEGER if type_ is Type.NUMBER and wholes == fitting else type_, format_


def text_readings(names: Sequence[str], raw: str, formats: Sequence[Format | None]) -> exp.Select:
    """Per column: its values, each of the usual texts for a missing one, and those that each format reads."""
    parts = [part for name in names for part in _reading_counts(name, formats)]
    return exp.select(*parts).from_(table(raw))


def read_text_readings(rows: Rows, names: Sequence[str], formats: Sequence[Format | None]) -> dict[str, TextReadings]:
    counts, ways = iter(map(whole, rows[0])), [way for format_ in formats for way in _ways(format_)]
    readings = {}
    for name in names:
        there, missing = next(counts), tuple(text for text in MISSING_TEXTS if next(counts))
        read = tuple((type_, format_, next(counts), next(counts)) for type_, format_ in ways)
        readings[name] = TextReadings(there, missing, read)
    return readings


def _ways(format_: Format | None) -> list[tuple[Type, Format | None]]:
    return [(type_, format_) for type_ in (Type.NUMBER, Type.DATE) if format_ is None or format_.fits(type_)]


def _reading_counts(name: str, formats: Sequence[Format | None]) -> Iterator[exp.Expr]:
    text = try_cast(column(name), Type.TEXT)
    missing = [exp.EQ(this=text.copy(), expression=value(word)) for word in MISSING_TEXTS]
    there = exp.case().when(exp.In(this=text.copy(), expressions=[value(word) for word in MISSING_TEXTS]), exp.Null())
    there = there.else_(text.copy())
    yield exp.func("COUNT", there)
    yield from (nodes.CountTrue(this=word) for word in missing)
    for type_, format_ in (way for one in formats for way in _ways(one)):
        read = try_cast(there if format_ is None else plain_text(there, format_, type_), type_, Type.TEXT)
        is_whole = exp.EQ(this=read, expression=exp.func("FLOOR", read.copy())) if type_.numeric else exp.false()
        yield exp.func("COUNT", read.copy())
        yield nodes.CountTrue(this=is_whole)


def values(name: str, raw: str) -> exp.Select:
    """A few of a column's values, one more than a list of categories may have."""
    present = exp.Not(this=exp.Is(this=column(name), expression=exp.Null()))
    query = exp.select(column(name)).distinct().from_(table(raw)).where(present)
    return query.limit(MOST_VALUES + 1)


def _stored(name: str, present: Mapping[str, Type | None]) -> Type | None:
    return next(type_ for stored, type_ in present.items() if stored.lower() == name.lower())
