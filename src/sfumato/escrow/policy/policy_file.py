"""A policy as its file has it; what is not stated there is left out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from sfumato.escrow.policy.policy import Approve
from sfumato.model.guarantee import Guarantee
from sfumato.model.plain import LEFT_OUT
from sfumato.model.signal_score import SignalKind
from sfumato.model.statement import AggregateKind

Level = float | str


@dataclass(frozen=True, kw_only=True)
class SensitivityTable:
    dataset: Level | None = field(default=None, metadata=LEFT_OUT)
    columns: Mapping[str, Level] | None = field(default=None, metadata=LEFT_OUT)


@dataclass(frozen=True, kw_only=True)
class RetentionTable:
    answers_days: int | None = field(default=None, metadata=LEFT_OUT)
    data_days: int | None = field(default=None, metadata=LEFT_OUT)


@dataclass(frozen=True, kw_only=True)
class AccessRuleTable:
    """Who may ask what, and who decides."""

    who: tuple[str, ...]
    preferences: tuple[str, ...]
    aggregates: tuple[AggregateKind, ...] | None = field(default=None, metadata=LEFT_OUT)
    columns: tuple[str, ...] | None = field(default=None, metadata=LEFT_OUT)
    guarantees: tuple[Guarantee, ...]
    approve: Approve
    approvers: tuple[str, ...]
    approvals: int
    signals: tuple[SignalKind, ...] | None = field(default=None, metadata=LEFT_OUT)
    code: bool | None = field(default=None, metadata=LEFT_OUT)
    signal_bits: float | None = field(default=None, metadata=LEFT_OUT)


@dataclass(frozen=True, kw_only=True)
class PolicyFile:
    """`rule` has the names of preferences, as a schema's [rule] does; a budget is an exact number as text."""

    purpose: str
    preregistered: str
    epsilon_max: float | None = field(default=None, metadata=LEFT_OUT)
    budget: str | None = field(default=None, metadata=LEFT_OUT)
    budget_delta: str | None = field(default=None, metadata=LEFT_OUT)
    budget_per_person: str | None = field(default=None, metadata=LEFT_OUT)
    budget_per_person_delta: str | None = field(default=None, metadata=LEFT_OUT)
    rule: Mapping[str, Any] | None = field(default=None, metadata=LEFT_OUT)
    trust: Mapping[str, Level] | None = field(default=None, metadata=LEFT_OUT)
    sensitivity: SensitivityTable | None = field(default=None, metadata=LEFT_OUT)
    introduction: bool | None = field(default=None, metadata=LEFT_OUT)
    public_page: bool | None = field(default=None, metadata=LEFT_OUT)
    separation: bool | None = field(default=None, metadata=LEFT_OUT)
    decide_within_days: int | None = field(default=None, metadata=LEFT_OUT)
    retention: RetentionTable | None = field(default=None, metadata=LEFT_OUT)
    access_rule: tuple[AccessRuleTable, ...]
