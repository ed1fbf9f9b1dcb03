"""What a dataset is asked under when several parties share it: a policy, and the decisions on one request."""

from __future__ import annotations

from dataclasses import dataclass

from sfumato.model.budget import NO_BUDGET, BudgetLimit
from sfumato.model.person_budget import PersonBudget


@dataclass(frozen=True)
class Authorization:
    """`policy` is a fingerprint, entered in the record in place of the rule's; `decision` the key of the decisions.

    Without a decision no one has decided yet: the previewed guarantee is that of a decision made now.
    """

    policy: str
    preregistered: str = ""  # where the policy was written down before anyone looked
    decision: str = ""
    by_policy: bool = False  # the policy decides by itself
    after_the_answer: bool = False  # the approver sees the answer first
    epsilon_max: float | None = None
    budget: BudgetLimit = NO_BUDGET
    per_person: PersonBudget | None = None
    separation: bool = False  # people who view individual risks do not decide
