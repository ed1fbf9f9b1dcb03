"""The rules that the form of a policy offers, and the hints of its fields."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from sfumato.presentation.wording.guarantee import COIN
from sfumato.presentation.wording.numbers import percent_up
from sfumato.privacy.risk.membership import attack_chance

PREREGISTERED_RULE = (
    "The rule applies to each request that states no preference of its own. It keeps its guarantee after a look if it "
    "was preregistered, that is, fixed before anyone looked at the data."
)


@dataclass(frozen=True)
class RuleKind:
    """A preference that the form of a policy offers as its rule; with a label, one number states it."""

    title: str
    hint: str
    label: str = ""
    start: str = ""
    beside: Mapping[str, bool] = field(default_factory=dict)  # options that go with it, unchanged


KINDS: Mapping[str, RuleKind] = {  # by their names in privacy/preferences/registry.py; "" is none
    "gap": RuleKind(
        "Risk gap",
        "In any data, the highest disclosure risk is at most this many times the lowest: 1.2 is even, 2 is not. "
        "It is not a probability.",
        "Maximum risk gap",
        "1.2",
        {"worst_case": True},
    ),
    "attack_chance": RuleKind(
        "Membership attack",
        "An attacker who knows everyone else's record can tell whether a given person is included at most this share "
        "of the time: 0.5 is a coin flip, 0.55 means 55%.",
        "Maximum success rate",
        "0.55",
    ),
    "within": RuleKind(
        "Accuracy",
        "With 95% probability, unless the rule states another confidence, the noise moves no figure of an answer by "
        "more than this. Epsilon follows from it, up to epsilon_max.",
        "Maximum error of any figure",
    ),
    "sharing_risk": RuleKind(
        "Sharing risk",
        "The noise depends on the recipient: less trust in the recipient, or more sensitive data, means more noise.",
    ),
    "epsilon": RuleKind(
        "Epsilon",
        "How much a release can reveal about any one person. A smaller epsilon means more noise and less risk.",
        "Epsilon",
    ),
    "": RuleKind("No rule", "Each request states a preference of its own, one of those that the policy allows."),
}
COLUMNS = (
    "All columns are allowed until you clear one. Then only the selected columns may be used, in sums, conditions and "
    "group keys alike; a column that the schema does not describe is excluded too."
)
AGGREGATES = "All aggregates are allowed until you clear one."
PRESETS: Mapping[str, str] = {"strict": "Strict", "usual": "Usual", "automatic": "Automatic"}
ABOUT_PRESETS = (
    "A preset fills in the rule, epsilon_max, the approval, the utility signals and the preferences of analysts. It "
    "leaves everything else unchanged. Nothing applies before you sign."
)
EPSILON_MAX = "No release has a larger epsilon, whatever the rule leads to."
BUDGET = "A release that would go beyond the budget is refused."
BUDGET_DELTA = (
    "Delta is a small probability with which the limit of epsilon may fail, for example 0.000001. Private group keys, "
    "Gaussian noise and truncated noise need a delta. Without a delta budget, such requests are refused."
)
ODDS = f"Maximum success rate of a membership attack {COIN}: " + "; ".join(
    f"{percent_up(attack_chance(at))} at epsilon {at:g}" for at in (0.1, 0.2, 0.5, 1, 2, 3, 5)
)
APPROVE: Mapping[str, str] = {
    "by a controller": "A controller decides each request before noise is drawn.",
    "automatic": "The policy decides by itself: an allowed request that has a guarantee is answered at once.",
    "after the answer": (
        "A controller decides twice, the second time after seeing the answer. The release has no guarantee."
    ),
}
AFTER_LOOK = (
    "A policy that you sign now is signed after that look. Releases by its rule, and releases that it approves by "
    "itself, have no guarantee unless the policy states where it was preregistered. The policy that was in force at "
    "the first look keeps its guarantee as long as it stays in force. Removing or restoring access is a decision "
    "after a look."
)
ACCEPT_CHANGE = (
    "I accept that this removes or restores access after a look at the data: the change reveals something about the "
    "people, and no total exists for this dataset from then on. (Not needed if the change only adds access or raises "
    "limits.)"
)
WHERE_PREREGISTERED = (
    "For example dated minutes. The text is printed with the guarantee of every release that uses this policy after a "
    "look."
)
OTHERWISE = (
    "Leave this empty if no one has looked at the data yet, or if the policy was not written down before the look. "
    "Releases that use a policy signed after a look then have no guarantee."
)
PUBLIC_PAGE = "Publish a page without sign-in that lists the releases and their total."
SEPARATION = (
    "A controller who views individual risks can no longer decide, so the decisions of the other controllers keep "
    "their guarantee. This needs at least two controllers."
)
INTRODUCTION = "Controllers must pass the three-minute introduction before they approve in a browser."


def preset(tables: Mapping[str, Any]) -> str:
    """A preset in sentences: who approves, the rule, the largest epsilon, and utility signals."""
    access = tables["access_rule"][0]
    approvals, charged = access["approvals"], len(access["signals"]) > 1
    by = f"{'Two controllers approve' if approvals > 1 else 'One controller approves'} each request."
    if access["approve"] == "automatic":
        by = "The policy itself approves each allowed request that has a guarantee."
    right = percent_up(tables["rule"]["attack_chance"])
    return (
        f"{by} Attack success of one release: at most {right}. Largest epsilon of one release: "
        f"{tables['epsilon_max']:g}. {'Free and charged' if charged else 'Only free'} utility signals, no own code."
    )
