"""What the ledger and certificates state of a charged signal, in words that stored entries have too."""

from __future__ import annotations

from sfumato.model.signal_score import EXACT_SCORE, SignalKind

METHODS = {
    SignalKind.DIFFERENCE: "a noisy difference of scores",
    SignalKind.BLOCKS: "a score by sample and aggregate",
    SignalKind.PUBLISHED: "both scores, as published",
}
NUMBERS = {
    SignalKind.DIFFERENCE: "difference between the score of the release and that of the exact answer",
    SignalKind.BLOCKS: "mean score of the blocks",
    SignalKind.PUBLISHED: EXACT_SCORE,
}
POST_PROCESSING = {
    SignalKind.DIFFERENCE: "a difference is shown within 0 and the width of the range",
    SignalKind.BLOCKS: "a mean score is shown within its range",
    SignalKind.PUBLISHED: "scores are rounded to 2 decimals",
}


def charge_text(kind: SignalKind, task: str, sql: str) -> str:
    """What was charged, as the ledger states it."""
    return f"{METHODS[kind]} ({task}) under {sql}"


def look_text(task: str, sql: str) -> str:
    """What was looked at, as the ledger states it."""
    return f"the score ({task}) of the exact answer under {sql}"
