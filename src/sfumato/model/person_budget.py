"""A budget per person: each person is included in sums and counts while their own total stays within it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from sfumato.model.budget import MOST_DELTA, limit

MOST_PER_PERSON = 1000
NAME, DELTA_NAME = "budget_per_person", "budget_per_person_delta"


@dataclass(frozen=True)
class PersonBudget:
    """Epsilon, and a delta where totals are of rho: Gaussian noise may then be drawn too. Numbers are exact."""

    epsilon: Fraction
    delta: Fraction = Fraction(0)

    def strictest(self, other: PersonBudget | None) -> PersonBudget:
        """What holds where both are stated."""
        if other is None:
            return self
        return PersonBudget(min(self.epsilon, other.epsilon), min(self.delta, other.delta))

    def as_texts(self) -> dict[str, str]:
        """Exactly, under the names that a schema and a policy have for them."""
        texts = {NAME: str(self.epsilon)}
        return texts | ({DELTA_NAME: str(self.delta)} if self.delta else {})

    @classmethod
    def from_texts(cls, texts: Mapping[str, object]) -> PersonBudget | None:
        """The inverse of `as_texts`; None where none is stated."""
        if NAME not in texts:
            return None
        return cls(Fraction(str(texts[NAME])), Fraction(str(texts.get(DELTA_NAME, 0))))


def person_budget(epsilon: object, delta: object = None) -> PersonBudget | None:
    """A budget per person as it is stated; None where it is not.

    >>> person_budget(1), person_budget(None)
    (PersonBudget(epsilon=Fraction(1, 1), delta=Fraction(0, 1)), None)
    """
    if epsilon is None:
        return None
    exact = Fraction(0) if delta is None else limit(DELTA_NAME, delta, MOST_DELTA)
    return PersonBudget(limit(NAME, epsilon, MOST_PER_PERSON), exact)
