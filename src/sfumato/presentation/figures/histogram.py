"""How one figure is spread over the people: its bars, its heaps and what so many of 100 people carry at most."""

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

OF_100 = (0, 10, 25, 50, 75, 90, 99, 100)
ROWS = 20  # of a histogram in a terminal: 60 would fill more than a screen
FEW = 3  # so many heaps are told in words
STEEP = 100  # bars that differ by more than this are not seen together on an even scale


@dataclass(frozen=True)
class Heap:
    """So many people between two figures, both of which occur: at one figure where the two are the same."""

    low: float
    high: float
    people: int


@dataclass(frozen=True, repr=False)
class HistogramSummary(Confidential):
    """One figure over all the people: its histogram, the heaps in it, and its quantiles for each of `OF_100`."""

    histogram: Histogram
    heaps: tuple[Heap, ...]
    quantiles: tuple[float, ...]

    @property
    def in_words(self) -> str:
        """Where everybody is, if a sentence can tell."""
        return of_risk.heaps([(h.low, h.high, h.people) for h in self.heaps]) if len(self.heaps) <= FEW else ""

    @property
    def most(self) -> Heap | None:
        """Those in the last bar."""
        return self.heaps[-1] if self.heaps else None


def spread(histogram: Histogram, quantile: Callable[[float], float]) -> HistogramSummary:
    """The spread of a figure from its histogram and its quantiles."""
    return HistogramSummary(histogram, heaps(histogram, quantile), tuple(quantile(share / 100) for share in OF_100))


def heaps(histogram: Histogram, quantile: Callable[[float], float]) -> tuple[Heap, ...]:
    """Each bar that is not empty, with the smallest and the largest figure in it.

    They are the quantiles at the bar's first and last person; half a person further in, rounding cannot miss them.
    """
    everybody, below, groups = sum(histogram.people), 0, []
    for people in filter(None, histogram.people):
        low, high = (quantile((below + place) / everybody) for place in (0.5, people - 0.5))
        groups.append(Heap(low, high, people))
        below += people
    return tuple(groups)


def folded(histogram: Histogram, rows: int = ROWS) -> Histogram:
    """The same people in at most so many bars, each of them the sum of neighbours."""
    width = -(-len(histogram.people) // rows)
    people = tuple(sum(histogram.people[start : start + width]) for start in range(0, len(histogram.people), width))
    return Histogram((*histogram.edges[:-1:width], histogram.edges[-1]), people)


def histogram_figure(
    histogram: Histogram, title: str, subtitle: str = "", note: str = "", label: str = "exposure"
) -> Figure:
    """People at each figure, in tenfold steps where an even scale would hide the few beside the many."""
    standing = [people for people in histogram.people if people]
    steep = bool(standing) and max(standing) > STEEP * min(standing)
    people = Axis("people", unit=of_risk.TENFOLD, scale="counts") if steep else Axis("people")
    explained = f"{note} {of_risk.TENFOLD_BARS}".strip() if steep else note
    bars = Bars(histogram.edges, tuple(map(float, histogram.people)))
    return Figure(title, subtitle, Axis(label), people, (bars,), explained)


def quantile_table(figures: Sequence[tuple[str, Sequence[float]]]) -> tuple[list[str], list[list[str]]]:
    """What so many of 100 people carry at most: a row for each of `OF_100`, a column for each figure by its name."""
    shares = ["least", *map(str, OF_100[1:-1]), "most"]
    columns = [[number(value, 3) for value in values] for _, values in figures]
    return (
        ["of 100 people", *(f"{name} at most" for name, _ in figures)],
        [list(row) for row in zip(shares, *columns, strict=True)],
    )
