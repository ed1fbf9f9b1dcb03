"""Submissions of one kind as they are stored: found by those who may see them, moved one step at a time, sealed."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Generic, TypeVar

from sfumato.errors import Conflict, Forbidden, NotFound
from sfumato.escrow.catalogue.datasets import Datasets
from sfumato.escrow.dataset import RegisteredDataset
from sfumato.escrow.identity.accounts import Accounts
from sfumato.escrow.identity.person import Person, Role
from sfumato.escrow.notifications import Happened, Notifications
from sfumato.escrow.policy.store import SignedPolicy
from sfumato.escrow.ports import EscrowPorts
from sfumato.escrow.submissions.due import due_day
from sfumato.escrow.submissions.lifecycle import WAITING, Act, State, Submission
from sfumato.ports import Among, Containing, Lacking, Other, Selection

T = TypeVar("T", bound=Submission)
IDENTICAL = ("dataset", "queries", "preference", "state")
"""What identical requests are equal in: these cost the same, and one release may answer all of them."""


@dataclass(frozen=True)
class SubmissionFilter:
    """What a list is narrowed to. Each word of `search` is in a text of the submission, or is its number."""

    search: str = ""
    state: tuple[State, ...] = ()
    dataset: str | None = None
    analyst: str | None = None
    organisation: str | None = None
    kind: str | None = None
    request: str | None = None
    assigned_to: str | None = None  # a controller, or UNASSIGNED
    identical: Mapping[str, object] = field(default_factory=dict)
    apart: tuple[str, ...] | None = None  # what `separated_from` returns, where that was read before


UNASSIGNED = "-"
"""What is assigned to no one; no name of a person."""
EVERY = SubmissionFilter()


class SubmissionStore(Generic[T]):
    """With what every room of a submission needs: people, datasets, the audit log and notifications."""

    def __init__(
        self, kind: type[T], ports: EscrowPorts, accounts: Accounts, datasets: Datasets, notifications: Notifications
    ) -> None:
        self.kind, self.ports, self.accounts, self.datasets = kind, ports, accounts, datasets
        self._notifications = notifications
        self.rows = ports.rows(f"{kind.noun}s")

    # Finding

    def get(self, id: str) -> T:
        row = self.rows.one(id=id)
        assert row is not None  # submissions are never removed
        return self.kind.from_row(row)

    def get_visible(self, actor: Person, id: str) -> tuple[T, RegisteredDataset]:
        """By its id, or by its number, as people say it."""
        row = self.rows.one(number=int(id)) if id.isdecimal() and len(id) < 10 else self.rows.one(id=id)
        dataset = None if row is None else self.datasets.of(row["dataset"])
        if row is None or dataset is None or not self.may_see(actor, row, dataset):
            raise NotFound.because("submission-not-found", what=self.kind.noun)
        return self.kind.from_row(row), dataset

    def may_see(self, actor: Person, row: Mapping[str, Any], dataset: RegisteredDataset) -> bool:
        return row["analyst"] == actor.name or dataset.is_controlled_by(actor) or actor.has(Role.AUDITOR)

    def get_decidable(self, actor: Person, id: str) -> tuple[T, RegisteredDataset]:
        """One that this person may decide: of their dataset, and not their own."""
        submission, dataset = self.get_visible(actor, id)
        if not dataset.is_controlled_by(actor):
            raise Forbidden.because("decider-not-controller", dataset=dataset.name)
        if submission.analyst == actor.name:
            raise Forbidden.because("decider-is-analyst")
        return submission, dataset

    def visible_to(self, actor: Person, filter: SubmissionFilter) -> Selection:
        """What this person may see: their own, those of their datasets, and all of them as an auditor."""
        own, controlled = {"analyst": actor.name}, {"dataset": self._controlled_by(actor)}
        either = (own, controlled) if actor.has(Role.CONTROLLER) else (own,)
        return self._selection(filter, either=() if actor.has(Role.AUDITOR) else either)

    def own(self, actor: Person, filter: SubmissionFilter) -> Selection:
        """What this person submitted."""
        return self._selection(filter, {"analyst": actor.name})

    def to_datasets_of(self, actor: Person, filter: SubmissionFilter) -> Selection:
        """What others submitted to the datasets that this person controls."""
        if not actor.has(Role.CONTROLLER):
            return self._selection(filter, {"id": []})
        return self._selection(filter, {"dataset": self._controlled_by(actor), "analyst": Other([actor.name])})

    def waiting_for(self, actor: Person, filter: SubmissionFilter) -> Selection:
        """What waits for this person's decision: of their datasets, not their own, not approved by them already."""
        of_others = self.to_datasets_of(actor, filter)
        approved = Lacking({"act": Act.APPROVE.value, "who": actor.name}, ("binding", "state"))
        waits = {"state": [state.value for state in WAITING], "decided_by": approved}
        apart = self.datasets.separated_from(actor) if filter.apart is None else filter.apart
        decided_by_others = {"dataset": Other(apart)}
        in_use = {"dataset": Among("datasets", "name", {"retired": False})}
        return replace(of_others, every=(*of_others.every, waits, decided_by_others, in_use))

    def identical_to(self, actor: Person, id: str) -> dict[str, object]:
        """What identical requests are equal in, of one that this person may see."""
        row = self.get_visible(actor, id)[0].as_row()
        return {name: row[name] for name in IDENTICAL}

    def datasets_of(self, rows: Sequence[Mapping[str, Any]]) -> dict[str, RegisteredDataset]:
        """The datasets of some submissions, by name."""
        return self.datasets.named({row["dataset"] for row in rows})

    def _controlled_by(self, actor: Person) -> Among:
        return Among("datasets", "name", {"controllers": Containing(actor.name)})

    def _selection(
        self, filter: SubmissionFilter, *every: Mapping[str, object], either: Sequence[Mapping[str, object]] = ()
    ) -> Selection:
        named: dict[str, object] = {"dataset": filter.dataset and filter.dataset.casefold(), "kind": filter.kind}
        named |= {"analyst": filter.analyst and filter.analyst.casefold(), "request": filter.request}
        named |= {"state": [state.value for state in filter.state] or None}
        also = [{name: value} for name, value in named.items() if value is not None]
        if filter.assigned_to is not None:
            also.append({"assigned_to": None if filter.assigned_to == UNASSIGNED else filter.assigned_to.casefold()})
        if filter.organisation is not None:
            also.append({"analyst": Among("people", "name", {"organisation": filter.organisation})})
        return Selection((*every, *also, filter.identical), either, filter.search, self.kind.searched)

    def in_state(self, state: State) -> list[Mapping[str, Any]]:
        """The rows of all that are in a state."""
        return list(self.rows.many(state=state.value, limit=100_000))

    def sent_before(self, analyst: str, key: str | None, body: str) -> T | None:
        """What was submitted with the same idempotency key, if it was the same."""
        row = self.rows.one(analyst=analyst, idempotency=key) if key else None
        if row is None:
            return None
        if row["body_sha256"] != body:
            raise Conflict.because("idempotency-key-used", what=self.kind.noun)
        return self.kind.from_row(row)

    # Writing

    def new(
        self,
        actor: Person,
        dataset: RegisteredDataset,
        signed: SignedPolicy,
        version: str,
        *,
        due: str | None = None,
        **payload: Any,
    ) -> T:
        """A submission that is neither bound nor stored yet."""
        payload |= {"due": due_day(due, self.ports.now().date(), signed.policy.decide_within_days)}
        facts: dict[str, Any] = {"id": self.ports.new_id(), "number": 0, "dataset": dataset.name, "analyst": actor.name}
        facts |= {"state": State.SUBMITTED, "version": version, "policy": signed.number, "binding": ""}
        return self.kind(**facts, submitted_at=self.ports.moment, **payload)

    def add(self, submission: T, key: str | None, body: str, result: object = None) -> T | None:
        """Store a new one; or return the one that came in between with the same idempotency key."""
        row = submission.as_row() | {"owner": None, "idempotency": key, "body_sha256": body}
        row |= {submission.result_column: None if result is None else self.seal(submission, result, withheld=False)}
        del row["number"]
        if self.rows.add(row):
            return None
        earlier = self.sent_before(submission.analyst, key, body)
        assert earlier is not None
        return earlier

    def move(self, submission: T, act: Act, to: Mapping[str, Any]) -> None:
        """One step, if it is still where it was; those who were told that it waits need not decide any more."""
        self.change(submission, dict(to) | {"state": submission.next_state(act).value})
        if submission.state in WAITING:
            self.settle(submission)

    def change(self, submission: T, to: Mapping[str, Any]) -> None:
        """Other facts of it, if nothing came in between."""
        if not self.take(submission, to):
            raise Conflict.because("submission-changed-meanwhile")

    def take(self, submission: T, to: Mapping[str, Any], **before: object) -> bool:
        """Change it if it is still as it was, and return whether: no approval that came in between is overwritten.

        `before`: other facts that are still as they were.
        """
        before |= {"id": submission.id, "state": submission.state.value}
        return bool(self.rows.change({**before, "decided_by": submission.as_row()["decided_by"]}, to))

    # Results

    def seal(self, submission: T, result: object, *, withheld: bool) -> str:
        """What is withheld is sealed as that: a state that is edited in the database does not release it."""
        return self.ports.locks.seal(json.dumps(result).encode(), _sealed_as(submission, withheld=withheld))

    def unseal(self, submission: T) -> Any:
        row = self.rows.one(id=submission.id)
        assert row is not None
        about = _sealed_as(submission, withheld=submission.state is State.COMPUTED)
        return json.loads(self.ports.locks.unseal(row[submission.result_column], about))

    # The audit log, and notifications

    def log(self, who: str, verb: str, id: str, values: Mapping[str, object] | None = None) -> None:
        self.ports.audit.append(self.ports.moment, who, verb, id, values or {})

    def settle(self, submission: T, people: Collection[str] | None = None) -> None:
        self._notifications.settle(submission.about, submission.noun, submission.number, people)

    def notify(self, names: Iterable[str], event: str, submission: T, **values: object) -> None:
        happened = Happened(f"{submission.noun} {event}")
        self._notifications.tell(names, happened, submission.about, number=submission.number, **values)


def _sealed_as(submission: Submission, *, withheld: bool) -> str:
    return f"{'withheld ' if withheld else ''}{submission.sealed_as}"
