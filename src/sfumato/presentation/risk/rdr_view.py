"""RDRs of the people at each epsilon, beside the outputs that are possible (RDR 4.1, 6.1): tables and pictures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sfumato.model.confidential import Confidential
from sfumato.model.facts import Histogram
from sfumato.model.risk import RiskAt, RiskView
from sfumato.presentation.document import Block, Cells, Heading, Prose
from sfumato.presentation.figures.figure import Figure
from sfumato.presentation.figures.histogram import histogram_figure
from sfumato.presentation.figures.marks import Range
from sfumato.presentation.figures.scale import Axis
from sfumato.presentation.wording import risk_sentences as of_risk
from sfumato.presentation.wording.numbers import figure_text, number, rounded_figure

NO_NOISE = "no noise"


@dataclass(frozen=True, repr=False)
class PersonRdrs(Confidential):
    """One person's RDR without noise, and at each epsilon."""

    name: str
    rdrs: tuple[float, ...]


@dataclass(frozen=True, repr=False)
class RdrTable(Confidential):
    """The lowest and the highest RDR without noise and at each candidate; `people` where they are few.

    They are in units of the answer, or else of what one person can change at most.
    """

    without_noise: tuple[float, float]
    ends: tuple[tuple[float, float], ...]
    figures: tuple[tuple[str, float], ...] = ()  # of the exact answer
    people: tuple[PersonRdrs, ...] = ()
    of_the_answer: bool = True


def table(view: RiskView, rdrs: RdrTable) -> tuple[list[str], list[list[str]]]:
    """A row without noise and one for each epsilon: the lowest and the highest RDR, and each figure with its noise."""
    columns = ["epsilon", "lowest RDR", "highest RDR", "ratio", *_answers(rdrs)]
    rows = zip(view.candidates, rdrs.ends, strict=True)
    first = [NO_NOISE, *_compared(rdrs.without_noise), *(figure_text(value) for _, value in rdrs.figures)]
    return columns, [first, *([f"{at.epsilon:g}", *_compared(ends), *_outputs(at, rdrs)] for at, ends in rows)]


def _answers(rdrs: RdrTable) -> list[str]:
    one = len(rdrs.figures) == 1
    return ["possible outputs (90%)" if one else f"{name} (90%)" for name, _ in rdrs.figures]


def _compared(ends: tuple[float, float]) -> list[str]:
    low, high = ends
    return [_digits(low), _digits(high), _digits(low / high if high else 1.0)]


def _outputs(at: RiskAt, rdrs: RdrTable) -> list[str]:
    half = at.noise_90[0]
    return ["" if half is None else rounded_figure(v, (v - half, v + half))[1] for _, v in rdrs.figures]


def _digits(value: float) -> str:
    return number(value, 4)


def blocks(view: RiskView, rdrs: RdrTable | None) -> tuple[Block, ...]:
    """The tables of a view of people; nothing in the worst case, where there is no one to compare."""
    if rdrs is None:
        return ()
    notes = [of_risk.RDR, of_risk.rdr_units(rdrs.of_the_answer), of_risk.rdr_figures(len(rdrs.figures), view.source)]
    tables = (
        Heading(of_risk.RDR_TITLE),
        Prose(" ".join(note for note in notes if note)),
        Cells(*table(view, rdrs), of_risk.RDR_TITLE),
    )
    if not rdrs.people:
        return tables
    columns = ["person", NO_NOISE, *(f"{at.epsilon:g}" for at in view.candidates)]
    people = [[one.name, *map(_digits, one.rdrs)] for one in rdrs.people]
    return *tables, Heading(of_risk.RDR_OF_EACH), Cells(columns, people, of_risk.RDR_OF_EACH)


def ranges_figure(view: RiskView, ends: Sequence[tuple[float, float]]) -> Figure:
    """A box for each epsilon from the lowest to the highest RDR, as participants of the study saw it (RDR 6.1.2)."""
    boxes = [Range(at.epsilon, *both) for at, both in zip(view.candidates, ends, strict=True)]
    return Figure(
        title=of_risk.RDR_TITLE,
        subtitle=of_risk.source(view),
        x=Axis("epsilon"),
        y=Axis("RDR", scale="log" if all(box.low > 0 for box in boxes) else "linear"),
        marks=tuple(boxes),
        note=of_risk.RDR,
    )


def people_figure(view: RiskView, people: Histogram, epsilon: float) -> Figure:
    """People by RDR at one epsilon."""
    title = of_risk.rdr_at(epsilon)
    return histogram_figure(people, title, of_risk.source(view), of_risk.RDR, label="RDR")
