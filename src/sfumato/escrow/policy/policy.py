"""Policies: access rules, the preregistered rule, budgets and approvals. Anything not allowed is refused."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from enum import StrEnum
from typing import Any

from sfumato.errors import Forbidden
from sfumato.escrow.identity.person import EVERYONE, Person
from sfumato.model.budget import NO_BUDGET, BudgetLimit
from sfumato.model.guarantee import Guarantee
from sfumato.model.person_budget import PersonBudget
from sfumato.model.plain import LEFT_OUT, from_plain, to_plain
from sfumato.model.signal_score import SignalKind
from sfumato.model.statement import AggregateKind, Statement
from sfumato.privacy.preferences import registry
from sfumato.privacy.preferences.guessing_preferences import level
from sfumato.release.ledger import digest

RULE = "rule"
RETENTION = ("answers_days", "data_days")
SWITCHES = ("introduction", "public_page", "separation")
SIGNALLING = ("signals", "code", "signal_bits")
_BUDGETS = {"epsilon": "budget", "delta": "budget_delta"}
RATED = ("trust", "data_sensitivity")


_UNSAID: dict[str, Any] = {"purpose": "", "preregistered": "", "introduction": True, "public_page": False}
_UNSAID |= {"decide_within_days": None}
"""Settings that do not affect access."""


class Approve(StrEnum):
    AUTOMATIC = "automatic"  # the policy decides by itself
    BY_CONTROLLER = "by a controller"  # before anything is drawn
    AFTER_THE_ANSWER = "after the answer"  # the PRI paper's own order: computed, withheld, looked at, then approved


@dataclass(frozen=True)
class AccessRule:
    """Who may request what, and who approves. None: no limit."""

    who: tuple[str, ...]
    aggregates: tuple[AggregateKind, ...] | None = None
    columns: tuple[str, ...] | None = None
    preferences: tuple[str, ...] = (RULE,)
    guarantees: tuple[Guarantee, ...] = (Guarantee.DP, Guarantee.SELECTED)
    approve: Approve = Approve.BY_CONTROLLER
    approvers: tuple[str, ...] = ()  # controllers who may approve; empty for all of them
    approvals: int = 1
    signals: tuple[SignalKind, ...] = (SignalKind.FREE,)  # what may be asked about the noise of a release
    code: bool = False  # also by functions of their own
    signal_bits: float = 20.0  # that exact scores may tell them in all, about one dataset

    def require_signal(self, kind: SignalKind, *, own_code: bool) -> None:
        if kind not in self.signals:
            raise Forbidden.because("signal-not-allowed", kind=kind.value, allowed=_texts(self.signals))
        if own_code and not self.code:
            raise Forbidden.because("own-code-not-allowed")

    def require(self, statement: Statement) -> None:
        """Refuse a query that this rule does not allow."""
        kinds = [aggregate.kind for aggregate in statement.aggregates]
        if self.aggregates is not None and (beyond := [kind for kind in kinds if kind not in self.aggregates]):
            allowed = _texts(self.aggregates)
            raise Forbidden.because("aggregate-not-allowed", aggregate=beyond[0].value, allowed=allowed)
        self.require_columns(statement.columns)

    def require_columns(self, columns: Iterable[str]) -> None:
        allowed = None if self.columns is None else {name.casefold() for name in self.columns}
        if allowed is not None and (read := [name for name in columns if name.casefold() not in allowed]):
            raise Forbidden.because("column-not-allowed", column=read[0], allowed=list(self.columns or ()))

    def require_preferences(self, preference: Mapping[str, Any] | None) -> None:
        names = {name for name, value in (preference or {}).items() if value is not None and value is not False}
        used = [name for name in registry.NAMES if name in names] or [RULE]
        if used == [RULE] and names:
            raise Forbidden.because("rule-as-it-stands", stated=sorted(names))
        if beyond := [name for name in used if name not in self.preferences]:
            allowed = list(self.preferences)
            if beyond == [RULE]:
                raise Forbidden.because("rule-not-allowed", allowed=allowed)
            raise Forbidden.because("preference-not-allowed", name=beyond[0], allowed=allowed)

    def for_analyst(self) -> AnalystAccess:
        return AnalystAccess(**{each.name: getattr(self, each.name) for each in fields(AnalystAccess)})

    def as_dict(self) -> dict[str, object]:
        """The rule as its file has it: without limits that are not set, and signals as they are by default."""
        table: dict[str, object] = to_plain(self)
        unset = {name for name in ("aggregates", "columns") if table[name] is None}
        unset |= {name for name in SIGNALLING if getattr(self, name) == getattr(AccessRule, name)}
        return {name: value for name, value in table.items() if name not in unset}


@dataclass(frozen=True, kw_only=True)
class AnalystAccess:
    """An access rule as its analysts see it: without other analysts and approvers."""

    preferences: tuple[str, ...]
    aggregates: tuple[AggregateKind, ...] | None = field(default=None, metadata=LEFT_OUT)
    columns: tuple[str, ...] | None = field(default=None, metadata=LEFT_OUT)
    guarantees: tuple[Guarantee, ...]
    approve: Approve
    signals: tuple[SignalKind, ...]
    code: bool
    signal_bits: float


@dataclass(frozen=True)
class Policy:
    access_rules: tuple[AccessRule, ...]
    purpose: str = ""
    rule: Mapping[str, Any] | None = None
    epsilon_max: float | None = None
    budget: BudgetLimit = NO_BUDGET
    per_person: PersonBudget | None = None  # each person is included while their own total stays within it
    preregistered: str = ""  # where all this was written down before anyone looked
    trust: Mapping[str, float | str] = field(default_factory=dict)  # of people and organisations
    sensitivity: Mapping[str, float | str] = field(default_factory=dict)  # of columns
    sensitivity_otherwise: float | str | None = None
    answers_days: int | None = None
    data_days: int | None = None
    decide_within_days: int | None = None  # from when a request is submitted until it is due
    introduction: bool = True  # approvers have to pass it first
    public_page: bool = False
    separation: bool = False  # viewers of individual risks may never decide

    @classmethod
    def from_signed(cls, table: Mapping[str, Any]) -> Policy:
        """The inverse of `as_signed`."""
        sensitivity, kept = table.get("sensitivity", {}), table.get("retention", {})
        return cls(
            access_rules=tuple(from_plain(AccessRule, access_rule) for access_rule in table["flow"]),
            purpose=table["purpose"],
            rule=table.get("rule"),
            epsilon_max=table.get("epsilon_max"),
            decide_within_days=table.get("decide_within_days"),
            budget=BudgetLimit.from_texts({name: table[key] for name, key in _BUDGETS.items() if key in table}),
            per_person=PersonBudget.from_texts(table),
            preregistered=table["preregistered"],
            trust=table.get("trust", {}),
            sensitivity=sensitivity.get("columns", {}),
            sensitivity_otherwise=sensitivity.get("dataset"),
            **{name: kept.get(name) for name in RETENTION},
            **{name: table[name] for name in SWITCHES if name in table},
        )

    @property
    def fingerprint(self) -> str:
        """Digest of the whole policy."""
        return digest(self.as_signed())

    def keeps(self, other: Policy) -> bool:
        """Whether it allows all that another policy allows: it only adds access rules at the end, or raises limits."""
        ours, theirs = (
            replace(one, access_rules=(), epsilon_max=None, budget=NO_BUDGET, **_UNSAID) for one in (self, other)
        )
        budgets = ((self.budget.epsilon, other.budget.epsilon), (self.budget.delta, other.budget.delta))
        limits = ((self.epsilon_max, other.epsilon_max), *budgets)
        raised = all(now is None or (before is not None and now >= before) for now, before in limits)
        return ours == theirs and raised and self.access_rules[: len(other.access_rules)] == other.access_rules

    def beside_the_rule(self, preference: Mapping[str, Any] | None) -> Mapping[str, Any] | None:
        """The preference; None if it equals the preregistered rule."""
        values = {name: value for name, value in (preference or {}).items() if value is not None and value is not False}
        return None if not values or values == dict(self.rule or {}) else preference

    def access_rule_for(self, person: Person) -> AccessRule | None:
        """The first access rule that names this person, their organisation, or everyone."""
        return next((access_rule for access_rule in self.access_rules if person.is_among(access_rule.who)), None)

    def rule_for(
        self, person: Person, columns: Callable[[], Iterable[str]], preference: Mapping[str, Any] | None
    ) -> Mapping[str, Any] | None:
        """A rule or a preference with what the policy says of this partner and of these columns (DPP 3).

        What is asked about is read only where it is rated.
        """
        if preference is None or "sharing_risk" not in preference:
            return preference
        own = {name: value for name, value in preference.items() if name not in RATED}
        return own | {
            "trust": preference["trust"] if "trust" in preference else self._trust(person),
            "data_sensitivity": preference["data_sensitivity"]
            if "data_sensitivity" in preference
            else self._sensitivity(columns()),
        }

    def _trust(self, person: Person) -> float | str:
        rated = {name.casefold(): level for name, level in self.trust.items()}
        for name in (person.name, person.organisation.casefold(), EVERYONE):
            if name and name in rated:
                return rated[name]
        raise Forbidden.because("trust-not-rated", person=person.name)

    def _sensitivity(self, columns: Iterable[str]) -> float | str:
        rated = {name.casefold(): rating for name, rating in self.sensitivity.items()}
        ratings = [rated[name.casefold()] for name in columns if name.casefold() in rated]
        ratings += [] if self.sensitivity_otherwise is None else [self.sensitivity_otherwise]
        if not ratings:
            raise Forbidden.because("sensitivity-not-rated")
        return max(ratings, key=lambda rating: level("sensitivity", rating))

    def as_dict(self) -> dict[str, object]:
        """As its file has it; a budget exactly. A switch that stands as it does by itself is not said."""
        texts = self.budget.as_texts()
        table: dict[str, object] = {"purpose": self.purpose, "preregistered": self.preregistered}
        table |= {} if self.epsilon_max is None else {"epsilon_max": self.epsilon_max}
        table |= {} if self.decide_within_days is None else {"decide_within_days": self.decide_within_days}
        table |= {key: texts[name] for name, key in _BUDGETS.items() if name in texts}
        table |= {} if self.per_person is None else self.per_person.as_texts()
        table |= {} if self.rule is None else {"rule": dict(self.rule)}
        table |= {} if not self.trust else {"trust": dict(self.trust)}
        otherwise = {} if self.sensitivity_otherwise is None else {"dataset": self.sensitivity_otherwise}
        sensitivity = otherwise | ({"columns": dict(self.sensitivity)} if self.sensitivity else {})
        table |= {"sensitivity": sensitivity} if sensitivity else {}
        kept = {name: getattr(self, name) for name in RETENTION if getattr(self, name) is not None}
        table |= {name: getattr(self, name) for name in SWITCHES if getattr(self, name) is not getattr(Policy, name)}
        table |= {"retention": kept} if kept else {}
        return table | {"access_rule": [access_rule.as_dict() for access_rule in self.access_rules]}

    def as_signed(self) -> dict[str, object]:
        """As it is signed and digested: in format 1 an access rule is called a flow."""
        table = self.as_dict()
        return {"flow": table.pop("access_rule"), **table}


def _texts(words: Iterable[str]) -> list[str]:
    """Words of an enumeration as plain texts."""
    return list(map(str, words))
