"""How a table fits its schema; for controllers."""

from __future__ import annotations

from dataclasses import asdict

from sfumato.model.data_quality import DataQuality, ValueClass
from sfumato.model.fit import Fit
from sfumato.presentation.document import Cells, CodeLines, Document
from sfumato.presentation.wording import guarantee as of_guarantee
from sfumato.presentation.wording import ledger_sentences as of_ledger
from sfumato.presentation.wording import schema_sentences as of_schema


def document(fit: Fit) -> Document:
    columns = ["column", "missing", "wrong type", "out of bounds", "unlisted category"]
    rows = [[c.name, *(f"{n:,}" for n in (c.missing, c.unfit, c.clamped, c.unlisted))] for c in fit.columns]
    return Document("", (CodeLines(f"{fit.people:,} rows. {of_guarantee.LOOK}"), Cells(columns, rows)))


def as_dict(fit: Fit) -> dict[str, object]:
    return asdict(fit)


def quality_document(quality: DataQuality) -> Document:
    """Noisy counts by column and class, how far the noise reaches, the guarantee and what is used of the budget."""
    kinds = [kind for kind in ValueClass if any(kind in column.counts for column in quality.columns)]
    counts = [column.counts for column in quality.columns]
    rows = [
        [column.name, *(f"{by_kind[kind]:,}" if kind in by_kind else "" for kind in kinds)]
        for column, by_kind in zip(quality.columns, counts, strict=True)
    ]
    certificate = quality.certificate
    lines = [*of_schema.quality(quality), "", of_guarantee.guarantee(certificate), of_ledger.used(certificate)]
    return Document("", (Cells(["column", *kinds], rows), CodeLines("\n".join(lines))))
