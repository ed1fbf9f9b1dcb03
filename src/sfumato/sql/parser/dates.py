"""Dates and times in expressions: EXTRACT, DATE_TRUNC, DATE_DIFF, INTERVAL, and what they may be applied to."""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from fractions import Fraction

from sqlglot import exp

from sfumato.errors import QueryError
from sfumato.model.calendar import MOST_UNITS, OF_TIMES, PARTS, UNITS, at_midnight, moved
from sfumato.model.possible_cells import NotSure
from sfumato.model.schema import Schema, Type
from sfumato.model.statement import Call, Case, Compare, Constant, Scalar, columns_in
from sfumato.model.zones import MOST_OFFSETS, offsets
from sfumato.privacy.date_ranges import span_of
from sfumato.sql.parser.source import Text

_PART_FUNCTIONS: dict[type[exp.Expr], str] = {
    exp.Year: "year",
    exp.Quarter: "quarter",
    exp.Month: "month",
    exp.Week: "week",
    exp.WeekOfYear: "week",
    exp.Day: "day",
    exp.DayOfMonth: "day",
    exp.DayOfWeek: "dow",
    exp.DayOfWeekIso: "isodow",
    exp.DayOfYear: "doy",
    exp.Hour: "hour",
    exp.Minute: "minute",
    exp.Second: "second",
}
_FUNCTIONS = (exp.Date, exp.LastDay, exp.Dayname, exp.Monthname, exp.TimeToStr, exp.DateAdd, exp.AtTimeZone)
_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip
_PADDED = {"Y": ("year", 4), "m": ("month", 2), "d": ("day", 2), "H": ("hour", 2), "M": ("minute", 2),
           "S": ("second", 2), "j": ("doy", 3)}  # fmt: skip
_NAMED = {"A": ("isodow", _DAYS, 9), "a": ("isodow", _DAYS, 3), "B": ("month", _MONTHS, 9), "b": ("month", _MONTHS, 3)}
_OTHER_NAMES = {"dayofweek": "dow", "weekday": "dow", "dayofyear": "doy", "dayofmonth": "day", "weekofyear": "week"}
TIMES = ("timestamp", "timestamptz", "timestampntz", "datetime")  # how the type of a time may be written
_FORMATTED = re.compile("%(.)", re.DOTALL)
_UNITS = f"use one of {', '.join(UNITS)}."
_PARTS = f"use one of {', '.join(PARTS)}."


@dataclass(frozen=True)
class DateFunction:
    """A function of dates as it is written: its name, the unit or part, and what it is applied to."""

    name: str
    unit: str
    operands: tuple[exp.Expr, ...]


def date_function(node: exp.Expr) -> DateFunction | None:
    if type(node) in _PART_FUNCTIONS:
        return DateFunction("DATE_PART", _PART_FUNCTIONS[type(node)], (node.this,))
    match node:
        case exp.Extract():
            return DateFunction("DATE_PART", _unit(node.this), (node.expression,))
        case exp.TimestampTrunc() | exp.DateTrunc():
            return DateFunction("DATE_TRUNC", _unit(node.args["unit"]), (node.this,))
        case exp.DateDiff():
            return DateFunction("DATE_DIFF", _unit(node.args.get("unit")), (node.expression, node.this))
        case exp.Anonymous(this=str(name), expressions=[operand]) if name.upper() == "WEEKDAY":
            return DateFunction("DATE_PART", "dow", (operand,))
        case exp.Anonymous(this=str(name), expressions=[unit, operand]) if name.upper() in ("DATE_PART", "DATEPART"):
            return DateFunction("DATE_PART", _unit(unit), (operand,))
    return None


def _unit(node: exp.Expr | None) -> str:
    name = "" if node is None else node.name.lower()
    name = name if name in PARTS else name.removesuffix("s")
    return _OTHER_NAMES.get(name, name)


class Dates(Text):
    """Reads functions of dates and times."""

    schema: Schema

    @abstractmethod
    def scalar(self, node: exp.Expr, depth: int = 0) -> Scalar:
        """Any expression."""

    def date_call(self, function: DateFunction, node: exp.Expr, depth: int) -> Scalar:
        known: Sequence[str] = tuple(PARTS) if function.name == "DATE_PART" else UNITS
        if function.unit not in known:
            hint = _PARTS if function.name == "DATE_PART" else _UNITS
            if any(part.name.lower() in UNITS for part in function.operands if isinstance(part, exp.Column)):
                others = "d" if function.name == "DATE_TRUNC" else "a, b"
                hint = f"write the unit first, in quotes, as in {function.name}('month', {others})."
            self.refuse(f"{function.name} of '{function.unit}'", node, hint=hint)
        operands = tuple(self.moment_of(self.scalar(part, depth + 1), function, node) for part in function.operands)
        if len({operand.type for operand in operands}) > 1:
            operands = tuple(map(as_timestamp, operands))
        for operand in operands:
            self.require_unit(operand, function, node)
        type_ = operands[0].type if function.name == "DATE_TRUNC" else Type.INTEGER
        return Call(function.name, (Constant(function.unit, Type.TEXT), *operands), type_ or Type.DATE)

    def date_expression(self, node: exp.Expr, depth: int) -> Scalar | None:
        """What is read as calls of these functions; None: another expression."""
        match node:
            case exp.DateAdd(expression=exp.Interval() as interval):
                return self.interval(self.scalar(node.this, depth + 1), interval, 1, node)
            case exp.Anonymous(this=str(name), expressions=[moved_, exp.Interval() as interval]) if name.upper() in (
                "DATE_ADD",
                "DATE_SUB",
            ):
                sign = 1 if name.upper() == "DATE_ADD" else -1
                return self.interval(self.scalar(moved_, depth + 1), interval, sign, node)
        if not isinstance(node, _FUNCTIONS) or isinstance(node, exp.DateAdd):
            return None
        written, formatted = node.this, node.args.get("format")
        if isinstance(written, exp.Literal) and formatted is not None:  # DuckDB takes the two in either order
            written, formatted = formatted, written
        name = "AT TIME ZONE" if isinstance(node, exp.AtTimeZone) else node.sql_name()
        moment = self.moment_of(self.scalar(written, depth + 1), DateFunction(name, "day", ()), node)
        match node:
            case exp.AtTimeZone():
                return self.at_zone(moment, node)
            case exp.Date():
                return as_date(moment)
            case exp.LastDay():
                first = Call("DATE_TRUNC", (_text("month"), as_date(moment)), Type.DATE)
                return _later("day", -1, _later("month", 1, first))
            case exp.Dayname() | exp.Monthname():
                unit, names, _ = _NAMED["A" if isinstance(node, exp.Dayname) else "B"]
                return _name_of(_part(unit, moment), names)
        return self.formatted(moment, formatted, node)

    def formatted(self, moment: Scalar, written: exp.Expr | None, node: exp.Expr) -> Scalar:
        """STRFTIME: parts of a date and texts, one after the other."""
        hint = f"use {', '.join(f'%{sign}' for sign in (*_PADDED, *_NAMED))}, as in STRFTIME(d, '%Y-%m')."
        if not (isinstance(written, exp.Literal) and written.is_string):
            self.refuse("STRFTIME with anything but a constant format", node, hint=hint)
        pieces: list[Scalar] = []
        texts = _FORMATTED.split(str(written.this))
        day = as_date(moment) if moment.type is Type.TIMESTAMP and not _reads_time(texts[1::2]) else moment
        for i, text in enumerate(texts):
            if i % 2 == 0:
                pieces += [_text(text)] if text else []
            elif text in _PADDED and (day.type is Type.TIMESTAMP or _PADDED[text][0] not in OF_TIMES):
                unit, width = _PADDED[text]
                pieces.append(_padded(_part(unit, day), width))
            elif text in _NAMED:
                unit, names, length = _NAMED[text]
                pieces.append(_name_of(_part(unit, day), [name[:length] for name in names]))
            else:
                self.refuse(f"%{text} in the format of a {day.type}", node, hint=hint)
        whole = pieces[0] if pieces else _text("")
        for piece in pieces[1:]:
            whole = Call("||", (whole, piece), Type.TEXT)
        return whole

    def at_zone(self, moment: Scalar, node: exp.AtTimeZone) -> Scalar:
        """The clock of a zone at a time in UTC: the time, and what the clock is ahead of UTC then.

        What it is ahead, and from when on, is written out: no engine looks it up. A time beyond the bounds is read as
        the nearest bound is.
        """
        zone = node.args.get("zone")
        name = zone.this if isinstance(zone, exp.Literal) and zone.is_string else ""
        if name.upper() in ("UTC", "ETC/UTC", "GMT"):
            return moment
        if moment.type is not Type.TIMESTAMP:
            raise QueryError("AT TIME ZONE needs a timestamp, not a date", where=self.place(node))
        try:
            span = span_of(moment, {c.name: c.span for c in self.schema.columns if c.span is not None})
            steps = offsets(name, span.first, span.last)
        except NotSure:
            columns = (ref.name for ref in columns_in(moment))
            raise self.without_bounds(next(columns, ""), node) from None
        except (ValueError, LookupError, OSError):
            hint = "write one such as 'Europe/Amsterdam'."
            raise QueryError("The time zone is not known", where=self.place(node), hint=hint) from None
        if len(steps) > MOST_OFFSETS:
            what = f"Between its bounds the clock of this time zone is changed more than {MOST_OFFSETS} times"
            raise QueryError(what, where=self.place(node), hint="state closer bounds in the schema.")
        local = [_later("second", step.seconds, moment) for step in steps]
        untils = [Constant(step.start, Type.TIMESTAMP) for step in steps[1:]]
        if not untils:
            return local[0]
        branches = tuple((Compare("<", moment, until), own) for until, own in zip(untils, local, strict=False))
        return Case(branches, local[-1], Type.TIMESTAMP)

    def without_bounds(self, column: str, node: exp.Expr) -> QueryError:
        hint = f"add bounds = [2020-01-01T00:00:00, 2029-12-31T23:59:59] under [columns.{column}] in "
        what = f"AT TIME ZONE needs the bounds of column '{column}'"
        return QueryError(what, where=self.place(node), hint=f"{hint}{self.schema.origin}.")

    def moment(self, operand: Scalar, function: DateFunction, node: exp.Expr) -> Scalar:
        """A date or a time, of which the function takes this unit."""
        operand = self.moment_of(operand, function, node)
        self.require_unit(operand, function, node)
        return operand

    def moment_of(self, operand: Scalar, function: DateFunction, node: exp.Expr) -> Scalar:
        """A date or a time; a text constant is read as one."""
        if isinstance(operand, Constant) and isinstance(operand.value, str):
            operand = self.instant(operand.value, node) if " " in operand.value else self.day(operand.value, node)
        if operand.type is None or not operand.type.temporal:
            what = f"{function.name} needs a date or a timestamp, not {operand.type or 'a column without a type'}"
            raise QueryError(what, where=self.place(node))
        return operand

    def require_unit(self, operand: Scalar, function: DateFunction, node: exp.Expr) -> None:
        if operand.type is Type.DATE and function.unit in OF_TIMES:
            hint = 'state type = "timestamp" in the schema, if the column has times.'
            raise QueryError(f"A date has no {function.unit}", where=self.place(node), hint=hint)

    def interval(self, left: Scalar, interval: exp.Interval, sign: int, node: exp.Expr) -> Scalar:
        """A date or a time plus or minus a constant number of units."""
        unit, number = _unit(interval.args.get("unit")), interval.this
        negative = isinstance(number, exp.Neg)
        text = (number.this if isinstance(number, exp.Neg) else number).name
        if unit not in UNITS or not text.removeprefix("-").isdecimal() or len(text) > 15:
            hint = f"write INTERVAL 3 MONTH, with a whole number; {_UNITS}"
            self.refuse("This INTERVAL", interval, hint=hint)
        by = int(text) * sign * (-1 if negative else 1)
        return self.moved(self.moment(left, DateFunction("INTERVAL", unit, ()), node), unit, by, node)

    def of_moments(self, operator: str, left: Scalar, right: Scalar, node: exp.Expr) -> Scalar:
        """A date plus or minus days, or the days between two dates."""
        if operator == "-" and left.type is Type.DATE and right.type is Type.DATE:
            return Call("DATE_DIFF", (Constant("day", Type.TEXT), right, left), Type.INTEGER)
        whole = isinstance(right, Constant) and right.type is Type.INTEGER and isinstance(right.value, Fraction)
        if operator in "+-" and left.type is Type.DATE and whole:
            assert isinstance(right, Constant)
            days = int(right.value or 0)  # type: ignore[arg-type]
            return self.moved(left, "day", days if operator == "+" else -days, node)
        hint = "use DATE_DIFF('day', a, b), or add an INTERVAL such as INTERVAL 3 MONTH."
        raise QueryError(
            f"'{operator}' does not work on {left.type} and {right.type}", where=self.place(node), hint=hint
        )

    def like(self, type_: Type, constant: Constant, node: exp.Expr) -> Constant:
        """A constant as a date or a time, where it is compared with one."""
        value = constant.value
        if isinstance(value, str):
            return self.day(value, node) if type_ is Type.DATE else self.instant(value, node)
        if type_ is Type.TIMESTAMP and constant.type is Type.DATE and isinstance(value, date):
            return Constant(datetime.combine(value, time()), Type.TIMESTAMP)
        if type_ is Type.DATE and isinstance(value, datetime) and value.time() == time():
            return Constant(value.date(), Type.DATE)
        return constant

    def moved(self, operand: Scalar, unit: str, by: int, node: exp.Expr) -> Scalar:
        if abs(by) > MOST_UNITS:
            raise QueryError("The INTERVAL is too long", where=self.place(node), hint="use a shorter one.")
        if isinstance(operand, Constant) and isinstance(operand.value, date):
            later = moved(unit, by, operand.value)
            if later is None:
                raise QueryError("The date is outside the years 1 to 9999", where=self.place(node))
            return Constant(later, operand.type)
        assert operand.type is not None
        return Call(
            "DATE_ADD", (Constant(unit, Type.TEXT), Constant(Fraction(by), Type.INTEGER), operand), operand.type
        )

    def day(self, text: str, node: exp.Expr) -> Constant:
        try:
            return Constant(date.fromisoformat(text), Type.DATE)
        except ValueError:
            raise QueryError("The date is not valid; dates look like 2026-11-15", where=self.place(node)) from None

    def instant(self, text: str, node: exp.Expr) -> Constant:
        """In UTC, unless it states its distance to it."""
        try:
            moment = datetime.fromisoformat(text)
            if moment.tzinfo is not None:
                moment = moment.astimezone(UTC).replace(tzinfo=None)
            return Constant(moment, Type.TIMESTAMP)
        except (ValueError, OverflowError):
            what = "The timestamp is not valid; timestamps look like 2026-11-15 18:30:00"
            raise QueryError(what, where=self.place(node)) from None


def as_date(moment: Scalar) -> Scalar:
    """The day that a date or a time is on."""
    if isinstance(moment, Constant) and isinstance(moment.value, datetime):
        return Constant(moment.value.date(), Type.DATE)
    return moment if moment.type is Type.DATE else Call("TO_DATE", (_text("day"), moment), Type.DATE)


def as_timestamp(moment: Scalar) -> Scalar:
    """A time; of a date its first."""
    if moment.type is Type.TIMESTAMP:
        return moment
    if isinstance(moment, Constant) and isinstance(moment.value, date):
        return Constant(at_midnight(moment.value), Type.TIMESTAMP)
    return Call("TO_TIMESTAMP", (_text("day"), moment), Type.TIMESTAMP)


def _text(text: str) -> Constant:
    return Constant(text, Type.TEXT)


def _whole(value: int) -> Constant:
    return Constant(Fraction(value), Type.INTEGER)


def _part(unit: str, moment: Scalar) -> Scalar:
    return Call("DATE_PART", (_text(unit), moment), Type.INTEGER)


def _later(unit: str, by: int, moment: Scalar) -> Scalar:
    return Call("DATE_ADD", (_text(unit), _whole(by), moment), moment.type or Type.DATE) if by else moment


def _padded(part: Scalar, width: int) -> Scalar:
    """With zeros before it."""
    zeros = Call("||", (_text("0" * (width - 1)), part), Type.TEXT)
    return Call("RIGHT", (zeros, _whole(width)), Type.TEXT)


def _name_of(part: Scalar, names: Sequence[str]) -> Scalar:
    """The name of a part of a date, which is counted from 1."""
    branches = tuple((Compare("=", part, _whole(i)), _text(name)) for i, name in enumerate(names, 1))
    return Case(branches, Constant(None, Type.TEXT), Type.TEXT)


def _reads_time(signs: Sequence[str]) -> bool:
    return any(_PADDED[sign][0] in OF_TIMES for sign in signs if sign in _PADDED)


def is_time(node: exp.Expr) -> bool:
    """Whether it is a constant such as TIMESTAMP '2026-11-15 18:30:00'."""
    return isinstance(node, exp.Cast) and isinstance(node.this, exp.Literal) and node.to.is_type(*TIMES)
