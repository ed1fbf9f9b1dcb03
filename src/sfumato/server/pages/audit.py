"""The record of who did what, newest first, and whether it is whole."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query
from starlette.responses import Response

from sfumato.server.asking import AfterNumber, Here, Reader
from sfumato.server.pages.shell import Shown
from sfumato.server.texts import Line
from sfumato.views.words import of_ledger

Asked = Annotated[Line, Query()]
screens = APIRouter(include_in_schema=False)
_ON_A_PAGE = 50


@screens.get("/audit")
def audit(
    page: Shown, actor: Reader, escrow: Here, after: AfterNumber = None, who: Asked = "", about: Asked = ""
) -> Response:
    """An empty field of the form filters nothing."""
    who, about = who.strip()[:200], about.strip()[:200]
    asked = {"who": who or None, "about": about or None}
    found = escrow.audit.many(actor, after or 0, _ON_A_PAGE + 1, newest_first=True, **asked)
    entries = found[:_ON_A_PAGE]
    older = entries[-1]["number"] if len(found) > _ON_A_PAGE else None
    return page("audit.html", words=of_ledger, entries=entries, older=older, after=after, who=who, about=about)
