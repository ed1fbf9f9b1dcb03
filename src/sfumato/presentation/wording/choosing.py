"""How an epsilon came about, and what is tried first. Every such sentence stands here, once."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from sfumato.model.guarantee import Guarantee
from sfumato.model.risk import RiskAt
from sfumato.presentation.wording.guarantee import rounded_up
from sfumato.presentation.wording.numbers import number

AS_IT_WAS = (
    "This was selected before and comes back as it was: nothing was charged. --redraw selects anew, at a charge."
)
HOW_MANY = (
    "How far an average is then off goes by how many people are in its group: say below how many there are at least, "
    "if that is public knowledge."
)
TRIED_TITLE = "What a private selection would come to"
TRIED_EACH = "What each threshold would select; the one that was asked for is marked >"
TRIED_BARS = "Each bar holds 90 of 100 epsilons that the selection came to; ● is the threshold that was asked for."
TRIED = "What the selection would come to on the look-alike, with its real noise. Nothing was charged"


def state_one(option: str) -> str:
    return f"State one with {option}."


def tried(*, private: bool) -> str:
    """What was rehearsed, and what a threshold that is picked from it is worth."""
    if not private:
        return f"{TRIED}. As published it reads the people: on the real table it carries no guarantee."
    return f"{TRIED}, and a threshold that is picked from this carries the guarantee: nothing here depends on the data."


def cost_of_selection(select_epsilon: float, epsilon: float | None) -> str:
    """What a private selection has cost, and what its release will."""
    rest = "" if epsilon is None else f"; a release charges {epsilon:g} more"
    return f"Selecting cost {select_epsilon:g}, charged when it was selected{rest}."


def go_on(command: str) -> str:
    """How a preference that was rehearsed is carried over to the table."""
    return f"To choose by it for the table itself:\n  {command}"


def planned(word: Guarantee, queries: int = 1) -> str:
    """What a plan is worth once it is entered."""
    if not word.holds:
        return "Entered as the plan; but somebody had looked at the people before, so it carries no guarantee."
    these = "this query" if queries == 1 else f"these {queries} queries"
    return f"Entered as the plan for {these}: it keeps its word, {word.value}, whoever looks at the people later."


def rehearsed(epsilon: float | None, why: str) -> str:
    """What a preference would lead to on the look-alike."""
    choice = "no epsilon" if epsilon is None else f"epsilon {epsilon:.4g}"
    return f"On the look-alike: {choice}. {why} Nothing was decided about the real table."


def means(at: RiskAt, numbers: Sequence[str], furthest: Sequence[float]) -> str:
    """What an epsilon would mean: how far the noise goes, and how often an attacker is right about anybody."""
    odds = f"guesses whether somebody is in the data right at most {rounded_up(100 * at.attack_chance)} times of 100"
    return f"{noise(at, numbers, furthest)} Whoever knows everybody else {odds}."


def noise(at: RiskAt, numbers: Sequence[str], furthest: Sequence[float]) -> str:
    """How far the noise of each number goes at an epsilon, 90 times of 100 and at most."""
    ranges = [
        f"{name} by its rank" if half is None else f"{name} ±{number(half, 4)}{_never(far)}"
        for name, half, far in zip(numbers, at.noise_90, furthest, strict=True)
    ]
    return f"Noise, 90 times of 100: {'; '.join(ranges)}."


def averages(errors: Mapping[str, float], people: float) -> str:
    """How far noise takes averages off, each by itself, in a group of so many people or more."""
    ranges = [
        f"{name} by as much as its bounds allow" if math.isinf(error) else f"{name} ±{rounded_up(error)}"
        for name, error in errors.items()
    ]
    return f"An average of {number(people, 6)} people or more is then off, 90 times of 100: {'; '.join(ranges)}."


def _never(furthest: float) -> str:
    return "" if math.isinf(furthest) else f" and never more than ±{number(furthest, 4)}"
