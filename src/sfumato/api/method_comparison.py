"""Every method side by side for one query, as its holder sees it."""

from __future__ import annotations

from sfumato.api.display import DocumentDisplay
from sfumato.api.figure import Picture
from sfumato.api.risk_report import Report
from sfumato.model import method_comparison as model
from sfumato.presentation import method_comparison_view as view
from sfumato.presentation.document import Document


class Comparison(DocumentDisplay, model.MethodComparison):
    """Prints itself fully when it is public; after a look it has to be asked with `.show()`.

    `.methods` are the rows and `.together` is what the stated ones come to.
    """

    def _document(self) -> Document:
        return view.document(self)

    def plot(self) -> Picture:
        """The epsilons that each method allows, as bars."""
        return Picture(view.figure(self), of_the_people=self.confidential)

    def page(self, footer: str = "") -> Report:
        return Report(view.document(self).page(footer), of_the_people=self.confidential)

    @property
    def withheld(self) -> str | None:
        return f"<Comparison of {len(self.methods)} methods; confidential: call .show()>" if self.confidential else None
