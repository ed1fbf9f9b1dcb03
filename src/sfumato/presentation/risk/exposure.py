"""The exposures of the people in a risk view, and the most exposed of them."""

from __future__ import annotations

from dataclasses import dataclass, replace

from sfumato.model.confidential import Confidential
from sfumato.presentation.document import Block, Cells, Heading, Prose, in_html
from sfumato.presentation.figures.histogram import Heap, HistogramSummary
from sfumato.presentation.spread_view import SpreadView
from sfumato.presentation.wording import risk_sentences as of_risk
from sfumato.presentation.wording.numbers import number, percent_up


@dataclass(frozen=True, repr=False)
class ExposedPerson(Confidential):
    """One of the most exposed. `chances`: attack success at each epsilon."""

    name: str
    influence: float
    exposure: float | None
    chances: tuple[float, ...] = ()


@dataclass(frozen=True, repr=False)
class ExposureTable(Confidential):
    """The people of a rehearsal or of a look. As published there is influence, and no exposure.

    `not_additive` names the answer's columns that are not sums over people: their exposures do not bound attack
    success, so none is shown.
    """

    influence: HistogramSummary
    exposure: HistogramSummary | None = None
    most_exposed: tuple[ExposedPerson, ...] = ()
    epsilons: tuple[float, ...] = ()
    not_additive: tuple[str, ...] = ()
    singletons: int = 0  # groups of one person

    @property
    def title(self) -> str:
        return of_risk.HOW_MUCH_INFLUENCE if self.exposure is None else of_risk.HOW_EXPOSED

    @property
    def meaning(self) -> str:
        """What the figure means, with a note on columns that are not sums."""
        meaning = f"Influence: {of_risk.INFLUENCE}" if self.exposure is None else f"Exposure {of_risk.EXPOSURE}"
        more = [of_risk.not_additive(self.not_additive), of_risk.singletons(self.singletons)]
        return " ".join(part for part in (meaning, *more) if part)

    @property
    def spread(self) -> SpreadView:
        exposure = () if self.exposure is None else (("exposure", self.exposure),)
        return SpreadView(self.title, self.meaning, (*exposure, ("influence", self.influence)))

    @property
    def most_exposed_title(self) -> str:
        return of_risk.most_exposed(len(self.most_exposed), self.exposure is not None)

    @property
    def most_exposed_table(self) -> tuple[list[str], list[list[str]]]:
        """A row per person: name, influence, exposure, and attack success at each epsilon."""
        exposed = self.exposure is not None
        odds = exposed and not self.not_additive
        columns = ["person", "influence", *(["exposure"] if exposed else [])]
        columns += [f"at epsilon {number(epsilon)}" for epsilon in self.epsilons] if odds else []
        rows = []
        for each in self.most_exposed:
            row = [each.name, number(each.influence, 4)]
            row += [number(each.exposure or 0.0, 4)] if exposed else []
            row += [percent_up(chance, 1) for chance in each.chances] if odds else []
            rows.append(row)
        return columns, rows

    @property
    def most_exposed_note(self) -> str:
        """The meaning of attack success, and whether more people have the same exposure."""
        odds = bool(self.epsilons) and self.exposure is not None and not self.not_additive
        return f"{of_risk.ODDS if odds else ''} {of_risk.some_of(self._as_exposed, len(self.most_exposed))}".strip()

    @property
    def _as_exposed(self) -> int:
        """How many people are exactly as exposed as the most exposed, where the last bar holds them alone."""
        most: Heap | None = self.spread.summary.most
        return most.people if most is not None and most.low == most.high else 0


def blocks(people: ExposureTable) -> tuple[Block, ...]:
    """The histogram or a sentence, the percentiles, and the most exposed if they are to be listed."""
    spread = people.spread
    title = of_risk.AT_EACH_INFLUENCE if people.exposure is None else of_risk.AT_EACH_EXPOSURE
    figures = [] if len(spread.summary.heaps) <= 1 else [replace(spread, title=title, meaning="").figure()]
    named: tuple[Block, ...] = ()
    if people.most_exposed:
        most = Cells(*people.most_exposed_table, of_risk.MOST_FIRST)
        named = (Heading(people.most_exposed_title), Prose(people.most_exposed_note), most)
    return (
        spread.short(),
        in_html(Heading(people.title), Prose(people.meaning), Prose(spread.summary.in_words, "lead"), *figures),
        spread.quantiles(of_risk.PERCENTILES),
        *named,
    )
