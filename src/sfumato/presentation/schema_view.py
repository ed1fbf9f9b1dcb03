"""How a table fits its schema, for the controller's eyes."""

from __future__ import annotations

from dataclasses import asdict

from sfumato.model.fit import Fit
from sfumato.presentation.table import table
from sfumato.presentation.wording import guarantee as of_guarantee


def as_text(fit: Fit) -> str:
    columns = ["column", "missing", "unfit for its type", "beyond the bounds", "not listed"]
    rows = [[c.name, *(f"{n:,}" for n in (c.missing, c.unfit, c.clamped, c.unlisted))] for c in fit.columns]
    return f"{fit.people:,} rows. {of_guarantee.LOOK}\n\n{table(columns, rows)}"


def as_dict(fit: Fit) -> dict[str, object]:
    return asdict(fit)
