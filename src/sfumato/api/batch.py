"""Releases that are charged together, and one epsilon split over several queries, as their holder sees them."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from fractions import Fraction

from sfumato.api.display import DocumentDisplay, Printed
from sfumato.api.release import Release
from sfumato.model.budget_split import Checked
from sfumato.model.confidential import Confidential
from sfumato.presentation import budget_split_view as view
from sfumato.presentation.document import Document
from sfumato.presentation.html import preformatted
from sfumato.presentation.wording import ledger_sentences as of_ledger
from sfumato.presentation.wording import split as of_split
from sfumato.release.batch import BatchPlan
from sfumato.release.budget_split import SplitBatchPlan, SplitPlan
from sfumato.release.context import DatasetContext


class Batch(BatchPlan):
    """Made by `Dataset.batch`. `epsilon` and `delta` are what all of it is charged; the sums are one by one.

    Without a delta for tight accounting, the sums are what is charged.
    """

    def release(self, *, redraw: bool = False, preregistered: str = "") -> tuple[Release, ...]:
        """The noisy answers with their certificates, in order, charged together first.

        The same batch on the same data returns the answers that were released, uncharged, and so does one whose noisy
        numbers are all in the record; `redraw` draws anew.
        """
        return tuple(map(Release.of, self.release_all(redraw=redraw, preregistered=preregistered)))

    def text(self) -> str:
        return of_ledger.batch(len(self._members), self.epsilon, self._charge[1], (self.epsilon_sum, self._sums[1]))

    def show(self) -> None:
        print(self.text())

    def __repr__(self) -> str:
        return f"<Batch of {self.text()}>"

    def _repr_html_(self) -> str:
        return preformatted(self.text())


class Split(Printed, SplitPlan):
    """Made by `Dataset.split` from public facts: nothing was read, entered or charged."""

    def _document(self) -> Document:
        return view.document(self)


class SplitBatch(Batch, SplitBatchPlan):
    """Made by `Dataset.batch` from queries and an epsilon: each part is planned as an epsilon of its query."""

    split: Split

    def __init__(self, context: DatasetContext, split: Split, preregistered: str = "") -> None:
        SplitBatchPlan.__init__(self, context, split, preregistered)

    def check(self) -> Check:
        """Test (9) with the true answers, for the controller's eyes: a look, entered before anything is read."""
        return Check(self.check_answers())

    @property
    def _charge_text(self) -> str:
        return super().text() if self.is_tight else of_split.charged_once(len(self.split.parts), *self._sum_charge)

    @property
    def _sum_charge(self) -> tuple[float, Fraction]:
        return self.epsilon_sum, self._sums[1]

    def text(self) -> str:
        return f"{self.split.text()}\n\n{self._charge_text}"

    def __repr__(self) -> str:
        return self.text()

    def _repr_html_(self) -> str:
        return view.document(self.split).html() + preformatted(self._charge_text)


@dataclass(frozen=True, repr=False)
class Check(DocumentDisplay, Confidential):
    """Made by `SplitBatch.check`, after the look was entered: whether the true answers are large enough."""

    queries: tuple[Checked, ...]

    def _document(self) -> Document:
        return view.checked_document(self.queries)

    def as_dict(self) -> dict[str, object]:
        return {"queries": [asdict(each) for each in self.queries]}

    @property
    def withheld(self) -> str:
        return f"<Check of {len(self.queries)} queries: confidential; call .show()>"
