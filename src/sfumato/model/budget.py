"""How much may be spent on one dataset in all: public, and stated by a person."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from sfumato.errors import PreferenceError

MOST_EPSILON, MOST_DELTA = 1_000_000, 1


@dataclass(frozen=True)
class BudgetLimit:
    """The most that the releases of a dataset may add up to; what is None has no limit. Numbers are exact."""

    epsilon: Fraction | None = None
    delta: Fraction | None = None

    @property
    def is_limited(self) -> bool:
        return self != NO_BUDGET

    def strictest(self, other: BudgetLimit) -> BudgetLimit:
        """What holds where both are stated."""
        return BudgetLimit(_lower(self.epsilon, other.epsilon), _lower(self.delta, other.delta))

    @property
    def words(self) -> str | None:
        """What is stated, for a certificate; None where nothing is.

        >>> BudgetLimit(Fraction(3), Fraction(1, 10**6)).words
        'epsilon 3, delta 1e-06'
        """
        parts = [f"{name} {float(limit):.15g}" for name, limit in vars(self).items() if limit is not None]
        return ", ".join(parts) or None

    def as_texts(self) -> dict[str, str]:
        """What is stated, exactly, for a record."""
        return {name: str(limit) for name, limit in vars(self).items() if limit is not None}

    @classmethod
    def from_texts(cls, texts: Mapping[str, str]) -> BudgetLimit:
        return cls(**{name: Fraction(text) for name, text in texts.items()})


NO_BUDGET = BudgetLimit()


def budget_of(budget: object) -> BudgetLimit:
    """A budget as it is stated in Python: an epsilon, a pair of epsilon and delta, or nothing.

    >>> budget_of(0.3) == BudgetLimit(Fraction(3, 10))
    True
    >>> budget_of((3, 1e-6)).as_texts()
    {'epsilon': '3', 'delta': '1/1000000'}
    """
    match budget:
        case None:
            return NO_BUDGET
        case epsilon, delta:
            return BudgetLimit(limit("budget", epsilon, MOST_EPSILON), limit("budget_delta", delta, MOST_DELTA))
        case epsilon:
            return BudgetLimit(limit("budget", epsilon, MOST_EPSILON))


def limit(what: str, number: object, most: int) -> Fraction:
    """A number from 0 to `most`, exactly as it is written."""
    if isinstance(number, int | float | Fraction) and not isinstance(number, bool) and 0 <= number <= most:
        return Fraction(str(number))
    raise PreferenceError.because("budget-out-of-range", what=what, most=most, stated=repr(number))


def _lower(first: Fraction | None, second: Fraction | None) -> Fraction | None:
    return min((limit for limit in (first, second) if limit is not None), default=None)
