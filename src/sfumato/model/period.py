"""Calendar periods in UTC: days, ISO weeks, months, quarters and years."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from enum import StrEnum


class Period(StrEnum):
    """A length of the calendar, from the shortest to the longest."""

    DAY = "day"
    WEEK = "week"
    MONTH = "month"
    QUARTER = "quarter"
    YEAR = "year"

    def at(self, moment: datetime) -> CalendarPeriod:
        """The period that a moment lies in.

        >>> Period.MONTH.at(datetime(2026, 3, 31, 23, 59, tzinfo=UTC)).name
        '2026-03'
        """
        day = moment.astimezone(UTC).date()
        first = day
        match self:
            case Period.WEEK:
                first = day - timedelta(days=day.weekday())
            case Period.MONTH:
                first = day.replace(day=1)
            case Period.QUARTER:
                first = day.replace(month=day.month - (day.month - 1) % 3, day=1)
            case Period.YEAR:
                first = day.replace(month=1, day=1)
            case Period.DAY:
                pass
        return CalendarPeriod(self, first)

    def named(self, name: str) -> CalendarPeriod | None:
        """The period of that name, such as 2026-03-01, 2026-W09, 2026-03, 2026-Q1 or 2026; None where there is none.

        >>> Period.WEEK.named("2026-W09").first, Period.MONTH.named("2026-13")
        (datetime.date(2026, 2, 23), None)
        """
        digits = [int(part) for part in re.findall("[0-9]{1,4}", name)]
        try:
            match self, digits:
                case Period.DAY, [year, month, day]:
                    first = date(year, month, day)
                case Period.WEEK, [year, week]:
                    first = date.fromisocalendar(year, week, 1)
                case Period.MONTH, [year, month]:
                    first = date(year, month, 1)
                case Period.QUARTER, [year, quarter]:
                    first = date(year, 3 * quarter - 2, 1)
                case Period.YEAR, [year]:
                    first = date(year, 1, 1)
                case _:
                    return None
            period = CalendarPeriod(self, first)
        except (ValueError, OverflowError):
            return None
        return period if period.name == name else None


_STEP = {Period.DAY: 1, Period.WEEK: 7, Period.MONTH: 31, Period.QUARTER: 92, Period.YEAR: 366}  # days, at most


@dataclass(frozen=True)
class CalendarPeriod:
    """One period of the calendar, by its first day."""

    length: Period
    first: date

    @property
    def name(self) -> str:
        """As it is written and read: 2026-03-01, 2026-W09, 2026-03, 2026-Q1 or 2026."""
        match self.length:
            case Period.DAY:
                return self.first.isoformat()
            case Period.WEEK:
                year, week, _ = self.first.isocalendar()
                return f"{year:04}-W{week:02}"
            case Period.MONTH:
                return f"{self.first:%Y-%m}"
            case Period.QUARTER:
                return f"{self.first.year:04}-Q{(self.first.month + 2) // 3}"
            case Period.YEAR:
                return f"{self.first.year:04}"

    @property
    def next(self) -> CalendarPeriod:
        """The one after it."""
        return self.length.at(_midnight(self.first + timedelta(days=_STEP[self.length])))

    @property
    def previous(self) -> CalendarPeriod:
        """The one before it."""
        return self.length.at(_midnight(self.first - timedelta(days=1)))

    def __contains__(self, moment: datetime) -> bool:
        return self.length.at(moment) == self


def moment(text: str) -> datetime:
    """A moment as the ledger has it; one without a time zone is in UTC."""
    at = datetime.fromisoformat(text)
    return at if at.tzinfo is not None else at.replace(tzinfo=UTC)


def _midnight(day: date) -> datetime:
    return datetime(day.year, day.month, day.day, tzinfo=UTC)
