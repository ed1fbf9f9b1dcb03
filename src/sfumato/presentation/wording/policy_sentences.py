"""Policies in sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sfumato.model.budget import BudgetLimit
from sfumato.model.guarantee import Guarantee
from sfumato.model.person_budget import PersonBudget
from sfumato.presentation.wording.guarantee import budget as budget_words

NO_ONE_ELSE = "No one else has access, or learns that this dataset exists."
NO_POLICY = "There is no policy, so no one has access"
_NO_RULE = "There is no rule: each request states a preference."
_PREFERENCES = {
    "rule": "the rule",
    "gap": "risk gap",
    "within": "maximum error",
    "attack_chance": "attack success",
    "guess": "guessing risk",
    "pri": "PRI",
}
_DECIDED = {
    "automatic": "The policy itself approves requests that have a guarantee",
    "by a controller": "{who} before noise is drawn",
    "after the answer": "{who}, and again after seeing the withheld answer: releases have no guarantee",
}
CODE = "Analysts may submit functions of their own, which run in a sandbox after a controller has read them."
AFTER_LOOK = (
    "The data of this dataset was looked at. A decision that a person makes now, approval or refusal, has no guarantee "
    "unless it was preregistered. What a preregistered policy decides by itself keeps its guarantee."
)
SEPARATION = (
    "A controller who views individual risks can no longer decide, or change the policy, schema, data, roles or "
    "population of this dataset. The decisions of others keep their guarantee after a look; certificates print the "
    "assumption that the viewers told them nothing."
)
VIEWED = (
    "You viewed individual risks of this dataset, and its policy separates viewing from deciding: another controller "
    "must decide."
)


def purpose(words: str) -> str:
    return f"Purpose: {words}."


def access_rule(
    who: Sequence[str], aggregates: Sequence[str] | None, columns: Sequence[str] | None, preferences: Sequence[str]
) -> str:
    """Who may request what, by which preferences."""
    what = "any aggregate" if aggregates is None else ", ".join(aggregates) or "no aggregate"
    of = "any column" if columns is None else ", ".join(columns) or "no column"
    how = ", ".join(_PREFERENCES.get(name, name.replace("_", " ")) for name in preferences)
    return f"Access rule: {_listed(who)} may request {what} of {of}. Allowed preferences: {how}."


def decided(approve: str, approvers: Sequence[str], approvals: int, guarantees: Sequence[Guarantee]) -> str:
    """Who decides, and which guarantees a release may have."""
    named = _listed(approvers) if approvers else "any controller"
    if approvals > 1:
        named = f"{approvals} of {named}" if approvers else f"{approvals} controllers"
    by = _DECIDED[approve].format(
        who=f"{named} must approve".capitalize() if not approvers else f"{named} must approve"
    )
    return f"{by}. Allowed guarantees: {', '.join(one.value for one in guarantees)}."


def signals(kinds: Sequence[str], bits: float) -> str:
    """Utility signals that may be requested."""
    if not kinds:
        return "Utility signals are not allowed."
    exact = f"; exact scores may reveal at most {bits:g} bits" if "as_published" in kinds else ""
    return f"Allowed utility signals: {', '.join(kinds)}{exact}."


def decides(approve: str) -> str:
    """Who decides, for analysts: they do not learn which of the controllers."""
    return f"{_DECIDED[approve].format(who='A controller must approve')}."


def rule(preferences: Mapping[str, object] | None) -> str:
    """The rule of a policy."""
    if preferences is None:
        return _NO_RULE
    return f"Rule: {rule_values(preferences)}."


def rule_values(preferences: Mapping[str, object]) -> str:
    return ", ".join(f"{name.replace('_', ' ')} {_value(value)}".strip() for name, value in preferences.items())


def limits(epsilon_max: float | None, budget: BudgetLimit, per_person: PersonBudget | None = None) -> list[str]:
    """The limits of a policy.

    >>> from sfumato.model.person_budget import person_budget
    >>> limits(None, BudgetLimit(), person_budget(1))
    ['Budget per person: epsilon 1. Sums and counts are about the people whose own total stays within it.']
    """
    sentences = [] if epsilon_max is None else [f"Maximum epsilon of one release (epsilon_max): {epsilon_max:g}."]
    sentences += [f"Budget of all releases together: {budget_words(budget)}."] if budget.is_limited else []
    if per_person is None:
        return sentences
    delta = f", delta {float(per_person.delta):g}" if per_person.delta else ""
    sentence = f"Budget per person: epsilon {float(per_person.epsilon):.15g}{delta}."
    return [*sentences, f"{sentence} Sums and counts are about the people whose own total stays within it."]


def partners(
    trust: Mapping[str, float | str], columns: Mapping[str, float | str], otherwise: float | str | None
) -> list[str]:
    """Trust in each recipient, and sensitivity of the data."""
    sentences = [f"Trust in {name}: {rated}." for name, rated in trust.items()]
    sentences += [] if otherwise is None else [f"Sensitivity of the data: {otherwise}."]
    return sentences + [f"Sensitivity of {name}: {rated}." for name, rated in columns.items()]


def decide_within(days: int | None) -> list[str]:
    if days is None:
        return []
    return [f"A request or signal is due {days} {'day' if days == 1 else 'days'} after it is submitted."]


def retention(answers_days: int | None, data_days: int | None) -> list[str]:
    sentences = [] if answers_days is None else [f"An answer can be read for {answers_days} days after its release."]
    return sentences + ([] if data_days is None else [f"The data is deleted {data_days} days after its delivery."])


def switches(*, introduction: bool, public_page: bool, separation: bool) -> list[str]:
    """Switches that differ from their defaults."""
    sentences = [] if introduction else ["Controllers may approve in a browser without passing the introduction."]
    sentences += ["A public page lists the releases and their total."] if public_page else []
    return sentences + ([SEPARATION] if separation else [])


def others_viewed(viewers: int) -> str:
    """For a controller who has not viewed individual risks, where others have."""
    who = "1 person has" if viewers == 1 else f"{viewers:,} people have"
    return (
        f"{who} viewed individual risks of this dataset, and you have not. Your decision keeps its guarantee on the "
        "assumption that they told you nothing; the certificate states this assumption."
    )


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _value(value: object) -> str:
    return "" if value is True else str(value)
