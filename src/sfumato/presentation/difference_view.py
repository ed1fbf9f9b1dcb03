"""The difference of two released figures as JSON, with its conclusion."""

from __future__ import annotations

from sfumato.presentation.figures.marks import GLYPHS
from sfumato.presentation.wording import difference_sentences as of_difference
from sfumato.release.difference import Difference


def as_dict(difference: Difference) -> dict[str, object]:
    return {
        "difference": difference.value,
        "low": difference.low,
        "high": difference.high,
        "larger": difference.low > 0,
        "smaller": difference.high < 0,
        "verdict": GLYPHS["ok" if difference.low > 0 else "over" if difference.high < 0 else "chosen"],
        "sentence": of_difference.sentence(difference.value, difference.low, difference.high),
        "covers": of_difference.covers(picked=difference.picked),
    }
