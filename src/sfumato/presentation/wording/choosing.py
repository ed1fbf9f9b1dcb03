"""Choices: which epsilon was chosen, and what it means."""

from __future__ import annotations

import math
from collections.abc import Sequence

from sfumato.model.expected_interval import CountSource, ExpectedCount, ExpectedInterval
from sfumato.model.guarantee import Guarantee
from sfumato.model.risk import RiskAt
from sfumato.presentation.wording import guarantee as of_guarantee
from sfumato.presentation.wording.numbers import number

AS_IT_WAS = (
    "The same selection was made before and is returned. Nothing was charged. --redraw selects anew and is charged."
)
TYPICAL = (
    "The smaller figure is typical, for an average in the middle of its bounds; the larger is the widest within them. "
    "This is an expectation, not a guarantee."
)
_YOURS = "State a better guess with --expected-count N (expected_count=N in Python)."
COUNT_SOURCES = {
    CountSource.STATED: "That count is yours.",
    CountSource.SCHEMA: f"That count is people_at_least of the schema, in equal groups; a WHERE leaves fewer. {_YOURS}",
    CountSource.SYNTHETIC: f"That count is the smallest group of the rehearsal. {_YOURS}",
    CountSource.RELEASED: "That count is the lower end of a count that you released before.",
    CountSource.EXAMPLE: f"That count is only an example: no size of the group is public knowledge here. {_YOURS}",
}
TRIED_TITLE = "Outcomes of a private selection"
TRIED_EACH = "Epsilons selected at each threshold; yours is marked >"
TRIED_BARS = "Each bar holds 90% of the epsilons that were selected; ● is the threshold that you stated."
TRIED = "Outcomes of the selection in the rehearsal, with its real noise. Nothing was charged."


def state_one(option: str) -> str:
    return f"State one with {option}."


def tried(*, private: bool) -> str:
    """What was rehearsed, and the guarantee of a threshold that is picked from it."""
    if not private:
        return (
            f"{TRIED} As published, the selection reads the data without noise: on the real table it has no guarantee."
        )
    return f"{TRIED} A threshold picked from this keeps the guarantee: nothing here depends on the data."


def cost_of_selection(select_epsilon: float, epsilon: float | None) -> str:
    """The charge of a private selection, and of its release."""
    rest = "" if epsilon is None else f"; a release charges {epsilon:g} more"
    return f"The selection was charged epsilon {select_epsilon:g}{rest}."


def go_on(command: str, *, looks: bool = False, sound: bool = True) -> str:
    """The command that applies a rehearsed preference; as stated it may look, and `sound` commands do not."""
    if not looks:
        return f"To apply this preference to the data:\n  {command}"
    if sound:
        return (
            "To apply this preference to the data without looking at it (as stated, it would look at the data, be "
            f"logged, and have no guarantee):\n  {command}"
        )
    return (
        f"To apply this preference to the data. This looks at the data, is logged, and has no guarantee:\n  {command}"
    )


def planned(word: Guarantee, queries: int = 1) -> str:
    """The guarantee of a plan once it is recorded."""
    if not word.holds:
        return "The plan is recorded without a guarantee: the data had been looked at before."
    these = "this query" if queries == 1 else f"these {queries} queries"
    return f"The plan for {these} is recorded. Its guarantee ({word.value}) holds even if the data is looked at later."


def rehearsed(epsilon: float | None, why: str) -> str:
    """The epsilon of a preference in a rehearsal."""
    choice = "no epsilon" if epsilon is None else f"epsilon {epsilon:.4g}"
    return f"In the rehearsal: {choice}. {why} Nothing was decided for the real table."


def means(at: RiskAt, numbers: Sequence[str], furthest: Sequence[float]) -> str:
    """What an epsilon means: its noise, and attack success."""
    return f"{noise(at, numbers, furthest)} {of_guarantee.attack(at.attack_chance)}"


def noise(at: RiskAt, numbers: Sequence[str], furthest: Sequence[float]) -> str:
    """The noise of each number at an epsilon, with 90% probability and at most."""
    ranges = [
        f"{name} selected by rank" if half is None else f"{name} ±{number(half, 4)}{_never(far)}"
        for name, half, far in zip(numbers, at.noise_90, furthest, strict=True)
    ]
    return f"90% noise interval: {'; '.join(ranges)}."


def expected(at: RiskAt, guess: ExpectedCount | None) -> str:
    """The 90% interval of each average and variance at the expected count, and what to state; empty without any."""
    if guess is None:
        return ""
    each = [f"{one.column} {interval(one)}" for one in at.answers if one.count == guess.count]
    return f"90% interval if {guess.count:,} are counted: {'; '.join(each)}. {COUNT_SOURCES[guess.source]} {TYPICAL}"


def interval(answer: ExpectedInterval) -> str:
    """How far a figure of the answer is off: typically, and wherever it lies within its bounds.

    >>> interval(ExpectedInterval("mean", 1000, 0.2303, 0.3291)), interval(ExpectedInterval("n", None, 23.03, 23.03))
    ('±0.23 to ±0.329', '±23.03')
    >>> interval(ExpectedInterval("mean", 2, 49.0, None)), interval(ExpectedInterval("top", rank=37.2))
    ('anywhere within its bounds', 'rank ±37.2')
    """
    if answer.half_width is None:
        return "by rank" if answer.rank is None else f"rank ±{number(answer.rank, 4)}"
    if answer.at_most is None:
        return "anywhere within its bounds"
    typical, most = number(answer.half_width), number(answer.at_most)
    if answer.count is None:
        return f"±{number(answer.half_width, 4)}"
    return f"±{typical}" if typical == most else f"±{typical} to ±{most}"


def _never(furthest: float) -> str:
    return "" if math.isinf(furthest) else f" (never more than ±{number(furthest, 4)})"
