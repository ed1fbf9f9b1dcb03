"""The distribution of one figure over the people: histogram, groups and percentiles."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sfumato.model.confidential import Confidential
from sfumato.model.facts import Histogram
from sfumato.presentation.figures.figure import Figure
from sfumato.presentation.figures.marks import Bars
from sfumato.presentation.figures.scale import Axis
from sfumato.presentation.wording import risk_sentences as of_risk
from sfumato.presentation.wording.numbers import number

PERCENTILES = (0, 10, 25, 50, 75, 90, 99, 100)
ROWS = 20  # in a terminal, where 60 would fill more than a screen
FEW = 3  # groups that a sentence describes
STEEP = 100  # bars that differ by more than this need a log scale


@dataclass(frozen=True)
class Heap:
    """The people between two figures, both of which occur."""

    low: float
    high: float
    people: int


@dataclass(frozen=True, repr=False)
class HistogramSummary(Confidential):
    """One figure over all the people: its histogram, groups and `PERCENTILES`."""

    histogram: Histogram
    heaps: tuple[Heap, ...]
    quantiles: tuple[float, ...]

    @property
    def in_words(self) -> str:
        """The figures of all people, where a sentence can say it."""
        return of_risk.heaps([(h.low, h.high, h.people) for h in self.heaps]) if len(self.heaps) <= FEW else ""

    @property
    def most(self) -> Heap | None:
        """The people in the last bar."""
        return self.heaps[-1] if self.heaps else None


def spread(histogram: Histogram, quantile: Callable[[float], float]) -> HistogramSummary:
    """The spread of a figure from its histogram and its quantiles."""
    return HistogramSummary(
        histogram, heaps(histogram, quantile), tuple(quantile(share / 100) for share in PERCENTILES)
    )


def heaps(histogram: Histogram, quantile: Callable[[float], float]) -> tuple[Heap, ...]:
    """Each bar that is not empty, with the smallest and the largest figure in it.

    They are the quantiles at the bar's first and last person; half a person further in, rounding cannot miss them.
    """
    everyone, below, groups = sum(histogram.people), 0, []
    for people in filter(None, histogram.people):
        low, high = (quantile((below + place) / everyone) for place in (0.5, people - 0.5))
        groups.append(Heap(low, high, people))
        below += people
    return tuple(groups)


def folded(histogram: Histogram, rows: int = ROWS) -> Histogram:
    """The same people in fewer bars, each the sum of neighbours."""
    width = -(-len(histogram.people) // rows)
    people = tuple(sum(histogram.people[start : start + width]) for start in range(0, len(histogram.people), width))
    return Histogram((*histogram.edges[:-1:width], histogram.edges[-1]), people)


def histogram_figure(
    histogram: Histogram, title: str, subtitle: str = "", note: str = "", label: str = "exposure"
) -> Figure:
    """People by figure, on a log scale where a linear one would hide small bars."""
    standing = [people for people in histogram.people if people]
    steep = bool(standing) and max(standing) > STEEP * min(standing)
    people = Axis("people", unit=of_risk.TENFOLD, scale="counts") if steep else Axis("people")
    bars = Bars(histogram.edges, tuple(map(float, histogram.people)))
    return Figure(title, subtitle, Axis(label), people, (bars,), note)


def quantile_table(figures: Sequence[tuple[str, Sequence[float]]]) -> tuple[list[str], list[list[str]]]:
    """A row for each percentile, a column for each figure."""
    shares = ["least", *(f"{share}%" for share in PERCENTILES[1:-1]), "most"]
    columns = [[number(value, 3) for value in values] for _, values in figures]
    return (
        ["percentile", *(name for name, _ in figures)],
        [list(row) for row in zip(shares, *columns, strict=True)],
    )
