"""The public facts of a dataset, without signing in, if its policy opens a page; otherwise 404."""

from __future__ import annotations

from fastapi import APIRouter
from pydantic import BaseModel

from sfumato.presentation.escrow import dataset_view
from sfumato.server.dependencies import EscrowDep, NameInPath
from sfumato.server.openapi import OPEN, statuses

routes = APIRouter(prefix="/public", tags=["public"])


class Charged(BaseModel):
    """One charge; `epsilon`, `delta` and `odds` are null where there is no guarantee."""

    at: str
    kind: str
    what: str
    guarantee: str
    word: str
    sentence: str
    epsilon: float | None
    delta: float | None


class PublicTotal(BaseModel):
    """Everything together; null where no total exists."""

    guarantee: str
    epsilon: float | None
    delta: float | None
    sentence: str
    odds: str


class PublicPage(BaseModel):
    name: str
    title: str
    purpose: str
    protected: str
    releases: list[Charged]
    total: PublicTotal
    budget: str | None
    population: str | None


@routes.get("/{name}", responses=statuses(404, 422, 503), openapi_extra=OPEN)
def one(name: NameInPath, escrow: EscrowDep) -> PublicPage:
    """The releases and their total: no answers and no names."""
    return PublicPage.model_validate(dataset_view.public_page(escrow.datasets.public(name)))
