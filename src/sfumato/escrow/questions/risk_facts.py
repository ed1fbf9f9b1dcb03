"""Risk as the API returns it: the figures of a risk view."""

from __future__ import annotations

from dataclasses import dataclass, field

from sfumato.model.confidential import Confidential
from sfumato.model.expected_interval import ExpectedCount, ExpectedInterval
from sfumato.model.guarantee import Guarantee
from sfumato.model.plain import LEFT_OUT
from sfumato.model.release import Ranking, ReleaseCertificate
from sfumato.model.risk import RiskEstimate, Source


@dataclass(frozen=True, repr=False)
class RiskMoments(Confidential):
    """Of everyone's influence or exposure; mean and sums are null where only the ends are known."""

    min: float
    max: float
    mean: float | None
    sum: float | None
    sum_sq: float | None


@dataclass(frozen=True, repr=False)
class CandidateRisk(Confidential):
    """At one epsilon; what there is only of ranks, of private keys or of a histogram is left out elsewhere."""

    epsilon: float
    rdr_min: float | None
    rdr_max: float | None
    ratio: float
    gap: float
    noise_90: tuple[float | None, ...]
    attack_chance: float
    rank_90: tuple[float | None, ...] | None = field(default=None, metadata=LEFT_OUT)
    threshold: float | None = field(default=None, metadata=LEFT_OUT)
    estimate: RiskEstimate | None = field(default=None, metadata=LEFT_OUT)
    answers: tuple[ExpectedInterval, ...] = ()


@dataclass(frozen=True, repr=False)
class RiskFacts(Confidential):
    """`source` says whose risk it is; `people` and `outputs` are null where they are not known."""

    source: Source
    people: int | None
    outputs: int | None
    mechanism: str
    sensitivity: tuple[float, ...]
    influence: RiskMoments | None
    exposure: RiskMoments | None
    candidates: tuple[CandidateRisk, ...]
    expected_count: ExpectedCount | None


@dataclass(frozen=True)
class RehearsedSolution:
    """What the preferences lead to on invented rows."""

    epsilon: float | None
    why: str


@dataclass(frozen=True, repr=False)
class RehearsalFacts(RiskFacts):
    solution: RehearsedSolution | None
    at: CandidateRisk | None  # at the epsilon of a request


@dataclass(frozen=True)
class HistogramBin:
    low: float
    high: float
    noisy: float
    people: int
    seen: bool
    people_above_90: int | None


@dataclass(frozen=True, repr=False)
class HistogramFacts(RiskFacts):
    """A private histogram of exposures, and what it was charged."""

    epsilon: float | None
    guarantee: Guarantee
    charged: float | None
    ledger_entry: int | None
    dataset_total: float | None
    bins: tuple[HistogramBin, ...]
    bin_noise_90: float | None
    seen_above: float | None
    sum_noise_90: tuple[float, ...]
    certificate: ReleaseCertificate | None


@dataclass(frozen=True)
class SyntheticAnswer:
    """The shape of an answer, on rows that were made up from the schema. Nothing is certified."""

    query: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str | float | bool | None, ...], ...]
    intervals: tuple[tuple[tuple[float, float] | None, ...], ...] | None
    numbers: tuple[tuple[float, ...], ...]
    types: tuple[str | None, ...]
    ranged: tuple[bool, ...]
    behind: tuple[tuple[int | None, ...], ...] = ()
    rolled_up: tuple[tuple[bool, ...], ...] = ()
    ranking: Ranking | None = None


@dataclass(frozen=True)
class DryRunFacts:
    answers: tuple[SyntheticAnswer, ...]
    synthetic: bool
    people: int
