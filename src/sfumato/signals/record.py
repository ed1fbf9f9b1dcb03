"""What the ledger and certificates state of a charged signal, in words that stored entries have too."""

from __future__ import annotations

from sfumato.model.signal_score import EXACT_SCORE, SignalKind
from sfumato.release.certificate import NumberTexts

TEXTS = {
    SignalKind.DIFFERENCE: NumberTexts(
        "a noisy difference of scores",
        "difference between the score of the release and that of the exact answer",
        "a difference is shown within 0 and the width of the range",
    ),
    SignalKind.BLOCKS: NumberTexts(
        "a score by sample and aggregate", "mean score of the blocks", "a mean score is shown within its range"
    ),
    SignalKind.PUBLISHED: NumberTexts("both scores, as published", EXACT_SCORE, "scores are rounded to 2 decimals"),
}


def charge_text(kind: SignalKind, task: str, sql: str) -> str:
    """What was charged, as the ledger states it."""
    return f"{TEXTS[kind].method} ({task}) under {sql}"


def look_text(task: str, sql: str) -> str:
    """What was looked at, as the ledger states it."""
    return f"the score ({task}) of the exact answer under {sql}"
