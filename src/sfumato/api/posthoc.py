"""After the release: what an answer says about each person, as the controller sees it."""

from __future__ import annotations

from sfumato.api.display import DocumentDisplay
from sfumato.api.figure import Picture
from sfumato.presentation import posthoc_view as view
from sfumato.presentation.document import Document
from sfumato.presentation.posthoc_view import posthoc_spread
from sfumato.release.risk import posthoc


class PosthocRisk(DocumentDisplay, posthoc.PosthocAnalysis):
    """`.pri`: how far the answer lies from the true one without each person (the papers' output-dependent RDR, or PRI).

    `.loss`: ln of how many times as likely this very answer was with each person as without; None where that is not
    known. `.epsilon` is public, and None where it is withheld. Made by `Query.posthoc_risk`, which enters the look
    before any data is read.
    """

    def plot(self) -> Picture:
        """How many people at each loss; at each PRI where no loss is known."""
        return Picture(self.view.spread.figure())

    @property
    def view(self) -> view.PosthocSpread:
        return posthoc_spread(self)

    def _document(self) -> Document:
        return view.document(self.view)

    @property
    def withheld(self) -> str:
        epsilon = "withheld" if self.epsilon is None else f"{self.epsilon:g}"
        return (
            f"<PosthocRisk of {self.query}, epsilon {epsilon}. What it says about the people is confidential: .show()>"
        )
