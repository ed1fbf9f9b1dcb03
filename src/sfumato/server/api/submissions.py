"""Routes that requests and signals share: state, decisions, withdrawal and result."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import APIRouter, Header
from pydantic import StringConstraints
from starlette.concurrency import run_in_threadpool

from sfumato.escrow.identity.person import Person
from sfumato.escrow.service import Escrow
from sfumato.escrow.submissions.approval import Approval
from sfumato.escrow.submissions.requests import Requests
from sfumato.escrow.submissions.signals import Signals
from sfumato.escrow.submissions.store import SubmissionFilter
from sfumato.server.dependencies import (
    CallerDep,
    EscrowDep,
    NameInPath,
    Page,
    ReadingPool,
    ReadingUser,
    WritingPool,
    WritingUser,
)
from sfumato.server.openapi import FOUND, SENT, Responses, statuses
from sfumato.server.problems import Problem
from sfumato.server.texts import Body, Name, Text

IdempotencyKey = Annotated[
    str | None, Header(alias="Idempotency-Key"), StringConstraints(pattern=r"^[\x21-\x7e]{1,200}$")
]
NOT_YET: Responses = {202: {"model": Problem, "description": "Not available yet: waiting for a decision or a worker"}}
WITH_SANDBOX = SENT | statuses(410, 501, 503) | NOT_YET
View = Callable[[Any], dict[str, Any]]


class ApprovalBody(Body):
    """`binding` is the one of the approver's page; the approval fails if anything changed since.

    `at_once`: it starts now, and cannot be taken back.
    """

    binding: Name
    note: Text = ""
    allow_no_guarantee: bool = False
    preregistered: Text = ""
    at_once: bool = False


class DecisionBody(Body):
    note: Text = ""
    allow_no_guarantee: bool = False


class UndoBody(Body):
    allow_no_guarantee: bool = False


class AssignBody(Body):
    """A controller of the dataset; null: none of them."""

    to: Name | None = None


@dataclass(frozen=True)
class SubmissionRoutes:
    """Routes of requests or of signals, with the views that word their facts.

    `look` is the path to a withheld result. If `needs_sandbox`, the sandbox may have to be tested first.
    """

    path: str
    rooms: Callable[[Escrow], Requests | Signals]
    view: View
    page_view: View
    result_view: View
    look: str
    kind: Any  # response types: of one submission, its page, its result, and a withheld result
    page: Any
    result: Any
    withheld: Any
    needs_sandbox: bool = False

    def one(self, actor: Person, id: str, escrow: Escrow) -> dict[str, Any]:
        return self.view(self.rooms(escrow).one(actor, id))

    def listed(
        self, actor: Person, escrow: Escrow, filter: SubmissionFilter, after: int | None, limit: int, *, waiting: bool
    ) -> Page[Any]:
        """A page of a list: newest first, or what waits for this person's decision, oldest first."""
        submissions, approval = self.rooms(escrow), self.approval(escrow)
        if waiting:
            items = approval.waiting(actor, limit + 1, filter=filter, after=after)
            total = approval.count_waiting(actor, filter)
        else:
            items = submissions.listed(actor, filter, after=after, limit=limit + 1)
            total = sum(submissions.counts(actor, filter).values())
        more = items[limit - 1].submission.number if len(items) > limit else None
        return Page(items=list(map(self.view, items[:limit])), next=more, total=total)

    def approval(self, escrow: Escrow) -> Approval[Any, Any, Any]:
        return self.rooms(escrow).approval

    def add_to(self, routes: APIRouter) -> None:
        """Add the shared routes, below those of requests or signals alone."""
        path, slow = f"{self.path}/{{id}}", WITH_SANDBOX if self.needs_sandbox else SENT

        @routes.get(path, response_model=self.kind, responses=FOUND)
        def one(actor: ReadingUser, id: NameInPath, escrow: EscrowDep) -> Any:
            """Show its state and the next step."""
            return self.one(actor, id, escrow)

        @routes.get(f"{path}/page", response_model=self.page, responses=slow)
        async def inspect(pool: ReadingPool, id: NameInPath, escrow: EscrowDep) -> Any:
            """Show the approver's page, from public facts."""
            return self.page_view(await pool.run(self.approval(escrow).inspect, id))

        @routes.post(f"{path}/{self.look}", response_model=self.withheld, responses=SENT | statuses(410))
        async def look(pool: WritingPool, id: NameInPath, escrow: EscrowDep) -> Any:
            """Show a withheld result and the true one to the approver; logged as a look."""
            return self.result_view(await pool.run(self.approval(escrow).look, id))

        @routes.post(f"{path}/approve", response_model=self.kind, responses=slow)
        async def approve(
            pool: WritingPool, caller: CallerDep, id: NameInPath, body: ApprovalBody, escrow: EscrowDep
        ) -> Any:
            """Approve it exactly as the approver's page showed it.

            It starts at `starts_at`, and can be taken back until then.
            """
            how: dict[str, Any] = body.model_dump() | {"by_session": caller.csrf is not None}
            work = self.approval(escrow).approve
            await (pool.run(work, id, **how) if self.needs_sandbox else run_in_threadpool(work, pool.person, id, **how))
            return await run_in_threadpool(self.one, pool.person, id, escrow)

        @routes.post(f"{path}/undo", response_model=self.kind, responses=SENT)
        def undo(actor: WritingUser, id: NameInPath, escrow: EscrowDep, body: UndoBody | None = None) -> Any:
            """Take back your own approval before it starts; it waits for a decision again."""
            allowed = body is not None and body.allow_no_guarantee
            self.approval(escrow).undo(actor, id, allow_no_guarantee=allowed)
            return self.one(actor, id, escrow)

        @routes.post(f"{path}/assign", response_model=self.kind, responses=SENT)
        def assign(actor: WritingUser, id: NameInPath, body: AssignBody, escrow: EscrowDep) -> Any:
            """Assign it to a controller of the dataset, who is notified; other controllers can still decide it."""
            self.rooms(escrow).assignment.assign(actor, id, body.to)
            return self.one(actor, id, escrow)

        @routes.post(f"{path}/return", response_model=self.kind, responses=SENT)
        def give_back(actor: WritingUser, id: NameInPath, body: DecisionBody, escrow: EscrowDep) -> Any:
            """Return it to the analyst with a note on what to change."""
            self.approval(escrow).return_(actor, id, body.note, allow_no_guarantee=body.allow_no_guarantee)
            return self.one(actor, id, escrow)

        @routes.post(f"{path}/refuse", response_model=self.kind, responses=SENT)
        def refuse(actor: WritingUser, id: NameInPath, body: DecisionBody, escrow: EscrowDep) -> Any:
            """Refuse it with a reason."""
            self.approval(escrow).refuse(actor, id, body.note, allow_no_guarantee=body.allow_no_guarantee)
            return self.one(actor, id, escrow)

        @routes.post(f"{path}/withdraw", response_model=self.kind, responses=SENT)
        def withdraw(actor: WritingUser, id: NameInPath, escrow: EscrowDep) -> Any:
            """Withdraw your own submission."""
            self.rooms(escrow).withdraw(actor, id)
            return self.one(actor, id, escrow)

        @routes.get(f"{path}/result", response_model=self.result, responses=FOUND | statuses(410, 503) | NOT_YET)
        def result(actor: ReadingUser, id: NameInPath, escrow: EscrowDep) -> Any:
            """Fetch the result with its certificates, once it is released."""
            return self.result_view(self.rooms(escrow).result(actor, id))
