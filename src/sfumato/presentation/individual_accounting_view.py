"""What each person carries of everything released: how it is spread, and the public total beside it."""

from __future__ import annotations

from dataclasses import dataclass

from sfumato.model.confidential import Confidential
from sfumato.model.individual_accounting import AccountingTotal
from sfumato.model.schema import Relation
from sfumato.presentation.document import A_LOOK, Cells, Document, Prose, in_html
from sfumato.presentation.figures.figure import Figure
from sfumato.presentation.figures.histogram import HistogramSummary, histogram_figure, quantile_table
from sfumato.presentation.risk.exposure import short_histogram
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
    def label(self) -> str:
        """The figure whose histogram is shown."""
        return "rho" if self.epsilon is None else "epsilon"

    @property
    def summary(self) -> HistogramSummary:
        return self.rho if self.epsilon is None else self.epsilon

    @property
    def quantiles(self) -> tuple[list[str], list[list[str]]]:
        epsilon = [] if self.epsilon is None else [("epsilon", self.epsilon.quantiles)]
        return quantile_table([*epsilon, ("rho", self.rho.quantiles)])

    def figure(self) -> Figure:
        return histogram_figure(self.summary.histogram, of_ledger.CARRIED, self.meaning, label=self.label)


def document(totals: IndividualTotals) -> Document:
    """How the totals are spread, then the public part in sentences."""
    return Document(
        of_ledger.CARRIED,
        (
            A_LOOK,
            short_histogram(totals.summary, of_ledger.CARRIED, totals.meaning, totals.label),
            in_html(totals.figure()),
            Cells(*totals.quantiles, lying=True),
            Prose(of_ledger.for_anybody(totals.in_all)),
            Prose(of_ledger.counted(totals.in_all)),
        ),
    )
