"""Who is missing? How sure somebody becomes who knows everybody but which one is not in the data."""

from __future__ import annotations

from dataclasses import dataclass

from sfumato.model.confidential import Confidential
from sfumato.presentation.figures.figure import Axis, Figure, Limit, Line
from sfumato.presentation.figures.svg import svg
from sfumato.presentation.figures.terminal import paragraph
from sfumato.presentation.html import page_part
from sfumato.presentation.table import table
from sfumato.presentation.wording import belief as of_belief
from sfumato.presentation.wording import guarantee as of_guarantee
from sfumato.presentation.wording.numbers import number


@dataclass(frozen=True, repr=False)
class BeliefAt(Confidential):
    """At one epsilon: the largest belief, its upper bound, how often the best guess is right, and who it is about."""

    epsilon: float
    risk: float
    bound: float
    average: float | None
    person: object
    alike: int

    def as_dict(self) -> dict[str, object]:
        return {
            "epsilon": self.epsilon,
            "risk": self.risk,
            "bound": self.bound,
            "average": self.average,
            "person": self.person,
            "alike": self.alike,
        }


@dataclass(frozen=True, repr=False)
class BeliefTable(Confidential):
    people: int
    prior: float
    limit: float
    candidates: tuple[BeliefAt, ...]
    upper_bound: bool  # some number of it is not simply added noise to
    suspected: bool = False  # one of them is believed in more than the others beforehand

    @property
    def said(self) -> str:
        return of_belief.who_is_missing(self.people, self.prior, suspected=self.suspected)

    def as_dict(self) -> dict[str, object]:
        shown = {"people": self.people, "prior": self.prior, "limit": self.limit, "upper_bound": self.upper_bound}
        return {**shown, "candidates": [row.as_dict() for row in self.candidates]}


def figure(beliefs: BeliefTable) -> Figure:
    """The largest belief and its upper bound over epsilon, and what it never rises above."""
    rows = beliefs.candidates
    lines = [
        Line(tuple((row.epsilon, row.risk) for row in rows), of_belief.BELIEVED),
        Line(tuple((row.epsilon, row.bound) for row in rows), of_belief.BELIEVED_AT_MOST),
    ]
    return Figure(
        title=of_belief.WHO_IS_MISSING,
        subtitle=beliefs.said,
        x=Axis("epsilon", scale="log"),
        y=Axis("belief"),
        marks=(*lines, Limit(beliefs.limit, of_belief.BELIEF_LIMIT)),
        note=of_belief.believed_at_most() if beliefs.upper_bound else "",
    )


def as_text(beliefs: BeliefTable) -> str:
    head = paragraph(f"{of_guarantee.CONTROLLER_ONLY} {of_guarantee.LOOK}")
    limit = paragraph(of_belief.never_believed_more(beliefs.limit))
    notes = [paragraph(of_belief.believed_at_most())] if beliefs.upper_bound else []
    return "\n\n".join(
        [head, f"{of_belief.WHO_IS_MISSING}\n{paragraph(beliefs.said)}", table(*rows(beliefs)), limit, *notes]
    )


def as_html(beliefs: BeliefTable) -> str:
    return page_part(of_guarantee.CONTROLLER_ONLY, svg(figure(beliefs)), of_belief.never_believed_more(beliefs.limit))


def rows(beliefs: BeliefTable) -> tuple[list[str], list[list[str]]]:
    found = beliefs.candidates
    columns = {
        "epsilon": [f"{row.epsilon:g}" for row in found],
        "belief at most": [number(row.risk, 4) for row in found],
        "upper bound": [number(row.bound, 4) for row in found],
    }
    if any(row.average is not None for row in found):
        columns["best guess right"] = ["" if row.average is None else number(row.average, 4) for row in found]
    columns["most identifiable"] = [of_belief.identifiable(row.person, row.alike) for row in found]
    return list(columns), [list(cells) for cells in zip(*columns.values(), strict=True)]
