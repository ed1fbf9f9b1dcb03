"""Policies: who may ask what of a dataset. Without one nothing flows."""

from __future__ import annotations

from fastapi import APIRouter

from sfumato.server.asking import Here, NameInPath, Page, Reader, Writer
from sfumato.server.openapi import FOUND, SENT
from sfumato.server.texts import Open, Table

routes = APIRouter(prefix="/datasets", tags=["policies"])


class PolicyShown(Open):
    """A policy as its author signed it, and in sentences."""


@routes.get("/{name}/policy", responses=FOUND)
def current(actor: Reader, name: NameInPath, escrow: Here) -> PolicyShown:
    """The policy that holds now."""
    return PolicyShown.model_validate(escrow.policies.current(actor, name).as_dict())


@routes.put("/{name}/policy", responses=SENT)
def write(actor: Writer, name: NameInPath, body: Table, escrow: Here) -> PolicyShown:
    """A new policy, signed by whoever writes it. The tables of a policy file, as JSON."""
    return PolicyShown.model_validate(escrow.policies.set(actor, name, body).as_dict())


@routes.get("/{name}/policies", responses=FOUND)
def history(actor: Reader, name: NameInPath, escrow: Here) -> Page[PolicyShown]:
    """Every policy that ever held."""
    found = escrow.policies.history(actor, name)
    return Page(items=[PolicyShown.model_validate(signed.as_dict()) for signed in found], next=None)
