"""The audit log of a server."""

from __future__ import annotations

from sfumato.client.records import RemoteRecord
from sfumato.escrow.audit_log import AuditHead
from sfumato.ledger.audit_log import AuditEntry
from sfumato.presentation.escrow.audit_view import AuditVerification


class RemoteAuditEntry(RemoteRecord, AuditEntry): ...


class RemoteAuditHead(RemoteRecord, AuditHead): ...


class RemoteVerification(RemoteRecord, AuditVerification):
    def text(self) -> str:
        return super().text().removeprefix("sentence: ")
