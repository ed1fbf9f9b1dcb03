"""How much may be spent on one dataset, in all and in each calendar period: public, and stated by a person."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from sfumato.errors import PreferenceError
from sfumato.model.period import Period

MOST_EPSILON, MOST_DELTA = 1_000_000, 1
_KEYS = ("epsilon", "delta", "per", "in_all")
_PART = re.compile(
    r"\s*(?P<epsilon>[^\s,]+)(?:\s+delta\s+(?P<delta>[^\s,]+))?(?:\s+per\s+(?P<per>\w+)|\s+in\s+all)?\s*"
)


@dataclass(frozen=True)
class PeriodLimit:
    """The most that the releases of one calendar period may add up to."""

    period: Period
    epsilon: Fraction | None = None
    delta: Fraction | None = None


@dataclass(frozen=True)
class BudgetNumber:
    """One number that is not to be passed: of epsilon or delta, in all or in each period."""

    name: str
    most: Fraction
    period: Period | None = None

    @property
    def words(self) -> str:
        per = "" if self.period is None else f" per {self.period}"
        return f"{self.name} {float(self.most):.15g}{per}"


@dataclass(frozen=True)
class BudgetLimit:
    """The most that the releases of a dataset may add up to; what is None has no limit. Numbers are exact.

    `per` has at most one limit for each length of a period, from the shortest on.
    """

    epsilon: Fraction | None = None
    delta: Fraction | None = None
    per: tuple[PeriodLimit, ...] = ()

    @property
    def is_limited(self) -> bool:
        return self != NO_BUDGET

    @property
    def limits(self) -> Iterator[BudgetNumber]:
        """Every number that is stated: those in all first."""
        every = [(None, self.epsilon, self.delta), *((one.period, one.epsilon, one.delta) for one in self.per)]
        for period, epsilon, delta in every:
            for name, most in (("epsilon", epsilon), ("delta", delta)):
                if most is not None:
                    yield BudgetNumber(name, most, period)

    @property
    def limits_epsilon(self) -> bool:
        return any(limit.name == "epsilon" for limit in self.limits)

    def strictest(self, other: BudgetLimit) -> BudgetLimit:
        """What holds where both are stated."""
        each = {limit.period: limit for limit in self.per}
        for limit in other.per:
            known = each.get(limit.period, PeriodLimit(limit.period))
            lower = _lower(known.epsilon, limit.epsilon), _lower(known.delta, limit.delta)
            each[limit.period] = PeriodLimit(limit.period, *lower)
        per = tuple(each[period] for period in Period if period in each)
        return BudgetLimit(_lower(self.epsilon, other.epsilon), _lower(self.delta, other.delta), per)

    @property
    def words(self) -> str | None:
        """What is stated, for a certificate; None where nothing is.

        >>> BudgetLimit(Fraction(3), Fraction(1, 10**6)).words
        'epsilon 3, delta 1e-06'
        >>> budget_of("1 per month, 12 in all").words
        'epsilon 12, epsilon 1 per month'
        """
        return ", ".join(limit.words for limit in self.limits) or None

    def as_texts(self) -> dict[str, Any]:
        """What is stated, exactly, for a record."""
        return _as(self, str)

    def as_floats(self) -> dict[str, Any]:
        """The same for JSON; what is not limited in all is null."""
        return {"epsilon": None, "delta": None} | _as(self, float)

    @classmethod
    def from_texts(cls, texts: Mapping[str, Any]) -> BudgetLimit:
        in_all = {name: Fraction(text) for name, text in texts.items() if name != "per"}
        per = texts.get("per", {})
        limits = {Period(period): {name: Fraction(text) for name, text in both.items()} for period, both in per.items()}
        return cls(**in_all, per=tuple(PeriodLimit(period, **limits[period]) for period in Period if period in limits))


NO_BUDGET = BudgetLimit()


def budget_of(budget: object) -> BudgetLimit:
    """A budget as it is stated: an epsilon, a pair of epsilon and delta, a text, a table, or nothing.

    >>> budget_of(0.3) == BudgetLimit(Fraction(3, 10))
    True
    >>> budget_of((3, 1e-6)).as_texts()
    {'epsilon': '3', 'delta': '1/1000000'}
    >>> budget_of({"epsilon": 1, "per": "month", "in_all": 12}) == budget_of("1 per month, 12 in all")
    True
    """
    match budget:
        case None:
            return NO_BUDGET
        case str():
            return _from_text(budget)
        case Mapping():
            return _from_table(budget)
        case [epsilon, delta]:
            return BudgetLimit(limit("budget", epsilon, MOST_EPSILON), limit("budget_delta", delta, MOST_DELTA))
        case epsilon:
            return BudgetLimit(limit("budget", epsilon, MOST_EPSILON))


def limit(what: str, number: object, most: int) -> Fraction:
    """A number from 0 to `most`, exactly as it is written."""
    if isinstance(number, int | float | Fraction) and not isinstance(number, bool) and 0 <= number <= most:
        return Fraction(str(number))
    raise PreferenceError.because("budget-out-of-range", what=what, most=most, stated=repr(number))


def _from_table(table: Mapping[Any, Any]) -> BudgetLimit:
    """`in_all` is an epsilon, or a pair of epsilon and delta."""
    unknown = [str(key) for key in table if key not in _KEYS]
    if unknown or not {"epsilon", "delta"}.intersection(table):
        raise PreferenceError.because("budget-table", unknown=", ".join(unknown), known=list(_KEYS))
    epsilon = limit("budget", table["epsilon"], MOST_EPSILON) if "epsilon" in table else None
    delta = limit("budget_delta", table["delta"], MOST_DELTA) if "delta" in table else None
    if "per" not in table:
        budget = BudgetLimit(epsilon, delta)
    elif table["per"] in list(Period):
        budget = BudgetLimit(per=(PeriodLimit(Period(table["per"]), epsilon, delta),))
    else:
        raise PreferenceError.because("budget-period", stated=repr(table["per"]), periods=list(map(str, Period)))
    in_all = table.get("in_all")
    if isinstance(in_all, str | Mapping):
        raise PreferenceError.because("budget-out-of-range", what="budget", most=MOST_EPSILON, stated=repr(in_all))
    return budget.strictest(budget_of(in_all))


def _from_text(text: str) -> BudgetLimit:
    """Parts with commas, each an epsilon and what it is for: '1 delta 1e-6 per month, 12 in all'."""
    budget = NO_BUDGET
    for part in text.split(","):
        words = _PART.fullmatch(part)
        if words is None:
            raise PreferenceError.because("budget-text", stated=repr(text))
        numbers = {name: _number(words[name]) for name in ("epsilon", "delta") if words[name]}
        budget = budget.strictest(_from_table(numbers | ({"per": words["per"]} if words["per"] else {})))
    return budget


def _number(text: str) -> object:
    """A number as it is written; what is none stays a text, to be refused."""
    try:
        return int(text) if text.isdigit() else float(text)
    except ValueError:
        return text


def _as(budget: BudgetLimit, kind: type) -> dict[str, Any]:
    numbers: dict[str, Any] = {}
    for one in budget.limits:
        place = numbers if one.period is None else numbers.setdefault("per", {}).setdefault(one.period.value, {})
        place[one.name] = kind(one.most)
    return numbers


def _lower(first: Fraction | None, second: Fraction | None) -> Fraction | None:
    return min((limit for limit in (first, second) if limit is not None), default=None)
