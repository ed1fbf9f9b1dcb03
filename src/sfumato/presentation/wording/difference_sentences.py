"""Whether one released figure may be called larger than another: as far as noise goes, and no further."""

from __future__ import annotations

import math

from sfumato.presentation.wording.release_sentences import ALONE, PICKED

QUESTION = "Can I say that one figure is larger than another?"
_YES = "yes, as far as noise goes"
_NO = "no; as far as noise goes, it is the other way round"
_OPEN = "not from this: as far as noise goes, it may be either way round"
EACH = f"{ALONE}. Each comparison is by itself: of many, some are wrong."


def sentence(value: float, low: float, high: float) -> str:
    """The difference, its noise range, and what may be said.

    >>> sentence(177, 46, 308)
    'Difference 177, noise range ±131: yes, as far as noise goes.'
    >>> sentence(-0.5, -2, 1.5)
    'Difference -0.5, noise range -2 to 1.5: not from this: as far as noise goes, it may be either way round.'
    """
    verdict = _YES if low > 0 else _NO if high < 0 else _OPEN
    even = math.isclose(high - value, value - low, rel_tol=1e-6)
    within = f"±{high - value:,.6g}" if even else f"{low:,.6g} to {high:,.6g}"
    return f"Difference {value:,.6g}, noise range {within}: {verdict}."


def covers(*, picked: bool) -> str:
    """What such a sentence covers; of rows that noise helped to be picked, less often."""
    return f"{EACH} {PICKED[0].upper()}{PICKED[1:]}." if picked else EACH
