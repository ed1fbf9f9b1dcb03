"""Failures of a workspace's database, told apart by what SQLAlchemy and PostgreSQL say."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import sqlalchemy as sa

from sfumato.adapters.storage import failures
from sfumato.adapters.storage.failures import Failure
from sfumato.errors import SfumatoError

T = TypeVar("T")

_LOST = {"40001", "40P01"}  # PostgreSQL gave way to another transaction, in a race or a deadlock
_BUSY = _LOST | {"55P03"}  # or did not get a lock in time
_CLOSED = {"25006", "42501"}  # it may only be read, or not by us


def run_guarded(error_for: Callable[[Failure], SfumatoError], work: Callable[[], T]) -> T:
    """Do the work; if the database fails, raise `error_for` it, with nothing of its own error left."""
    try:
        return failures.run_guarded(error_for, work)
    except sa.exc.SQLAlchemyError as error:
        failure = _kind(error)
    raise error_for(failure)


def lost_a_race(error: sa.exc.DBAPIError) -> bool:
    """Whether the same work would do if it were done again."""
    return _state(error) in _LOST


def _kind(error: sa.exc.SQLAlchemyError) -> Failure:
    state = _state(error)
    if state in _BUSY or isinstance(error, sa.exc.TimeoutError):
        return Failure.BUSY
    kind = failures.kind(str(error.orig)) if isinstance(error, sa.exc.OperationalError) else Failure.UNREADABLE
    return Failure.UNWRITABLE if kind is Failure.UNREADABLE and state in _CLOSED else kind


def _state(error: sa.exc.SQLAlchemyError) -> str | None:
    """PostgreSQL's word for what happened."""
    return getattr(getattr(error, "orig", None), "sqlstate", None)
