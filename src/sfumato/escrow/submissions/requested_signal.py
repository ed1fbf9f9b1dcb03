"""A signal that is submitted with a query (PRI paper, Example 3): what one approval of the request covers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sfumato.errors import BadInput, Forbidden
from sfumato.escrow.policy.policy import AccessRule
from sfumato.escrow.submissions.code_review import checked, require_function
from sfumato.model.signal_score import SignalKind
from sfumato.signals.signal_request import signal_request
from sfumato.signals.tasks.registry import task as task_of

HOW = ("range", "epsilon", "blocks", "draws", "by_range")
_KNOWN = ("kind", "task", "code", *HOW)


def checked_signal(signal: Mapping[str, Any], access: AccessRule) -> dict[str, Any]:
    """The signal as it is stored with its query; refused where the policy has no such signal.

    An exact score needs an approval of its own, after it is computed.
    """
    if unknown := [name for name in signal if name not in _KNOWN]:
        raise BadInput.because("option-unknown", name=unknown[0], known=list(_KNOWN))
    kind, task, code = SignalKind.from_text(str(signal.get("kind") or "free")), signal.get("task"), signal.get("code")
    if kind is SignalKind.PUBLISHED:
        raise Forbidden.because("signal-approved-alone")
    how = {name: signal[name] for name in HOW if signal.get(name) not in (None, False)}
    if (task is None) == (code is None):
        raise BadInput.because("signal-task-or-code")
    if ("range" in how) != (code is not None):
        raise BadInput.because("own-code-states-range")
    if code is not None:
        require_function(checked(str(code)))
    access.require_signal(kind, own_code=code is not None)
    signal_request(kind.value, how.get("epsilon"))
    return {"kind": kind.value, "task": None if task is None else task_of(dict(task)).as_dict(), "code": code, **how}
