"""Who is to decide a submission."""

from __future__ import annotations

from typing import Generic, TypeVar

from sfumato.errors import BadInput, Conflict
from sfumato.escrow.identity.person import Person
from sfumato.escrow.submissions.lifecycle import PENDING, Submission
from sfumato.escrow.submissions.store import SubmissionStore

T = TypeVar("T", bound=Submission)


class Assignment(Generic[T]):
    def __init__(self, store: SubmissionStore[T]) -> None:
        self._store, self._ports = store, store.ports

    def assign(self, actor: Person, id: str, to: str | None) -> T:
        """Say which controller of its dataset is to decide a submission, or None: every controller still may."""
        submission, dataset = self._store.get_decidable(actor, id)
        name = None if to is None else to.strip().casefold()
        if submission.state not in PENDING:
            raise Conflict.because("assigned-when-decided", what=submission.noun, state=submission.state.value)
        able = [one for one in dataset.controllers if one != submission.analyst]
        if name is not None and name not in able:
            raise BadInput.because("assigned-to-others", name=name, controllers=able)
        if name == submission.assigned_to:
            return submission
        with self._ports.transaction():
            self._store.change(submission, {"assigned_to": name})
            self._store.log(actor.name, "assigned", submission.id, {"to": name})
            if name not in (None, actor.name):
                self._store.notify([str(name)], "assigned", submission, who=actor.name)
        return self._store.get(submission.id)
