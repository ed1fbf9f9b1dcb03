"""What an audit shows. Every such sentence stands here, once."""

from __future__ import annotations

import math

from sfumato.model.mechanism_audit import MechanismAudit
from sfumato.presentation.wording.guarantee import exactly

AUDIT_MADE_UP = "nothing of yours: everybody in these tables is made up, and no ledger of yours is charged"
AUDITING = "Asking again and again"


def claimed(audit: MechanismAudit) -> str:
    """What was held against what was seen."""
    pair = f"epsilon {audit.claim:g}" + (f", delta {exactly(audit.delta)}" if audit.delta else "")
    return f"{pair} for one person, {audit.relation}: {audit.mechanism}, {audit.aggregate}"


def shown_at_least(audit: MechanismAudit) -> str:
    """Rounded down: what is printed as "at least" must be."""
    at = f" at that delta, {exactly(audit.delta)}" if audit.delta else ""
    wrong = f"more than the real one in at most {1 - audit.confidence:.3g} of such audits"
    return f"epsilon at least {_down(audit.shown)}{at}, with confidence {audit.confidence:.12g}: {wrong}"


def audit_power(audit: MechanismAudit) -> str:
    """What an audit that finds nothing is worth."""
    caught = math.floor(100 * audit.power)
    more = "" if caught >= 90 else f"; {_more_runs(audit)}"
    return f"{audit.against} is caught in about {caught} of 100 such audits, of {audit.runs:,} runs a side{more}"


def _more_runs(audit: MechanismAudit) -> str:
    if audit.enough is None:
        return "no number of runs that anybody waits for catches it on these tables"
    return f"--runs {audit.enough} would catch it in 90"


def verdict(audit: MechanismAudit) -> str:
    """In a sentence; never that something is private."""
    if audit.holds:
        return "not contradicted: that is no proof."
    pair = f"({audit.claim:g}, {exactly(audit.delta)})" if audit.delta else f"{audit.claim:g}"
    return f"contradicted: it is not {pair}-differentially private, at confidence {audit.confidence:.12g}."


def came_up(more: tuple[int, int], fewer: tuple[int, int]) -> str:
    """How often an event was seen on either side."""
    often, seldom = (f"{times:,} of {runs:,}" for times, runs in (more, fewer))
    return f"something comes up in {often} runs of one table, and in {seldom} of the other"


def _down(figure: float) -> str:
    return f"{math.floor(1000 * figure) / 1000:.3f}"
