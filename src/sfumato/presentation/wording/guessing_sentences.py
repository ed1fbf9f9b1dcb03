"""Guessing risk and sharing risk."""

from __future__ import annotations

from collections.abc import Sequence

from sfumato.model.guess_view import GuessAt
from sfumato.presentation.wording.guarantee import sentence
from sfumato.presentation.wording.numbers import number, percent, percent_stated, percent_up
from sfumato.privacy.risk.sharing import nearest_word

GUESSED = "Guessing risk and sharing risk"
GUESSES = (
    "Computed from public facts only, and the same for every dataset: the attacker knows everyone else's "
    "record. No data was read. This covers one answer: the epsilons of several answers about the same people "
    "add up."
)


GUESSES_WITH_HELD = (
    "Computed from public facts only, and the same for every dataset: the attacker knows everyone else's "
    "record. No data was read. This covers the answer together with everything that the recipient holds already."
)

# Filled in with what was chosen: {trust}, {sensitivity}, {risk} as a number with its word, {limit} as a number.
PARTNER = "A recipient with trust {trust} gets figures from data with sensitivity {sensitivity}."
WITHIN = "The sharing risk is {risk} on a scale from 0 to 1: within your limit of {limit}."
OVER = "The sharing risk is {risk} on a scale from 0 to 1: over your limit of {limit}. Add noise, or accept more risk."
LEAST = "The least noise that meets your limit: {short} (epsilon {epsilon})."
NONE = (
    "No noise meets your limit: what the recipient holds already has a higher risk. Accept more risk, or share no more."
)
EVERY = "With this trust and this sensitivity, the risk is within your limit at any noise."
RULE_SAYS = (
    "The rule states the highest tolerable risk and what is guessed. The policy states the trust in each "
    "recipient and the sensitivity of the data, and each recipient gets the noise that follows."
)
BEGINS = "The scale begins with little noise. Add noise to see the risk fall."
IN_SPACE = (
    "The curved surface is the sharing risk for each trust and each sensitivity at this noise: higher is "
    "riskier. The flat surface is your limit. The point is your choice."
)
NO_WEBGL = "This browser cannot draw in three dimensions. The table below has the same numbers."
LABEL = "A word such as “low” stands for a number. What it means for a person is how often an attacker guesses right."


FACTORS = {
    "ability": "Can they keep the figures to themselves?",
    "benevolence": "Do they mean well by you and by the people in the data?",
    "integrity": "Do they keep their word in general?",
}
"""The factors of trust in an organisation, as questions (Mayer, Davis and Schoorman 1995)."""


def guess_columns(*, at_any_answer: bool, average: bool, shared: bool) -> str:
    """The meaning of the columns of a view of guesses."""
    columns = (
        (True, "“advantage” is the largest share that an attacker can learn of what a blind guess leaves open"),
        (at_any_answer, "“any belief” is the most by which an answer raises a belief about a person, for any prior"),
        (average, "“on average” is how often the best guess is right at most, if all values are equally likely"),
        (shared, "“as published” includes the risk of a blind guess, which noise does not reduce"),
    )
    return sentence("; ".join(meaning for there, meaning in columns if there))


def right_guesses(chance: float, blind: float) -> str:
    """How often a guess is right, compared with a blind guess.

    >>> right_guesses(0.35466, 0.25)
    'an attacker guesses right at most 36% of the time (25% by a blind guess)'
    """
    return f"an attacker guesses right at most {percent_up(chance)} of the time ({percent(blind)} by a blind guess)"


def holdings(epsilon: float, delta: float) -> str:
    """What a recipient holds already.

    >>> holdings(0.5, 0.0)
    'The recipient holds answers of epsilon 0.5 already: chances and risks include them.'
    """
    also = f" and delta {delta:g}" if delta else ""
    return f"The recipient holds answers of epsilon {epsilon:.9g}{also} already: chances and risks include them."


def share_of(count: int, far: float | None) -> str:
    """Noise as a share of a count.

    >>> share_of(1500, 2.314)
    '0.154%'
    """
    return "" if far is None else f"{number(100 * far / count)}%"


def hundred(ends: tuple[int, int], count: int | None = None) -> str:
    """The effect of noise on a count, as an example."""
    return f"{_becomes(ends, count)}, with 90% probability"


def _becomes(ends: tuple[int, int], count: int | None) -> str:
    """The same for a count that was stated: it is off by as much, at most, as a count of 100.

    >>> _becomes((97, 103), None), _becomes((97, 103), 1500)
    ('a count of 100 becomes 97 to 103', 'a count of 1,500 becomes 1,497 to 1,503')
    """
    whole, off = 100 if count is None else count, ends[1] - 100
    return f"a count of {whole:,} becomes {max(0, whole - off):,} to {whole + off:,}"


def noise_range(numbers: Sequence[str], row: GuessAt, count: int | None = None) -> str:
    """The noise of each number, and its effect on a count."""
    both = list(zip(numbers, row.noise_90, strict=True))
    known = " and ".join(f"±{number(far)} for the {what}" for what, far in both if far is not None)
    becomes = "" if row.hundred is None else f": {_becomes(row.hundred, count)}"
    intervals = [f"90% noise interval {known}{becomes}"] if known else []
    return "; ".join(intervals + [f"the {what} is selected by rank" for what, far in both if far is None])


def guess_at(row: GuessAt, blind: float, count: int | None = None) -> str:
    """The risks at one epsilon."""
    becomes = "" if row.hundred is None else f"; {hundred(row.hundred, count)}"
    risk = "" if row.risk is None else f"; the sharing risk is {number(row.risk)} ({nearest_word(row.risk)})"
    return f"At epsilon {number(row.epsilon)}, {right_guesses(row.chance, blind)}{becomes}{risk}."


def guess_alike(column: str | None, choices: int) -> str:
    """What a preference about guesses of a value assumes."""
    return f"before the answer, all {choices} values{_of(column)} are equally likely to the attacker"


def guess_known(column: str | None, known: float) -> str:
    """The same where the attacker has prior knowledge."""
    return f"before the answer, a guess{_of(column)} is right at most {percent_stated(known)} of the time"


def _of(column: str | None) -> str:
    return "" if column is None else f" of {column}"
