"""Whether a server is there: all that a stranger is told."""

from __future__ import annotations

from typing import Literal

from fastapi import APIRouter
from pydantic import BaseModel

from sfumato.server.openapi import OPEN, statuses
from sfumato.version import __version__

routes = APIRouter(tags=["health"])


class Health(BaseModel):
    status: Literal["ok"]
    version: str


@routes.get("/health", responses=statuses(), openapi_extra=OPEN)
def health() -> Health:
    """Says that it is there, and which version it is."""
    return Health(status="ok", version=__version__)
