"""A cache of ledger records, so that the next opening of a dataset reads on from there."""

from __future__ import annotations

from collections.abc import Collection

from sfumato.ledger.history import Record
from sfumato.ledger.population import Declaration


class Records:
    """The records of one ledger, by dataset; both stored and returned records are copies."""

    def __init__(self) -> None:
        self._kept: dict[str, Record] = {}

    def of(self, dataset: str, declared: Collection[Declaration] = ()) -> Record:
        """The record as it was read last, if it knows what is declared; else one that is to be read anew."""
        kept = self._kept.get(dataset)
        if kept is None or not kept.declared.issuperset(declared):
            return Record(dataset, declared)
        return kept.copy()

    def keep(self, record: Record) -> None:
        kept = self._kept.get(record.dataset)
        if kept is None or kept.last < record.last:
            self._kept[record.dataset] = record.copy()
