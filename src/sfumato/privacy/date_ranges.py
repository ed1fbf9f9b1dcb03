"""Where the dates and times of an expression lie, and what is counted of them, from the spans of the columns."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date, datetime, time, timedelta
from fractions import Fraction

from sfumato.model.calendar import at_midnight, moved, parts_between, truncated, units_between, units_from
from sfumato.model.possible_cells import NotSure
from sfumato.model.schema import DateBounds, Schema, Type
from sfumato.model.statement import (
    All,
    Call,
    Case,
    ColumnRef,
    Compare,
    Constant,
    Membership,
    Predicate,
    Scalar,
    results_of,
)

Spans = Mapping[str, DateBounds]

OTHER_SIDE = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}


def span_of(part: Scalar, spans: Spans) -> DateBounds:
    """The first and the last day or time that an expression may be, where columns lie within their spans."""
    match part:
        case ColumnRef(name) if name in spans:
            return spans[name]
        case Constant(date() as moment):
            return DateBounds(moment, moment)
        case Call("DATE_TRUNC", (Constant(str(unit)), inner)):
            return _ends(span_of(inner, spans), lambda moment: truncated(unit, moment))
        case Call("DATE_ADD", (Constant(str(unit)), Constant(by), inner)):
            steps = int(by)  # type: ignore[arg-type]
            return _ends(span_of(inner, spans), lambda moment: moved(unit, steps, moment) or _furthest(moment, steps))
        case Call("TO_DATE", (_, inner)):
            return _ends(span_of(inner, spans), lambda moment: date(moment.year, moment.month, moment.day))
        case Call("TO_TIMESTAMP", (_, inner)):
            return _ends(span_of(inner, spans), at_midnight)
        case Call("COALESCE" | "LEAST" | "GREATEST", parts):
            return _hull(span_of(inner, spans) for inner in parts)
        case Case(branches, otherwise):
            return _hull(span_of(inner, spans) for inner in results_of(branches, otherwise))
    raise NotSure


def days_and_times(part: Scalar, spans: Spans, most: int) -> Sequence[date] | None:
    """Each value of a date, or of a truncated date or time; None beyond so many."""
    span, unit = span_of(part, spans), "day"
    match part:
        case Call("DATE_ADD", (Constant(str(step)), Constant(by), inner)):
            before = days_and_times(inner, spans, most)
            later = None if before is None else [moved(step, int(by), moment) for moment in before]  # type: ignore[arg-type]
            return None if later is None else tuple(sorted({moment for moment in later if moment is not None}))
        case Call("DATE_TRUNC" | "TO_TIMESTAMP", (Constant(str(unit)), _)):
            pass
        case _ if part.type is Type.TIMESTAMP:
            raise NotSure
    if units_between(unit, span.first, span.last) >= most:
        return None
    return tuple(units_from(unit, span.first, span.last))


def whole_numbers(part: Scalar, spans: Spans) -> Sequence[int]:
    """What a part of a date, or a number of units between two dates, may be."""
    match part:
        case Call("DATE_PART", (Constant(str(name)), inner)):
            span = span_of(inner, spans)
            return parts_between(name, span.first, span.last)
        case Call("DATE_DIFF", (Constant(str(unit)), start, end)):
            first, last = span_of(start, spans), span_of(end, spans)
            fewest = units_between(unit, first.last, last.first)
            return range(fewest, units_between(unit, first.first, last.last) + 1)
    raise NotSure


def _ends(span: DateBounds, function: Callable[[date], date]) -> DateBounds:
    return DateBounds(function(span.first), function(span.last))


def _furthest(moment: date, steps: int) -> date:
    """Beyond the years 1 to 9999 there is no date: the value is missing there."""
    if isinstance(moment, datetime):
        return datetime.combine(date.max, time.max) if steps > 0 else datetime.combine(date.min, time())
    return date.max if steps > 0 else date.min


def _hull(spans: Iterable[DateBounds]) -> DateBounds:
    each = list(spans)
    return DateBounds(min(span.first for span in each), max(span.last for span in each))


# What a WHERE leaves


def narrowed_spans(where: Predicate | None, schema: Schema) -> Mapping[str, DateBounds]:
    """The spans of columns, as far as conditions on their dates, times or years leave them.

    One that a WHERE leaves nothing of is as the schema states it.
    """
    spans = {c.name: c.span for c in schema.columns if c.span is not None}
    for part in where.parts if isinstance(where, All) else (where,) if where is not None else ():
        match part:
            case Compare(operator, ColumnRef(name), Constant(date() as moment)) if name in spans:
                spans[name] = _cut_span(spans[name], operator, moment)
            case Compare(operator, Constant(date() as moment), ColumnRef(name)) if name in spans:
                spans[name] = _cut_span(spans[name], OTHER_SIDE.get(operator, operator), moment)
            case Compare(
                operator, Call("DATE_PART", (Constant("year"), ColumnRef(name))), Constant(Fraction() as year)
            ):
                spans |= {name: _cut_to_years(spans[name], operator, year)} if name in spans else {}
            case Compare(
                operator, Constant(Fraction() as year), Call("DATE_PART", (Constant("year"), ColumnRef(name)))
            ):
                turned = OTHER_SIDE.get(operator, operator)
                spans |= {name: _cut_to_years(spans[name], turned, year)} if name in spans else {}
            case Membership(Call("DATE_PART", (Constant("year"), ColumnRef(name))), members) if name in spans:
                years = [member.value for member in members if isinstance(member.value, Fraction)]
                for operator, year in ((">=", min(years)), ("<=", max(years))) if years else ():
                    spans[name] = _cut_to_years(spans[name], operator, year)
    return spans


def _cut_span(span: DateBounds, operator: str, moment: date) -> DateBounds:
    first, last = span.first, span.last
    step = timedelta(microseconds=1) if isinstance(moment, datetime) else timedelta(days=1)
    try:
        if operator in ("<", "<=", "="):
            last = min(last, moment - step if operator == "<" else moment)
        if operator in (">", ">=", "="):
            first = max(first, moment + step if operator == ">" else moment)
    except OverflowError:
        return span
    return DateBounds(first, last) if first <= last else span


def _cut_to_years(span: DateBounds, operator: str, year: Fraction) -> DateBounds:
    """To the first moment of the first year, and to the last before the year that follows the last one."""
    first = {"=": math.ceil(year), ">=": math.ceil(year), ">": math.floor(year) + 1}.get(operator, 0)
    after = {"=": math.floor(year), "<=": math.floor(year), "<": math.ceil(year) - 1}.get(operator, 9999) + 1
    kind = datetime if isinstance(span.first, datetime) else date
    if 1 <= first <= 9999:
        span = _cut_span(span, ">=", kind(first, 1, 1))
    return _cut_span(span, "<", kind(after, 1, 1)) if 1 <= after <= 9999 else span
