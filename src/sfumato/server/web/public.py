"""The public page of a dataset, without signing in, if its policy allows one."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.responses import Response

from sfumato.presentation.escrow import dataset_view
from sfumato.presentation.wording import ledger_sentences as of_ledger
from sfumato.server.dependencies import EscrowDep, NameInPath
from sfumato.server.web.shell import RendererDep

screens = APIRouter(include_in_schema=False)


@screens.get("/public/{name}")
def public(page: RendererDep, name: NameInPath, escrow: EscrowDep) -> Response:
    return page("public.html", words=of_ledger, dataset=dataset_view.public_page(escrow.datasets.public(name)))
