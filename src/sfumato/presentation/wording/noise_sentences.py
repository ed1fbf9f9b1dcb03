"""Noise before it is drawn: what its probabilities, its relative error and the smallest meaningful answer mean."""

from __future__ import annotations

import math
from collections.abc import Sequence

from sfumato.model.noise_view import ColumnNoise, NoiseTerms
from sfumato.presentation.wording.numbers import number, percent

PUBLIC = (
    "This follows from public facts; no data is read. It covers the noise only, before a count is rounded, not "
    "clipping or dropped rows, and holds for one figure at a time."
)
PAGE = "How far the noise of an answer goes, from public facts: no data is read, and nothing is charged."
GUESSES = "State guesses from public knowledge only, such as last year's report: they are not answers of this dataset."
BY_PROBABILITY = "Noise by probability"
BY_EPSILON = "Smallest meaningful answer by epsilon"
BY_ERROR = "Smallest meaningful answer by relative error"
RANKED = "A value that is selected by its rank has no noise of its own: its rank may be off by so many more people."


def at_least(probabilities: Sequence[float], *, averages: bool = False) -> str:
    """What the columns of probabilities say.

    >>> at_least([0.5])
    'The noise is larger than a figure under “50% of the time”, in either direction, that often.'
    """
    often = "at most that often for an average" if averages else "that often"
    first = percent(probabilities[0])
    return f"The noise is larger than a figure under “{first} of the time”, in either direction, {often}."


def meaningful(least: float, guess: float | None = None) -> str:
    """The smallest meaningful answer at 10% and 90%, and whether a guess is as large.

    >>> meaningful(2302.6, 1500)
    'A true answer of 2,303 or more is off by at most 10% of itself, with 90% probability; 1,500 is too small for that.'
    """
    figure = f"{math.ceil(least):,}" if least > 10 else number(least, 3)
    sentence = f"A true answer of {figure} or more is off by at most 10% of itself, with 90% probability"
    if guess is None:
        return f"{sentence}."
    return f"{sentence}; {guess:,.6g} is {'large enough' if abs(guess) >= least else 'too small'} for that."


def least(terms: NoiseTerms) -> str:
    """What the smallest meaningful answer says (the DIFF paper's MTA)."""
    return (
        f"With {percent(terms.confidence)} probability a true answer of “answer at least” or more is off by at most "
        f"{percent(terms.relative_error)} of itself (the DIFF paper's minimum true answer)."
    )


def least_count(terms: NoiseTerms) -> str:
    """The same of an average, whose error depends on how many values are counted."""
    if terms.error is None:
        return "State an error of the average, or a guess of it, to see how many values it needs."
    return (
        f"With {percent(terms.confidence)} probability an average of at least so many values is off by at most "
        f"{number(terms.error)}, wherever it lies within its bounds."
    )


def without_count() -> str:
    return "The noise of an average depends on how many values are counted: state a public guess to see it."


def expected(terms: NoiseTerms, column: ColumnNoise) -> str:
    """The relative error of the expected answer, at each probability."""
    shares = [
        f"{percent(tail.relative_error)} ({percent(tail.probability)} of the time)"
        for tail in column.tails
        if tail.relative_error is not None
    ]
    answer = number(terms.expected or 0.0)
    return f"At epsilon {column.epsilon:g} an answer of {answer} is off by at least {', '.join(shares)}."
