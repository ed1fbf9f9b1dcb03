"""The distribution of figures over the people: a histogram or a sentence, and percentiles."""

from __future__ import annotations

from dataclasses import dataclass

from sfumato.model.confidential import Confidential
from sfumato.presentation.document import Block, Cells, Heading, Only, Prose, in_html, in_text
from sfumato.presentation.figures.figure import Figure
from sfumato.presentation.figures.histogram import HistogramSummary, folded, histogram_figure, quantile_table


@dataclass(frozen=True, repr=False)
class SpreadView(Confidential):
    """Figures by name; the first has its histogram."""

    title: str
    meaning: str
    figures: tuple[tuple[str, HistogramSummary], ...]

    @property
    def summary(self) -> HistogramSummary:
        return self.figures[0][1]

    def figure(self) -> Figure:
        name, summary = self.figures[0]
        return histogram_figure(summary.histogram, self.title, self.meaning, label=name)

    def short(self) -> Only:
        """For a terminal: a short histogram, or a sentence where that is enough."""
        if words := self.summary.in_words:
            return in_text(Heading(self.title), Prose(self.meaning), Prose(words))
        name, summary = self.figures[0]
        return in_text(histogram_figure(folded(summary.histogram), self.title, self.meaning, label=name))

    def quantiles(self, caption: str = "") -> Cells:
        columns, rows = quantile_table([(name, summary.quantiles) for name, summary in self.figures])
        return Cells(columns, rows, caption, lying=True)

    def blocks(self) -> tuple[Block, ...]:
        return self.short(), in_html(self.figure()), self.quantiles()
