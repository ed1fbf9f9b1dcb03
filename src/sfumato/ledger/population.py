"""Which datasets are about the same people: by every declaration that the ledger has ever entered."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from sfumato.ledger.entry import Draft, Entry, Event

Declaration = tuple[str, str]  # a dataset, and the population that its controller named for it


def declaration(dataset: str, population: str) -> Declaration:
    """A declaration as it is compared: names are the same in upper and lower case."""
    return dataset.casefold(), population.casefold()


def declared_by(draft: Draft) -> Declaration | None:
    """The declaration that an entry makes, if it makes one."""
    named = draft.public.get("population") if draft.event is Event.OPENED else None
    return declaration(draft.dataset, str(named)) if named else None


def declarations(entries: Iterable[Entry]) -> frozenset[Declaration]:
    """Every declaration in a ledger: a later one does not take an earlier one back."""
    return frozenset(declaration for entry in entries if (declaration := declared_by(entry.draft)) is not None)


def counted_together(dataset: str, declared: Collection[Declaration]) -> frozenset[str]:
    """The names of the datasets that share one count with a dataset, its own among them.

    A dataset is in the population of its own name as well. Populations that have a dataset in common are one.

    >>> sorted(counted_together("stays", [("bills", "patients"), ("stays", "patients"), ("crops", "fields")]))
    ['bills', 'patients', 'stays']
    """
    names = {dataset.casefold()}
    while more := {name for pair in declared if not names.isdisjoint(pair) for name in pair} - names:
        names |= more
    return frozenset(names)
