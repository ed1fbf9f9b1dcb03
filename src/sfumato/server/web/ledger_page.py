"""The ledger of a dataset: total, charges and recipients. An analyst sees the total only."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.responses import Response

from sfumato.escrow.identity.person import Role
from sfumato.presentation.escrow import dataset_view
from sfumato.presentation.wording import guarantee as of_guarantee
from sfumato.presentation.wording import ledger_sentences as of_ledger
from sfumato.server.dependencies import EscrowDep, NameInPath, ReadingUser
from sfumato.server.web.shell import RendererDep

screens = APIRouter(include_in_schema=False)
_LISTED = ("reserved", "looked", "decided")


@screens.get("/datasets/{name}/ledger")
def ledger(page: RendererDep, actor: ReadingUser, name: NameInPath, escrow: EscrowDep) -> Response:
    dataset = escrow.datasets.one(actor, name)
    view = dataset_view.ledger(escrow.datasets.ledger(actor, name))
    entries = view.entries
    sees_all = entries is not None
    signed = escrow.policies.current(actor, name) if sees_all and dataset.policy is not None else None
    return page(
        "ledger.html",
        dataset=dataset,
        words=of_ledger,
        ledger=view,
        by_a_declaration=of_guarantee.BY_A_DECLARATION,
        told=[entry for entry in entries or () if entry.event in _LISTED][::-1],
        entries=entries,
        recipients=escrow.requests.recipients(actor, name) if sees_all else {},
        public_page=signed is not None and signed.policy.public_page,
        may_verify=actor.has(Role.CONTROLLER, Role.AUDITOR, Role.ADMIN),
        facts={"public": f"/public/{dataset.name}"} if sees_all else None,
    )
