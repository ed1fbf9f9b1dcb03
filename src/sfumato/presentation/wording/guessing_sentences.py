"""What a snoop guesses of somebody. Every such sentence stands here, once."""

from __future__ import annotations

from collections.abc import Sequence

from sfumato.model.guess_view import GuessAt
from sfumato.presentation.wording.guarantee import in_100, sentence
from sfumato.presentation.wording.numbers import number
from sfumato.privacy.risk.sharing import nearest_word

GUESSED = "What a snoop guesses, and what sharing the answer risks"
GUESSES = (
    "From public facts alone: true for any data, against a snoop who knows everybody else in it. Nobody was looked at. "
    "It is of this answer alone: with others on the same people, their epsilons add up."
)


# Filled in with what was chosen: {trust}, {sensitivity}, {limit}, {risk} as a number with its word, {noise}, {snoop}.
PARTNER = "A partner whose trust is {trust} gets figures from data whose sensitivity is {sensitivity}."
WITHIN = "The sharing risk is {risk} of 1. That is within your limit, {limit}."
OVER = "The sharing risk is {risk} of 1. That is over your limit, {limit}: take more noise, or risk less."
NEVER = "No noise on this scale brings the risk within your limit. Allow more, or do not share this."
RULE_SAYS = (
    "The rule says how much risk is tolerable, and what is guessed. How far each partner is trusted and how sensitive "
    "the data is stands in tables of the policy: each partner gets the noise that theirs come to."
)
BEGINS = (
    "It begins with little noise, so that the risk can be seen to fall: add noise, or take the first on the scale that "
    "meets your limit."
)
IN_SPACE = (
    "The curved sheet is the risk of sharing with partners of each trust and data of each sensitivity, at this noise: "
    "the higher, the riskier. The flat sheet is your limit. The point is yours."
)
NO_WEBGL = "This browser draws nothing in three dimensions. The table below has the same numbers."
LABEL = "A word such as “low” is a name for a number. What it means for somebody is what a snoop guesses right."


def guess_columns(*, at_any_answer: bool, average: bool, shared: bool) -> str:
    """What the columns of a view of guesses mean, those that it has."""
    columns = (
        (True, "“advantage”: how much of what a blind guess leaves open is learned, at most"),
        (at_any_answer, "“any belief”: no answer raises a belief about somebody by more, whatever it was before"),
        (average, "“on average”: how often the best guess is right at most, where all values are as likely"),
        (shared, "“as published”: with what a blind guess risks too, which no noise takes away"),
    )
    return sentence("; ".join(meaning for there, meaning in columns if there))


def snoop(chance: float, blind: float) -> str:
    """How often a guess is right, beside how often it was before.

    >>> snoop(0.35466, 0.25)
    'a snoop guesses right 36 of 100 (blind 25)'
    """
    return f"a snoop guesses right {in_100(chance)} of 100 (blind {number(100 * blind)})"


def hundred(ends: tuple[int, int]) -> str:
    """What noise does to a count, as an example."""
    return f"{_becomes(ends)}, 90 times of 100"


def _becomes(ends: tuple[int, int]) -> str:
    return f"a count of 100 becomes {ends[0]}–{ends[1]}"


def noise_range(numbers: Sequence[str], row: GuessAt) -> str:
    """How far the noise moves each number, and what that does to a count."""
    both = list(zip(numbers, row.noise_90, strict=True))
    known = [f"the {what} by {number(far)}" for what, far in both if far is not None]
    moved, each = " and ".join(known), "each " if len(known) > 1 else ""
    count = "" if row.hundred is None else f": {_becomes(row.hundred)}"
    ranges = [f"the noise moves {moved} at most, {each}90 times of 100{count}"] if moved else []
    return "; ".join(ranges + [f"the {what} is selected by its rank" for what, far in both if far is None])


def guess_at(row: GuessAt, blind: float) -> str:
    """At one epsilon, in a sentence."""
    count = "" if row.hundred is None else f"; {hundred(row.hundred)}"
    risk = "" if row.risk is None else f"; the sharing risk is {number(row.risk)} ({nearest_word(row.risk)})"
    return f"At epsilon {number(row.epsilon)} {snoop(row.chance, blind)}{count}{risk}."


def guess_alike(column: str | None, choices: int) -> str:
    """What a preference about guesses takes for granted, where values are guessed."""
    return f"a guess {_of(column)}one of {choices} values, that before the answer are all as likely"


def guess_known(column: str | None, known: float) -> str:
    """The same where something is known before the answer."""
    return f"a guess {_of(column)}that before the answer is right {number(100 * known, 4)} of 100 times at most"


def _of(column: str | None) -> str:
    return "" if column is None else f"of {column}, "
