"""One epsilon for several queries. Every such sentence stands here, once."""

from __future__ import annotations

from fractions import Fraction

from sfumato.ledger.entry import upward
from sfumato.model.budget_split import BudgetSplit
from sfumato.presentation.wording.guarantee import exactly, rounded_up
from sfumato.presentation.wording.numbers import number

SPLIT_AIMS = {
    "largest": "the largest relative error",
    "sum": "the sum of the relative errors",
    "squares": "the sum of the squared relative errors",
}
OWN_UNIT = (
    "A query that is several noisy numbers, or selected by its rank, has no one scale and no least answer: its number "
    "in the index says how small its part of epsilon is beside the others'."
)
TESTED = "Whether the true answers are large enough"


def split_by(split: BudgetSplit) -> str:
    """How an epsilon was split over several queries."""
    index = f"epsilon {split.epsilon:.15g} split by the index {' : '.join(number(g, 6) for g in split.index)}"
    if split.aim is None:
        return index
    guesses = " and ".join(number(part.expected or 0.0, 6) for part in split.parts)
    return f"{index}, which makes {SPLIT_AIMS[split.aim]} smallest for answers of {guesses}"


def least_answer(split: BudgetSplit) -> str:
    """What the least answer of a query means."""
    errors = {part.relative_error for part in split.parts}
    error = f"{errors.pop():g}" if len(errors) == 1 else "its relative error"
    return (
        f"A true answer of “answer at least” or more is off by at most {error} of itself, {100 * split.confidence:g} "
        "times of 100 (the DIFF paper's minimum true answer): for the noise alone, before a count is rounded; clipping "
        "and dropped rows not covered; per figure, not jointly."
    )


def split_needed(split: BudgetSplit) -> str:
    """What epsilon would do for all that is expected; nothing where nothing is."""
    if split.needed is None:
        return ""
    return f"For the answers that are expected, epsilon {rounded_up(split.needed)} or more would do."


def charged_once(releases: int, epsilon: float, delta: Fraction) -> str:
    """What a batch is charged where that is the sum of its parts."""
    also = f", delta {exactly(upward(delta))}" if delta else ""
    return f"{releases} release{'' if releases == 1 else 's'}, charged once for all: epsilon {epsilon:.15g}{also}."
