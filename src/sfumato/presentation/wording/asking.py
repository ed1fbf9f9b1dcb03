"""How a question's noise may be sized, for whoever asks: each preference in words, with the numbers that it takes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

RULE = "rule"
ESTIMATED = "From public facts: the data is not read, and nothing is charged."
NOT_YET = "Nothing is asked yet: what you type here stays in this browser until you submit it."
PEOPLE = "People in the smallest group, at least (if you know)"
PEOPLE_HINT = "From public knowledge, not from the data: with it the estimate says how exact an average will be."
DELTA = "Delta"
DELTA_HINT = (
    "Groups that are not public are found with noise. With at most this chance a group shows that only one person "
    "makes. It is charged beside epsilon."
)
WEIGHTS = "The most important question has the largest weight: it gets all that the preference allows, the others less."


@dataclass(frozen=True)
class OfferField:
    """A number that is stated: within which limits, and which one to start from."""

    name: str
    words: str
    start: float
    least: float = 0.0
    most: float | None = None


@dataclass(frozen=True)
class Offer:
    """A preference that a policy may allow; `beside` goes along as it is."""

    name: str
    words: str
    figures: tuple[OfferField, ...] = ()
    beside: Mapping[str, Any] = field(default_factory=dict)
    counts: bool = False  # whether it may say how many people are in the smallest group

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


_CHOICES = OfferField("choices", "values that the secret may have", 4, 2)
_SELECT = OfferField("select_epsilon", "epsilon for selecting", 0.1, 0, 10)
_CONFIDENCE = OfferField("confidence", "this share of the time", 0.9, 0, 1)
_WORST = {"worst_case": True}
OFFERS = (
    Offer(RULE, "The rule of this dataset, as it stands"),
    Offer("epsilon", "An epsilon that I state", (OfferField("epsilon", "epsilon", 0.5),)),
    Offer(
        "gap",
        "In the worst case nobody is at more than so many times the risk of anybody else",
        (OfferField("gap", "times", 1.2, 1),),
        _WORST,
    ),
    Offer(
        "ratio",
        "In the worst case the least risk is at least this share of the largest",
        (OfferField("ratio", "share", 0.8, 0, 1),),
        _WORST,
    ),
    Offer(
        "variance",
        "Risks that vary by no more than this, selected privately",
        (OfferField("variance", "variance", 0.0001, 0, 1), _SELECT),
    ),
    Offer("exposure_cap", "Nobody's exposure is above this", (OfferField("exposure_cap", "exposure", 0.5, 0, 1),)),
    Offer(
        "attack_chance",
        "Whoever knows everybody else guesses whether somebody is in the data right at most this often (0.5 is a coin)",
        (OfferField("attack_chance", "share of guesses", 0.6, 0.5, 1),),
    ),
    Offer("pri", "Find-eps-from-PRI as published: it reads the people", (OfferField("pri", "percent", 5, 0, 100),)),
    Offer(
        "guess",
        "Somebody's value is guessed right at most this often",
        (OfferField("guess", "share of guesses", 0.4, 0, 1), _CHOICES),
    ),
    Offer(
        "advantage",
        "No belief about anybody grows by more than this",
        (OfferField("advantage", "share", 0.2, 0, 1),),
    ),
    Offer(
        "sharing_risk",
        "The risk of sharing the answer with me, as the policy rates it, is at most this",
        (OfferField("sharing_risk", "risk from 0 to 1", 0.1, 0, 1), _CHOICES),
    ),
    Offer(
        "within",
        "Each figure is so close to the true one, as far as noise goes",
        (OfferField("within", "at most so far off", 20), _CONFIDENCE),
        counts=True,
    ),
    Offer(
        "relative_error",
        "The noise is at most this share of what I expect",
        (OfferField("relative_error", "share", 0.1), OfferField("expected", "expected figure", 1000), _CONFIDENCE),
        counts=True,
    ),
)


def offered(allowed: Sequence[str]) -> tuple[Offer, ...]:
    """Those that a flow allows, in its order. A belief takes a list of worlds, which is no number: it is not here.

    >>> [offer.name for offer in offered(["gap", "belief", "rule"])]
    ['gap', 'rule']
    """
    known = {offer.name: offer for offer in OFFERS}
    return tuple(known[name] for name in allowed if name in known)


def chosen(options: Mapping[str, Any] | None, offers: Sequence[Offer]) -> str:
    """Which of the offers a stated preference is, or the first of them."""
    named = [offer.name for offer in offers if offer.name in (options or {})]
    return next(iter(named or [offer.name for offer in offers]), "")
