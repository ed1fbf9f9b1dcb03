"""Fields of a submission that each party may see, state by state."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Generic, NamedTuple, TypeVar

from sfumato.escrow.submissions.lifecycle import State, Submission
from sfumato.escrow.submissions.scoring import SignalResult

T = TypeVar("T", bound=Submission)


@dataclass(frozen=True)
class Standing:
    """What the next step depends on: the state and, for code that runs, the number of this run and of all runs."""

    state: State
    run: int | None = None
    of: int = 0


@dataclass(frozen=True)
class VisibleSubmission(Generic[T]):
    """A submission as one person may see it; `fields` names what they may see, and the rest of it is blank."""

    submission: T
    fields: tuple[str, ...]
    standing: Standing
    progress: float | None = None
    result: SignalResult | None = None


class VisibleFields(NamedTuple):
    """Fields of one kind of submission: an `analyst`'s by state, and a controller's."""

    analyst: Mapping[State, tuple[str, ...]]
    controller: tuple[str, ...]


def _visible_fields(*submitted: str, result: tuple[str, ...] = (), controller: tuple[str, ...] = ()) -> VisibleFields:
    """`submitted` fields are always visible; `result` with the release; `controller` to controllers only."""
    decided = (*submitted, "decided_at")
    answered = (*decided, "note", "guarantee")
    released = (*answered, "charged", *result)
    return VisibleFields(
        {
            State.SUBMITTED: submitted,
            State.WITHDRAWN: submitted,
            State.RETURNED: answered,
            State.REFUSED: answered,
            State.APPROVED: (*decided, "starts_at"),
            State.RUNNING: decided,
            State.COMPUTED: decided,
            State.RELEASED: released,
            State.FAILED: (*decided, "note"),
        },
        (*released, "analyst", "policy", "binding", "decided_by", "starts_at", "assigned_to", *controller),
    )


FIELDS: Mapping[str, VisibleFields] = {  # by the noun of the submission
    "request": _visible_fields(
        *("id", "number", "dataset", "purpose", "queries", "preference", "state", "next", "submitted_at", "version"),
        *("accuracy", "due"),
        controller=("progress",),
    ),
    "signal": _visible_fields(
        *("id", "number", "request", "dataset", "query", "kind", "task", "code", "range", "epsilon", "blocks", "draws"),
        *("by_range", "bits", "state", "next", "submitted_at", "due"),
        result=("result",),
    ),
}


_BLANK: dict[str, Any] = {"decided_at": None, "decided_by": (), "note": "", "guarantee": None, "charged": None}
_BLANK |= {"starts_at": None, "assigned_to": None, "analyst": "", "policy": 0, "binding": ""}


def visible(submission: T, *, to_controller: bool, **current: Any) -> VisibleSubmission[T]:
    """A submission for one party; `current` are the standing, progress and result, where its row does not have them."""
    named = FIELDS[submission.noun]
    fields = named.controller if to_controller else named.analyst[submission.state]
    blanked = replace(submission, **{name: blank for name, blank in _BLANK.items() if name not in fields})
    return VisibleSubmission(blanked, fields, **{"standing": Standing(submission.state)} | current)
