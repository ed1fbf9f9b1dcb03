"""Sign-in, and the start page."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.responses import RedirectResponse, Response

from sfumato.server.dependencies import CallerDep, SettingsDep
from sfumato.server.web.failures_page import SIGN_IN
from sfumato.server.web.shell import RendererDep, home_of, own_address

screens = APIRouter(include_in_schema=False)


@screens.get("/")
def begin(caller: CallerDep) -> RedirectResponse:
    return RedirectResponse(home_of(caller.person), 303)


@screens.get(SIGN_IN)
def sign_in(page: RendererDep, settings: SettingsDep, next: str = "/", changed: str = "") -> Response:
    """`next` is the address to return to, which may contain a query; `changed` is "password" after a change of it."""
    return page(
        "sign_in.html", facts={"next": own_address(next)}, guests=settings.guests, changed=changed == "password"
    )
