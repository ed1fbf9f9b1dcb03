"""Populations: datasets that their controllers declare to be about the same people."""

from __future__ import annotations

from collections.abc import Collection

from sfumato.errors import BadInput, Forbidden
from sfumato.escrow.dataset import RegisteredDataset, all_datasets
from sfumato.escrow.identity.person import Person
from sfumato.escrow.notifications import Happened, Notifications
from sfumato.escrow.ports import EscrowPorts
from sfumato.ledger.population import Declaration, counted_together, declaration, declarations

_LONGEST = 200


class Populations:
    """Equality of rows is an exact fact about the data, and is reported to controllers only."""

    def __init__(self, ports: EscrowPorts, notifications: Notifications) -> None:
        self._ports, self._notifications = ports, notifications
        self._rows, self._versions = ports.rows("datasets"), ports.rows("versions")

    def checked(self, actor: Person, dataset: str, text: str) -> str | None:
        """A valid population name; the person who adds a dataset to it has to control its other datasets."""
        population = " ".join(text.split())
        if len(population) > _LONGEST:
            raise BadInput.because("population-name-length", longest=_LONGEST)
        together = self._together(dataset, {declaration(dataset, population)} if population else set())
        others = [registered for registered in all_datasets(self._rows) if registered.name in together - {dataset}]
        if not all(registered.is_controlled_by(actor) for registered in others):
            raise Forbidden.because("population-of-others", population=population or dataset)
        return population or None

    def _together(self, dataset: str, also: Collection[Declaration] = ()) -> frozenset[str]:
        return counted_together(dataset, declarations(self._ports.ledger.read(0)).union(also))

    def same_rows(self, dataset: RegisteredDataset) -> list[RegisteredDataset]:
        """The datasets that were delivered the same rows and are counted separately: for its controllers alone."""
        own = [row["digest"] for row in self._versions.many(dataset=dataset.name, limit=100_000) if row["digest"]]
        others = {row["dataset"] for row in self._versions.many(digest=own, limit=100_000)} if own else set()
        if apart := others - {dataset.name}:
            apart -= self._together(dataset.name)
        return [other for other in all_datasets(self._rows) if other.name in apart]

    def tell(self, dataset: RegisteredDataset) -> None:
        """Tell the controllers of a dataset, and of those with the same rows, that they are counted separately."""
        for other in self.same_rows(dataset):
            for one, two in ((dataset, other), (other, dataset)):
                for name in one.controllers:
                    known = two.name if name in two.controllers else None
                    about = f"dataset {one.name}"
                    self._notifications.tell([name], Happened.SAME_ROWS, about, dataset=one.name, other=known)
