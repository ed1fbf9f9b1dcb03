"""Users and their roles, for admins."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.responses import Response

from sfumato.escrow.identity.person import Role
from sfumato.model.plain import to_plain
from sfumato.server.dependencies import AfterName, EscrowDep, ReadingUser
from sfumato.server.web.shell import RendererDep

screens = APIRouter(include_in_schema=False)
_AT_ONCE = 100
ROLES = {
    Role.ADMIN: "adds and disables users; has no access to data through this role",
    Role.CONTROLLER: "registers datasets, writes policies, decides requests",
    Role.ANALYST: "requests statistics that a policy allows",
    Role.AUDITOR: "reads the audit log, ledgers and policies",
}


@screens.get("/people")
def people(page: RendererDep, actor: ReadingUser, escrow: EscrowDep, after: AfterName = None) -> Response:
    actor.require(Role.ADMIN, to="manage users")
    listed = escrow.accounts.many(actor, after, _AT_ONCE + 1)
    accounts = list(map(to_plain, listed[:_AT_ONCE]))
    more = listed[_AT_ONCE - 1].name if len(listed) > _AT_ONCE else None
    return page("people.html", people=accounts, roles=ROLES, more=more, facts={"people": accounts, "self": actor.name})
