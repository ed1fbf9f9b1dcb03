"""What a database says when it fails holds parameters and rows: of ours, one of three sentences stands in for it."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import TypeVar

import sqlalchemy as sa

from sfumato.errors import SfumatoError

T = TypeVar("T")

_LOST = {"40001", "40P01"}  # PostgreSQL gave way to somebody else's transaction, in a race or a deadlock
_BUSY = _LOST | {"55P03"}  # or did not get a lock in time
_CLOSED = {"25006", "42501"}  # it may only be read, or not by us


class Failure(Enum):
    BUSY = "busy"
    UNREADABLE = "unreadable"
    UNWRITABLE = "unwritable"


def guarded(said: Callable[[Failure], SfumatoError], work: Callable[[], T]) -> T:
    """Do the work; if the database fails, raise what is `said` of it, with nothing of its own error left."""
    try:
        return work()
    except sa.exc.SQLAlchemyError as error:
        failure = _kind(error)
    except OSError:
        failure = Failure.UNWRITABLE
    except UnicodeError:  # SQLite's own words may quote bytes that are no text
        failure = Failure.UNREADABLE
    raise said(failure)


def lost_a_race(error: sa.exc.DBAPIError) -> bool:
    """Whether the same work would do if it were done again."""
    return _state(error) in _LOST


def _kind(error: sa.exc.SQLAlchemyError) -> Failure:
    state = _state(error)
    words = str(error.orig) if isinstance(error, sa.exc.OperationalError) else "no such"
    if state in _BUSY or "locked" in words or isinstance(error, sa.exc.TimeoutError):
        return Failure.BUSY
    unreadable = "no such" in words or "unsupported file" in words
    return Failure.UNREADABLE if unreadable and state not in _CLOSED else Failure.UNWRITABLE


def _state(error: sa.exc.SQLAlchemyError) -> str | None:
    """PostgreSQL's word for what happened."""
    return getattr(getattr(error, "orig", None), "sqlstate", None)
