"""What analysts do with their submissions: see where they stand, take them back, fetch the result."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import replace
from enum import Enum
from typing import Generic, TypeVar

from sfumato.errors import AwaitingApproval, Conflict, Forbidden, Gone, TooMany
from sfumato.escrow.dataset import RegisteredDataset
from sfumato.escrow.identity.person import Person, Role
from sfumato.escrow.submissions.approval import Approval
from sfumato.escrow.submissions.assignment import Assignment
from sfumato.escrow.submissions.execution import Execution
from sfumato.escrow.submissions.lifecycle import PENDING, Act, State, Submission
from sfumato.escrow.submissions.payload import F, Payload, W
from sfumato.escrow.submissions.store import EVERY, SubmissionFilter, SubmissionStore
from sfumato.escrow.submissions.visibility import VisibleSubmission, visible
from sfumato.ports import Selection

T = TypeVar("T", bound=Submission)
R = TypeVar("R")  # a result that was released


class Whose(Enum):
    """Which submissions a list is of: those one may see, one's own, or those of others to one's datasets."""

    VISIBLE = 1
    OWN = 2
    TO_DECIDE = 3


class Submissions(ABC, Generic[T, F, R, W]):
    """Submissions of one kind, with the `approval` and the `execution` of them."""

    def __init__(self, store: SubmissionStore[T]) -> None:
        self._store, self._ports, self._datasets = store, store.ports, store.datasets
        self.execution = Execution(store, self.payload)
        self.approval = Approval(store, self.payload, self.execution.start)
        self.assignment = Assignment(store)

    @abstractmethod
    def payload(self, submission: T, dataset: RegisteredDataset, preregistered: str = "") -> Payload[T, F, W]: ...

    @abstractmethod
    def _released_result(self, submission: T, dataset: RegisteredDataset) -> R:
        """The result, as long as the policy keeps it."""

    @abstractmethod
    def _current(self, submission: T) -> dict[str, object]:
        """Standing and progress of one that runs."""

    def one(self, actor: Person, id: str) -> VisibleSubmission[T]:
        return self._visible(actor, *self._store.get_visible(actor, id))

    def result(self, actor: Person, id: str) -> R:
        """The result, to the analyst and to those who control the data; nothing before it is released."""
        with self._ports.reading():
            submission, dataset = self._store.get_visible(actor, id)
            state = submission.state
            if state in PENDING:
                raise AwaitingApproval.because("result-awaited", what=submission.noun, state=state.value)
            if state is not State.RELEASED:
                raise Gone.because("no-result", what=submission.noun, state=state.value, note=submission.note)
            if not self._may_have(actor, submission, dataset):
                raise Forbidden.because("result-of-others", what=submission.noun)
            return self._released_result(submission, dataset)

    def _add(
        self,
        submission: T,
        dataset: RegisteredDataset,
        key: str | None,
        body: str,
        *,
        automatic: bool,
        verb: str,
        logged: Mapping[str, object],
        notified: Mapping[str, object],
        require: Callable[[], None] = lambda: None,
    ) -> T:
        """Store a new submission, if what is required still holds; what the policy approves by itself goes on at once.

        Controllers are told of any other. Sent twice with one key, it is one.
        """
        if automatic:
            approved, now = submission.next_state(Act.APPROVE), self._ports.moment
            submission = replace(submission, state=approved, decided_at=now)
        with self._ports.transaction():
            require()
            if automatic:
                self._require_room(submission)
            if (earlier := self._store.add(submission, key, body)) is not None:
                return earlier
            stored = self._store.get(submission.id)
            self._store.log(stored.analyst, verb, stored.id, logged)
            if automatic:
                self._store.log("the policy", "approved", stored.id, {"binding": stored.binding})
            else:
                self._store.notify(dataset.controllers, "submitted", stored, who=stored.analyst, **notified)
        if automatic:
            self.execution.start(stored)
        return stored

    def _require_room(self, submission: T) -> None:
        """Refuse what an analyst adds to a queue that is long already; a controller's approval is always kept."""
        most, states = self._ports.limits.most_waiting, [State.APPROVED.value, State.RUNNING.value]
        if len(self._store.rows.many(analyst=submission.analyst, state=states, limit=most)) >= most:
            raise TooMany.because("submissions-waiting", what=submission.noun, most=most)

    def withdraw(self, actor: Person, id: str) -> T:
        """Take back what waits, or stop what runs. What was charged stays charged."""
        return self._end(actor, self._own(actor, id), "withdrew")

    def _own(self, actor: Person, id: str) -> T:
        submission, _ = self._store.get_visible(actor, id)
        if submission.analyst != actor.name:
            raise Forbidden.because("withdrawn-by-others")
        return submission

    def _end(self, actor: Person, submission: T, verb: str) -> T:
        if submission.state is State.RUNNING:
            if not self._stop(submission.id):
                raise Conflict.because("submission-not-running")
            self._store.log(actor.name, "stopped", submission.id)
        else:
            self._store.move(submission, Act.WITHDRAW, {"decided_at": self._ports.moment})
            self._store.log(actor.name, verb, submission.id)
        return self._store.get(submission.id)

    def _stop(self, id: str) -> bool:
        """Stop what runs here, and return whether there was something."""
        return self._ports.runner.cancel(id)

    def listed(
        self,
        actor: Person,
        filter: SubmissionFilter = EVERY,
        *,
        whose: Whose = Whose.VISIBLE,
        after: int | None = None,
        skip: int = 0,
        limit: int = 100,
    ) -> list[VisibleSubmission[T]]:
        """An analyst's own, a controller's for their datasets, an auditor's for all; newest first."""
        selection = self._selection(actor, filter, whose)
        rows = self._store.rows.listed(selection, after=after, skip=skip, limit=limit, newest_first=True)
        datasets = self._store.datasets_of(rows)
        return [self._visible(actor, self._store.kind.from_row(row), datasets[row["dataset"]]) for row in rows]

    def counts(self, actor: Person, filter: SubmissionFilter = EVERY, whose: Whose = Whose.VISIBLE) -> dict[State, int]:
        """How many there are of these in each state."""
        counts = self._store.rows.counts(self._selection(actor, filter, whose), "state")
        return {State(state): rows for (state,), rows in counts.items()}

    def values(self, actor: Person, column: str, whose: Whose = Whose.VISIBLE) -> list[str]:
        """What these have in a column, for a filter to choose from."""
        counts = self._store.rows.counts(self._selection(actor, EVERY, whose), column)
        return sorted(value for (value,) in counts if value is not None)

    def identical_to(self, actor: Person, id: str) -> dict[str, object]:
        """What identical ones are equal in, of one that this person may see."""
        return self._store.identical_to(actor, id)

    def _selection(self, actor: Person, filter: SubmissionFilter, whose: Whose) -> Selection:
        store = self._store
        match whose:
            case Whose.OWN:
                return store.own(actor, filter)
            case Whose.TO_DECIDE:
                return store.to_datasets_of(actor, filter)
        return store.visible_to(actor, filter)

    def _visible(
        self, actor: Person, submission: T, dataset: RegisteredDataset, **current: object
    ) -> VisibleSubmission[T]:
        to_controller = dataset.is_controlled_by(actor) or actor.has(Role.AUDITOR)
        current |= self._current(submission) if submission.state is State.RUNNING else {}
        return visible(submission, to_controller=to_controller, **current)

    def _may_have(self, actor: Person, submission: T, dataset: RegisteredDataset) -> bool:
        return dataset.is_controlled_by(actor) or submission.analyst == actor.name
