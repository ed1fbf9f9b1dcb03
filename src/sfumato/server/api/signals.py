"""Signals: the effect of noise on a task, for a released answer."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query
from pydantic import Field

from sfumato.escrow.submissions.lifecycle import State
from sfumato.escrow.submissions.store import SubmissionFilter
from sfumato.model.plain import from_plain
from sfumato.model.signal_score import SignalKind
from sfumato.presentation.escrow import submission_view as view
from sfumato.presentation.escrow.submission_types import (
    SignalPage,
    WordedSignal,
    WordedSignalResult,
    WordedTaskLibrary,
)
from sfumato.server.api.submissions import WITH_SANDBOX, IdempotencyKey, SubmissionRoutes
from sfumato.server.dependencies import (
    AfterNumber,
    EscrowDep,
    FilterName,
    Limit,
    NameInPath,
    Page,
    Plain,
    ReadingPool,
    ReadingUser,
    SearchText,
    WritingPool,
)
from sfumato.server.openapi import FOUND, SIGNED_IN
from sfumato.server.texts import Body, Table, Text

routes = APIRouter(tags=["signals"])


class NewSignal(Body):
    """A task of the library, or your own code, `def evaluate(tables): ...`, with the range of its scores."""

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


_SHARED = SubmissionRoutes(
    path="/signals",
    rooms=lambda escrow: escrow.signals,
    view=view.signal,
    page_view=view.signal_page,
    result_view=view.signal_result,
    look="value",
    kind=Plain[WordedSignal],
    page=Plain[SignalPage],
    result=Plain[WordedSignalResult],
    withheld=Plain[WordedSignalResult],
    needs_sandbox=True,
)


@routes.get("/tasks", responses=SIGNED_IN)
async def tasks(pool: ReadingPool, escrow: EscrowDep) -> Plain[WordedTaskLibrary]:
    """List tasks and kinds of signals, and whether your own code can run here."""
    return from_plain(WordedTaskLibrary, view.library(await pool.run(escrow.signals.tasks)))


@routes.post("/requests/{id}/signals", response_model=Plain[WordedSignal], status_code=201, responses=WITH_SANDBOX)
async def submit(
    pool: WritingPool, id: NameInPath, body: NewSignal, escrow: EscrowDep, idempotency: IdempotencyKey = None
) -> Any:
    """Request a signal. A free signal with a task of the library comes back released, with its result."""
    question: dict[str, Any] = {"task": body.task, "code": body.code, "how": body.how(), "idempotency": idempotency}
    signal = await pool.run(escrow.signals.submit, id, body.query, body.kind, **question)
    return _SHARED.one(pool.person, signal.id, escrow)


@routes.get("/requests/{id}/signals", response_model=Page[WordedSignal], responses=FOUND)
def about(
    actor: ReadingUser, id: NameInPath, escrow: EscrowDep, after: AfterNumber = None, limit: Limit = 100
) -> Page[Any]:
    """List the signals about one request."""
    request = escrow.requests.get(actor, id)[0].id
    return _SHARED.listed(actor, escrow, SubmissionFilter(request=request), after, limit, waiting=False)


@routes.get("/signals", response_model=Page[WordedSignal], responses=SIGNED_IN)
def many(
    actor: ReadingUser,
    escrow: EscrowDep,
    state: FilterName = None,
    dataset: FilterName = None,
    analyst: FilterName = None,
    organisation: FilterName = None,
    kind: Annotated[SignalKind | None, Query()] = None,
    assigned_to: FilterName = None,
    search: SearchText = "",
    waiting: Annotated[bool, Query()] = False,
    after: AfterNumber = None,
    limit: Limit = 100,
) -> Page[Any]:
    """List your signals and those of datasets that you control, or only those that wait for your decision.

    `assigned_to` is a controller, or - for those that are assigned to none.
    """
    states = () if state is None else (State.of(state),)
    which: dict[str, Any] = {"kind": kind and kind.value, "assigned_to": assigned_to}
    filter = SubmissionFilter(search, states, dataset, analyst, organisation, **which)
    return _SHARED.listed(actor, escrow, filter, after, limit, waiting=waiting)


_SHARED.add_to(routes)
