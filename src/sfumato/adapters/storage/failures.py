"""What a database says when it fails holds parameters and rows: one of three failures stands in for it."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from enum import Enum
from typing import TypeVar

from sfumato.errors import SfumatoError

T = TypeVar("T")


class Failure(Enum):
    BUSY = "busy"
    UNREADABLE = "unreadable"
    UNWRITABLE = "unwritable"


def run_guarded(error_for: Callable[[Failure], SfumatoError], work: Callable[[], T]) -> T:
    """Do the work; if the database fails, raise `error_for` it, with nothing of its own error left."""
    try:
        return work()
    except sqlite3.Error as error:
        failure = kind(str(error)) if isinstance(error, sqlite3.OperationalError) else Failure.UNREADABLE
    except OSError:
        failure = Failure.UNWRITABLE
    except UnicodeError:  # SQLite's own words may quote bytes that are no text
        failure = Failure.UNREADABLE
    raise error_for(failure)


def kind(words: str) -> Failure:
    """By SQLite's words for a failure of an operation."""
    if "locked" in words:
        return Failure.BUSY
    return Failure.UNREADABLE if "no such" in words or "unsupported file" in words else Failure.UNWRITABLE
