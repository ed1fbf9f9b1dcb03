"""Viewers of individual risks and deciders as separate people: who looked neither decides nor writes.

See docs/theory/deciding.md.
"""

from __future__ import annotations

from collections.abc import Iterable

from sfumato.errors import Conflict, Forbidden
from sfumato.escrow.dataset import RegisteredDataset
from sfumato.escrow.identity.person import Person, Role
from sfumato.ledger.history import Record


def is_viewer(record: Record, actor: Person) -> bool:
    """Whether this person may not decide: they viewed individual risks, and the policy keeps viewers apart."""
    return record.separated and actor.name in record.viewers


def decides_after_look(record: Record, actor: Person) -> bool:
    """Whether a decision of this person follows a look: by anybody, or under separation by themselves."""
    return record.somebody_looked and not record.decides_blindly(actor.name)


def refuse_viewer(record: Record, actor: Person, to: str) -> None:
    """Refuse what deciders or analysts would see, to whoever has viewed individual risks; `to` says what it is."""
    if is_viewer(record, actor):
        raise Forbidden.because("viewer-decides", dataset=record.dataset, to=to)


def refuse_last(record: Record, dataset: RegisteredDataset, actor: Person, people: Iterable[Person]) -> None:
    """Refuse the look of whoever is the last to decide, or the last admin: what only they may do would stay undone."""
    if not record.separated or actor.name in record.viewers:
        return
    left = [one for one in people if not one.disabled and one.name not in record.viewers | {actor.name}]
    if not any(dataset.is_controlled_by(one) for one in left):
        raise Conflict.because("look-of-last-controller")
    if actor.has(Role.ADMIN) and not any(one.has(Role.ADMIN) for one in left):
        raise Conflict.because("look-of-last-admin")
