"""Datasets of an escrow as they are shown: what was spent, to those who may see it and to everybody."""

from __future__ import annotations

from typing import Any

from sfumato.escrow.catalogue.datasets import DatasetLedger, PublicRecord
from sfumato.presentation import ledger_view
from sfumato.presentation.wording import guarantee as of_guarantee
from sfumato.presentation.wording import ledger_sentences as of_ledger


def ledger(found: DatasetLedger) -> dict[str, Any]:
    """What a person may see of a dataset's ledger, with the total in sentences."""
    total, budget = found.record.total, found.budget
    shown = ledger_view.as_dict(found.record, of=found.datasets) | {
        "budget": {name: limit and float(limit) for name, limit in vars(budget).items()} if budget.is_limited else None,
        "sentences": [ledger_view.total_text(total), of_ledger.odds(total)],
    }
    return shown if found.entries else {name: value for name, value in shown.items() if name != "entries"}


def public_page(found: PublicRecord) -> dict[str, object]:
    """What everybody may read of a dataset."""
    protected = of_ledger.who_is_protected(found.schema.unit, found.schema.relation)
    about: dict[str, object] = {"name": found.name, "title": found.title, "purpose": found.purpose}
    shown = about | ledger_view.for_everybody(found.record)
    return shown | {"protected": protected, "budget": of_guarantee.budget(found.budget)}
