"""A policy as it is written down -> Policy. Whatever is wrong in it is said with its place."""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection, Mapping, Sequence
from enum import StrEnum
from fractions import Fraction
from typing import Any, TypeVar

from sfumato.errors import PolicyError, PreferenceError
from sfumato.escrow.identity.person import EVERYONE, Person
from sfumato.escrow.policy.policy import (
    PARTNER,
    RETENTION,
    RULE,
    SIGNALLING,
    SWITCHES,
    AccessRule,
    Approve,
    Policy,
)
from sfumato.model.budget import MOST_DELTA, MOST_EPSILON, BudgetLimit, limit
from sfumato.model.guarantee import Guarantee
from sfumato.model.signal_score import SignalKind
from sfumato.model.statement import AggregateKind
from sfumato.privacy.preferences import registry
from sfumato.privacy.preferences.guessing_preferences import level
from sfumato.privacy.preferences.preference import epsilon as stated_epsilon
from sfumato.release.decide import rule_of

T = TypeVar("T")
Word = TypeVar("Word", bound=StrEnum)
_TOP = (
    "purpose",
    "rule",
    "epsilon_max",
    "budget",
    "budget_delta",
    "preregistered",
    "trust",
    "sensitivity",
    "flow",
    "retention",
    *SWITCHES,
)
_EXACT = re.compile("[0-9]{1,30}(/[1-9][0-9]{0,30})?")  # a budget as a policy says it
_FLOW = ("who", "aggregates", "columns", "preferences", "guarantees", "approve", "approvers", "approvals", *SIGNALLING)


def policy_of(
    stated: Mapping[str, Any],
    people: Sequence[Person],
    controllers: Sequence[str],
    columns: Sequence[str],
    *,
    private_keys: bool = False,
    viewers: Collection[str] = (),
) -> Policy:
    """Read a policy; it names people and columns that there are. `viewers` have viewed individual risks."""
    return _PolicyReader(people, controllers, columns, private_keys, viewers).policy(stated)


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
        self.deciders = controllers  # those who may approve

    def policy(self, stated: Mapping[str, Any]) -> Policy:
        self.only(stated, _TOP, "the policy")
        if "separation" in stated and self.switch(stated, "separation"):
            self.separate()
        access_rules = stated.get("flow", [])
        if not isinstance(access_rules, list) or not access_rules:
            raise PolicyError.because("policy-without-flow")
        read = tuple(
            self.access_rule(access_rule, f"[[flow]] {number}") for number, access_rule in enumerate(access_rules, 1)
        )
        sensitivity = self.table(stated, "sensitivity")
        self.only(sensitivity, ("dataset", "columns"), "[sensitivity]")
        retention = self.table(stated, "retention")
        self.only(retention, RETENTION, "[retention]")
        trust = self.table(stated, "trust")
        for name in trust:
            self.somebody(name, "[trust]")
        of_columns = self.table(sensitivity, "columns")
        for name in of_columns:
            self.column(name, "[sensitivity.columns]")
        levels = [*trust.values(), *of_columns.values(), sensitivity.get("dataset", "low")]
        for rated in levels:
            self.checked("[trust] and [sensitivity]", lambda rated=rated: level("a rating", rated))
        made = Policy(
            access_rules=read,
            purpose=self.text(stated, "purpose"),
            rule=self.rule(stated.get("rule")),
            epsilon_max=self.ceiling(stated.get("epsilon_max")),
            budget=BudgetLimit(
                *(
                    self.budget(stated, name, most)
                    for name, most in (("budget", MOST_EPSILON), ("budget_delta", MOST_DELTA))
                )
            ),
            preregistered=self.text(stated, "preregistered"),
            trust=trust,
            sensitivity=of_columns,
            sensitivity_otherwise=sensitivity.get("dataset"),
            answers_days=self.days(retention, "answers_days"),
            data_days=self.days(retention, "data_days"),
            **{name: self.switch(stated, name) for name in SWITCHES if name in stated},
        )
        self.require_partners(made)
        for number, access_rule in enumerate(made.access_rules if made.separation else (), 1):
            self.require_separable(access_rule, f"[[flow]] {number}")
        return made

    def separate(self) -> None:
        """Leave those who viewed individual risks nothing to decide, if others are there to do it."""
        self.deciders = [name for name in self.controllers if name not in self.viewers]
        if len(self.controllers) < 2:
            raise PolicyError.because("separation-of-one")
        if not self.deciders:
            raise PolicyError.because("separation-without-deciders")

    def require_separable(self, access_rule: AccessRule, where: str) -> None:
        """What shows an answer, or an exact score, to whoever approves it makes them a viewer."""
        if access_rule.approve is Approve.AFTER_THE_ANSWER:
            raise PolicyError.because("separation-after-the-answer", where=where)
        if SignalKind.PUBLISHED in access_rule.signals:
            raise PolicyError.because("separation-of-exact-score", kind=SignalKind.PUBLISHED.value, where=where)

    def access_rule(self, stated: object, where: str) -> AccessRule:
        if not isinstance(stated, Mapping):
            raise PolicyError.because("flow-not-a-table", where=where)
        self.only(stated, _FLOW, where)
        who = self.names(stated, "who", where)
        if not who:
            raise PolicyError.because("flow-without-people", where=where)
        for name in who:
            self.somebody(name, where)
        approvers = self.names(stated, "approvers", where)
        for name in approvers:
            if name.casefold() not in self.controllers:
                known = list(self.controllers)
                raise PolicyError.because("approver-not-controller", name=name, controllers=known, where=where)
            if name.casefold() not in self.deciders:
                known = list(self.deciders)
                raise PolicyError.because("approver-is-viewer", name=name, deciders=known, where=where)
        columns = self.names(stated, "columns", where) if "columns" in stated else None
        for name in columns or ():
            self.column(name, where)
        read = AccessRule(
            who=who,
            aggregates=self.words(stated, "aggregates", AggregateKind, where, upper=True)
            if "aggregates" in stated
            else None,
            columns=columns,
            preferences=self.allowed_preferences(stated, where),
            guarantees=self.words(stated, "guarantees", Guarantee, where) or AccessRule.guarantees,
            approve=(
                self.words({"approve": [stated["approve"]]}, "approve", Approve, where)[0]
                if "approve" in stated
                else Approve.BY_CONTROLLER
            ),
            approvers=approvers,
            approvals=self.approvals(stated, where),
            signals=self.words(stated, "signals", SignalKind, where) if "signals" in stated else AccessRule.signals,
            code=self.switch(stated, "code") if "code" in stated else AccessRule.code,
            signal_bits=self.bits(stated, where),
        )
        if read.approve is Approve.AFTER_THE_ANSWER and Guarantee.NONE not in read.guarantees:
            raise PolicyError.because("flow-after-the-answer", where=where)
        if read.approve is Approve.AUTOMATIC and not any(word.holds for word in read.guarantees):
            raise PolicyError.because("flow-automatic-without-guarantee", where=where)
        most = len(approvers or self.deciders)
        if read.approve is not Approve.AUTOMATIC and read.approvals > most:
            raise PolicyError.because("approvals-too-many", approvals=read.approvals, most=most, where=where)
        return read

    def allowed_preferences(self, stated: Mapping[str, Any], where: str) -> tuple[str, ...]:
        names = self.names(stated, "preferences", where)
        for name in names:
            if name not in (RULE, *registry.NAMES):
                raise PolicyError.because("preference-unknown", name=name, known=[RULE, *registry.NAMES], where=where)
        return names or AccessRule.preferences

    def rule(self, stated: object) -> Mapping[str, Any] | None:
        if stated is None:
            return None
        if not isinstance(stated, Mapping):
            raise PolicyError.because("policy-rule-not-a-table")
        # Trust and sensitivity come from the policy where the rule leaves them to it.
        rated = dict.fromkeys(PARTNER, "very low") if "sharing_risk" in stated else {}
        self.checked("[rule]", lambda: rule_of(rated | dict(stated), "the policy", private_keys=self.private_keys))
        return dict(stated)

    def require_partners(self, made: Policy) -> None:
        """A rule that goes by trust needs a rating of everyone whom an access rule names."""
        if made.rule is None or "sharing_risk" not in made.rule:
            return
        rated = {name.casefold() for name in made.trust}
        unrated = [
            name
            for access_rule in made.access_rules
            for name in access_rule.who
            if name.casefold() not in rated | {EVERYONE}
        ]
        if "trust" not in made.rule and EVERYONE not in rated and unrated:
            raise PolicyError.because("rule-without-trust", name=unrated[0])
        if "data_sensitivity" not in made.rule and made.sensitivity_otherwise is None:
            raise PolicyError.because("rule-without-sensitivity")

    # Single values

    def checked(self, where: str, make: Any) -> Any:
        try:
            return make()
        except PreferenceError as wrong:
            raise PolicyError.in_file(wrong, where) from None

    def only(self, stated: Mapping[str, Any], known: Sequence[str], where: str) -> None:
        for name in stated:
            if name not in known:
                near = _nearest(name, known)
                raise PolicyError.because("policy-key-unknown", name=name, near=near, known=list(known), where=where)

    def table(self, stated: Mapping[str, Any], name: str) -> dict[str, Any]:
        found = stated.get(name, {})
        if not isinstance(found, Mapping):
            raise PolicyError.because("policy-key-not-a-table", name=name)
        return dict(found)

    def text(self, stated: Mapping[str, Any], name: str) -> str:
        found = stated.get(name, "")
        if not isinstance(found, str):
            raise PolicyError.because("policy-key-not-text", name=name)
        return " ".join(found.split())

    def switch(self, stated: Mapping[str, Any], name: str) -> bool:
        found = stated[name]
        if not isinstance(found, bool):
            raise PolicyError.because("policy-key-not-boolean", name=name)
        return found

    def names(self, stated: Mapping[str, Any], name: str, where: str) -> tuple[str, ...]:
        found = stated.get(name, [])
        if not isinstance(found, list) or not all(isinstance(one, str) and one.strip() for one in found):
            raise PolicyError.because("policy-key-not-names", name=name, where=where)
        return tuple(" ".join(one.split()) for one in found)

    def words(self, stated: Mapping[str, Any], name: str, kind: Any, where: str, *, upper: bool = False) -> Any:
        found = self.names(stated, name, where)
        try:
            return tuple(kind(one.upper() if upper else one) for one in found)
        except ValueError:
            known = [one.value for one in kind]
            raise PolicyError.because("policy-words-unknown", name=name, known=known, where=where) from None

    def somebody(self, name: str, where: str) -> None:
        if name.casefold() not in self.known:
            near = _nearest(name.casefold(), sorted(self.known))
            raise PolicyError.because("policy-names-nobody", name=name, near=near, where=where)

    def column(self, name: str, where: str) -> None:
        if name.casefold() not in {column.casefold() for column in self.columns}:
            raise PolicyError.because("policy-column-unknown", name=name, columns=list(self.columns), where=where)

    def approvals(self, stated: Mapping[str, Any], where: str) -> int:
        found = stated.get("approvals", 1)
        if not isinstance(found, int) or isinstance(found, bool) or not 1 <= found <= 10:
            raise PolicyError.because("approvals-out-of-range", where=where)
        return found

    def bits(self, stated: Mapping[str, Any], where: str) -> float:
        found = stated.get("signal_bits", AccessRule.signal_bits)
        if not isinstance(found, int | float) or isinstance(found, bool) or not 0 <= found <= 10_000:
            raise PolicyError.because("signal-bits-out-of-range", where=where)
        return float(found)

    def ceiling(self, stated: object) -> float | None:
        if stated is None:
            return None
        return float(self.checked("epsilon_max", lambda: stated_epsilon(stated, "epsilon_max").value))  # type: ignore[arg-type]

    def budget(self, stated: Mapping[str, Any], name: str, most: int) -> Fraction | None:
        if name not in stated:
            return None
        said = stated[name]
        if isinstance(said, str) and _EXACT.fullmatch(said):
            said = Fraction(said)
        found: Fraction = self.checked(name, lambda: limit(name, said, most))
        return found

    def days(self, stated: Mapping[str, Any], name: str) -> int | None:
        found = stated.get(name)
        if found is not None and (not isinstance(found, int) or isinstance(found, bool) or not 1 <= found <= 36_525):
            raise PolicyError.because("policy-days", name=name, where="[retention]")
        return found


def _nearest(name: str, known: Sequence[str]) -> str:
    """The known name that is most like another, or nothing."""
    return next(iter(difflib.get_close_matches(name, known, 1)), "")
