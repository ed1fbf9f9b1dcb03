"""The difference of two released figures as JSON, with what may be said of it."""

from __future__ import annotations

from sfumato.presentation.wording import difference_sentences as of_difference
from sfumato.release.difference import Difference


def as_dict(found: Difference) -> dict[str, object]:
    return {
        "difference": found.value,
        "low": found.low,
        "high": found.high,
        "larger": found.low > 0,
        "smaller": found.high < 0,
        "sentence": of_difference.sentence(found.value, found.low, found.high),
        "covers": of_difference.covers(picked=found.picked),
    }
