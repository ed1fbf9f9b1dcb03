"""Batches: one epsilon for several queries."""

from __future__ import annotations

from fractions import Fraction

from sfumato.ledger.entry import upward
from sfumato.model.budget_split import BudgetSplit
from sfumato.presentation.wording.guarantee import exactly, rounded_up
from sfumato.presentation.wording.numbers import number, percent_stated

SPLIT_AIMS = {
    "largest": "the largest relative error",
    "sum": "the sum of the relative errors",
    "squares": "the sum of the squared relative errors",
}
OWN_UNIT = (
    "A query with several noisy numbers, or with a value selected by rank, has no single noise scale and no "
    "minimum answer. Its index sets its share of epsilon."
)
TESTED = "True answers compared with the minimum"


def split_by(split: BudgetSplit) -> str:
    """How an epsilon was split over several queries."""
    index = f"epsilon {split.epsilon:.15g} split by the index {' : '.join(number(g, 6) for g in split.index)}"
    if split.aim is None:
        return index
    guesses = " and ".join(number(part.expected or 0.0, 6) for part in split.parts)
    return f"{index}, which makes {SPLIT_AIMS[split.aim]} smallest for answers of {guesses}"


def least_answer(split: BudgetSplit) -> str:
    """The minimum true answer of a query."""
    errors = {part.relative_error for part in split.parts}
    error = f"{errors.pop():g}" if len(errors) == 1 else "its relative error"
    return (
        f"With {percent_stated(split.confidence)} probability a true answer of “answer at least” or more is off by at "
        f"most {error} of itself (the DIFF paper's minimum true answer). This covers the noise only, before a count is "
        "rounded, not clipping or dropped rows, and holds for one figure at a time."
    )


def split_needed(split: BudgetSplit) -> str:
    """The epsilon that suffices for all expected answers; empty where none is stated."""
    if split.needed is None:
        return ""
    return f"For the expected answers, epsilon {rounded_up(split.needed)} or more is enough."


def charged_once(releases: int, epsilon: float, delta: Fraction) -> str:
    """The charge of a batch that is the sum of its parts."""
    also = f", delta {exactly(upward(delta))}" if delta else ""
    return f"{releases} release{'' if releases == 1 else 's'}, charged together: epsilon {epsilon:.15g}{also}."
