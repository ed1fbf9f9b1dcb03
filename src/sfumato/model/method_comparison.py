"""A comparison of methods: the epsilons that each allows, the guarantee it would have, and what it needs."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from enum import StrEnum

from sfumato.model.choice import Noise
from sfumato.model.confidential import Confidential
from sfumato.model.expected_interval import ExpectedCount
from sfumato.model.guarantee import Guarantee
from sfumato.model.plain import to_plain
from sfumato.model.risk import RiskAt


class Need(StrEnum):
    """What has to be known before a method leads to an epsilon."""

    PUBLIC = "public facts"
    SECRET = "a blind guess"
    COUNT = "a public count"
    ANSWER = "a public answer"
    ERROR = "an error"
    WORLDS = "worlds"
    SPENT = "the ledger"
    SELECTION = "a selection"
    PEOPLE = "a look"
    GROUPS = "two groups and a look"


class Absence(StrEnum):
    """Why nothing was solved for a method."""

    UNSTATED = "unstated"  # it needs something that only the user can state
    SELECTED = "selected"  # privately, at a charge, when it is chosen
    SELECTED_AFTER_LOOK = "selected-after-look"
    DRAWN = "drawn"  # from the people, when it is chosen
    READ = "read"  # off the people, by a look


@dataclass(frozen=True, repr=False)
class Method(Confidential):
    """One row. Without `low` and `high` its epsilons are not known, or no interval: `absent` or `why` says it.

    `guarantee` is that of a release by this method alone, now; None where it is no method by itself or does not apply.
    `at` is what its epsilon would mean for anyone in any data.
    """

    words: str
    need: Need
    requested: bool = False  # by the user; the others are examples
    low: float | None = None
    high: float | None = None  # may be infinite
    epsilon: float | None = None  # what it leads to by itself
    why: str = ""
    guarantee: Guarantee | None = None
    select_epsilon: float = 0.0
    of_people: bool = False  # read off the people: shown after a look only
    at: RiskAt | None = None
    absent: Absence | None = None
    at_most: float | None = None  # what a private selection and its release are charged in all, whatever is selected

    @property
    def interval(self) -> tuple[float, float] | None:
        return None if self.low is None or self.high is None else (self.low, self.high)

    def as_dict(self) -> dict[str, object]:
        """An infinite end is null; where both are, they are not known."""
        return {
            "method": self.words,
            "stated": self.requested,
            "low": _finite(self.low),
            "high": _finite(self.high),
            "epsilon": self.epsilon,
            "why": self.why,
            "guarantee": None if self.guarantee is None else self.guarantee.value,
            "needs": self.need.value,
            "select_epsilon": self.select_epsilon,
            "confidential": self.of_people,
            **_meaning(self.at),
        }


@dataclass(frozen=True, repr=False)
class Together(Confidential):
    """What the stated preferences come to: their intersection, or the two that conflict.

    `unknown` are those whose epsilons are not known before a look or a selection: the rest is then of the others, and
    which epsilon all of them lead to is not known either.
    """

    low: float | None
    high: float | None
    epsilon: float | None
    feasible: bool
    unbounded: bool
    why: str
    guarantee: Guarantee
    conflict: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    of_people: bool = False
    at: RiskAt | None = None

    @property
    def interval(self) -> tuple[float, float] | None:
        return None if self.low is None or self.high is None else (self.low, self.high)

    def as_dict(self) -> dict[str, object]:
        return {
            "low": _finite(self.low),
            "high": _finite(self.high),
            "epsilon": self.epsilon,
            "feasible": self.feasible,
            "unbounded": self.unbounded,
            "why": self.why,
            "guarantee": self.guarantee.value,
            "conflict": list(self.conflict),
            "unknown": list(self.unknown),
            "confidential": self.of_people,
            **_meaning(self.at),
        }


@dataclass(frozen=True, repr=False)
class MethodComparison(Confidential):
    """The methods, those that were stated first, and what these come to together; None where none was stated."""

    query: str
    noise: Noise
    methods: tuple[Method, ...]
    together: Together | None
    looked: bool
    from_data: bool = False  # bounds and sensitivities were read off the data
    by_rule: bool = False  # the stated preferences are those of the preregistered rule
    numbers: tuple[str, ...] = ()  # the noisy numbers behind the answer
    looked_before: bool = False  # someone had looked at the people already
    expected_count: ExpectedCount | None = None  # where the interval of the answer depends on it

    @property
    def confidential(self) -> bool:
        """Whether it shows the people, or what was stated after a look at them."""
        after_look = self.together is not None and not self.together.guarantee.holds
        return self.looked or after_look

    def as_dict(self) -> dict[str, object]:
        return {
            "query": self.query,
            "mechanism": self.noise.mechanism,
            "delta": self.noise.delta,
            "looked": self.looked,
            "methods": [method.as_dict() for method in self.methods],
            "together": None if self.together is None else self.together.as_dict(),
            "expected_count": None if self.expected_count is None else asdict(self.expected_count),
        }


def _meaning(at: RiskAt | None) -> dict[str, object]:
    noise_90, chance = (None, None) if at is None else (list(at.noise_90), at.attack_chance)
    answers = [] if at is None else to_plain(at.answers)
    return {"noise_90": noise_90, "attack_chance": chance, "answers": answers}


def _finite(end: float | None) -> float | None:
    return None if end is None or math.isinf(end) else end
