"""What a dataset is opened with, as its ledger states it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from sfumato.ledger.parallel import UNDECLARED, Declared
from sfumato.model.budget import BudgetLimit
from sfumato.model.schema import BUDGET


@dataclass(frozen=True)
class Opening:
    """Fingerprints of the schema and of the rule, or of the policy; the population, and the dataset's own budget.

    `declared`: which charges cannot concern the same person.
    `separation`: people who view individual risks do not decide. An entry without a budget leaves it to the next entry.
    """

    schema: Mapping[str, str] = field(default_factory=dict)
    rule: str = ""
    population: str = ""
    budget: BudgetLimit | None = None
    separation: bool = False
    declared: Declared = UNDECLARED

    @classmethod
    def from_public(cls, public: Mapping[str, Any]) -> Opening:
        """From what an entry says."""
        budget = BudgetLimit.from_texts(public["budget"]) if "budget" in public else None
        named, separation = str(public.get("population", "")), bool(public.get("separation", False))
        declared = Declared.from_public(public)
        return cls(dict(public["schema"]), str(public["rule"]), named, budget, separation, declared)

    def as_public(self) -> dict[str, object]:
        public: dict[str, object] = {"schema": dict(self.schema), "rule": self.rule}
        public |= {} if self.budget is None else {"budget": self.budget.as_texts()}
        public |= {"population": self.population} if self.population else {}
        public |= self.declared.as_public()
        return public | ({"separation": True} if self.separation else {})

    def matches(self, other: Opening, *, budget: bool) -> bool:
        """Whether it says the same as another; with `budget` false, whatever the budgets are."""
        if self.budget is None or not budget:
            other = replace(other, budget=self.budget)
        return self == other if budget else self._without_budget == other._without_budget

    @property
    def _without_budget(self) -> Opening:
        return replace(self, schema={name: fingerprint for name, fingerprint in self.schema.items() if name != BUDGET})
