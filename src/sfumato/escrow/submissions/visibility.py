"""What of a request, and of a signal about it, each party may see, state by state: a fixed list and nothing beside."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sfumato.escrow.submissions.lifecycle import Request, State
from sfumato.escrow.submissions.signal import HOW, Signal

_ASKED = ("id", "number", "dataset", "purpose", "queries", "preference", "state", "next", "submitted_at", "version")
_DECIDED = (*_ASKED, "decided_at")
ANALYST: Mapping[State, tuple[str, ...]] = {
    State.SUBMITTED: _ASKED,
    State.WITHDRAWN: _ASKED,
    State.RETURNED: (*_DECIDED, "note", "guarantee"),
    State.REFUSED: (*_DECIDED, "note", "guarantee"),
    State.APPROVED: _DECIDED,
    State.RUNNING: _DECIDED,
    State.COMPUTED: _DECIDED,
    State.RELEASED: (*_DECIDED, "note", "guarantee", "charged"),
    State.FAILED: (*_DECIDED, "note"),
}
CONTROLLER = (*_DECIDED, "note", "guarantee", "charged", "analyst", "policy", "binding", "decided_by", "progress")

_WANTED = (
    *("id", "number", "request", "dataset", "query", "kind", "task", "code", "range", "epsilon", "blocks", "draws"),
    *("by_range", "bits", "state", "next", "submitted_at"),
)
_SETTLED = (*_WANTED, "decided_at")
SIGNAL: Mapping[State, tuple[str, ...]] = {
    State.SUBMITTED: _WANTED,
    State.WITHDRAWN: _WANTED,
    State.RETURNED: (*_SETTLED, "note", "guarantee"),
    State.REFUSED: (*_SETTLED, "note", "guarantee"),
    State.APPROVED: _SETTLED,
    State.RUNNING: _SETTLED,
    State.COMPUTED: _SETTLED,
    State.RELEASED: (*_SETTLED, "note", "guarantee", "charged", "result"),
    State.FAILED: (*_SETTLED, "note"),
}
OF_CONTROLLER = (*_SETTLED, "note", "guarantee", "charged", "result", "analyst", "policy", "binding", "decided_by")


@dataclass(frozen=True)
class Standing:
    """What decides what happens next: the state and, of a function that runs, which run this is of how many at most."""

    state: State
    run: int | None = None
    of: int = 0


def shown_signal(
    signal: Signal,
    *,
    to_controller: bool,
    result: Mapping[str, Any] | None = None,
    runs: tuple[int | None, int] = (None, 0),
) -> dict[str, Any]:
    """The fields of a signal that this party may see now, `next` as a Standing.

    `result` is there once it is released to them, as it is stored. `runs`: which of how many runs this is.
    """
    every: dict[str, Any] = vars(signal) | {name: signal.how.get(name) for name in HOW}
    every |= {"kind": signal.kind.value, "state": signal.state.value}
    every |= {"next": Standing(signal.state, *runs)}
    every |= {"decided_by": [dict(one) for one in signal.decided_by], "result": result}
    return {name: every[name] for name in (OF_CONTROLLER if to_controller else SIGNAL[signal.state])}


def shown(request: Request, *, to_controller: bool, progress: float | None = None) -> dict[str, Any]:
    """The fields that this party may see now, `next` as a Standing."""
    every: dict[str, Any] = vars(request) | {
        "queries": [vars(one) for one in request.queries],
        "preference": None if request.preference is None else dict(request.preference),
        "state": request.state.value,
        "next": Standing(request.state),
        "decided_by": [dict(one) for one in request.decided_by],
        "progress": progress,
    }
    return {name: every[name] for name in (CONTROLLER if to_controller else ANALYST[request.state])}
