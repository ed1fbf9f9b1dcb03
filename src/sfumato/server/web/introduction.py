"""The introduction for controllers: six short screens and four questions."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query
from starlette.responses import Response

from sfumato.presentation.wording import introduction as of_introduction
from sfumato.presentation.wording.guarantee import in_100
from sfumato.server.dependencies import EscrowDep, ReadingUser
from sfumato.server.web.shell import RendererDep, home_of, own_address

screens = APIRouter(include_in_schema=False)


@screens.get("/introduction")
def introduction(
    page: RendererDep, actor: ReadingUser, escrow: EscrowDep, next: Annotated[str, Query(max_length=2000)] = ""
) -> Response:
    right = in_100(of_introduction.CHANCE)
    return page(
        "introduction.html",
        screens=of_introduction.SCREENS,
        quiz=of_introduction.QUIZ,
        dots=((100 - right, "not included"), (right, "included")),
        passed_at=escrow.accounts.introduced(actor),
        next=own_address(next, home_of(actor)),
        passed=of_introduction.PASSED,
    )
