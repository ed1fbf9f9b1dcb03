"""The audit log, newest entry first, and its verification."""

from __future__ import annotations

import re
from contextlib import suppress
from typing import Annotated

from fastapi import APIRouter, Query
from starlette.responses import Response

from sfumato.errors import SfumatoError
from sfumato.escrow.identity.person import Person
from sfumato.escrow.service import Escrow
from sfumato.presentation.wording import ledger_sentences as of_ledger
from sfumato.server.dependencies import AfterNumber, EscrowDep, ReadingUser
from sfumato.server.texts import Line
from sfumato.server.web.shell import RendererDep

FilterText = Annotated[Line, Query()]
screens = APIRouter(include_in_schema=False)
_ON_A_PAGE = 50
_ID = re.compile(r"[0-9a-f]{24}")


@screens.get("/audit")
def audit(
    page: RendererDep,
    actor: ReadingUser,
    escrow: EscrowDep,
    after: AfterNumber = None,
    who: FilterText = "",
    about: FilterText = "",
) -> Response:
    """An empty field of the form filters nothing."""
    who, about = who.strip()[:200], about.strip()[:200]
    filters = {"who": who or None, "about": about or None}
    rows = escrow.audit.many(actor, after or 0, _ON_A_PAGE + 1, newest_first=True, **filters)
    entries = rows[:_ON_A_PAGE]
    older = entries[-1].number if len(rows) > _ON_A_PAGE else None
    names = {about: name for about in {one.about for one in entries} if (name := _name(escrow, actor, about))}
    return page(
        "audit.html", names=names, words=of_ledger, entries=entries, older=older, after=after, who=who, about=about
    )


def _name(escrow: Escrow, actor: Person, about: str) -> str | None:
    """A request or signal by its number, if this person may see it."""
    if not _ID.fullmatch(about):
        return None
    for noun, submissions in (("request", escrow.requests), ("signal", escrow.signals)):
        with suppress(SfumatoError):
            return f"{noun} {submissions.one(actor, about).submission.number}"
    return None
