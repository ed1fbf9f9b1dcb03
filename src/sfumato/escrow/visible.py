"""What of a request each party may see, state by state: a fixed list, and nothing beside it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sfumato.escrow.request import Request, State
from sfumato.views.words import of_request

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


def shown(request: Request, *, to_controller: bool, progress: float | None = None) -> dict[str, Any]:
    """The fields that this party may see now."""
    every: dict[str, Any] = vars(request) | {
        "queries": [vars(one) for one in request.queries],
        "preference": None if request.preference is None else dict(request.preference),
        "state": request.state.value,
        "next": of_request.NEXT[request.state],
        "decided_by": [dict(one) for one in request.decided_by],
        "progress": progress,
    }
    return {name: every[name] for name in (CONTROLLER if to_controller else ANALYST[request.state])}
