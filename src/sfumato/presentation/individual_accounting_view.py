"""What each person carries of everything released: how it is spread, and the public total beside it."""

from __future__ import annotations

from dataclasses import dataclass

from sfumato.model.confidential import Confidential
from sfumato.model.individual_accounting import AccountingTotal
from sfumato.model.schema import Relation
from sfumato.presentation.figures.figure import Figure
from sfumato.presentation.figures.histogram import HistogramSummary, folded, histogram_figure, quantile_table
from sfumato.presentation.figures.svg import svg
from sfumato.presentation.figures.terminal import paragraph, text
from sfumato.presentation.html import page_part
from sfumato.presentation.risk.exposure import lying
from sfumato.presentation.wording import guarantee as of_guarantee
from sfumato.presentation.wording import ledger_sentences as of_ledger


@dataclass(frozen=True, repr=False)
class IndividualTotals(Confidential):
    """Epsilon, where there is one, and rho over all the people."""

    in_all: AccountingTotal
    relation: Relation
    people: int
    epsilon: HistogramSummary | None
    rho: HistogramSummary

    @property
    def meaning(self) -> str:
        return f"{of_ledger.carried(self.in_all, self.relation)} {of_ledger.NO_FILTER}"

    @property
    def shown(self) -> HistogramSummary:
        """The figure whose histogram is shown."""
        return self.rho if self.epsilon is None else self.epsilon

    @property
    def said(self) -> tuple[str, ...]:
        """The public part, in sentences."""
        return of_ledger.for_anybody(self.in_all), of_ledger.counted(self.in_all)

    @property
    def quantiles(self) -> tuple[list[str], list[list[str]]]:
        epsilon = [] if self.epsilon is None else [("epsilon", self.epsilon.quantiles)]
        return quantile_table([*epsilon, ("rho", self.rho.quantiles)])

    def figure(self, *, short: bool = False) -> Figure:
        """The histogram, in full or in as many rows as a terminal has room for."""
        histogram, label = self.shown.histogram, "rho" if self.epsilon is None else "epsilon"
        return histogram_figure(folded(histogram) if short else histogram, of_ledger.CARRIED, self.meaning, label=label)


def as_text(totals: IndividualTotals, *, colour: bool = False) -> str:
    parts = [paragraph(f"{of_guarantee.CONTROLLER_ONLY} {of_guarantee.LOOK}")]
    if told := totals.shown.in_words:
        parts += [f"{of_ledger.CARRIED}\n{paragraph(totals.meaning)}", paragraph(told)]
    else:
        parts.append(text(totals.figure(short=True), colour=colour))
    return "\n\n".join([*parts, lying(*totals.quantiles), *map(paragraph, totals.said)])


def as_html(totals: IndividualTotals) -> str:
    return page_part(of_guarantee.CONTROLLER_ONLY, svg(totals.figure()), " ".join(totals.said))
