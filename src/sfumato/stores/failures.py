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


class Failure(Enum):
    BUSY = "busy"
    UNREADABLE = "unreadable"
    UNWRITABLE = "unwritable"


def guarded(said: Callable[[Failure], SfumatoError], work: Callable[[], T]) -> T:
    """Do the work; if the database fails, raise what is `said` of it, with nothing of its own error left."""
    try:
        return work()
    except sa.exc.OperationalError as error:
        failure = _kind(error)
    except OSError:
        failure = Failure.UNWRITABLE
    except (sa.exc.SQLAlchemyError, UnicodeError):  # SQLite's own words may quote bytes that are no text
        failure = Failure.UNREADABLE
    raise said(failure)


def lost_a_race(error: sa.exc.DBAPIError) -> bool:
    """Whether the same work would do if it were done again."""
    return getattr(error.orig, "sqlstate", None) in _LOST


def _kind(error: sa.exc.OperationalError) -> Failure:
    words = str(error.orig)
    if getattr(error.orig, "sqlstate", None) in _BUSY or "locked" in words:
        return Failure.BUSY
    return Failure.UNREADABLE if "no such" in words or "unsupported file" in words else Failure.UNWRITABLE
