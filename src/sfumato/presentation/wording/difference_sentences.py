"""Differences of two released figures, as far as the noise allows."""

from __future__ import annotations

import math

from sfumato.presentation.wording.release_sentences import ALONE, PICKED

QUESTION = "Comparison of two figures"
_YES = "yes, it is larger as far as the noise goes"
_NO = "no, it is smaller as far as the noise goes"
_OPEN = "undecided, the noise is too large to tell"
EACH = f"{ALONE}. It holds for one comparison at a time: among many, some are wrong."


def sentence(value: float, low: float, high: float) -> str:
    """The difference, its 90% interval, and the conclusion.

    >>> sentence(177, 46, 308)
    'Difference 177, 90% interval ±131: yes, it is larger as far as the noise goes.'
    >>> sentence(-0.5, -2, 1.5)
    'Difference -0.5, 90% interval -2 to 1.5: undecided, the noise is too large to tell.'
    """
    verdict = _YES if low > 0 else _NO if high < 0 else _OPEN
    even = math.isclose(high - value, value - low, rel_tol=1e-6)
    within = f"±{high - value:,.6g}" if even else f"{low:,.6g} to {high:,.6g}"
    return f"Difference {value:,.6g}, 90% interval {within}: {verdict}."


def covers(*, picked: bool) -> str:
    """What the interval covers; for rows picked by noise it holds less often."""
    return f"{EACH} {PICKED[0].upper()}{PICKED[1:]}." if picked else EACH
