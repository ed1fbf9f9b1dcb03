"""Beliefs: how sure an attacker becomes about who is missing from the data."""

from __future__ import annotations

from dataclasses import dataclass

from sfumato.model.confidential import Confidential
from sfumato.presentation.document import A_LOOK, Cells, Document, Heading, Prose, in_html, in_text
from sfumato.presentation.figures.figure import Figure
from sfumato.presentation.figures.marks import Limit, Line
from sfumato.presentation.figures.scale import Axis
from sfumato.presentation.wording import belief as of_belief
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
        return dict(vars(self))


@dataclass(frozen=True, repr=False)
class BeliefTable(Confidential):
    people: int
    prior: float
    limit: float
    candidates: tuple[BeliefAt, ...]
    upper_bound: bool  # some number does not have additive noise
    suspected: bool = False  # the prior of one person is higher

    @property
    def summary(self) -> str:
        return of_belief.who_is_missing(self.people, self.prior, suspected=self.suspected)

    def as_dict(self) -> dict[str, object]:
        facts = {"people": self.people, "prior": self.prior, "limit": self.limit, "upper_bound": self.upper_bound}
        return {**facts, "candidates": [row.as_dict() for row in self.candidates]}


def figure(beliefs: BeliefTable) -> Figure:
    """The largest belief and its upper bound over epsilon, and its limit."""
    rows = beliefs.candidates
    lines = [
        Line(tuple((row.epsilon, row.risk) for row in rows), of_belief.BELIEVED),
        Line(tuple((row.epsilon, row.bound) for row in rows), of_belief.BELIEVED_AT_MOST),
    ]
    return Figure(
        title=of_belief.WHO_IS_MISSING,
        subtitle=beliefs.summary,
        x=Axis("epsilon", scale="log"),
        y=Axis("belief"),
        marks=(*lines, Limit(beliefs.limit, of_belief.BELIEF_LIMIT)),
        note=of_belief.believed_at_most() if beliefs.upper_bound else "",
    )


def document(beliefs: BeliefTable, curve: BeliefTable | None = None) -> Document:
    """A table of the candidates, and the curve as a figure."""
    return Document(
        of_belief.WHO_IS_MISSING,
        (
            A_LOOK,
            in_text(Heading(of_belief.WHO_IS_MISSING), Prose(beliefs.summary)),
            *([] if curve is None else [in_html(figure(curve))]),
            Cells(*rows(beliefs)),
            Prose(of_belief.never_believed_more(beliefs.limit)),
            Prose(of_belief.believed_at_most() if beliefs.upper_bound else ""),
        ),
    )


def rows(beliefs: BeliefTable) -> tuple[list[str], list[list[str]]]:
    candidates = beliefs.candidates
    columns = {
        "epsilon": [f"{row.epsilon:g}" for row in candidates],
        "belief at most": [number(row.risk, 4) for row in candidates],
        "upper bound": [number(row.bound, 4) for row in candidates],
    }
    if any(row.average is not None for row in candidates):
        columns["best guess right"] = ["" if row.average is None else number(row.average, 4) for row in candidates]
    columns["most identifiable"] = [of_belief.identifiable(row.person, row.alike) for row in candidates]
    return list(columns), [list(cells) for cells in zip(*columns.values(), strict=True)]
