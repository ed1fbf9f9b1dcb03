"""Differences of two released figures, as far as the noise allows."""

from __future__ import annotations

from sfumato.presentation.wording.numbers import rounded_figure
from sfumato.presentation.wording.release_sentences import ALONE, INTERVAL, PICKED

QUESTION = "Was it the noise?"
FREE = "Free: this uses only the released answer."
CONCLUSION = (
    "State a conclusion that you draw from the answer. A free signal adds fresh noise of the same size to the answer "
    "many times, and counts how often the conclusion changes."
)
_YES = "yes, it is larger as far as the noise goes"
_NO = "no, it is smaller as far as the noise goes"
_OPEN = "undecided, the noise is too large to tell"
EACH = f"{ALONE}. It holds for one comparison at a time: among many, some are wrong."


def verdict(low: float, high: float) -> str:
    """Whether the first figure is larger, as far as the noise allows."""
    return _YES if low > 0 else _NO if high < 0 else _OPEN


def rounded_difference(value: float, low: float, high: float) -> list[str]:
    """The difference and its interval, to the digits that the noise leaves.

    >>> rounded_difference(177.0, 46.0, 308.0), rounded_difference(2.1034, 1.3821, 2.8249)
    (['177', '46 to 308'], ['2.10', '1.38 to 2.83'])
    """
    whole = all(figure == int(figure) for figure in (value, low, high))
    return rounded_figure(int(value) if whole else value, (low, high))


def sentence(value: float, low: float, high: float) -> str:
    """The difference, its 90% interval, and the conclusion.

    >>> sentence(177, 46, 308)
    'Difference 177, 90% interval 46 to 308: yes, it is larger as far as the noise goes.'
    >>> sentence(-0.5, -2, 1.5)
    'Difference −0.5, 90% interval −2.0 to 1.5: undecided, the noise is too large to tell.'
    """
    figure, interval = rounded_difference(value, low, high)
    return f"Difference {figure}, {INTERVAL} {interval}: {verdict(low, high)}."


def covers(*, picked: bool) -> str:
    """What the interval covers; for rows picked by noise it holds less often."""
    return f"{EACH} {PICKED[0].upper()}{PICKED[1:]}." if picked else EACH
