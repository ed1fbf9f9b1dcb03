"""A risk profile in full, to read or to file: the range, how the people are spread, the most exposed."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from sfumato.api.whole_file import write_text_whole
from sfumato.model.confidential import Confidential
from sfumato.model.risk import Source
from sfumato.model.schema import Relation
from sfumato.presentation.document import Document
from sfumato.presentation.figures.histogram import spread
from sfumato.presentation.risk.exposure import ExposedPerson, ExposureTable, blocks
from sfumato.presentation.wording import risk_sentences as of_risk
from sfumato.privacy.risk.profile import chance_against
from sfumato.release.risk.figures import Figures

if TYPE_CHECKING:
    from sfumato.api.risk import RiskProfile


@dataclass(frozen=True, repr=False)
class Report(Confidential):
    """A report as HTML. Of the people themselves it is for its owner's eyes only, on disk too."""

    html: str = field(repr=False)
    of_the_people: bool

    def write(self, path: str | Path) -> None:
        write_text_whole(Path(path), self.html, private=self.of_the_people)


def text(profile: RiskProfile, *, most_exposed: bool = False, colour: bool = False) -> str:
    """The range and its table, then how the people are spread; the most exposed are named when asked for."""
    table = people(profile, most_exposed=most_exposed)
    parts = [profile.text(colour=colour)]
    parts += [] if table is None else [Document(table.title, blocks(table)).text(colour=colour)]
    if most_exposed and table is not None and not table.most_exposed:
        parts.append(of_risk.NO_ONE_TO_NAME)
    return "\n\n".join(parts)


def page(profile: RiskProfile, footer: str = "") -> Report:
    """The same as a page that stands alone, with the most exposed."""
    document = profile.document(people(profile, most_exposed=True))
    return Report(document.page(footer), of_the_people=profile.source is Source.PEOPLE)


def people(profile: RiskProfile, *, most_exposed: bool) -> ExposureTable | None:
    """What there is to show of the people; nothing in the worst case."""
    if not isinstance(profile.influence, Figures):
        return None
    exposure = profile.exposure if isinstance(profile.exposure, Figures) else None
    epsilons = _epsilons(profile)
    return ExposureTable(
        influence=spread(profile.influence.histogram, profile.influence.quantile),
        exposure=None if exposure is None else spread(exposure.histogram, exposure.quantile),
        most_exposed=_most_exposed(profile, epsilons) if most_exposed else (),
        epsilons=epsilons,
        not_additive=profile.not_additive,
        singletons=profile.singletons,
    )


def _most_exposed(profile: RiskProfile, epsilons: tuple[float, ...]) -> tuple[ExposedPerson, ...]:
    """No one, where no one carries anything: then they are all alike."""
    rows, exposed = profile.most_exposed().to_pylist(), []
    if not any(row["influence"] or row.get("exposure") for row in rows):
        return ()
    for row in rows:
        exposure = row.get("exposure")
        chances = () if exposure is None else (chance_against(exposure, e, profile.noise) for e in epsilons)
        exposed.append(ExposedPerson(str(row["person"]), row["influence"], exposure, tuple(chances)))
    return tuple(exposed)


def _epsilons(profile: RiskProfile) -> tuple[float, ...]:
    """At which epsilons odds are told: at the chosen one, or at three of the candidates, the largest among them.

    Where one person replaces another, unmatched people lose as much: exposures are comparisons only.
    """
    if profile.relation is Relation.REPLACE:
        return ()
    if profile.chosen is not None:
        return (profile.chosen,)
    candidates = tuple(candidate.epsilon for candidate in profile.candidates)
    return candidates[:: -max(1, len(candidates) // 3)][:3][::-1]
