"""Errors that have one reason only, whoever raises them."""

from __future__ import annotations

from sfumato.presentation.refusals.wording import Wording

WORDINGS = {
    "cancelled": Wording("This was cancelled", "nothing was released, and what was charged stays charged."),
    "engine-failed": Wording(
        "The engine could not finish this query",
        "nothing was released, and what was charged stays charged ({step[show_ledger]}). That it failed tells "
        "something exact about the data, so no total holds for this dataset until a controller states a cause outside "
        "the data ({step[state_cause]}).",
    ),
}
