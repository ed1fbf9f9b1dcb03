"""Post-hoc risk: the losses and distances of the people, and the public bound."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sfumato.model.confidential import Confidential
from sfumato.model.release import ReleaseCertificate
from sfumato.presentation.document import A_LOOK, Block, Document, Prose
from sfumato.presentation.figures.histogram import HistogramSummary, quantile_table, spread
from sfumato.presentation.figures.plotly import page_plotly
from sfumato.presentation.spread_view import SpreadView
from sfumato.presentation.wording import posthoc_sentences as of_posthoc
from sfumato.release.risk.posthoc import PosthocAnalysis


@dataclass(frozen=True, repr=False)
class DistanceSpread(Confidential):
    """Distances of an answer over all the people: to the true answer, and to those without each of them."""

    distance: float
    ratio: float
    spread: HistogramSummary
    medians: tuple[float | None, float | None] | None = None  # on either side of the condition


@dataclass(frozen=True, repr=False)
class PosthocSpread(Confidential):
    """Distances of the noisy numbers and, where they are known, of the printed figures (PRI), and losses."""

    certificate: ReleaseCertificate
    people: int
    numbers: DistanceSpread
    printed: DistanceSpread | None
    loss: HistogramSummary | None
    positive: int  # people whose loss is above 0
    bound: float | None
    own_scale: bool  # distances of noisy numbers are in the answer's own units
    hides: bool  # HAVING or LIMIT removed rows
    condition: str | None = None

    @property
    def distances(self) -> DistanceSpread:
        """The distances that are called PRI."""
        return self.printed or self.numbers

    @property
    def meaning(self) -> str:
        return of_posthoc.PRI if self.loss is None else of_posthoc.SIGNED_LOSS

    @property
    def sentences(self) -> tuple[str, ...]:
        """Notes on the figures."""
        spoken = (self.positive, self.people) if self.loss is not None and self.people else None
        medians = self.distances.medians
        furthest = 0.0 if self.loss is None else max(map(abs, self.loss.quantiles))
        parts = [
            of_posthoc.no_loss(self.certificate) if self.loss is None else of_posthoc.PRI,
            "" if spoken is None else of_posthoc.speaks_for(*spoken),
            "" if self.loss is None else of_posthoc.within_bound(furthest, self.bound, self.certificate.epsilon),
            *self._distance_sentences,
            "" if medians is None else of_posthoc.medians_of(self.condition or "", medians),
            of_posthoc.ROWS_KEPT_BACK if self.hides else "",
            of_posthoc.SELECTED_BESIDE if self.certificate.select_epsilon else "",
        ]
        return tuple(part for part in parts if part)

    @property
    def _distance_sentences(self) -> tuple[str, ...]:
        """Of the printed figures; of the noisy numbers too, where these are measured otherwise."""
        sentences = []
        if self.printed is not None:
            d = self.printed
            sentences.append(of_posthoc.printed(d.distance, d.spread.quantiles[0], d.spread.quantiles[-1], d.ratio))
        else:
            sentences.append(of_posthoc.COMPUTED)
        if self.printed is None or not self.own_scale:
            d = self.numbers
            ends = d.spread.quantiles[0], d.spread.quantiles[-1]
            sentences.append(of_posthoc.distances(d.distance, *ends, d.ratio, self.own_scale))
        return tuple(sentences)

    @property
    def spread(self) -> SpreadView:
        loss = () if self.loss is None else (("loss", self.loss),)
        return SpreadView(of_posthoc.POSTHOC, self.meaning, (*loss, ("PRI", self.distances.spread)))


@dataclass(frozen=True, repr=False)
class FigureSpread(Confidential):
    """A figure over all the people; quantiles by their share."""

    min: float
    max: float
    mean: float
    quantiles: Mapping[str, float]


@dataclass(frozen=True)
class Percentiles:
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, repr=False)
class PosthocFacts(Confidential):
    """Post-hoc risk as the API returns it: distances as printed and of the noisy numbers, losses, and two groups."""

    query: str
    epsilon: float | None
    people: int
    distance: float
    ratio: float
    printed_distance: float | None
    printed_ratio: float | None
    printed: FigureSpread | None
    pri: FigureSpread
    loss: FigureSpread | None
    positive: float | None
    bound: float | None
    condition: str | None
    between: tuple[float | None, float | None] | None
    printed_between: tuple[float | None, float | None] | None
    title: str
    meaning: str
    sentences: tuple[str, ...]
    percentiles: Percentiles
    figure: Mapping[str, Any]
    text: str


def document(after: PosthocSpread) -> Document:
    """The distribution of the losses, then the notes."""
    return Document(of_posthoc.POSTHOC, (A_LOOK, *_blocks(after)))


def _blocks(after: PosthocSpread) -> tuple[Block, ...]:
    return *after.spread.blocks(), *map(Prose, after.sentences)


def posthoc_spread(analysis: PosthocAnalysis) -> PosthocSpread:
    """The figures of an analysis, with how they are spread."""
    pri, printed, loss = analysis.pri, analysis.printed, analysis.loss
    numbers = DistanceSpread(analysis.distance, analysis.ratio, spread(pri.histogram, pri.quantile), analysis.between)
    figures = None
    if printed is not None and analysis.printed_distance is not None and analysis.printed_ratio is not None:
        places = spread(printed.histogram, printed.quantile)
        figures = DistanceSpread(analysis.printed_distance, analysis.printed_ratio, places, analysis.printed_between)
    return PosthocSpread(
        certificate=analysis.certificate,
        people=analysis.people_count,
        numbers=numbers,
        printed=figures,
        loss=None if loss is None else spread(loss.histogram, loss.quantile),
        positive=analysis.positive_count,
        bound=analysis.bound,
        own_scale=analysis.own_scale,
        hides=analysis.hides,
        condition=analysis.condition,
    )


def posthoc_page(analysis: PosthocAnalysis) -> dict[str, Any]:
    """An analysis as plain values, with the sentences, the table and the picture of a page."""
    after = posthoc_spread(analysis)
    columns, rows = quantile_table([(name, summary.quantiles) for name, summary in after.spread.figures])
    return analysis.as_dict() | {
        "title": of_posthoc.POSTHOC,
        "meaning": after.meaning,
        "sentences": list(after.sentences),
        "percentiles": {"columns": list(columns), "rows": [list(row) for row in rows]},
        "figure": page_plotly(after.spread.figure()),
        "text": Document(of_posthoc.POSTHOC, _blocks(after)).text(),
    }
