"""The audit log: who did what, in a chain of hashes that shows every change."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query

from sfumato.escrow.audit_log import AuditHead
from sfumato.ledger.audit_log import AuditEntry
from sfumato.presentation.escrow.audit_view import AuditVerification, verification
from sfumato.server.dependencies import AfterNumber, EscrowDep, Limit, Page, Plain, ReadingPool, ReadingUser, page
from sfumato.server.openapi import SENT, SIGNED_IN
from sfumato.server.texts import Body, Line, Name, Number

routes = APIRouter(prefix="/audit", tags=["audit"])


class End(Body):
    number: Number
    digest: Line


class KeptHead(Body):
    """A checkpoint, as returned by GET /audit/head."""

    ledger: End
    audit: End
    at: Line
    by: Line
    public_key: Line
    signature: Line


class Verification(Body):
    """`head` is a checkpoint that was kept elsewhere; it shows whether a backup was restored."""

    head: KeptHead | None = None


@routes.get("", responses=SIGNED_IN)
def many(
    actor: ReadingUser,
    escrow: EscrowDep,
    after: AfterNumber = None,
    limit: Limit = 100,
    newest_first: Annotated[bool, Query()] = False,
    who: Annotated[Name | None, Query()] = None,
    about: Annotated[Name | None, Query()] = None,
) -> Page[AuditEntry]:
    """List the entries, oldest or newest first; optionally of one user or about one object."""
    entries = escrow.audit.many(actor, after or 0, limit + 1, newest_first=newest_first, who=who, about=about)
    return page(entries, limit, "number")


@routes.get("/head", responses=SIGNED_IN)
def head(actor: ReadingUser, escrow: EscrowDep) -> Plain[AuditHead]:
    """Return a signed checkpoint of both chains."""
    return escrow.audit.head(actor)


@routes.post("/verify", responses=SENT)
async def verify(pool: ReadingPool, body: Verification, escrow: EscrowDep) -> Plain[AuditVerification]:
    """Verify both chains, and compare them with a checkpoint."""
    head = None if body.head is None else body.head.model_dump()
    return verification(await pool.run(escrow.audit.verify, head), head)
