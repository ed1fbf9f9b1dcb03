"""Policies of datasets. Without one there is no access."""

from __future__ import annotations

from typing import Annotated, Self

from fastapi import APIRouter, Query
from pydantic import model_validator

from sfumato.presentation.escrow import policy_view
from sfumato.presentation.escrow.policy_view import PolicyDraft, WordedPolicy
from sfumato.server.dependencies import EscrowDep, NameInPath, Page, Plain, ReadingUser, WritingUser
from sfumato.server.openapi import FOUND, SENT
from sfumato.server.texts import Body, Document, Table

routes = APIRouter(prefix="/datasets", tags=["policies"])
AllowNoGuarantee = Annotated[bool, Query()]


class NewPolicy(Body):
    """A policy, as the text of its file or as the tables that it has: one of the two."""

    policy_text: Document | None = None
    policy: Table | None = None

    @model_validator(mode="after")
    def _one_of_two(self) -> Self:
        if (self.policy_text is None) == (self.policy is None):
            raise ValueError("Give either policy_text or policy")
        return self


@routes.get("/{name}/policy", responses=FOUND)
def current(actor: ReadingUser, name: NameInPath, escrow: EscrowDep) -> Plain[WordedPolicy]:
    """The policy in force."""
    return policy_view.signed(escrow.policies.current(actor, name))


@routes.put("/{name}/policy", responses=SENT)
def write(
    actor: WritingUser, name: NameInPath, body: Table, escrow: EscrowDep, allow_no_guarantee: AllowNoGuarantee = False
) -> Plain[WordedPolicy]:
    """Sign a new policy: the tables of a policy file, as JSON.

    After a look, a policy that removes access has no guarantee, which `allow_no_guarantee` accepts.
    """
    return policy_view.signed(escrow.policies.set(actor, name, body, allow_no_guarantee=allow_no_guarantee))


@routes.post("/{name}/check-policy", responses=SENT)
def check_policy(actor: ReadingUser, name: NameInPath, body: NewPolicy, escrow: EscrowDep) -> Plain[PolicyDraft]:
    """Check a policy before it is signed; nothing is stored."""
    policy = body.policy_text or body.policy or {}
    return policy_view.policy_draft(escrow.policies.check(actor, name, policy))


@routes.get("/{name}/policies", responses=FOUND)
def history(actor: ReadingUser, name: NameInPath, escrow: EscrowDep) -> Page[WordedPolicy]:
    """All policies, oldest first."""
    return Page(items=list(map(policy_view.signed, escrow.policies.history(actor, name))), next=None)
