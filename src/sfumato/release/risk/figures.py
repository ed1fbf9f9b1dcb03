"""One figure of all the people, as a risk view shows it."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

from sfumato.model.confidential import Confidential
from sfumato.model.facts import Distribution, Histogram, Summary


class Figures(Confidential):
    """`min`, `max`, `mean`, `sum` and `sum_sq` are there; quantiles and the histogram take another pass, once."""

    def __init__(self, summary: Summary, distribution: Callable[[], Distribution]) -> None:
        self.summary = summary
        self.people, self.min, self.max = summary.people, summary.min, summary.max
        self.mean, self.sum, self.sum_sq = summary.mean, summary.sum, summary.sum_sq
        self._load = distribution

    @cached_property
    def distribution(self) -> Distribution:
        return self._load()

    def quantile(self, p: float) -> float:
        """The smallest figure that at least a share `p` of the people do not exceed."""
        return self.distribution.quantile(p)

    @property
    def histogram(self) -> Histogram:
        """Sixty bars from the smallest to the largest figure."""
        return self.distribution.histogram
