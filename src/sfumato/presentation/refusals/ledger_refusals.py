"""What the ledger refuses."""

from __future__ import annotations

from sfumato.presentation.refusals.wording import Wording


def _failures_of(dataset: str, failures: list[int]) -> str:
    known = ", ".join(map(str, failures))
    return f"{dataset} has {f'these: {known}' if known else 'no such failure'}."


WORDINGS = {
    "audit-log-changed": Wording(
        "The audit log was changed at entry {entry}",
        "what is from there on cannot be relied on; a head that was kept elsewhere tells what stood there.",
    ),
    "ledger-changed": Wording(
        "The ledger was changed at entry {entry}",
        "nothing is released on top of it; an older copy would count later releases as never made.",
    ),
    "no-open-failure": Wording("Entry {entry} is not a failure without a stated cause", _failures_of),
    "cause-length": Wording(
        "A cause is a sentence of 1 to {longest} characters", 'try "the disk of the server was full".'
    ),
    "delta-of-total": Wording("delta is a number from 0 to below 1, not {stated}", "try {option[delta=1e-6]}."),
}
