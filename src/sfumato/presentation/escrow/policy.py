"""Policies as they are shown: as they were signed, and in sentences."""

from __future__ import annotations

from typing import Any

from sfumato.escrow.catalogue.policy_draft import SchemaDraft
from sfumato.escrow.policy.policy import SWITCHES, Flow, Policy
from sfumato.escrow.policy.store import Signed
from sfumato.escrow.submissions.approval import EarlierLook, LookedBy
from sfumato.presentation.wording import policy as of_policy
from sfumato.presentation.wording import schema as of_schema


def sentences(policy: Policy) -> list[str]:
    """What a policy says, for people."""
    said = [of_policy.purpose(policy.purpose)] if policy.purpose else []
    for flow in policy.flows:
        said.append(of_policy.flow(flow.who, flow.aggregates, flow.columns, flow.preferences))
        said.append(of_policy.decided(flow.approve.value, flow.approvers, flow.approvals, flow.guarantees))
        said += [] if flow.signals == Flow.signals else [of_policy.signals(flow.signals, flow.signal_bits)]
        said += [of_policy.CODE] if flow.code else []
    said.append(of_policy.NOBODY_ELSE)
    said.append(of_policy.rule(None if policy.rule is None else dict(policy.rule)))
    said += of_policy.limits(policy.epsilon_max, policy.budget)
    said += of_policy.partners(policy.trust, policy.sensitivity, policy.sensitivity_otherwise)
    said += of_policy.retention(policy.answers_days, policy.data_days)
    return said + of_policy.switches(**{name: getattr(policy, name) for name in SWITCHES})


def signed(one: Signed) -> dict[str, object]:
    return one.as_dict() | {"sentences": sentences(one.policy)}


def earlier_look(look: EarlierLook) -> str:
    """What whoever decides should know of looks at the people."""
    match look.by:
        case LookedBy.ONESELF:
            return of_policy.VIEWED
        case LookedBy.OTHERS:
            return of_policy.others_viewed(look.viewers)
        case LookedBy.SOMEBODY:
            return of_policy.AFTER_LOOK


def draft(policy: Policy) -> dict[str, object]:
    """What would be signed."""
    return {"policy": policy.as_dict(), "sentences": sentences(policy)}


def schema_draft(one: SchemaDraft) -> dict[str, Any]:
    """A table as it would be registered, with the policy that it would have."""
    return {
        "name": one.name,
        "schema_text": one.schema_text,
        "sentences": [*of_schema.sentences(one.schema), *of_schema.askable(one.schema)],
        "policy": None if one.policy is None else draft(one.policy),
    }
