"""The frame of a dataset's pages: its head, and a tab for each section with an address of its own."""

from __future__ import annotations

from contextlib import suppress
from typing import Any
from urllib.parse import quote

from sfumato.errors import SfumatoError
from sfumato.escrow.dataset import RegisteredDataset
from sfumato.escrow.identity.person import Person
from sfumato.escrow.service import Escrow
from sfumato.escrow.submissions.lifecycle import State
from sfumato.escrow.submissions.store import SubmissionFilter

TABS = {"": "Overview", "columns": "Columns", "policy": "Policy", "budget": "Budget", "data": "Data", "audit": "Audit"}
_SHOWN = 3  # of the requests that wait


def tab_frame(escrow: Escrow, actor: Person, dataset: RegisteredDataset, tab: str) -> dict[str, Any]:
    """What the head of each tab shows to a controller or an auditor."""
    signed = None
    with suppress(SfumatoError):  # a policy that was edited in the database: its own tab says so
        signed = escrow.datasets.policy_of(dataset)
    waiting = SubmissionFilter(state=(State.SUBMITTED, State.COMPUTED), dataset=dataset.name)
    return {
        "place": f"/datasets/{quote(dataset.name, safe='')}",
        "tab": tab,
        "tabs": TABS,
        "controls": dataset.is_controlled_by(actor),
        "described": len(dataset.schema.columns),
        "policy_version": None if signed is None else signed.number,
        "has_public_page": signed is not None and signed.policy.public_page,
        "pending": escrow.requests.listed(actor, waiting, limit=_SHOWN),
        "pending_count": sum(escrow.requests.counts(actor, waiting).values()),
    }
