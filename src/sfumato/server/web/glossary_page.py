"""The glossary: the terms that the pages use, each with its meaning."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.responses import Response

from sfumato.presentation.glossary import glossary as all_terms
from sfumato.server.web.shell import RendererDep

screens = APIRouter(include_in_schema=False)


@screens.get("/glossary")
def glossary(page: RendererDep) -> Response:
    return page("glossary.html", terms=all_terms().terms)
