"""What of a submission each party may see, state by state: a fixed list and nothing beside."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sfumato.escrow.submissions.lifecycle import State, Submission


@dataclass(frozen=True)
class Standing:
    """What decides what happens next: the state and, of a function that runs, which run this is of how many at most."""

    state: State
    run: int | None = None
    of: int = 0


@dataclass(frozen=True)
class VisibleFields:
    """Fields of one kind of submission: of the `analyst` by state, and of a controller."""

    analyst: Mapping[State, tuple[str, ...]]
    controller: tuple[str, ...]


def _visible_fields(*submitted: str, result: tuple[str, ...] = (), controller: tuple[str, ...] = ()) -> VisibleFields:
    """What was `submitted` is always seen; with a release also its `result`, and by a controller always more."""
    decided = (*submitted, "decided_at")
    answered = (*decided, "note", "guarantee")
    released = (*answered, "charged", *result)
    return VisibleFields(
        {
            State.SUBMITTED: submitted,
            State.WITHDRAWN: submitted,
            State.RETURNED: answered,
            State.REFUSED: answered,
            State.APPROVED: decided,
            State.RUNNING: decided,
            State.COMPUTED: decided,
            State.RELEASED: released,
            State.FAILED: (*decided, "note"),
        },
        (*released, "analyst", "policy", "binding", "decided_by", *controller),
    )


FIELDS: Mapping[str, VisibleFields] = {  # by what the submission is
    "request": _visible_fields(
        *("id", "number", "dataset", "purpose", "queries", "preference", "state", "next", "submitted_at", "version"),
        controller=("progress",),
    ),
    "signal": _visible_fields(
        *("id", "number", "request", "dataset", "query", "kind", "task", "code", "range", "epsilon", "blocks", "draws"),
        *("by_range", "bits", "state", "next", "submitted_at"),
        result=("result",),
    ),
}


def visible(submission: Submission, *, to_controller: bool, **current: object) -> dict[str, Any]:
    """The fields that this party may see now, `next` as a Standing; `current` are those that its row does not have."""
    every = {"progress": None, "result": None, "next": Standing(submission.state)} | submission.as_dict() | current
    fields = FIELDS[submission.noun]
    return {name: every[name] for name in (fields.controller if to_controller else fields.analyst[submission.state])}
