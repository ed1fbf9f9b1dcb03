"""One figure of all the people, as a risk view shows it."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

from sfumato.model.confidential import Confidential
from sfumato.model.facts import Distribution, Histogram, Summary

ALIKE = 0.01
_QUANTILES = (0.1, 0.25, 0.5, 0.75, 0.9, 0.99)


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

    @property
    def bars(self) -> Histogram:
        """The same; where all figures are alike it is one bar of some width, up to where they all are."""
        if self.min != self.max:
            return self.histogram
        high = max(self.max, ALIKE)
        return Histogram((high - ALIKE, high), self.histogram.people)

    def as_dict(self) -> dict[str, object]:
        quantiles = {f"{p:g}": self.quantile(p) for p in _QUANTILES}
        return {"min": self.min, "max": self.max, "mean": self.mean, "quantiles": quantiles}
