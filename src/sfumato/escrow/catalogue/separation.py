"""Viewers of individual risks and deciders as separate people: who looked neither decides nor writes.

See docs/theory/deciding.md.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from sfumato.errors import Conflict, Forbidden
from sfumato.escrow.dataset import RegisteredDataset
from sfumato.escrow.identity.person import Person, Role
from sfumato.ledger.history import Record


class LookedBy(StrEnum):
    """Who has looked, from a decider's point of view."""

    ONESELF = "oneself"  # the decider, who may no longer decide under separation
    OTHERS = "others"  # viewers whom the policy separates from deciders
    ANYONE = "anyone"  # any person: a decision after that has no guarantee


@dataclass(frozen=True)
class EarlierLook:
    """Looks before a decision; `viewers` counts the people who viewed individual risks."""

    by: LookedBy
    viewers: int


def is_viewer(record: Record, actor: Person) -> bool:
    """Whether this person may not decide: they viewed individual risks, and the policy keeps viewers apart."""
    return record.separated and actor.name in record.viewers


def decides_after_look(record: Record, actor: Person) -> bool:
    """Whether a decision of this person follows a look: by anyone, or under separation their own."""
    return record.anyone_looked and not record.decides_blindly(actor.name)


def refuse_viewer(record: Record, actor: Person, to: str) -> None:
    """Refuse an act to a person who has viewed individual risks; `to` names the act."""
    if is_viewer(record, actor):
        raise Forbidden.because("viewer-decides", dataset=record.dataset, to=to)


def refuse_last(record: Record, dataset: RegisteredDataset, actor: Person, people: Iterable[Person]) -> None:
    """Refuse the look of the last decider or the last admin: no one else could do their part."""
    if not record.separated or actor.name in record.viewers:
        return
    left = [one for one in people if not one.disabled and one.name not in record.viewers | {actor.name}]
    if not any(dataset.is_controlled_by(one) for one in left):
        raise Conflict.because("look-of-last-controller")
    if actor.has(Role.ADMIN) and not any(one.has(Role.ADMIN) for one in left):
        raise Conflict.because("look-of-last-admin")


def earlier_look(record: Record, actor: Person) -> EarlierLook | None:
    """Looks that a decider is warned of; None if there were none."""
    if not record.anyone_looked:
        return None
    others = LookedBy.OTHERS if record.separated else LookedBy.ANYONE
    return EarlierLook(LookedBy.ONESELF if is_viewer(record, actor) else others, len(record.viewers))
