"""The rules that a form offers, each in a sentence with a gap in it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from sfumato.presentation.wording.guarantee import in_100
from sfumato.privacy.risk.membership import attack_chance

BEFORE_ANYBODY_LOOKS = (
    "It holds for whoever states nothing else, and keeps its word if it is fixed before anybody looks."
)


@dataclass(frozen=True)
class RuleKind:
    """A preference that the form of a policy offers as its rule; with a label, one number states it."""

    title: str
    hint: str
    label: str = ""
    start: str = ""
    beside: Mapping[str, bool] = field(default_factory=dict)  # what goes with it as it is


KINDS: Mapping[str, RuleKind] = {  # by their names in privacy/preferences/registry.py; "" is none
    "gap": RuleKind(
        "How even the risk is",
        "Nobody, in any data, is at more than so many times the risk of anybody else: 1.2 is even, 2 is not. "
        "It is not a probability.",
        "Times the risk of anybody else, at most",
        "1.2",
        {"worst_case": True},
    ),
    "attack_chance": RuleKind(
        "How often an attacker is right",
        "Whoever knows everybody else guesses whether a person is in the data right at most so often: 0.5 is a coin, "
        "0.55 is 55 times of 100.",
        "Right at most this often",
        "0.55",
    ),
    "within": RuleKind(
        "How far the noise may go",
        "All figures of an answer are moved by at most so much, in 95 of 100 answers unless the rule says otherwise. "
        "What a release tells about a person follows from that, up to the ceiling.",
        "Moved by at most",
    ),
    "sharing_risk": RuleKind(
        "The risk of sharing, by trust and sensitivity",
        "The less a partner is trusted and the more sensitive the data is, the more noise they get.",
    ),
    "epsilon": RuleKind(
        "An epsilon",
        "How much a release may tell about any one person, as a number. Smaller: more noise, and less is told.",
        "Epsilon",
    ),
    "": RuleKind("No rule", "Whoever asks states a preference of their own, of those that are allowed."),
}
CEILING = "No release has an epsilon above this, whatever the rule comes to."
BUDGET = "A release that would bring all of them together beyond this is refused."
BUDGET_DELTA = (
    "Needed for groups that are not public and for Gaussian noise, which take a delta: a small probability by "
    "which the promise may fail. Such as 0.000001; without it, nobody may ask for those."
)
ODDS = "An attacker who knows everybody else is right at most so often of 100 (50 is a coin): " + "; ".join(
    f"epsilon {at:g}, {in_100(attack_chance(at))} times" for at in (0.1, 0.2, 0.5, 1, 2, 3, 5)
)
APPROVE: Mapping[str, str] = {
    "by a controller": "A controller decides each request, before anything is drawn.",
    "automatic": "The policy decides by itself: what carries a guarantee and fits the rule is released at once.",
    "after the answer": (
        "A controller decides twice, the second time with the answer in view. What leaves so carries no guarantee."
    ),
}
AFTER_LOOK = (
    "A policy that is signed now is signed after that look: what goes by its rule, and what it decides by itself, "
    "carries no guarantee, unless it says where it was fixed beforehand. The policy that was in force at the first "
    "look keeps its guarantee as long as it stands. To take access away and to give it back is a decision after a look."
)
ACCEPT_CHANGE = (
    "I accept that this takes access away, or gives it back, after a look at the people: it tells something about "
    "them, and no total exists for this dataset from then on. (Not needed where it only adds access or raises limits.)"
)
FIXED_BEFOREHAND = (
    "Such as minutes with a date. It is printed beside the word of every release that goes by this policy and comes "
    "after a look."
)
OTHERWISE = (
    "If nobody has looked at the people yet, or if it was not written down, leave this empty: what goes by a policy "
    "that is signed after a look then carries no guarantee."
)
PUBLIC_PAGE = "Everybody may read which releases there were and what they add up to, without signing in."
SEPARATION = (
    "A controller who views individual risks can no longer decide, so the decisions of the other controllers keep "
    "their guarantee. This needs at least two controllers."
)
INTRODUCTION = "Whoever approves in a browser has passed the three-minute introduction."
