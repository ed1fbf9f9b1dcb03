"""Where the dates and times of an expression lie, and what is counted of them, from the spans of the columns."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date, datetime, time

from sfumato.model.calendar import at_midnight, moved, parts_between, truncated, units_between, units_from
from sfumato.model.possible_cells import NotSure
from sfumato.model.schema import DateBounds, Type
from sfumato.model.statement import Call, Case, ColumnRef, Constant, Scalar, results_of

Spans = Mapping[str, DateBounds]


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
