"""Spending over time: each charge in order, what remains, and when the budget would be used up at the same rate."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from sfumato.ledger.entry import NANO, Entry, Event

LEAST_DAYS = 7  # a rate over less time says little about the months to come
MOST_DAYS = 36_500


@dataclass(frozen=True)
class SpendingPoint:
    """One charge, and what all charges come to with it."""

    number: int
    at: datetime
    nano_epsilon: int
    nano_spent: int

    @property
    def spent(self) -> float:
        return self.nano_spent / NANO


@dataclass(frozen=True)
class Spending:
    """The charges that a user may see; `nano_epsilon` counts all of the population, also those that are not shown."""

    points: tuple[SpendingPoint, ...]
    nano_epsilon: int
    budget: float | None
    now: datetime

    @property
    def spent(self) -> float:
        return self.nano_epsilon / NANO

    @property
    def elsewhere(self) -> float:
        """Charged to datasets of the population that the user may not see."""
        return (self.nano_epsilon - (self.points[-1].nano_spent if self.points else 0)) / NANO

    @property
    def remaining(self) -> float | None:
        return None if self.budget is None else max(round(self.budget * NANO) - self.nano_epsilon, 0) / NANO

    @property
    def days(self) -> float:
        """Days since the first charge."""
        return (self.now - self.points[0].at) / timedelta(days=1) if self.points else 0.0

    @property
    def days_left(self) -> float | None:
        """Days until the budget is used up at the average rate since the first charge, where there is such a rate."""
        if not self.remaining or self.elsewhere or self.days < LEAST_DAYS or not self.nano_epsilon:
            return None
        return self.remaining / self.spent * self.days

    @property
    def used_up(self) -> datetime | None:
        """When the budget is used up at that rate, within 100 years."""
        left = self.days_left
        return None if left is None or left > MOST_DAYS else self.now + timedelta(days=left)

    def by(self, names: Mapping[int, str], otherwise: str, most: int = 8) -> dict[str, float]:
        """Epsilon by the name of each entry: the largest `most` first, the smaller ones together, unnamed ones last."""
        totals: dict[str, int] = {}
        for point in self.points:
            name = names.get(point.number, otherwise)
            totals[name] = totals.get(name, 0) + point.nano_epsilon
        ordered = sorted((name for name in totals if name != otherwise), key=lambda name: (-totals[name], name))
        if len(ordered) > most:
            kept, beyond = ordered[: most - 1], ordered[most - 1 :]
            totals[rest := f"{len(beyond)} others"] = sum(totals[name] for name in beyond)
            ordered = [*kept, rest]
        return {name: totals[name] / NANO for name in (*ordered, otherwise) if name in totals}


def spending(entries: Iterable[Entry], nano_epsilon: int, budget: float | None, now: datetime) -> Spending:
    """The charges among these entries over time."""
    points: list[SpendingPoint] = []
    for entry in entries:
        draft = entry.draft
        if draft.event is Event.RESERVED:
            spent = draft.nano_epsilon + (points[-1].nano_spent if points else 0)
            points.append(SpendingPoint(entry.number, datetime.fromisoformat(draft.at), draft.nano_epsilon, spent))
    return Spending(tuple(points), nano_epsilon, budget, max(now, points[-1].at) if points else now)
