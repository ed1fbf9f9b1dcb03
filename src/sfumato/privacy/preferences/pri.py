"""The preference of the Privacy Risk Indicator (PRI): everyone nearly as far from the answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from sfumato.privacy.preferences.preference import Preference, number_where, plain


@dataclass(frozen=True)
class Pri(Preference):
    """Find-eps-from-PRI as published: the first output from which everyone lies nearly as far is what is released."""

    percent: Fraction
    reads_people = True
    draws = True
    releases_its_draw = True

    @property
    def words(self) -> str:
        return f"pri {float(self.percent):g}, Find-eps-from-PRI as published"

    @property
    def threshold(self) -> tuple[str, float]:
        return f"pri {float(self.percent):g}", float(self.percent)

    def to_mapping(self) -> dict[str, Any]:
        return plain({"pri": self.percent})

    def why(self, _: Mapping[Preference, str], __: float, /) -> str:
        return "The first candidate whose output passed the test of Find-eps-from-PRI."


def pri(percent: float) -> Pri:
    """The largest PRI deviates from the smallest by no more than `percent` in 100 of it: no guarantee.

    >>> pri(5).words
    'pri 5, Find-eps-from-PRI as published'
    """
    return Pri(number_where("pri", percent, "pri-out-of-range", lambda n: 0 <= n <= 100))
