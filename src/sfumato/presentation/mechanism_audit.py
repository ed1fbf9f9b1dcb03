"""An audit of a mechanism, as a person reads it."""

from __future__ import annotations

from sfumato.model.mechanism_audit import MechanismAudit
from sfumato.presentation.document import Document, FactRows
from sfumato.presentation.wording import audit as of_audit

WIDTH = 100


def document(audit: MechanismAudit) -> Document:
    """What was claimed, asked and shown, a line each; the verdict last."""
    lines = [
        ("claimed", of_audit.claimed(audit)),
        *(line for f in audit.findings for line in (("asked", f"{f.query}, of {f.tables}"), ("seen", f.counted))),
        ("shown", of_audit.shown_at_least(audit)),
        ("power", of_audit.audit_power(audit)),
        ("read", of_audit.AUDIT_MADE_UP),
        ("verdict", of_audit.verdict(audit)),
    ]
    return Document("", (FactRows(lines, wrapped=True),))
