"""Days and times in UTC: parts, truncation, steps and differences, for the years 1 to 9999."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import MAXYEAR, MINYEAR, date, datetime, time, timedelta

OF_DAYS = ("year", "quarter", "month", "week", "day")
OF_TIMES = ("hour", "minute", "second")
UNITS = (*OF_DAYS, *OF_TIMES)


FUNCTIONS = ("DATE_PART", "DATE_TRUNC", "DATE_DIFF", "DATE_ADD", "TO_DATE", "TO_TIMESTAMP")
_SECONDS = {"hour": 3600, "minute": 60, "second": 1}
_MONTHS = {"year": 12, "quarter": 3, "month": 1}
_DAYS = {"week": 7, "day": 1}
_LONG = 3_300  # days in which every part of a day occurs: eight years without a leap day, and one more
MOST_UNITS = 10_000 * 366 * 86_400  # a step of more leads out of every year

PARTS: dict[str, Callable[[date], int]] = {
    "year": lambda day: day.year,
    "quarter": lambda day: (day.month + 2) // 3,
    "month": lambda day: day.month,
    "week": lambda day: day.isocalendar().week,
    "day": lambda day: day.day,
    "dow": lambda day: day.isoweekday() % 7,  # Sunday is 0
    "isodow": lambda day: day.isoweekday(),
    "doy": lambda day: day.timetuple().tm_yday,
    "hour": lambda moment: _time(moment).hour,
    "minute": lambda moment: _time(moment).minute,
    "second": lambda moment: _time(moment).second,
}


def _time(moment: date) -> time:
    return moment.time() if isinstance(moment, datetime) else time()


def truncated(unit: str, moment: date) -> date:
    """The first day or time of the unit that it is in.

    >>> truncated("quarter", date(2026, 11, 18)).isoformat(), truncated("week", date(2026, 11, 18)).isoformat()
    ('2026-10-01', '2026-11-16')
    """
    if isinstance(moment, datetime):
        if unit in _SECONDS:
            seconds = (moment.hour * 60 + moment.minute) * 60 + moment.second
            return datetime.combine(moment, time()) + timedelta(seconds=seconds - seconds % _SECONDS[unit])
        return datetime.combine(truncated(unit, moment.date()), time())
    if unit in _MONTHS:
        month = moment.month - (moment.month - 1) % _MONTHS[unit]
        return date(moment.year, month, 1)
    return moment - timedelta(days=(moment.isoweekday() - 1) if unit == "week" else 0)


def moved(unit: str, by: int, moment: date) -> date | None:
    """So many units later: at most the last day of a month that is shorter; None outside the years 1 to 9999.

    >>> moved("month", 1, date(2026, 1, 31))
    datetime.date(2026, 2, 28)
    """
    if unit in _MONTHS:
        months = moment.year * 12 + moment.month - 1 + by * _MONTHS[unit]
        year, month = months // 12, months % 12 + 1
        if not MINYEAR <= year <= MAXYEAR:
            return None
        return moment.replace(year=year, month=month, day=min(moment.day, days_of(year, month)))
    try:
        return moment + (timedelta(days=by * _DAYS[unit]) if unit in _DAYS else timedelta(seconds=by * _SECONDS[unit]))
    except OverflowError:
        return None


def computed(name: str, unit: str, *operands: date | int) -> date | int | None:
    """A function of dates, by the name that it has in a statement."""
    match name, operands:
        case "DATE_PART", (date() as moment,):
            return PARTS[unit](moment)
        case "DATE_TRUNC", (date() as moment,):
            return truncated(unit, moment)
        case "DATE_DIFF", (date() as first, date() as last):
            return units_between(unit, first, last)
        case "DATE_ADD", (int() as by, date() as moment):
            return moved(unit, by, moment)
        case "TO_DATE", (datetime() as moment,):
            return moment.date()
        case "TO_TIMESTAMP", (date() as day,):
            return at_midnight(day)
    raise ValueError(f"{name} is no function of dates")


def at_midnight(day: date) -> datetime:
    """The first moment of a day."""
    return datetime.combine(day, time())


def days_of(year: int, month: int) -> int:
    if month == 12:
        return 31
    return (date(year, month + 1, 1) - date(year, month, 1)).days


def units_between(unit: str, first: date, last: date) -> int:
    """How many times a new unit begins on the way from one to the other.

    >>> units_between("year", date(2025, 12, 31), date(2026, 1, 1)), units_between("day", date.min, date(1, 1, 3))
    (1, 2)
    """
    return _index(unit, last) - _index(unit, first)


def _index(unit: str, moment: date) -> int:
    """The number of the unit that it is in."""
    if unit in _MONTHS:
        return (moment.year * 12 + moment.month - 1) // _MONTHS[unit]
    days = moment.toordinal() - 1  # the first day of the year 1 is a Monday
    if unit in _DAYS:
        return days // _DAYS[unit]
    at = _time(moment)
    return (days * 86_400 + (at.hour * 60 + at.minute) * 60 + at.second) // _SECONDS[unit]


def units_from(unit: str, first: date, last: date) -> Iterator[date]:
    """The first day or time of each unit between two, theirs included."""
    current: date | None = truncated(unit, first)
    while current is not None and current <= last:
        yield current
        current = moved(unit, 1, current)


def parts_between(part: str, first: date, last: date) -> list[int]:
    """The values that a part takes between two days or times, in order."""
    read = PARTS[part]
    if part == "year":
        return list(range(first.year, last.year + 1))
    if part in _SECONDS:
        steps = {"hour": 24, "minute": 1_440, "second": 86_400}[part]
        whole = units_between(part, first, last) >= steps
        return list(range(24 if part == "hour" else 60)) if whole else _values(read, units_from(part, first, last))
    start = first.date() if isinstance(first, datetime) else first
    end = last.date() if isinstance(last, datetime) else last
    return _values(read, (day for day, _ in zip(units_from("day", start, end), range(_LONG), strict=False)))


def _values(read: Callable[[date], int], moments: Iterator[date]) -> list[int]:
    return sorted(set(map(read, moments)))
