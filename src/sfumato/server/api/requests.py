"""Requests: from a purpose and its queries to an answer that somebody approved."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Any

from fastapi import APIRouter, Header, Query
from pydantic import BaseModel, Field, StringConstraints

from sfumato.presentation.certificate import worded_answers
from sfumato.presentation.difference_view import as_dict
from sfumato.presentation.escrow import submission as view
from sfumato.release.difference import Cell
from sfumato.server.api.exploration import Several, as_asked
from sfumato.server.dependencies import (
    AfterNumber,
    CallerDep,
    EscrowDep,
    Limit,
    NameInPath,
    Page,
    ReadingUser,
    WorkPoolsDep,
    WritingUser,
    page,
)
from sfumato.server.openapi import FOUND, SENT, SIGNED_IN, statuses
from sfumato.server.problems import Problem
from sfumato.server.stated import table_of
from sfumato.server.texts import Body, Name, Open, Text

routes = APIRouter(prefix="/requests", tags=["requests"])
IdempotencyKey = Annotated[
    str | None, Header(alias="Idempotency-Key"), StringConstraints(pattern=r"^[\x21-\x7e]{1,200}$")
]


NOT_YET: dict[int | str, dict[str, Any]] = {
    202: {"model": Problem, "description": "Not yet: it waits for a decision or for a worker"}
}


class NewRequest(Several):
    """Queries that are released together, for one purpose, with one total."""

    dataset: Name
    purpose: Text


class Approval(Body):
    """`binding` is the one that the approver's page showed: whatever has changed since is not approved."""

    binding: Name
    note: Text = ""
    allow_no_guarantee: bool = False
    preregistered: Text = ""


class Decision(Body):
    note: Text = ""
    allow_no_guarantee: bool = False


class Stop(Body):
    allow_no_guarantee: bool = False


class CellOf(Body):
    """A figure of an answer: the query, the row and the column, each counted from 1."""

    query: Annotated[int, Field(ge=1, le=1000)] = 1
    row: Annotated[int, Field(ge=1, le=10**9)]
    column: Annotated[int, Field(ge=1, le=10**6)]

    def cell(self) -> Cell:
        return Cell(self.query, self.row, self.column)


class Pair(Body):
    first: CellOf
    second: CellOf


class Apart(BaseModel):
    """First less second; the true difference lies between `low` and `high` 90 of 100 times, for the noise alone."""

    difference: float
    low: float
    high: float
    larger: bool
    smaller: bool
    sentence: str
    covers: str


class RequestShown(Open):
    """What this person may see of a request at this step."""

    id: str
    number: int
    state: str


class Result(Open):
    """Releases, each with its certificate, in the order of the queries."""

    answers: list[dict[str, Any]]


@routes.get("", responses=SIGNED_IN)
def many(
    actor: ReadingUser,
    escrow: EscrowDep,
    state: Annotated[Name | None, Query()] = None,
    dataset: Annotated[Name | None, Query()] = None,
    after: AfterNumber = None,
    limit: Limit = 100,
) -> Page[RequestShown]:
    """One's own, and those of datasets that one controls."""
    found = escrow.requests.many(actor, state=state, dataset=dataset, after=after, limit=limit + 1)
    return page((RequestShown.model_validate(view.request(one)) for one in found), limit, "number")


@routes.post("", status_code=201, responses=SENT)
async def submit(
    actor: WritingUser, body: NewRequest, escrow: EscrowDep, lanes: WorkPoolsDep, idempotency: IdempotencyKey = None
) -> RequestShown:
    """Ask. The same Idempotency-Key with the same body is the same request."""
    said = (body.dataset, body.purpose, as_asked(body.queries), table_of(body.preference))
    work = partial(escrow.requests.submit, actor, *said, idempotency=idempotency)
    made = await lanes.asking.run(actor.name, work)
    return one(actor, made.id, escrow)


@routes.get("/{id}", responses=FOUND)
def one(actor: ReadingUser, id: NameInPath, escrow: EscrowDep) -> RequestShown:
    """Where a request stands, and what happens next."""
    return RequestShown.model_validate(view.request(escrow.requests.one(actor, id)))


@routes.get("/{id}/page", responses=SENT)
async def inspect(actor: ReadingUser, id: NameInPath, escrow: EscrowDep, lanes: WorkPoolsDep) -> dict[str, Any]:
    """What an approver needs, on one page, from public facts."""
    return view.request_page(await lanes.asking.run(actor.name, escrow.decisions.inspect, actor, id))


@routes.post("/{id}/answer", responses=SENT)
async def withheld(actor: WritingUser, id: NameInPath, escrow: EscrowDep, lanes: WorkPoolsDep) -> dict[str, Any]:
    """An answer that is withheld until somebody saw it, beside the true one: recorded as a look."""
    return worded_answers(await lanes.asking.run(actor.name, escrow.decisions.answer, actor, id))


@routes.post("/{id}/approve", responses=SENT)
def approve(actor: WritingUser, caller: CallerDep, id: NameInPath, body: Approval, escrow: EscrowDep) -> RequestShown:
    """Approve what the page showed, and nothing else."""
    escrow.decisions.approve(actor, id, **body.model_dump(), by_session=caller.csrf is not None)
    return one(actor, id, escrow)


@routes.post("/{id}/return", responses=SENT)
def give_back(actor: WritingUser, id: NameInPath, body: Decision, escrow: EscrowDep) -> RequestShown:
    """Send it back with a word on what to change."""
    escrow.decisions.return_(actor, id, body.note, allow_no_guarantee=body.allow_no_guarantee)
    return one(actor, id, escrow)


@routes.post("/{id}/refuse", responses=SENT)
def refuse(actor: WritingUser, id: NameInPath, body: Decision, escrow: EscrowDep) -> RequestShown:
    """Say no, and why."""
    escrow.decisions.refuse(actor, id, body.note, allow_no_guarantee=body.allow_no_guarantee)
    return one(actor, id, escrow)


@routes.post("/{id}/withdraw", responses=SENT)
def withdraw(actor: WritingUser, id: NameInPath, escrow: EscrowDep) -> RequestShown:
    """Take one's own request back."""
    escrow.requests.withdraw(actor, id)
    return one(actor, id, escrow)


@routes.post("/{id}/cancel", responses=SENT)
def cancel(actor: WritingUser, id: NameInPath, escrow: EscrowDep, body: Stop | None = None) -> RequestShown:
    """Stop one that runs; what was charged stays charged."""
    escrow.requests.cancel(actor, id, allow_no_guarantee=body is not None and body.allow_no_guarantee)
    return one(actor, id, escrow)


@routes.get("/{id}/result", responses=FOUND | statuses(410, 503) | NOT_YET)
def result(actor: ReadingUser, id: NameInPath, escrow: EscrowDep) -> Result:
    """The noisy answers with their certificates, once they are released."""
    return Result.model_validate(worded_answers(escrow.requests.result(actor, id)))


@routes.post("/{id}/difference", responses=SENT | statuses(410, 503) | NOT_YET)
async def difference(actor: ReadingUser, id: NameInPath, body: Pair, escrow: EscrowDep, lanes: WorkPoolsDep) -> Apart:
    """Whether one released figure may be called larger than another, as far as noise goes."""
    work = partial(escrow.requests.difference, actor, id, body.first.cell(), body.second.cell())
    return Apart.model_validate(as_dict(await lanes.asking.run(actor.name, work)))
