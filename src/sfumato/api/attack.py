"""What one release tells an attacker about one person, as its holder sees it."""

from __future__ import annotations

import math
from dataclasses import dataclass

from sfumato.errors import PreferenceError
from sfumato.model import risk
from sfumato.model.risk import Source
from sfumato.presentation.figures.terminal import paragraph
from sfumato.presentation.wording import risk_sentences as of_risk


@dataclass(frozen=True, repr=False)
class Attack(risk.MembershipAttack):
    """The figures, and `.show()` says them. Confidential where they are of the people."""

    source: Source
    stated: bool  # about someone of the exposure that was stated
    replaced: bool  # two neighbours differ in who someone is, not in whether they are there

    def text(self) -> str:
        whom = None if self.stated else self.source
        return "\n".join(map(paragraph, of_risk.attack(self, whom, replaced=self.replaced)))

    def show(self) -> None:
        print(self.text())

    def __repr__(self) -> str:
        if self.source is Source.PEOPLE:
            return "<Attack on the people; confidential: call .show()>"
        return self.text()


def between_0_and_1(what: str, value: object, *, ends: bool) -> float:
    """A number from 0 to 1, or between them."""
    number = float(value) if isinstance(value, int | float) and not isinstance(value, bool) else math.nan
    if not (0 <= number <= 1 if ends else 0 < number < 1):
        where = "from 0 to 1" if ends else "between 0 and 1"
        raise PreferenceError(f"{what} must be a number {where}, not {value!r}", hint="try 0.5.")
    return number
