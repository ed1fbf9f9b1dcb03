"""Users and their roles."""

from __future__ import annotations

from functools import partial
from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import Field

from sfumato.escrow.identity.accounts import PersonFilter
from sfumato.escrow.identity.person import Person, Role
from sfumato.server.dependencies import (
    AfterName,
    EscrowDep,
    FilterName,
    Limit,
    NameInPath,
    Page,
    Plain,
    ReadingUser,
    SearchText,
    WorkPoolsDep,
    Writer,
    page,
)
from sfumato.server.openapi import SENT, SIGNED_IN
from sfumato.server.texts import Body, Line, Name, Secret

routes = APIRouter(prefix="/people", tags=["people"])
Roles = Annotated[list[Name], Field(max_length=10)]


class NewPerson(Body):
    """Without a password the user has tokens only."""

    name: Name
    roles: Roles
    organisation: Line = ""
    password: Secret | None = None


class PersonChange(Body):
    """What is left out, or null, stays as it is."""

    roles: Roles | None = None
    organisation: Line | None = None
    disabled: bool | None = None
    password: Secret | None = None
    current_password: Secret | None = None  # one's own so far, to change it


@routes.get("", responses=SIGNED_IN)
def many(
    actor: ReadingUser,
    escrow: EscrowDep,
    search: SearchText = "",
    role: Annotated[Role | None, Query()] = None,
    organisation: FilterName = None,
    disabled: Annotated[bool | None, Query()] = None,
    after: AfterName = None,
    limit: Limit = 100,
) -> Page[Person]:
    """Users by name. A search looks for each of its words in the name and the organisation."""
    filter = PersonFilter(search, role, organisation, disabled)
    people = escrow.accounts.many(actor, after, limit + 1, filter=filter)
    return page(people, limit, "name", escrow.accounts.count(actor, filter))


@routes.post("", status_code=201, responses=SENT)
async def add(actor: Writer, body: NewPerson, escrow: EscrowDep, lanes: WorkPoolsDep) -> Plain[Person]:
    """Add a user."""
    work = partial(escrow.accounts.add, organisation=body.organisation, password=body.password)
    return await lanes.signing_in.run(actor.name, work, actor, body.name, body.roles)


@routes.patch("/{name}", responses=SENT)
async def change(
    actor: Writer, name: NameInPath, body: PersonChange, escrow: EscrowDep, lanes: WorkPoolsDep
) -> Plain[Person]:
    """Change roles, organisation or password, or disable the user."""
    work = partial(escrow.accounts.change, **body.model_dump())
    return await lanes.signing_in.run(actor.name, work, actor, name)
