"""How a table fits its schema; for controllers."""

from __future__ import annotations

from dataclasses import asdict

from sfumato.model.fit import Fit
from sfumato.presentation.document import Cells, CodeLines, Document
from sfumato.presentation.wording import guarantee as of_guarantee


def document(fit: Fit) -> Document:
    columns = ["column", "missing", "wrong type", "out of bounds", "unlisted category"]
    rows = [[c.name, *(f"{n:,}" for n in (c.missing, c.unfit, c.clamped, c.unlisted))] for c in fit.columns]
    return Document("", (CodeLines(f"{fit.people:,} rows. {of_guarantee.LOOK}"), Cells(columns, rows)))


def as_dict(fit: Fit) -> dict[str, object]:
    return asdict(fit)
