"""Audits of a mechanism: what they show."""

from __future__ import annotations

import math

from sfumato.model.mechanism_audit import MechanismAudit
from sfumato.presentation.wording.guarantee import exactly

AUDIT_MADE_UP = "none of your data: the audit uses synthetic tables, and no ledger of yours is charged"
AUDITING = "Repeating the query"


def claimed(audit: MechanismAudit) -> str:
    """The claim that is tested."""
    pair = f"epsilon {audit.claim:g}" + (f", delta {exactly(audit.delta)}" if audit.delta else "")
    return f"{pair} for one person ({audit.relation}): {audit.mechanism}, {audit.aggregate}"


def shown_at_least(audit: MechanismAudit) -> str:
    """Rounded down: what is printed as "at least" must be."""
    at = f" at delta {exactly(audit.delta)}" if audit.delta else ""
    wrong = f"too high in at most {100 * (1 - audit.confidence):.3g}% of such audits"
    return f"epsilon at least {_down(audit.lower_bound)}{at}, with {100 * audit.confidence:.12g}% confidence ({wrong})"


def audit_power(audit: MechanismAudit) -> str:
    """The power of the audit: how often it would find the stated violation."""
    caught = math.floor(100 * audit.power)
    more = "" if caught >= 90 else f"; {_more_runs(audit)}"
    often = f"in about {caught}% of such audits, with {audit.runs:,} runs on each table"
    return f"{audit.against} would be detected {often}{more}"


def _more_runs(audit: MechanismAudit) -> str:
    if audit.enough is None:
        return "no practical number of runs detects it on these tables"
    return f"{audit.enough:,} runs would detect it in 90%"


def verdict(audit: MechanismAudit) -> str:
    """The result; never that a mechanism is private."""
    if audit.holds:
        return "No violation found (this is not a proof)."
    pair = f"({audit.claim:g}, {exactly(audit.delta)})" if audit.delta else f"{audit.claim:g}"
    return f"Violation found: it is not {pair}-differentially private ({100 * audit.confidence:.12g}% confidence)."


def came_up(more: tuple[int, int], fewer: tuple[int, int]) -> str:
    """How often an event occurred on each table."""
    often, seldom = (f"{times:,} of {runs:,}" for times, runs in (more, fewer))
    return f"an event occurs in {often} runs on one table, and in {seldom} on the other"


def _down(figure: float) -> str:
    return f"{math.floor(1000 * figure) / 1000:.3f}"
