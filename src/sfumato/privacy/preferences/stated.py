"""What every preference has in common, and how its numbers are read: 1.2 is six fifths."""

from __future__ import annotations

import math
from fractions import Fraction

from sfumato.errors import PreferenceError


class Stated:
    """What holds of a preference unless it says otherwise: it is public, and nothing is drawn to meet it."""

    select_epsilon: float = 0.0
    priority: Fraction = Fraction(1)

    @property
    def reads_people(self) -> bool:
        """Whether it is computed from the people in the data: no guarantee."""
        return False

    @property
    def selects(self) -> bool:
        """Whether epsilon is selected privately, at a charge of `select_epsilon`."""
        return False

    @property
    def draws(self) -> bool:
        """Whether noise has a part in what comes out, so that only the record tells it."""
        return self.select_epsilon > 0

    @property
    def weighed(self) -> str:
        return "" if self.priority == 1 else f", at priority {float(self.priority):g}"

    def allowed(self, promise: str) -> str:
        """A promise; with a priority it is not kept as it reads: so many times its epsilon is allowed."""
        return promise if self.priority == 1 else f"{float(self.priority):g} times the epsilon of {promise}"


def exactly(what: str, value: object) -> Fraction:
    """A finite number, exactly as written."""
    if isinstance(value, Fraction):
        return value
    try:
        if isinstance(value, bool) or not math.isfinite(float(value)):  # type: ignore[arg-type]
            raise ValueError
        return Fraction(str(value))
    except (TypeError, ValueError, OverflowError):
        raise PreferenceError.because("number-not-finite", what=what, stated=repr(value)) from None
