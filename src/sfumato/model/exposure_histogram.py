"""A private exposure histogram: how exposed the people are, as a noisy histogram over public bins. It may leave."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Self

from sfumato.errors import BadInput
from sfumato.model.facts import Bin, Distribution, Histogram
from sfumato.model.release import ReleaseCertificate

BINS = 20  # of exposure above 0, unless stated


@dataclass(frozen=True)
class ExposureHistogram:
    """Noisy counts of people: at an exposure of exactly 0, then in bins of one width up to 1, each with its upper edge.

    All else is made from the counts. A bin is `seen` when its count, rounded, is above `reach`, which noise alone
    exceeds in any of the bins with probability at most 10%; where the noise is withheld there is no reach, and no bin
    is seen. The number of people and the sums are those of the counts as drawn, with everyone in the middle of their
    bin; bars and quantiles take a negative count for 0. All of these are estimates: people in bins that are not seen
    may be more exposed than `max`.

    `sum_noise[i]` exceeds the noise in a sum of i + 1 counts with 90% probability; empty where the noise is withheld.
    """

    noisy: tuple[float, ...]
    reach: float | None
    certificate: ReleaseCertificate
    sum_noise: tuple[float, ...] = ()

    @property
    def bins(self) -> int:
        return len(self.noisy) - 1

    @property
    def edges(self) -> tuple[float, ...]:
        """The first bin lies from 0 to 0."""
        return (0.0, *(i / self.bins for i in range(self.bins + 1)))

    @property
    def seen(self) -> tuple[bool, ...]:
        return tuple(self.reach is not None and people > self.reach for people in self.histogram.people)

    @property
    def noise_90(self) -> float | None:
        """The distance between a count and the truth, at most, with 90% probability."""
        return None if self.certificate.noise_90 is None else self.certificate.noise_90[0]

    def people_above(self, exposure: float) -> int | None:
        """At most how many people have an exposure above this, with 90% confidence; None where the noise is withheld.

        The noisy counts above it and a one-sided noise quantile. Between two edges the lower one counts. The
        confidence holds for one exposure that is picked before the counts are seen.
        """
        if math.isnan(exposure) or not 0 <= exposure <= 1:
            raise BadInput(f"exposure must be a number from 0 to 1, not {exposure:g}", hint="try 0.5.")
        if not self.sum_noise:
            return None
        counts = self.noisy[1 + sum(edge <= exposure for edge in self.edges[2:]) :]
        return max(0, math.floor(sum(counts) + self.sum_noise[len(counts) - 1])) if counts else 0

    # The figures of a risk view

    @property
    def people(self) -> int:
        return max(0, round(sum(self.noisy)))

    @property
    def min(self) -> float:
        """The lower edge of the lowest bin that is seen; 0 where none is."""
        return next((low for low, seen in zip(self.edges, self.seen, strict=False) if seen), 0.0)

    @property
    def max(self) -> float:
        """The upper edge of the highest bin that is seen; 1 where none is."""
        return max((high for high, seen in zip(self.edges[1:], self.seen, strict=True) if seen), default=1.0)

    @property
    def sum(self) -> float:
        return self._moment(1)

    @property
    def sum_sq(self) -> float:
        return self._moment(2)

    @property
    def mean(self) -> float:
        return min(1.0, self.sum / self.people) if self.people else 0.0

    def quantile(self, p: float) -> float:
        """The smallest exposure that at least a share `p` of the people do not exceed, to the width of a bin."""
        return self._distribution.quantile(p)

    @property
    def histogram(self) -> Histogram:
        return Histogram(self.edges, tuple(max(0, round(count)) for count in self.noisy))

    def _moment(self, power: int) -> float:
        middles = [(low + high) / 2 for low, high in pairwise(self.edges)]
        return max(0.0, sum(count * middle**power for count, middle in zip(self.noisy, middles, strict=True)))

    @property
    def _distribution(self) -> Distribution:
        bars = zip(pairwise(self.edges), self.histogram.people, strict=True)
        return Distribution(tuple(Bin(low, high, people) for (low, high), people in bars if people))

    # In the ledger, and as JSON

    def stored(self) -> dict[str, Any]:
        return {"noisy": list(self.noisy), "reach": self.reach, "certificate": self.certificate.as_dict()}

    @classmethod
    def from_stored(
        cls, stored: dict[str, Any], certificate: ReleaseCertificate, sum_noise: tuple[float, ...] = ()
    ) -> Self:
        return cls(tuple(stored["noisy"]), stored["reach"], certificate, sum_noise)

    def as_dict(self) -> dict[str, object]:
        """What a risk view adds of it."""
        c, people = self.certificate, self.histogram.people
        bins = [
            {
                "low": low,
                "high": high,
                "noisy": noisy,
                "people": count,
                "seen": seen,
                "people_above_90": self.people_above(high),
            }
            for (low, high), noisy, count, seen in zip(pairwise(self.edges), self.noisy, people, self.seen, strict=True)
        ]
        return {
            "epsilon": c.epsilon,
            "guarantee": c.guarantee.value,
            "charged": c.charged,
            "ledger_entry": c.ledger_entry,
            "dataset_total": c.dataset_total,
            "bins": bins,
            "bin_noise_90": self.noise_90,
            "seen_above": self.reach,
            "sum_noise_90": list(self.sum_noise),
            "certificate": c.as_dict(),
        }
