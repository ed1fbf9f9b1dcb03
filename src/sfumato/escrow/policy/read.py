"""Parse a policy file. Errors name the place."""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import fields
from enum import StrEnum
from fractions import Fraction
from typing import Any, TypeVar

from sfumato.errors import PolicyError, PreferenceError
from sfumato.escrow.identity.person import EVERYONE, Person
from sfumato.escrow.policy.policy import (
    RATED,
    RETENTION,
    RULE,
    SWITCHES,
    AccessRule,
    Approve,
    Policy,
)
from sfumato.escrow.policy.policy_file import AccessRuleTable, PolicyFile
from sfumato.model.budget import MOST_DELTA, MOST_EPSILON, BudgetLimit, limit
from sfumato.model.guarantee import Guarantee
from sfumato.model.person_budget import DELTA_NAME, MOST_PER_PERSON, NAME, PersonBudget
from sfumato.model.signal_score import SignalKind
from sfumato.model.statement import AggregateKind
from sfumato.privacy.preferences import registry
from sfumato.privacy.preferences.guessing_preferences import level
from sfumato.privacy.preferences.preference import epsilon as stated_epsilon
from sfumato.release.decide import rule_of

T = TypeVar("T")
Word = TypeVar("Word", bound=StrEnum)
_EXACT = re.compile("[0-9]{1,30}(/[1-9][0-9]{0,30})?")  # an exact budget
_TOP, _ACCESS_RULE = (tuple(each.name for each in fields(kind)) for kind in (PolicyFile, AccessRuleTable))


def policy_of(
    tables: Mapping[str, Any],
    people: Sequence[Person],
    controllers: Sequence[str],
    columns: Sequence[str],
    *,
    private_keys: bool = False,
    viewers: Collection[str] = (),
) -> Policy:
    """Read a policy; it names people and columns that there are. `viewers` have viewed individual risks."""
    return _PolicyReader(people, controllers, columns, private_keys, viewers).policy(tables)


class _PolicyReader:
    def __init__(
        self,
        people: Sequence[Person],
        controllers: Sequence[str],
        columns: Sequence[str],
        private_keys: bool,
        viewers: Collection[str],
    ) -> None:
        self.known = {EVERYONE, *(p.name for p in people), *(p.organisation.casefold() for p in people)} - {""}
        self.controllers, self.columns, self.private_keys = controllers, columns, private_keys
        self.viewers = viewers
        self.deciders = controllers  # controllers who may approve

    def policy(self, tables: Mapping[str, Any]) -> Policy:
        self.only(tables, _TOP, "the policy")
        if self.switch(tables, "separation"):
            self.separate()
        access_rules = tables.get("access_rule", [])
        if not isinstance(access_rules, list) or not access_rules:
            raise PolicyError.because("policy-without-access-rule")
        read = tuple(self.access_rule(rule, f"[[access_rule]] {number}") for number, rule in enumerate(access_rules, 1))
        sensitivity = self.table(tables, "sensitivity")
        self.only(sensitivity, ("dataset", "columns"), "[sensitivity]")
        retention = self.table(tables, "retention")
        self.only(retention, RETENTION, "[retention]")
        trust = self.table(tables, "trust")
        for name in trust:
            self.person(name, "[trust]")
        of_columns = self.table(sensitivity, "columns")
        for name in of_columns:
            self.column(name, "[sensitivity.columns]")
        levels = [*trust.values(), *of_columns.values(), sensitivity.get("dataset", "low")]
        for rated in levels:
            self.checked("[trust] and [sensitivity]", lambda rated=rated: level("A rating", rated))
        policy = Policy(
            access_rules=read,
            purpose=self.text(tables, "purpose"),
            rule=self.rule(tables.get("rule")),
            epsilon_max=self.epsilon_max(tables.get("epsilon_max")),
            budget=BudgetLimit(
                self.budget(tables, "budget", MOST_EPSILON), self.budget(tables, "budget_delta", MOST_DELTA)
            ),
            per_person=self.budget_per_person(tables),
            preregistered=self.text(tables, "preregistered"),
            trust=trust,
            sensitivity=of_columns,
            sensitivity_otherwise=sensitivity.get("dataset"),
            answers_days=self.days(retention, "answers_days"),
            data_days=self.days(retention, "data_days"),
            decide_within_days=self.days(tables, "decide_within_days", "the policy"),
            **{name: self.switch(tables, name) for name in SWITCHES if name in tables},
        )
        self.require_ratings(policy)
        for number, access_rule in enumerate(policy.access_rules if policy.separation else (), 1):
            self.require_separable(access_rule, f"[[access_rule]] {number}")
        return policy

    def separate(self) -> None:
        """Exclude viewers of individual risks from the deciders; refuse if no decider is left."""
        self.deciders = [name for name in self.controllers if name not in self.viewers]
        if len(self.controllers) < 2:
            raise PolicyError.because("separation-of-one")
        if not self.deciders:
            raise PolicyError.because("separation-without-deciders")

    def require_separable(self, access_rule: AccessRule, where: str) -> None:
        """Refuse approvals that show an answer or an exact score: they would make the approver a viewer."""
        if access_rule.approve is Approve.AFTER_THE_ANSWER:
            raise PolicyError.because("separation-after-the-answer", where=where)
        if SignalKind.PUBLISHED in access_rule.signals:
            raise PolicyError.because("separation-of-exact-score", kind=SignalKind.PUBLISHED.value, where=where)

    def access_rule(self, table: object, where: str) -> AccessRule:
        if not isinstance(table, Mapping):
            raise PolicyError.because("access-rule-not-a-table", where=where)
        self.only(table, _ACCESS_RULE, where)
        who = self.names(table, "who", where)
        if not who:
            raise PolicyError.because("access-rule-without-people", where=where)
        for name in who:
            self.person(name, where)
        approvers = self.names(table, "approvers", where)
        for name in approvers:
            if name.casefold() not in self.controllers:
                known = list(self.controllers)
                raise PolicyError.because("approver-not-controller", name=name, controllers=known, where=where)
            if name.casefold() not in self.deciders:
                known = list(self.deciders)
                raise PolicyError.because("approver-is-viewer", name=name, deciders=known, where=where)
        columns = self.names(table, "columns", where) if "columns" in table else None
        for name in columns or ():
            self.column(name, where)
        read = AccessRule(
            who=who,
            aggregates=self.words(table, "aggregates", AggregateKind, where),
            columns=columns,
            preferences=self.allowed_preferences(table, where),
            guarantees=self.words(table, "guarantees", Guarantee, where) or AccessRule.guarantees,
            approve=self.words({"approve": [table.get("approve", AccessRule.approve)]}, "approve", Approve, where)[0],
            approvers=approvers,
            approvals=self.approvals(table, where),
            signals=self.words(table, "signals", SignalKind, where, AccessRule.signals),
            code=self.switch(table, "code", default=AccessRule.code),
            signal_bits=self.bits(table, where),
        )
        if read.approve is Approve.AFTER_THE_ANSWER and Guarantee.NONE not in read.guarantees:
            raise PolicyError.because("access-rule-after-the-answer", where=where)
        if read.approve is Approve.AUTOMATIC and not any(guarantee.holds for guarantee in read.guarantees):
            raise PolicyError.because("access-rule-automatic-without-guarantee", where=where)
        most = len(approvers or self.deciders)
        if read.approve is not Approve.AUTOMATIC and read.approvals > most:
            raise PolicyError.because("approvals-too-many", approvals=read.approvals, most=most, where=where)
        return read

    def allowed_preferences(self, table: Mapping[str, Any], where: str) -> tuple[str, ...]:
        names = self.names(table, "preferences", where)
        for name in names:
            if name not in (RULE, *registry.NAMES):
                raise PolicyError.because("preference-unknown", name=name, known=[RULE, *registry.NAMES], where=where)
        return names or AccessRule.preferences

    def rule(self, table: object) -> Mapping[str, Any] | None:
        if table is None:
            return None
        if not isinstance(table, Mapping):
            raise PolicyError.because("policy-rule-not-a-table")
        # Trust and sensitivity come from the policy where the rule leaves them to it.
        rated = dict.fromkeys(RATED, "very low") if "sharing_risk" in table else {}
        self.checked("[rule]", lambda: rule_of(rated | dict(table), "the policy", private_keys=self.private_keys))
        return dict(table)

    def require_ratings(self, policy: Policy) -> None:
        """Require a trust rating of every analyst, if the rule depends on trust."""
        if policy.rule is None or "sharing_risk" not in policy.rule:
            return
        rated = {name.casefold() for name in policy.trust}
        names = [name for access_rule in policy.access_rules for name in access_rule.who]
        unrated = [name for name in names if name.casefold() not in rated | {EVERYONE}]
        if "trust" not in policy.rule and EVERYONE not in rated and unrated:
            raise PolicyError.because("rule-without-trust", name=unrated[0])
        if "data_sensitivity" not in policy.rule and policy.sensitivity_otherwise is None:
            raise PolicyError.because("rule-without-sensitivity")

    # Single values

    def checked(self, where: str, make: Any) -> Any:
        try:
            return make()
        except PreferenceError as wrong:
            raise PolicyError.in_file(wrong, where) from None

    def only(self, table: Mapping[str, Any], known: Sequence[str], where: str) -> None:
        for name in table:
            if name not in known:
                near = _nearest(name, known)
                raise PolicyError.because("policy-key-unknown", name=name, near=near, known=list(known), where=where)

    def table(self, outer: Mapping[str, Any], name: str) -> dict[str, Any]:
        inner = outer.get(name, {})
        if not isinstance(inner, Mapping):
            raise PolicyError.because("policy-key-not-a-table", name=name)
        return dict(inner)

    def text(self, table: Mapping[str, Any], name: str) -> str:
        value = table.get(name, "")
        if not isinstance(value, str):
            raise PolicyError.because("policy-key-not-text", name=name)
        return " ".join(value.split())

    def switch(self, table: Mapping[str, Any], name: str, *, default: bool = False) -> bool:
        value = table.get(name, default)
        if not isinstance(value, bool):
            raise PolicyError.because("policy-key-not-boolean", name=name)
        return value

    def names(self, table: Mapping[str, Any], name: str, where: str) -> tuple[str, ...]:
        values = table.get(name, [])
        if not isinstance(values, list) or not all(isinstance(one, str) and one.strip() for one in values):
            raise PolicyError.because("policy-key-not-names", name=name, where=where)
        return tuple(" ".join(one.split()) for one in values)

    def words(self, table: Mapping[str, Any], name: str, kind: Any, where: str, default: Any = None) -> Any:
        if name not in table:
            return default
        values = self.names(table, name, where)
        try:
            return tuple(kind(one.upper() if kind is AggregateKind else one) for one in values)
        except ValueError:
            known = [one.value for one in kind]
            raise PolicyError.because("policy-words-unknown", name=name, known=known, where=where) from None

    def person(self, name: str, where: str) -> None:
        if name.casefold() not in self.known:
            near = _nearest(name.casefold(), sorted(self.known))
            raise PolicyError.because("policy-person-unknown", name=name, near=near, where=where)

    def column(self, name: str, where: str) -> None:
        if name.casefold() not in {column.casefold() for column in self.columns}:
            raise PolicyError.because("policy-column-unknown", name=name, columns=list(self.columns), where=where)

    def approvals(self, table: Mapping[str, Any], where: str) -> int:
        value = table.get("approvals", 1)
        if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= 10:
            raise PolicyError.because("approvals-out-of-range", where=where)
        return value

    def bits(self, table: Mapping[str, Any], where: str) -> float:
        value = table.get("signal_bits", AccessRule.signal_bits)
        if not isinstance(value, int | float) or isinstance(value, bool) or not 0 <= value <= 10_000:
            raise PolicyError.because("signal-bits-out-of-range", where=where)
        return float(value)

    def epsilon_max(self, value: object) -> float | None:
        if value is None:
            return None
        return float(self.checked("epsilon_max", lambda: stated_epsilon(value, "epsilon_max").value))  # type: ignore[arg-type]

    def budget(self, table: Mapping[str, Any], name: str, most: int) -> Fraction | None:
        if name not in table:
            return None
        value = table[name]
        if isinstance(value, str) and _EXACT.fullmatch(value):
            value = Fraction(value)
        budget: Fraction = self.checked(name, lambda: limit(name, value, most))
        return budget

    def budget_per_person(self, tables: Mapping[str, Any]) -> PersonBudget | None:
        epsilon, delta = (self.budget(tables, *each) for each in ((NAME, MOST_PER_PERSON), (DELTA_NAME, MOST_DELTA)))
        if epsilon is None and delta is not None:
            raise PolicyError.because("per-person-delta-alone")
        return None if epsilon is None else PersonBudget(epsilon, delta or Fraction(0))

    def days(self, table: Mapping[str, Any], name: str, where: str = "[retention]") -> int | None:
        value = table.get(name)
        if value is not None and (not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= 36_525):
            raise PolicyError.because("policy-days", name=name, where=where)
        return value


def _nearest(name: str, known: Sequence[str]) -> str:
    """The known name that is most like another, or nothing."""
    return next(iter(difflib.get_close_matches(name, known, 1)), "")
