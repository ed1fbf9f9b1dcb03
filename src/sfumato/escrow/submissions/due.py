"""The day by which a submission is to be decided."""

from __future__ import annotations

from datetime import date, timedelta

from sfumato.errors import BadInput

_LATEST = 3660  # days


def due_day(day: str | None, today: date, within: int | None) -> str | None:
    """The day by which to decide: as the analyst states it, or so many days from now by the policy."""
    if day is None:
        return None if within is None else (today + timedelta(days=within)).isoformat()
    try:
        due = date.fromisoformat(day)
    except ValueError:
        raise BadInput.because("due-not-a-day", due=day) from None
    if not today - timedelta(days=1) <= due <= today + timedelta(days=_LATEST):  # today may have begun elsewhere only
        raise BadInput.because("due-past", due=day)
    return due.isoformat()
