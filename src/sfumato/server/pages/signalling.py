"""What did the noise cost? Below an answer of one's own: the tasks and signals that there are, and what was signalled."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sfumato.errors import SfumatoError
from sfumato.escrow.code import LONGEST
from sfumato.escrow.person import Person
from sfumato.escrow.scoring import MOST_OWN_BLOCKS, MOST_OWN_DRAWS, OWN_BLOCKS, OWN_DRAWS
from sfumato.escrow.service import Escrow
from sfumato.model.signal import SignalKind
from sfumato.session.signal import BLOCKS, DRAWS, MOST_BLOCKS, MOST_DRAWS
from sfumato.signal.table import Table
from sfumato.views.words import of_signal_pages

_MOST_ROWS = 400  # rows that lists of a form still hold
_AMOUNTS = {"draws": (DRAWS, MOST_DRAWS), "blocks": (BLOCKS, MOST_BLOCKS)}
_CODE_AMOUNTS = {"draws": (OWN_DRAWS, MOST_OWN_DRAWS), "blocks": (OWN_BLOCKS, MOST_OWN_BLOCKS)}


def section(
    escrow: Escrow, actor: Person, request: Mapping[str, Any], answers: Sequence[Mapping[str, Any]]
) -> dict[str, Any]:
    """What the section shows, and what its script goes by."""
    library = escrow.signals.tasks()
    flow: Mapping[str, Any] | None = escrow.datasets.one(actor, request["dataset"])["flow"]
    allowed = () if flow is None else flow["signals"]
    code = library["code"]
