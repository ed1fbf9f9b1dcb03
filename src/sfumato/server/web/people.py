"""Users and their roles, for admins."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Query
from starlette.responses import Response

from sfumato.escrow.identity.accounts import PersonFilter
from sfumato.escrow.identity.person import Role
from sfumato.model.plain import to_plain
from sfumato.server.dependencies import EscrowDep, ReadingUser, SearchText
from sfumato.server.web.listing import ListPage, PageNumber
from sfumato.server.web.shell import RendererDep

screens = APIRouter(include_in_schema=False)
ROLES = {
    Role.ADMIN: "adds and disables users; has no access to data through this role",
    Role.CONTROLLER: "registers datasets, writes policies, decides requests",
    Role.ANALYST: "requests statistics that a policy allows",
    Role.AUDITOR: "reads the audit log, ledgers and policies",
}


@screens.get("/people")
def people(
    page: RendererDep,
    actor: ReadingUser,
    escrow: EscrowDep,
    search: SearchText = "",
    role: Annotated[Role | Literal[""], Query()] = "",
    organisation: SearchText = "",
    status: Annotated[Literal["", "active", "disabled"], Query()] = "",
    number: Annotated[PageNumber, Query(alias="page")] = 1,
) -> Response:
    actor.require(Role.ADMIN, to="manage users")
    disabled = {"": None, "active": False, "disabled": True}[status]
    filter = PersonFilter(search, Role(role) if role else None, organisation or None, disabled)
    filters = {"search": search, "role": role, "organisation": organisation, "status": status}
    listing = ListPage("/people", filters, escrow.accounts.count(actor, filter), number)
    listed = escrow.accounts.many(actor, None, listing.size, filter=filter, skip=listing.skip)
    accounts = list(map(to_plain, listed))
    return page(
        "people.html",
        people=accounts,
        roles=ROLES,
        role_choices=[(one.value, one.value) for one in Role],
        listing=listing,
        organisations=[(name, name) for name in escrow.accounts.organisations(actor)],
        facts={"people": accounts, "self": actor.name},
    )
