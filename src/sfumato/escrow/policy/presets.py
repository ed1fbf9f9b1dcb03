"""Presets of a policy: the settings that a form starts from. A person changes and signs them like any other policy."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sfumato.escrow.policy.policy import RULE, Approve
from sfumato.model.signal_score import SignalKind

_CHARGED = (SignalKind.DIFFERENCE, SignalKind.BLOCKS)
_STRICT_APPROVALS = 2


def presets(controllers: int) -> Mapping[str, Mapping[str, Any]]:
    """Each preset as tables of a policy, without whom it gives access to, its budget and its limits of columns.

    A dataset with one controller cannot ask for two approvals.
    """
    by_controller = Approve.BY_CONTROLLER
    return {
        "strict": _preset(0.52, 0.1, by_controller, approvals=min(_STRICT_APPROVALS, controllers)),
        "usual": _preset(0.55, 1.0, by_controller, signals=(SignalKind.FREE, *_CHARGED)),
        "automatic": _preset(0.52, 0.1, Approve.AUTOMATIC),
    }


def _preset(
    attack_chance: float,
    epsilon_max: float,
    approve: Approve,
    approvals: int = 1,
    signals: tuple[SignalKind, ...] = (SignalKind.FREE,),
) -> dict[str, Any]:
    access = {
        "preferences": [RULE],
        "approve": approve.value,
        "approvals": approvals,
        "signals": [kind.value for kind in signals],
        "code": False,
    }
    return {"rule": {"attack_chance": attack_chance}, "epsilon_max": epsilon_max, "access_rule": [access]}
