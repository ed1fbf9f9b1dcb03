"""Individual accounting as its holder sees it: what everything released tells about each person."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sfumato.api.display import DocumentDisplay
from sfumato.model.confidential import Confidential
from sfumato.model.facts import Summary
from sfumato.presentation import individual_accounting_view as view
from sfumato.presentation.document import Document
from sfumato.presentation.figures.histogram import spread
from sfumato.presentation.wording import ledger_sentences as of_ledger
from sfumato.release.context import DatasetContext
from sfumato.release.ledger import digest
from sfumato.release.risk.figures import Figures
from sfumato.release.risk.individual_accounting import account
from sfumato.sql.plans import individual_accounting_plan as plan

if TYPE_CHECKING:
    import pyarrow as pa


class PersonTotals(DocumentDisplay, Confidential):
    """`.epsilon` (None where Gaussian noise took part) and `.rho` of all the people; `.in_all` is public.

    Made by `Dataset.per_person`, which enters the look before any data is read.
    """

    def __init__(self, context: DatasetContext) -> None:
        self._schema, self._engine = context.schema, context.engine
        self._account, self.in_all = account(context)
        context.ledger.look(digest(["per person", context.version]), "privacy loss of each person")
        tree = plan.summary(self._account, self._schema, self._engine.numbered)
        epsilon, rho = plan.read_summary(self._engine.rows(self._engine.spell(tree)), self._account)
        self.epsilon = None if epsilon is None else self._figures(plan.EPSILON, epsilon)
        self.rho = self._figures(plan.RHO, rho)

    @property
    def people_count(self) -> int:
        return self.rho.people

    def people(self) -> pa.Table:
        """One row per person, in order: person, epsilon, rho."""
        tree = plan.totals_in_order(self._account, self._schema, self._engine.numbered)
        return self._engine.table(self._engine.spell(tree))

    def _figures(self, name: str, summary: Summary) -> Figures:
        tree = plan.bins(self._account, self._schema, self._engine.numbered, name, summary)
        return Figures(summary, lambda: plan.read_distribution(self._engine.rows(self._engine.spell(tree))))

    @property
    def view(self) -> view.IndividualTotals:
        epsilon = None if self.epsilon is None else spread(self.epsilon.histogram, self.epsilon.quantile)
        rho = spread(self.rho.histogram, self.rho.quantile)
        return view.IndividualTotals(self.in_all, self._schema.relation, self.people_count, epsilon, rho)

    def as_dict(self) -> dict[str, object]:
        """The public part, and beside it how the people's totals are spread."""
        return {
            "in_all": self.in_all.as_dict(),
            "people": self.people_count,
            "epsilon": None if self.epsilon is None else self.epsilon.as_dict(),
            "rho": self.rho.as_dict(),
        }

    def _document(self) -> Document:
        return view.document(self.view)

    @property
    def withheld(self) -> str:
        return (
            f"<PersonTotals. {of_ledger.for_anyone(self.in_all)} What is each person's is confidential: call .show()>"
        )
