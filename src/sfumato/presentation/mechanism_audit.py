"""An audit of a mechanism in text."""

from __future__ import annotations

from sfumato.model.mechanism_audit import MechanismAudit
from sfumato.presentation.document import Document, FactRows
from sfumato.presentation.wording import audit as of_audit

WIDTH = 100


def document(audit: MechanismAudit) -> Document:
    """The claim, the queries and the findings, a line each; the result last."""
    lines = [
        ("Claim", of_audit.claimed(audit)),
        *(line for f in audit.findings for line in (("Query", f"{f.query}, on {f.tables}"), ("Counts", f.counted))),
        ("Lower bound", of_audit.shown_at_least(audit)),
        ("Power", of_audit.audit_power(audit)),
        ("Data used", of_audit.AUDIT_MADE_UP),
        ("Result", of_audit.verdict(audit)),
    ]
    return Document("", (FactRows(lines, wrapped=True),))
