"""Signals: what the noise did to a task, asked about an answer that was released."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query
from pydantic import BaseModel, Field

from sfumato.presentation.escrow import submission as view
from sfumato.server.api.requests import NOT_YET, Approval, Decision, IdempotencyKey
from sfumato.server.dependencies import (
    AfterNumber,
    Called,
    Here,
    Limit,
    NameInPath,
    Page,
    Reader,
    Slowly,
    Writer,
    page,
)
from sfumato.server.openapi import FOUND, SENT, SIGNED_IN, statuses
from sfumato.server.texts import Body, Name, Open, Table, Text

routes = APIRouter(tags=["signals"])
_CODED = SENT | statuses(410, 501, 503) | NOT_YET


class Task(BaseModel):
    """`range` is null where a task states its own; `lipschitz` says in words where it has a constant."""

    name: str
    parameters: list[dict[str, Any]]
    range: list[float] | None
    lipschitz: str | None
    sentence: str


class Kind(BaseModel):
    kind: str
    guarantee: str
    cost: str


class Code(BaseModel):
    """Whether functions of one's own can run here, or why not; each run takes so many seconds."""

    ready: bool
    sentence: str
    padding: str
    seconds: float


class Library(BaseModel):
    tasks: list[Task]
    kinds: list[Kind]
    code: Code


class NewSignal(Body):
    """A task of the library, or code of one's own, `def evaluate(tables): ...`, with the range of its scores."""

    query: Annotated[int, Field(ge=1, le=1000)] = 1
    kind: Literal["free", "noisy_difference", "sample_and_aggregate", "as_published"] = "free"
    task: Table | None = None
    code: Text | None = None
    range: Annotated[list[float], Field(min_length=2, max_length=2)] | None = None
    epsilon: float | None = None
    blocks: Annotated[int, Field(ge=1, le=10_000)] | None = None
    draws: Annotated[int, Field(ge=1, le=10_000)] | None = None
    by_range: bool = False

    def how(self) -> dict[str, Any]:
        return self.model_dump(exclude={"query", "kind", "task", "code"})


class SignalShown(Open):
    """What this person may see of a signal at this step; `result` is there once it is released to them."""

    id: str
    number: int
    state: str


@routes.get("/tasks", responses=SIGNED_IN)
async def tasks(actor: Reader, escrow: Here, lanes: Slowly) -> Library:
    """What may be asked: the tasks, the kinds of signals, and whether code of one's own can run here."""
    return Library.model_validate(view.library(await lanes.asking.run(actor.name, escrow.signals.tasks, actor)))


@routes.post("/requests/{id}/signals", status_code=201, responses=_CODED)
async def submit(
    actor: Writer, id: NameInPath, body: NewSignal, escrow: Here, lanes: Slowly, idempotency: IdempotencyKey = None
) -> SignalShown:
    """Ask what the noise did. A free signal with a task of the library comes back released, with its result."""
    said: dict[str, Any] = {"task": body.task, "code": body.code, "how": body.how(), "idempotency": idempotency}
    work = partial(escrow.signals.submit, actor, id, body.query, body.kind, **said)
    made = await lanes.asking.run(actor.name, work)
    return one(actor, made.id, escrow)


@routes.get("/requests/{id}/signals", responses=FOUND)
def about(
    actor: Reader, id: NameInPath, escrow: Here, after: AfterNumber = None, limit: Limit = 100
) -> Page[SignalShown]:
    """Those about one request."""
    found = escrow.signals.many(actor, request=id, after=after, limit=limit + 1)
    return page((SignalShown.model_validate(view.signal(one)) for one in found), limit, "number")


@routes.get("/signals", responses=SIGNED_IN)
def many(
    actor: Reader,
    escrow: Here,
    state: Annotated[Name | None, Query()] = None,
    waiting: Annotated[bool, Query()] = False,
    after: AfterNumber = None,
    limit: Limit = 100,
) -> Page[SignalShown]:
    """One's own, and those of datasets that one controls; or those that wait for one's decision."""
    found = escrow.signals.many(actor, state=state, waiting=waiting, after=after, limit=limit + 1)
    return page((SignalShown.model_validate(view.signal(one)) for one in found), limit, "number")


@routes.get("/signals/{id}", responses=FOUND)
def one(actor: Reader, id: NameInPath, escrow: Here) -> SignalShown:
    """Where a signal stands, and what happens next."""
    return SignalShown.model_validate(view.signal(escrow.signals.one(actor, id)))


@routes.get("/signals/{id}/page", responses=_CODED)
async def inspect(actor: Reader, id: NameInPath, escrow: Here, lanes: Slowly) -> dict[str, Any]:
    """What an approver needs, on one page: the code with its marks, the promise, the cost and the bits."""
    return view.signal_page(await lanes.asking.run(actor.name, escrow.signals.approval.inspect, actor, id))


@routes.post("/signals/{id}/value", responses=SENT | statuses(410))
async def value(actor: Writer, id: NameInPath, escrow: Here, lanes: Slowly) -> dict[str, Any]:
    """Both scores of a signal that is withheld: recorded as a look."""
    found = await lanes.asking.run(actor.name, escrow.signals.approval.look, actor, id)
    return view.signal_result(found)


@routes.post("/signals/{id}/approve", responses=_CODED)
async def approve(
    actor: Writer, caller: Called, id: NameInPath, body: Approval, escrow: Here, lanes: Slowly
) -> SignalShown:
    """Approve what the page showed, and nothing else."""
    said: dict[str, Any] = body.model_dump() | {"by_session": caller.csrf is not None}
    await lanes.asking.run(actor.name, partial(escrow.signals.approval.approve, actor, id, **said))
    return one(actor, id, escrow)


@routes.post("/signals/{id}/return", responses=SENT)
def give_back(actor: Writer, id: NameInPath, body: Decision, escrow: Here) -> SignalShown:
    """Send it back with a word on what to change."""
    escrow.signals.approval.return_(actor, id, body.note, allow_no_guarantee=body.allow_no_guarantee)
    return one(actor, id, escrow)


@routes.post("/signals/{id}/refuse", responses=SENT)
def refuse(actor: Writer, id: NameInPath, body: Decision, escrow: Here) -> SignalShown:
    """Say no, and why."""
    escrow.signals.approval.refuse(actor, id, body.note, allow_no_guarantee=body.allow_no_guarantee)
    return one(actor, id, escrow)


@routes.post("/signals/{id}/withdraw", responses=SENT)
def withdraw(actor: Writer, id: NameInPath, escrow: Here) -> SignalShown:
    """Take one's own back."""
    escrow.signals.withdraw(actor, id)
    return one(actor, id, escrow)


@routes.get("/signals/{id}/result", responses=FOUND | statuses(410, 503) | NOT_YET)
def result(actor: Reader, id: NameInPath, escrow: Here) -> dict[str, Any]:
    """The signal with its certificate, once it is released."""
    return view.signal_result(escrow.signals.result(actor, id))
