"""Requests: queries with a purpose, decisions and answers."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query
from pydantic import BaseModel, Field

from sfumato.escrow.submissions.lifecycle import State
from sfumato.escrow.submissions.store import SubmissionFilter
from sfumato.model.plain import from_plain
from sfumato.presentation.difference_view import as_dict
from sfumato.presentation.escrow import submission_view as view
from sfumato.presentation.escrow.submission_types import (
    CertifiedAnswers,
    DecisionPreview,
    RequestPage,
    WithheldAnswers,
    WordedRequest,
)
from sfumato.presentation.posthoc_view import PosthocFacts
from sfumato.release.difference import Cell
from sfumato.server.api.exploration import Several
from sfumato.server.api.submissions import NOT_YET, IdempotencyKey, SubmissionRoutes
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
    WritingUser,
)
from sfumato.server.openapi import FOUND, SENT, statuses
from sfumato.server.texts import Body, Name, Text

routes = APIRouter(prefix="/requests", tags=["requests"])


class NewRequest(Several):
    """Queries that are released together, with one purpose and one total.

    `accuracy`: the answer is useful if the 90% interval of a figure is within plus or minus this. `due`: the day by
    which you need the decision, as 2026-12-31.
    """

    dataset: Name
    purpose: Text
    accuracy: float | None = None
    due: Name | None = None


class SeveralRequests(Body):
    """Requests by their ids or numbers."""

    ids: Annotated[list[Name], Field(min_length=1, max_length=200)]


class CancelBody(Body):
    allow_no_guarantee: bool = False


class FigureBody(Body):
    """A figure of an answer: the query, the row and the column, each counted from 1."""

    query: Annotated[int, Field(ge=1, le=1000)] = 1
    row: Annotated[int, Field(ge=1, le=10**9)]
    column: Annotated[int, Field(ge=1, le=10**6)]

    def cell(self) -> Cell:
        return Cell(self.query, self.row, self.column)


class PosthocBody(Body):
    """An answer of a request, counted from 1; `between` is a condition on the people, whose medians are compared."""

    query: Annotated[int, Field(ge=1, le=1000)] = 1
    between: Text | None = None


class FigurePair(Body):
    first: FigureBody
    second: FigureBody


class DifferencePlace(BaseModel):
    """Where the difference, its interval and 0 stand on an axis, in percent of its width."""

    at: float
    start: float
    end: float
    zero: float


class AxisTick(BaseModel):
    at: float
    text: str


class DifferenceShown(BaseModel):
    """First minus second; `low` and `high` are its 90% interval, for the noise only.

    `figure` and `interval` are rounded to the digits that the noise leaves; `place` and `ticks` are its picture.
    """

    difference: float
    low: float
    high: float
    larger: bool
    smaller: bool
    verdict: str
    title: str
    figure: str
    interval: str
    sentence: str
    covers: str
    place: DifferencePlace
    ticks: list[AxisTick]


_SHARED = SubmissionRoutes(
    path="",
    rooms=lambda escrow: escrow.requests,
    view=view.request,
    page_view=view.request_page,
    result_view=view.worded_answers,
    look="answer",
    kind=Plain[WordedRequest],
    page=Plain[RequestPage],
    result=Plain[CertifiedAnswers],
    withheld=Plain[WithheldAnswers],
)


@routes.get("", response_model=Page[WordedRequest], responses=FOUND)
def many(
    actor: ReadingUser,
    escrow: EscrowDep,
    state: FilterName = None,
    dataset: FilterName = None,
    analyst: FilterName = None,
    organisation: FilterName = None,
    search: SearchText = "",
    identical: FilterName = None,
    assigned_to: FilterName = None,
    waiting: Annotated[bool, Query()] = False,
    after: AfterNumber = None,
    limit: Limit = 100,
) -> Page[Any]:
    """List your requests and those of datasets that you control, or only those that wait for your decision.

    A search looks for each of its words in the purpose, the queries, the analyst, the dataset and the number.
    `identical` is the id of a request: those with the same dataset, queries, preferences and state. `assigned_to` is a
    controller, or - for those that are assigned to none.
    """
    states = () if state is None else (State.of(state),)
    alike = {} if identical is None else escrow.requests.identical_to(actor, identical)
    which: dict[str, Any] = {"assigned_to": assigned_to, "identical": alike}
    filter = SubmissionFilter(search, states, dataset, analyst, organisation, **which)
    return _SHARED.listed(actor, escrow, filter, after, limit, waiting=waiting)


@routes.post("/decision-preview", responses=SENT)
async def decision_preview(pool: ReadingPool, body: SeveralRequests, escrow: EscrowDep) -> Plain[DecisionPreview]:
    """Preview a decision on several requests: the cost of each, the binding to approve it with, and the total."""
    return from_plain(DecisionPreview, view.decision_preview(await pool.run(escrow.requests.preview_each, body.ids)))


@routes.post("", response_model=Plain[WordedRequest], status_code=201, responses=SENT)
async def submit(pool: WritingPool, body: NewRequest, escrow: EscrowDep, idempotency: IdempotencyKey = None) -> Any:
    """Submit a request. The same Idempotency-Key with the same body is the same request."""
    terms = body.dataset, body.purpose, *body.question
    also: dict[str, Any] = {"accuracy": body.accuracy, "due": body.due, "idempotency": idempotency}
    request = await pool.run(escrow.requests.submit, *terms, **also)
    return _SHARED.one(pool.person, request.id, escrow)


@routes.post("/{id}/cancel", response_model=Plain[WordedRequest], responses=SENT)
def cancel(actor: WritingUser, id: NameInPath, escrow: EscrowDep, body: CancelBody | None = None) -> Any:
    """Stop a request that is being computed; anything charged stays charged."""
    escrow.requests.cancel(actor, id, allow_no_guarantee=body is not None and body.allow_no_guarantee)
    return _SHARED.one(actor, id, escrow)


@routes.post("/{id}/difference", responses=SENT | statuses(410, 503) | NOT_YET)
async def difference(pool: ReadingPool, id: NameInPath, body: FigurePair, escrow: EscrowDep) -> DifferenceShown:
    """Compare two released figures: whether one is larger, as far as the noise allows."""
    cells = body.first.cell(), body.second.cell()
    return DifferenceShown.model_validate(as_dict(await pool.run(escrow.requests.difference, id, *cells)))


@routes.post("/{id}/posthoc-risk", responses=SENT | statuses(410))
async def posthoc_risk(pool: WritingPool, id: NameInPath, body: PosthocBody, escrow: EscrowDep) -> Plain[PosthocFacts]:
    """Show what an answer, withheld or released, tells about each person; for controllers, logged as a look."""
    return from_plain(PosthocFacts, await pool.run(escrow.requests.posthoc_risk, id, body.query, body.between or None))


_SHARED.add_to(routes)
