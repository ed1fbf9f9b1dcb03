"""Prior, posterior and confidence of every possible world of a public universe."""

from __future__ import annotations

from sfumato.model.world_beliefs import BeliefsAtEpsilon, WorldBeliefs
from sfumato.presentation.document import Block, Cells, Document, Heading, Prose
from sfumato.presentation.wording import belief as of_belief


def document(beliefs: WorldBeliefs) -> Document:
    """One epsilon: each world in a row. Several: each epsilon in a row and each world in a column, as in the paper."""
    several = len(beliefs.candidates) > 1
    tables: list[Block] = [Cells(*matrix(beliefs))] if several else [worlds(one) for one in beliefs.candidates]
    lines = [of_belief.sized_by(beliefs.sensitivity), *limits(beliefs)]
    return Document(
        of_belief.WORLDS, (Heading(of_belief.WORLDS), Prose(of_belief.PUBLIC_UNIVERSE), *tables, *map(Prose, lines))
    )


def worlds(one: BeliefsAtEpsilon) -> Cells:
    """The worlds at one epsilon."""
    rows = []
    for world in one.worlds:
        answer = [] if one.response is None and world.answer is None else [_answer(world.answer)]
        beliefs = [f"{belief:.4f}" for belief in (world.prior, world.posterior, world.confidence)]
        rows.append([of_belief.identifiable(world.missing, world.alike), *answer, *beliefs])
    answered = ["answer"] if rows and len(rows[0]) > 4 else []
    columns = ["missing", *answered, "prior", "posterior", "confidence"]
    return Cells(columns, rows, caption=of_belief.at_epsilon(one.epsilon, one.response))


def matrix(beliefs: WorldBeliefs) -> tuple[list[str], list[list[str]]]:
    """The posterior of each world at each epsilon: Tables 2 and 3 of the paper."""
    first = beliefs.candidates[0]
    answered = ["response"] if first.response is not None else []
    columns = ["epsilon", *answered, *(of_belief.identifiable(w.missing, w.alike) for w in first.worlds)]
    rows = [
        [
            f"{one.epsilon:g}",
            *([_answer(one.response)] if answered else []),
            *(f"{world.posterior:.4f}" for world in one.worlds),
        ]
        for one in beliefs.candidates
    ]
    return columns, rows


def limits(beliefs: WorldBeliefs) -> list[str]:
    """The epsilons at which no belief exceeds the limit; nothing where none is stated."""
    if beliefs.limit is None:
        return []
    return [of_belief.epsilons_of(beliefs.limit, beliefs.bound, beliefs.exact)]


def _answer(answer: float | None) -> str:
    return "" if answer is None else f"{answer:.6g}"
