"""Individual privacy loss over all releases, and the public total."""

from __future__ import annotations

from dataclasses import dataclass

from sfumato.model.confidential import Confidential
from sfumato.model.individual_accounting import AccountingTotal
from sfumato.model.schema import Relation
from sfumato.presentation.document import A_LOOK, Document, Prose
from sfumato.presentation.figures.histogram import HistogramSummary
from sfumato.presentation.spread_view import SpreadView
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
    def spread(self) -> SpreadView:
        epsilon = () if self.epsilon is None else (("epsilon", self.epsilon),)
        return SpreadView(of_ledger.CARRIED, self.meaning, (*epsilon, ("rho", self.rho)))


def document(totals: IndividualTotals) -> Document:
    """The distribution of the totals, then the public part."""
    public = of_ledger.for_anyone(totals.in_all), of_ledger.counted(totals.in_all)
    return Document(of_ledger.CARRIED, (A_LOOK, *totals.spread.blocks(), *map(Prose, public)))
