"""What an epsilon would mean for the people: the view that a person decides from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from fractions import Fraction

from sfumato.model.confidential import Confidential
from sfumato.model.expected_interval import ExpectedCount, ExpectedInterval
from sfumato.model.exposure_histogram import ExposureHistogram
from sfumato.model.facts import Distribution, Reach, Summary
from sfumato.model.plain import to_plain
from sfumato.model.schema import Relation


class Source(StrEnum):
    """The ways to see risk: public facts or synthetic data (free), a noisy histogram (charged), the people (a look)."""

    WORST_CASE = "worst case"
    REHEARSAL = "rehearsal"
    EXPOSURE_HISTOGRAM = "exposure histogram"
    PEOPLE = "people"


@dataclass(frozen=True, repr=False)
class ExposureRange(Confidential):
    """Exposure range that a preference is evaluated on, under `k` noisy numbers of sensitivity D.

    Exposures have D = 1. As published, the figures are influences on the answer's own scale (`published`).

    `fixed` is the part of a contributor's exposure that is a noisy number of its own: of an AVG the count's, of one
    COUNT or SUM nothing. None where the exposure does not tell how it is split, and so not the exact RDR either.
    `figures` are each person's, where more is asked than the least and the most; `scale` is what one unit of them is on
    the answer's own scale, where all the numbers share one.
    """

    low: Fraction
    high: Fraction
    k: int
    sensitivity: Fraction = Fraction(1)
    published: bool = False
    fixed: Fraction | None = None
    relation: Relation = Relation.ADD_REMOVE
    empty: bool = False  # there is no one to compare: no choice depends on the data
    figures: Distribution | None = None
    scale: float | None = None
    groups: Mapping[str, Distribution] = field(default_factory=dict)  # `figures` of those who meet a condition, by it


WORST_CASE = ExposureRange(Fraction(0), Fraction(1), k=1, fixed=Fraction(0))
"""One person contributes nothing, another everything. k = 1, so that more cells never buy epsilon."""


@dataclass(frozen=True)
class RiskEstimate:
    """What a noisy histogram of exposures suggests at one epsilon. It bounds no one's risk, and it may leave."""

    gap: float
    ratio: float
    attack_chance: float


@dataclass(frozen=True, repr=False)
class RiskAt(Confidential):
    """At one epsilon: RDRs on the answer's own scale where there is one, their ratio and gap, noise, odds."""

    epsilon: float
    rdr_min: float | None
    rdr_max: float | None
    ratio: float
    gap: float
    noise_90: tuple[float | None, ...]  # None: of a value selected by its rank
    attack_chance: float
    rank_90: tuple[float | None, ...] | None = None  # how far the rank of such a value is off
    threshold: float | None = None  # noisy persons that a private group must have, where a delta is stated
    estimate: RiskEstimate | None = None  # of a private histogram, whose other figures are those of the worst case
    together_epsilon: float | None = None  # of as many people together as the view is asked for
    answers: tuple[ExpectedInterval, ...] = ()  # 90% intervals of the answer, for several sizes of its groups
    public: bool = field(default=False, compare=False)  # from public facts, synthetic data or what was charged

    def __repr__(self) -> str:
        return _described(self, self.as_dict()) if self.public else super().__repr__()

    def as_dict(self) -> dict[str, object]:
        """What is not there, of ranks and of private keys, is left out."""
        facts = {name: figure for name, figure in asdict(self).items() if name != "public"}
        figures = {name: figure for name, figure in facts.items() if figure is not None or name.startswith("rdr")}
        lists = {name: list(figures[name]) for name in ("noise_90", "rank_90") if name in figures}
        return figures | lists | {"answers": to_plain(self.answers)}


@dataclass(frozen=True, repr=False)
class MembershipAttack(Confidential):
    """What an attacker who knows everyone else gets out of one release, about one person.

    `chance`: how often a guess of whether they are in the data is right. `posterior`: how sure of it the attacker may
    be afterwards; more than that in a share `beyond` of the releases, at most. `hits_at_…`: how often someone who is
    in is found, where that many of those who are not are taken to be.
    """

    epsilon: float
    prior: float
    exposure: float | None  # None: any person, by the bound of epsilon and delta for any mechanism
    chance: float
    posterior: float
    beyond: float
    hits_at_1_percent: float
    hits_at_5_percent: float
    upper_bound: bool  # of several noisy numbers, or of any mechanism

    def as_dict(self) -> dict[str, object]:
        return asdict(self)


@dataclass(frozen=True, repr=False)
class RiskView(Confidential):
    """Everything a risk view shows. Confidential when it shows the people themselves."""

    source: Source
    query: str
    people: int | None
    outputs: int | None  # None: the group keys are private, and no one knows how many
    mechanism: str
    sensitivity: tuple[float, ...]
    influence: Summary | Reach | None
    exposure: Summary | Reach | ExposureHistogram | None
    candidates: tuple[RiskAt, ...]
    exact: bool = False  # RDRs as they are, not their upper bound
    numbers: tuple[str, ...] = ()  # the noisy numbers behind the answer
    delta: float | None = None
    expected_count: ExpectedCount | None = None  # where the interval of the answer depends on it
    stand_in: bool = False  # of a rehearsal, on a public table and not on synthetic rows
    together: int | None = None  # people, such as a household

    def __repr__(self) -> str:
        return super().__repr__() if self.source is Source.PEOPLE else _described(self, self.as_dict())

    @property
    def exposure_histogram(self) -> ExposureHistogram | None:
        """The noisy histogram, where that is what is shown."""
        return self.exposure if isinstance(self.exposure, ExposureHistogram) else None

    def as_dict(self) -> dict[str, object]:
        public: dict[str, object] = {
            "source": self.source.value,
            "people": self.people,
            "outputs": self.outputs,
            "mechanism": self.mechanism,
            "sensitivity": list(self.sensitivity),
            "influence": _figures(self.influence),
            "exposure": _figures(self.exposure),
            "candidates": [candidate.as_dict() for candidate in self.candidates],
            "expected_count": None if self.expected_count is None else asdict(self.expected_count),
        }
        public |= {} if self.together is None else {"together": self.together}
        return public if self.exposure_histogram is None else public | self.exposure_histogram.as_dict()


def _described(public: object, facts: dict[str, object]) -> str:
    return f"{type(public).__name__}({', '.join(f'{name}={fact!r}' for name, fact in facts.items())})"


def _figures(summary: Summary | Reach | ExposureHistogram | None) -> dict[str, float | None] | None:
    names = ("min", "max", "mean", "sum", "sum_sq")
    return {name: getattr(summary, name) for name in names} if summary is not None else None
