"""A recurring plan in one period: what will be released, and what was."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from sfumato.model.budget import BudgetLimit
from sfumato.model.period import CalendarPeriod
from sfumato.model.release import ReleaseCertificate
from sfumato.presentation.table import table
from sfumato.presentation.wording import ledger_sentences as of_ledger


@dataclass(frozen=True)
class PlannedRow:
    """A figure before it is released."""

    name: str
    epsilon: float | None
    delta: float | None
    is_released: bool
    sql: str


@dataclass(frozen=True)
class Done:
    """A figure that was released, now or before."""

    name: str
    certificate: ReleaseCertificate
    is_new: bool
    files: tuple[Path, ...]

    @property
    def charged(self) -> float:
        return (self.certificate.charged or 0.0) if self.is_new else 0.0


def preview(period: CalendarPeriod, figures: Sequence[PlannedRow], left: Fraction | None, budget: BudgetLimit) -> str:
    """What a run would release, and whether the budget has enough for it."""
    rows = [[f.name, _number(f.epsilon), "released" if f.is_released else "to be released", f.sql] for f in figures]
    needed = _needed(figures)
    enough = ""
    if left is not None:
        enough = f" Budget: {budget.words}; {float(left):.15g} is left now, which is "
        enough += "enough." if left >= needed else "not enough."
    head = f"Figures of {period.name}. No data was read and nothing was charged."
    listed = table(["figure", "epsilon", "state", "query"], rows)
    return f"{head}\n\n{listed}\n\nTo be charged at most: epsilon {float(needed):.15g}.{enough}"


def preview_as_dict(period: CalendarPeriod, figures: Sequence[PlannedRow], left: Fraction | None) -> dict[str, object]:
    return {
        "period": period.name,
        "figures": [dict(vars(figure)) for figure in figures],
        "needed": float(_needed(figures)),
        "left": None if left is None else float(left),
    }


def line(period: CalendarPeriod, done: Done) -> str:
    """One figure, as soon as its files are written."""
    state = f"released, epsilon {done.charged:.15g} charged" if done.is_new else "in the ledger, nothing charged"
    files = f": {', '.join(map(str, done.files))}" if done.files else ""
    return f"{period.name}  {done.name}  {state}{files}"


def ending(figures: Sequence[Done]) -> str:
    """What the plan charged in this run, and the totals after its last release."""
    new = [done for done in figures if done.is_new]
    count = f"{len(figures)} figure{'' if len(figures) == 1 else 's'}, {len(new)} of them new"
    head = f"{count}: epsilon {float(_charged(figures)):.15g} charged."
    return f"{head} {of_ledger.used(new[-1].certificate)}" if new else head


def as_dict(period: CalendarPeriod, figures: Sequence[Done]) -> dict[str, object]:
    return {
        "period": period.name,
        "charged": float(_charged(figures)),
        "figures": [
            {
                "name": done.name,
                "new": done.is_new,
                "charged": done.charged,
                "files": list(map(str, done.files)),
                "ledger_entry": done.certificate.ledger_entry,
            }
            for done in figures
        ],
    }


def _needed(figures: Sequence[PlannedRow]) -> Fraction:
    return sum((Fraction(str(f.epsilon or 0)) for f in figures if not f.is_released), Fraction(0))


def _charged(figures: Sequence[Done]) -> Fraction:
    return sum((Fraction(str(done.charged)) for done in figures), Fraction(0))


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.15g}"
