"""Post-hoc risk: the losses and distances of the people, and the public bound."""

from __future__ import annotations

from dataclasses import dataclass

from sfumato.model.confidential import Confidential
from sfumato.model.release import ReleaseCertificate
from sfumato.presentation.document import A_LOOK, Document, Prose
from sfumato.presentation.figures.histogram import HistogramSummary
from sfumato.presentation.spread_view import SpreadView
from sfumato.presentation.wording import posthoc_sentences as of_posthoc


@dataclass(frozen=True, repr=False)
class PosthocSpread(Confidential):
    """Distances (PRI) and, where they are known, losses over all the people."""

    certificate: ReleaseCertificate
    people: int
    distance: float
    ratio: float
    pri: HistogramSummary
    loss: HistogramSummary | None
    positive: int  # people whose loss is above 0
    bound: float | None
    own_scale: bool  # distances are in the answer's own units
    hides: bool  # HAVING or LIMIT removed rows
    condition: str | None = None
    medians: tuple[float | None, float | None] | None = None  # of the distances, on either side of the condition

    @property
    def meaning(self) -> str:
        return of_posthoc.PRI if self.loss is None else of_posthoc.SIGNED_LOSS

    @property
    def sentences(self) -> tuple[str, ...]:
        """Notes on the figures."""
        spoken = (self.positive, self.people) if self.loss is not None and self.people else None
        furthest = 0.0 if self.loss is None else max(map(abs, self.loss.quantiles))
        parts = [
            of_posthoc.no_loss(self.certificate) if self.loss is None else of_posthoc.PRI,
            "" if spoken is None else of_posthoc.speaks_for(*spoken),
            "" if self.loss is None else of_posthoc.within_bound(furthest, self.bound, self.certificate.epsilon),
            of_posthoc.distances(
                self.distance, self.pri.quantiles[0], self.pri.quantiles[-1], self.ratio, self.own_scale
            ),
            "" if self.medians is None else of_posthoc.medians_of(self.condition or "", self.medians),
            of_posthoc.ROWS_KEPT_BACK if self.hides else "",
            of_posthoc.SELECTED_BESIDE if self.certificate.select_epsilon else "",
        ]
        return tuple(part for part in parts if part)

    @property
    def spread(self) -> SpreadView:
        loss = () if self.loss is None else (("loss", self.loss),)
        return SpreadView(of_posthoc.POSTHOC, self.meaning, (*loss, ("PRI", self.pri)))


def document(after: PosthocSpread) -> Document:
    """The distribution of the losses, then the notes."""
    return Document(of_posthoc.POSTHOC, (A_LOOK, *after.spread.blocks(), *map(Prose, after.sentences)))
