"""The result of verifying the ledger and the audit log."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sfumato.escrow.audit_log import AuditEnds, ChainEnd
from sfumato.model.plain import to_plain
from sfumato.presentation.wording import ledger_sentences as of_ledger


@dataclass(frozen=True)
class AuditVerification:
    """The last entry of both chains, and the result in a sentence; a broken chain is raised as an error."""

    sentence: str
    ledger: ChainEnd
    audit: ChainEnd


def verification(ends: AuditEnds, head: Mapping[str, Any] | None) -> AuditVerification:
    """`head` is a checkpoint that was kept elsewhere, if there is one."""
    return AuditVerification(of_ledger.verified(to_plain(ends), head), ends.ledger, ends.audit)
