"""Each person's RDR at one epsilon: what a preference in a person's own words is asked about (RDR 4.1)."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from sfumato.model.calibration import NoiseLaw
from sfumato.model.choice import Noise
from sfumato.model.confidential import Confidential
from sfumato.model.facts import Distribution
from sfumato.model.risk import ExposureRange
from sfumato.privacy.noise.calibration import mu_of
from sfumato.privacy.risk.rdr import rdr_gaussian, rdr_laplace


@dataclass(frozen=True, repr=False)
class RDRs(Confidential):
    """On the answer's own scale where all the noisy numbers share one; otherwise in units of the noise.

    `figures` are each person's exposures, `of` the RDR of an exposure. It grows with the exposure, so that `min`, `max`
    and `quantile` are those of the exposures; `mean` and `variance` take half of each of their narrow bins at either
    end, which is exact where a bin holds one figure or two people.

    >>> from sfumato.model.facts import Bin
    >>> patients = Distribution((Bin(0.0, 0.0, 2), Bin(1.0, 1.0, 1)))
    >>> rdrs = RDRs(epsilon=1.0, k=1, figures=patients, of=lambda exposure: exposure + 1.0)
    >>> rdrs.min, rdrs.max, rdrs.ratio, rdrs.quantile(0.5)
    (1.0, 2.0, 0.5, 1.0)
    >>> round(rdrs.mean, 4), round(rdrs.variance, 4)
    (1.3333, 0.2222)
    """

    epsilon: float
    k: int
    figures: Distribution
    of: Callable[[float], float]
    groups: Mapping[str, Distribution] = field(default_factory=dict)  # by the condition that says who is in them

    def __post_init__(self) -> None:
        if not self.figures.people:
            raise ValueError("a distribution of RDRs needs at least one person")

    @property
    def people(self) -> int:
        return self.figures.people

    @property
    def min(self) -> float:
        return self.of(self.figures.bins[0].low)

    @property
    def max(self) -> float:
        return self.of(self.figures.bins[-1].high)

    @property
    def ratio(self) -> float:
        """`RDRmin / RDRmax`, the preference of Algorithm 1."""
        return self.min / self.max if self.max else 1.0

    @property
    def gap(self) -> float:
        return 1 / self.ratio if self.ratio else math.inf

    @property
    def mean(self) -> float:
        return self._mean(lambda rdr: rdr)

    @property
    def variance(self) -> float:
        """Over all the people (divided by their number)."""
        mean = self.mean
        return self._mean(lambda rdr: (rdr - mean) ** 2)

    @property
    def median(self) -> float:
        """Of an even number of people the mean of the two in the middle."""
        lower, upper = (self.of(self.figures.at_rank(rank)) for rank in ((self.people + 1) // 2, self.people // 2 + 1))
        return (lower + upper) / 2

    def group(self, condition: str) -> RDRs:
        """Of the people who meet a condition that the preference names."""
        return RDRs(self.epsilon, self.k, self.groups[condition], self.of)

    @property
    def normalised_variance(self) -> float:
        """Of the RDRs divided by the largest, as in Algorithm 3."""
        return self.variance / self.max**2 if self.max else 0.0

    def quantile(self, p: float) -> float:
        """The smallest RDR that at least a share `p` of the people do not exceed."""
        return self.of(self.figures.quantile(p))

    def _mean(self, figure: Callable[[float], float]) -> float:
        total = math.fsum(b.people * (figure(self.of(b.low)) + figure(self.of(b.high))) / 2 for b in self.figures.bins)
        return total / self.people


def rdrs_at(epsilon: float, spread: ExposureRange, noise: Noise) -> RDRs:
    """Lemmas 3.1 and 3.2 for everyone."""
    if spread.figures is None:
        raise ValueError("this needs the RDRs of all people")
    k, one, scale = spread.k, float(spread.sensitivity), spread.scale
    if noise.mechanism != NoiseLaw.GAUSSIAN:
        unit = epsilon / one if scale is None else scale
        return RDRs(
            epsilon, k, spread.figures, lambda figure: unit * rdr_laplace(figure, k, one, epsilon), spread.groups
        )
    mu = mu_of(epsilon, noise)
    unit = mu / one if scale is None else scale
    return RDRs(epsilon, k, spread.figures, lambda figure: unit * rdr_gaussian(figure, k, one / mu), spread.groups)
