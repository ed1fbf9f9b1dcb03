"""Suggested contribution bounds, and what each choice costs."""

from __future__ import annotations

from sfumato.model.suggested_bounds import SuggestedBounds
from sfumato.presentation.document import Cells, CodeLines, Document
from sfumato.presentation.wording import guarantee as of_guarantee
from sfumato.presentation.wording import ledger_sentences as of_ledger

COLUMNS = ["bound", "noise of a count (90%)", "people above", "left out at most"]
STATE = "State {} in the schema, for releases of epsilon {:g}."
WHY = "It is the least bound with no more than {:,.1f} people above it: the noise of a higher one would be larger than "
WHY += "what it keeps."
PUBLIC = "From public knowledge: no data is read, and nothing is charged."


def document(suggested: SuggestedBounds) -> Document:
    rows = [
        [f"{c.bound:,}", f"±{c.noise_90:,.1f}", f"{c.people_above:,.0f}", f"{c.left_out:,.0f}"]
        for c in suggested.candidates
    ]
    few = 2**0.5 / suggested.for_epsilon
    lines = [STATE.format(suggested.statement, suggested.for_epsilon), WHY.format(few), ""]
    certificate = suggested.certificate
    if certificate is None:
        lines.append(PUBLIC)
    else:
        lines += [of_guarantee.guarantee(certificate), of_ledger.used(certificate)]
    return Document("", (Cells(COLUMNS, rows), CodeLines("\n".join(lines))))
