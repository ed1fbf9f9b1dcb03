"""Preferences that a request may state, each with the numbers that it takes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from sfumato.model.expected_interval import CountSource

RULE = "rule"
ESTIMATED = "Updates as you type. Computed from public facts: no data is read, and nothing is charged."
NOT_YET = "What you type here stays in this browser until you submit it."
PEOPLE = "Minimum number of people in the smallest group (if you know it)"
ACCURACY = "Useful within ± (optional)"
ACCURACY_HINT = (
    "How far the first figure may be off (90%) for the answer to be useful. The approver sees it beside its noise."
)
DUE = "Needed by (optional)"
PEOPLE_HINT = "From public knowledge, not from the data. With it, the estimate includes the error of an average."
DELTA = "Delta"
DELTA_HINT = (
    "Private group keys are found with noise. With at most this probability, a group of only one person is shown. "
    "Delta is charged in addition to epsilon."
)
BEYOND = "This SQL goes beyond the builder. Edit it as text, or start over with the builder."
COUNT_SOURCES = {  # of the number of people that the error of an average depends on
    CountSource.STATED: "You stated this group size.",
    CountSource.SCHEMA: "The group size is people_at_least of the schema, divided equally; a condition leaves fewer.",
    CountSource.SYNTHETIC: "The group size is the smallest group of the synthetic data.",
    CountSource.RELEASED: "The group size is the lower end of a count that you released before.",
    CountSource.EXAMPLE: "The group size is only an example: state the smallest one that you know from public sources.",
}
COMPARISONS = {
    "=": "is",
    "<>": "is not",
    ">=": "is at least",
    "<=": "is at most",
    ">": "is above",
    "<": "is below",
    "IS NULL": "is missing",
    "IS NOT NULL": "is not missing",
}
WEIGHTS = "The query with the largest weight gets all the epsilon that the preference allows; the others get less."


@dataclass(frozen=True)
class Measure:
    """An aggregate that the builder offers: of all rows, of the column of people, or of a column with bounds."""

    sql: str
    words: str
    of: str = "a column with bounds"


ROWS, PEOPLE_COLUMN = "all rows", "the column of people"
MEASURES = (
    Measure("COUNT", "Count", ROWS),
    Measure("COUNT DISTINCT", "Number of people", PEOPLE_COLUMN),
    Measure("AVG", "Average"),
    Measure("SUM", "Sum"),
    Measure("MEDIAN", "Median"),
    Measure("MIN", "Minimum"),
    Measure("MAX", "Maximum"),
    Measure("STDDEV", "Standard deviation"),
    Measure("VARIANCE", "Variance"),
)


@dataclass(frozen=True)
class OfferField:
    """A number that a preference takes: its limits, and the value to start from."""

    name: str
    words: str
    start: float
    least: float = 0.0
    most: float | None = None


@dataclass(frozen=True)
class Offer:
    """A preference that a policy may allow; `beside` are options that go with it, unchanged."""

    name: str
    words: str
    figures: tuple[OfferField, ...] = ()
    beside: Mapping[str, Any] = field(default_factory=dict)
    counts: bool = False  # whether it takes the number of people in the smallest group

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


_CHOICES = OfferField("choices", "number of values to guess from", 4, 2)
_SELECT = OfferField("select_epsilon", "epsilon of the selection", 0.1, 0, 10)
_CONFIDENCE = OfferField("confidence", "with this probability", 0.9, 0, 1)
_WORST = {"worst_case": True}
OFFERS = (
    Offer(RULE, "The preregistered rule of this dataset"),
    Offer("epsilon", "Use exactly this epsilon", (OfferField("epsilon", "epsilon", 0.5),)),
    Offer(
        "gap",
        "Maximum risk gap, in the worst case",
        (OfferField("gap", "risk gap", 1.2, 1),),
        _WORST,
    ),
    Offer(
        "ratio",
        "Minimum of the lowest disclosure risk over the highest, in the worst case",
        (OfferField("ratio", "ratio", 0.8, 0, 1),),
        _WORST,
    ),
    Offer(
        "variance",
        "Maximum variance of the disclosure risks, with epsilon selected privately",
        (OfferField("variance", "variance", 0.0001, 0, 1), _SELECT),
    ),
    Offer(
        "exposure_cap",
        "Maximum of epsilon times exposure, for every person",
        (OfferField("exposure_cap", "epsilon times exposure", 0.5, 0, 1),),
    ),
    Offer(
        "attack_chance",
        "Maximum success rate of a membership attack (a coin flip: 0.5)",
        (OfferField("attack_chance", "success rate", 0.6, 0.5, 1),),
    ),
    Offer(
        "pri",
        "Find-eps-from-PRI as published, which looks at the data: no guarantee",
        (OfferField("pri", "percent", 5, 0, 100),),
    ),
    Offer(
        "guess",
        "Maximum chance that an attacker guesses a person's value",
        (OfferField("guess", "chance of a correct guess", 0.4, 0, 1), _CHOICES),
    ),
    Offer(
        "advantage",
        "Maximum increase of an attacker's belief about a person, for any answer",
        (OfferField("advantage", "increase", 0.2, 0, 1),),
    ),
    Offer(
        "sharing_risk",
        "Maximum sharing risk, at the trust and sensitivity that the policy states",
        (OfferField("sharing_risk", "risk from 0 to 1", 0.1, 0, 1), _CHOICES),
    ),
    Offer(
        "within",
        "Maximum error of any figure from the noise",
        (OfferField("within", "maximum error", 20), _CONFIDENCE),
        counts=True,
    ),
    Offer(
        "relative_error",
        "Maximum error of any figure from the noise, as a share of the figure that I expect",
        (OfferField("relative_error", "share", 0.1), OfferField("expected", "expected figure", 1000), _CONFIDENCE),
        counts=True,
    ),
)


def offered(allowed: Sequence[str]) -> tuple[Offer, ...]:
    """Preferences that an access rule allows, in its order; `belief` takes a list of worlds and is not offered.

    >>> [offer.name for offer in offered(["gap", "belief", "rule"])]
    ['gap', 'rule']
    """
    known = {offer.name: offer for offer in OFFERS}
    return tuple(known[name] for name in allowed if name in known)


def chosen(options: Mapping[str, Any] | None, offers: Sequence[Offer]) -> str:
    """The offer that a stated preference uses, or the first offer."""
    named = [offer.name for offer in offers if offer.name in (options or {})]
    return next(iter(named or [offer.name for offer in offers]), "")
