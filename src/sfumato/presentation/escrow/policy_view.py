"""Policies, as signed and in sentences."""

from __future__ import annotations

from dataclasses import dataclass

from sfumato.escrow.catalogue.separation import EarlierLook, LookedBy
from sfumato.escrow.policy.draft import SchemaDraft
from sfumato.escrow.policy.policy import SWITCHES, AccessRule, Policy
from sfumato.escrow.policy.policy_file import PolicyFile
from sfumato.escrow.policy.store import SignedPolicy
from sfumato.model.plain import from_plain
from sfumato.presentation.wording import policy_sentences as of_policy
from sfumato.presentation.wording import schema_sentences as of_schema


@dataclass(frozen=True)
class WordedPolicy:
    """A policy as its author signed it, and in sentences."""

    dataset: str
    number: int
    author: str
    at: str
    policy: PolicyFile
    sentences: tuple[str, ...]


@dataclass(frozen=True)
class PolicyDraft:
    """A policy before it is signed, and in sentences."""

    policy: PolicyFile
    sentences: tuple[str, ...]


@dataclass(frozen=True)
class WordedSchemaDraft:
    """A schema before it is registered, in sentences, and its policy."""

    name: str
    schema_text: str
    sentences: tuple[str, ...]
    policy: PolicyDraft | None


def sentences(policy: Policy) -> list[str]:
    """A policy in sentences."""
    lines = [of_policy.purpose(policy.purpose)] if policy.purpose else []
    for access_rule in policy.access_rules:
        lines.append(
            of_policy.access_rule(access_rule.who, access_rule.aggregates, access_rule.columns, access_rule.preferences)
        )
        lines.append(
            of_policy.decided(
                access_rule.approve.value, access_rule.approvers, access_rule.approvals, access_rule.guarantees
            )
        )
        lines += (
            []
            if access_rule.signals == AccessRule.signals
            else [of_policy.signals(access_rule.signals, access_rule.signal_bits)]
        )
        lines += [of_policy.CODE] if access_rule.code else []
    lines.append(of_policy.NO_ONE_ELSE)
    lines.append(of_policy.rule(None if policy.rule is None else dict(policy.rule)))
    lines += of_policy.limits(policy.epsilon_max, policy.budget, policy.per_person)
    lines += of_policy.partners(policy.trust, policy.sensitivity, policy.sensitivity_otherwise)
    lines += of_policy.decide_within(policy.decide_within_days)
    lines += of_policy.retention(policy.answers_days, policy.data_days)
    return lines + of_policy.switches(**{name: getattr(policy, name) for name in SWITCHES})


def signed(policy: SignedPolicy) -> WordedPolicy:
    return WordedPolicy(
        dataset=policy.dataset,
        number=policy.number,
        author=policy.author,
        at=policy.at,
        policy=from_plain(PolicyFile, policy.policy.as_dict()),
        sentences=tuple(sentences(policy.policy)),
    )


def earlier_look(look: EarlierLook) -> str:
    """What a controller should know about earlier looks before deciding."""
    match look.by:
        case LookedBy.ONESELF:
            return of_policy.VIEWED
        case LookedBy.OTHERS:
            return of_policy.others_viewed(look.viewers)
        case LookedBy.ANYONE:
            return of_policy.AFTER_LOOK


def policy_draft(policy: Policy) -> PolicyDraft:
    return PolicyDraft(from_plain(PolicyFile, policy.as_dict()), tuple(sentences(policy)))


def schema_draft(draft: SchemaDraft) -> WordedSchemaDraft:
    lines = (*of_schema.sentences(draft.schema), *of_schema.askable(draft.schema))
    policy = None if draft.policy is None else policy_draft(draft.policy)
    return WordedSchemaDraft(draft.name, draft.schema_text, lines, policy)
