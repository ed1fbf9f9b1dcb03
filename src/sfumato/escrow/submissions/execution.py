"""What the platform does with an approved submission: compute it, if it still is what was approved, and seal it."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import Any, Generic, TypeVar

from sfumato.errors import Conflict, EngineFailure, Forbidden, Refused, SfumatoError, Stopping
from sfumato.escrow.catalogue.access import authorization_of
from sfumato.escrow.policy.policy import Approve
from sfumato.escrow.submissions.lifecycle import Act, State, Submission
from sfumato.escrow.submissions.payload import Approved, Computed, Payload
from sfumato.escrow.submissions.store import SubmissionStore
from sfumato.model.guarantee import Guarantee, guarantee_of, weakest

T = TypeVar("T", bound=Submission)


class Execution(Generic[T]):
    def __init__(self, store: SubmissionStore[T], payload: Callable[..., Payload[T, Any, Any]]) -> None:
        self._store, self._payload = store, payload
        self._ports, self._datasets = store.ports, store.datasets
        self.released: Callable[[T], None] = lambda _submission: None  # what goes on when a result was released

    def start(self, submission: T) -> None:
        """Execute it in the background, when it is its analyst's turn: code of an analyst waits for other code.

        An approval that can be taken back starts when that time is over.
        """
        if submission.starts_at is not None:
            self._ports.after(self._ports.until(submission.starts_at), lambda: self.begin(submission.id))
            return
        do = self._ports.in_turn if submission.has_code else self._ports.later
        do(submission.analyst, lambda: self.execute(submission.id))

    def begin(self, id: str) -> None:
        """Start what was approved once it can no longer be taken back: of several servers one does."""
        submission = self._store.get(id)
        if submission.state is not State.APPROVED or submission.starts_at is None:
            return
        if self._ports.until(submission.starts_at) > 0:
            self.start(submission)  # approved anew meanwhile
        elif self._began(submission):
            self.start(replace(submission, starts_at=None))

    def _began(self, submission: T) -> bool:
        """Whether it was this server that ended the time in which an approval can be taken back."""
        with self._ports.transaction():
            began = self._store.take(submission, {"starts_at": None}, starts_at=submission.starts_at)
            if began:
                self._store.notify([submission.analyst], "decided", submission, act="approve", note=submission.note)
        return began

    def execute(self, id: str) -> None:
        """Compute what was approved, if it is still what was approved; whatever goes wrong, no value leaves."""
        submission = self._store.get(id)
        if submission.state is not State.APPROVED or submission.starts_at is not None:
            return
        lease = self._ports.lease(self._ports.limits.code_seconds * submission.extra_runs)
        started: dict[str, Any] = {"state": submission.next_state(Act.START).value, "owner": lease}
        if not self._store.take(submission, {**started, **submission.started}):
            return  # another server has it
        running = replace(submission, state=State.RUNNING, **submission.started)
        try:
            payload, computed = self._compute(running)
        except Stopping:  # a charge is refused from then on, so it goes on at the next start
            self._store.move(running, Act.PUT_BACK, {"owner": None})
            return
        except SfumatoError as failure:
            self._fail(running, str(failure if isinstance(failure, Refused) else EngineFailure()))
            return
        except BaseException:
            self._fail(running, str(EngineFailure()))
            raise
        withheld, guarantee = payload.is_withheld, {"guarantee": computed.guarantee.value}
        sealed = self._store.seal(running, payload.sealed(computed), withheld=withheld)
        to = {running.result_column: sealed, "charged": computed.charged} | guarantee
        with self._ports.transaction():
            self._store.move(running, Act.WITHHOLD if withheld else Act.RELEASE, to)
            self._store.log("sfumato", "computed" if withheld else "released", id, guarantee)
            if withheld:
                self._store.notify(self._datasets.of(running.dataset).controllers, "computed", running)
            else:
                self._store.notify([running.analyst], "released", running)
        if not withheld:
            self.released(self._store.get(id))

    def resume(self, *, alone: bool = True) -> int:
        """After a start: what was approved goes on; what was running has an unknown outcome, and counts as spent.

        What another server may still run is left to it for its time; `alone`: this one has no twin that lives.
        """
        for row in self._store.in_state(State.RUNNING):
            if self._ports.is_over(row["owner"], alone=alone):
                with suppress(Conflict):  # another server ended it meanwhile
                    self._fail(self._store.kind.from_row(row), "The server was stopped while it ran.")
        approved = [self._store.kind.from_row(row) for row in self._store.in_state(State.APPROVED)]
        for submission in approved:
            self.start(submission)
        return len(approved)

    def _compute(self, running: T) -> tuple[Payload[T, Any, Any], Computed]:
        with self._ports.reading():
            payload = self._payload(running, self._datasets.of(running.dataset))
            if payload.binding != running.binding:
                raise Conflict.because("submission-changed", what=running.noun, then="again")
            payload.require_allowed()
            approved = self._approved(payload)
            compute = payload.prepare(approved)
        computed = compute()
        # What was released before comes back with the guarantee it had: that it comes back was decided now.
        return payload, replace(computed, guarantee=weakest([computed.guarantee, approved.guarantee]))

    def _approved(self, payload: Payload[T, Any, Any]) -> Approved:
        """Who lets it go on, under what. What a submission says of itself is no approval: the ledger has those."""
        submission, analyst, access = payload.submission, payload.analyst, payload.access
        ledger, automatic = self._datasets.ledger_of(analyst, payload.dataset), not submission.decided_by
        authorization = authorization_of(payload.signed, access, submission.binding, by_a_person=not automatic)
        if automatic:
            if access.approve is not Approve.AUTOMATIC or not payload.is_automatic or analyst.disabled:
                raise Forbidden.because("no-longer-automatic", what=submission.noun)
            return Approved(analyst.name, authorization, Guarantee.DP, allow_no_guarantee=False, preregistered="")
        named = {name.casefold() for name in access.approvers}
        approvers = {who for who in ledger.record.approved_by(submission.binding) if not named or who in named}
        if len(approvers) < access.approvals or submission.analyst in approvers:
            raise Conflict.because("submission-changed", what=submission.noun, then="again")
        approvals = submission.approvals
        return Approved(
            approvals[-1].who,
            authorization,
            guarantee_of(ledger.record.decision(submission.binding)),
            allow_no_guarantee=any(decision.allow_no_guarantee for decision in approvals),
            preregistered=next((d.preregistered for d in approvals if d.preregistered), ""),
        )

    def _fail(self, running: T, why: str) -> None:
        to = {"note": why, "decided_at": running.decided_at or self._ports.moment}
        self._store.move(running, Act.FAIL, to)
        self._store.log("sfumato", "failed", running.id)
        self._store.notify([running.analyst], "failed", running)
