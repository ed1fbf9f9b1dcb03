"""What the clock of a time zone is ahead of UTC, and from when on: public facts, from the time zone database."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from functools import lru_cache
from zoneinfo import ZoneInfo

MOST_OFFSETS = 200  # that one expression writes out: of a zone with summer time, for 100 years


@dataclass(frozen=True)
class Offset:
    """So many seconds ahead of UTC, from a time in UTC on."""

    start: datetime
    seconds: int


@lru_cache(maxsize=64)
def offsets(zone: str, first: date, last: date) -> tuple[Offset, ...]:
    """In order; the first one counts before it, too, and the last one after it. ValueError, LookupError: no zone.

    >>> [
    ...     (step.start.isoformat(" "), step.seconds)
    ...     for step in offsets("Europe/Amsterdam", date(2026, 1, 1), date(2026, 12, 31))
    ... ]
    [('2026-01-01 00:00:00', 3600), ('2026-03-29 01:00:00', 7200), ('2026-10-25 01:00:00', 3600)]
    """
    rules = ZoneInfo(zone)
    steps: list[Offset] = []
    for moment in _days(first, last):
        seconds = _ahead(rules, moment)
        if not steps:
            steps.append(Offset(moment, seconds))
        elif seconds != steps[-1].seconds:
            steps.append(Offset(_change(rules, moment - timedelta(days=1), moment), seconds))
        if len(steps) > MOST_OFFSETS:
            break
    return tuple(steps)


def _days(first: date, last: date) -> Iterator[datetime]:
    moment = datetime.combine(first, time())
    end = datetime.combine(last, time.max)
    while moment <= end:
        yield moment
        try:
            moment += timedelta(days=1)
        except OverflowError:
            return


def _ahead(rules: ZoneInfo, moment: datetime) -> int:
    ahead = moment.replace(tzinfo=UTC).astimezone(rules).utcoffset()
    assert ahead is not None
    return round(ahead.total_seconds())


def _change(rules: ZoneInfo, before: datetime, after: datetime) -> datetime:
    """The second between two times at which the clock is changed."""
    while after - before > timedelta(seconds=1):
        middle = before + timedelta(seconds=(after - before) // timedelta(seconds=2))
        before, after = (middle, after) if _ahead(rules, middle) == _ahead(rules, before) else (before, middle)
    return after
