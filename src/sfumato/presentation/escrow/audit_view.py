"""What a check of the record shows, in a sentence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sfumato.escrow.audit_log import AuditEnds, ChainEnd
from sfumato.model.plain import to_plain
from sfumato.presentation.wording import ledger_sentences as of_ledger


@dataclass(frozen=True)
class AuditVerification:
    """Where both chains end, and in a sentence what that shows; a chain that is broken is a problem."""

    sentence: str
    ledger: ChainEnd
    audit: ChainEnd


def verification(ends: AuditEnds, head: Mapping[str, Any] | None) -> AuditVerification:
    """`head` is one that was kept elsewhere, if there is one."""
    return AuditVerification(of_ledger.verified(to_plain(ends), head), ends.ledger, ends.audit)
