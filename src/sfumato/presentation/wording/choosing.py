"""Choices: which epsilon was chosen, and what it means."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from sfumato.model.guarantee import Guarantee
from sfumato.model.risk import RiskAt
from sfumato.presentation.wording import guarantee as of_guarantee
from sfumato.presentation.wording.guarantee import rounded_up
from sfumato.presentation.wording.numbers import number

AS_IT_WAS = (
    "The same selection was made before and is returned. Nothing was charged. --redraw selects anew and is charged."
)
HOW_MANY = (
    "The noise of an average depends on the number of people in its group. If a minimum is public knowledge, "
    "enter it below."
)
TRIED_TITLE = "Outcomes of a private selection"
TRIED_EACH = "Epsilons selected at each threshold; yours is marked >"
TRIED_BARS = "Each bar holds 90% of the epsilons that were selected; ● is the threshold that you stated."
TRIED = "Outcomes of the selection on synthetic data, with its real noise. Nothing was charged."


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


def go_on(command: str) -> str:
    """The command that applies a rehearsed preference."""
    return f"To apply this preference to the data:\n  {command}"


def planned(word: Guarantee, queries: int = 1) -> str:
    """The guarantee of a plan once it is recorded."""
    if not word.holds:
        return "The plan is recorded without a guarantee: the data had been looked at before."
    these = "this query" if queries == 1 else f"these {queries} queries"
    return f"The plan for {these} is recorded. Its guarantee ({word.value}) holds even if the data is looked at later."


def rehearsed(epsilon: float | None, why: str) -> str:
    """The epsilon of a preference on synthetic data."""
    choice = "no epsilon" if epsilon is None else f"epsilon {epsilon:.4g}"
    return f"On synthetic data: {choice}. {why} Nothing was decided for the real table."


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


def averages(errors: Mapping[str, float], people: float) -> str:
    """The noise of averages in a group of at least this many people."""
    ranges = [
        f"{name} anywhere within its bounds" if math.isinf(error) else f"{name} ±{rounded_up(error)}"
        for name, error in errors.items()
    ]
    return f"90% noise interval of an average of at least {number(people, 6)} people: {'; '.join(ranges)}."


def _never(furthest: float) -> str:
    return "" if math.isinf(furthest) else f" (never more than ±{number(furthest, 4)})"
