"""A request as whoever asked sees it."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.responses import Response

from sfumato.escrow.person import Person
from sfumato.escrow.service import Escrow
from sfumato.server.pages.shell import Shell

screens = APIRouter(include_in_schema=False)


def shown(page: Shell, actor: Person, escrow: Escrow, id: str) -> Response:
    return page("result.html", request=escrow.requests.one(actor, id))
