"""Ledgers of an escrow: for users, and for the public page."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from sfumato.escrow.catalogue.datasets import DatasetLedger, PublicRecord
from sfumato.ledger.entry import Event
from sfumato.model.guarantee import Guarantee
from sfumato.model.plain import LEFT_OUT, from_plain
from sfumato.presentation import ledger_view
from sfumato.presentation.wording import guarantee as of_guarantee
from sfumato.presentation.wording import ledger_sentences as of_ledger


@dataclass(frozen=True)
class WordedEntry:
    """One entry of a ledger; `word` is its guarantee in words. Fields that an event does not have are null."""

    number: int
    dataset: str
    at: str
    who: str
    event: Event
    charged: float
    delta: float
    guarantee: Guarantee | None
    word: str | None
    attested: tuple[str, ...]
    chosen_by: str | None
    mechanism: str | None
    rho: float | None
    at_most: float | None
    what: str | None
    kind: str | None
    epsilon: float | None
    select_epsilon: float | None
    version: str | None
    follows: str | None
    digest: str


@dataclass(frozen=True)
class SpendingLimit:
    epsilon: float | None
    delta: float | None


@dataclass(frozen=True, kw_only=True)
class WordedLedger:
    """The part of a ledger that a user may see, with the total in sentences; an analyst sees no entries."""

    dataset: str
    population: str | None
    spent: float | None
    delta: float | None
    at_most: float | None
    rho: float | None
    rho_delta: float | None
    guarantee: Guarantee
    budget: SpendingLimit | None
    entries: tuple[WordedEntry, ...] | None = field(default=None, metadata=LEFT_OUT)
    sentences: tuple[str, ...]


def ledger(dataset: DatasetLedger) -> WordedLedger:
    total, budget = dataset.record.total, dataset.budget
    facts = ledger_view.as_dict(dataset.record, of=dataset.datasets) | {
        "budget": {name: limit and float(limit) for name, limit in vars(budget).items()} if budget.is_limited else None,
        "sentences": [ledger_view.total_text(total), of_ledger.odds(total)],
    }
    worded = from_plain(WordedLedger, facts)
    return worded if dataset.entries else replace(worded, entries=None)


def public_page(dataset: PublicRecord) -> dict[str, object]:
    """The public page of a dataset."""
    protected = of_ledger.who_is_protected(dataset.schema.unit, dataset.schema.relation)
    about: dict[str, object] = {"name": dataset.name, "title": dataset.title, "purpose": dataset.purpose}
    facts = about | ledger_view.for_everyone(dataset.record)
    return facts | {"protected": protected, "budget": of_guarantee.budget(dataset.budget)}
