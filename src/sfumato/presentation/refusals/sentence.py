"""A reason and its values -> message and hint, for one interface."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from inspect import signature
from string import Formatter

from sfumato.presentation.interface import Interface
from sfumato.presentation.refusals import (
    adapters,
    errors,
    escrow,
    ledger_refusals,
    privacy,
    release_refusals,
    signals_refusals,
    submissions,
)
from sfumato.presentation.refusals.options import Options, Preferences, steps
from sfumato.presentation.refusals.wording import Text, Wording

PACKAGES: Mapping[str, Mapping[str, Wording]] = {
    "adapters": adapters.WORDINGS,
    "errors": errors.WORDINGS,
    "escrow": {**escrow.WORDINGS, **submissions.WORDINGS},
    "ledger": ledger_refusals.WORDINGS,
    "privacy": privacy.WORDINGS,
    "release": release_refusals.WORDINGS,
    "signals": signals_refusals.WORDINGS,
}
WORDS = ("option", "preference", "step")  # what a wording may use beside the values of its error


def sentence(reason: str, values: Mapping[str, object], interface: Interface) -> tuple[str, str] | None:
    """Message and hint; None where the reason has no wording, or values are not those that it needs.

    Both may be so for an error that another version of sfumato told of. An `interface` among the values is the one
    whose terms it is in, whichever shows it.
    """
    wording = _all().get(reason)
    if wording is None:
        return None
    try:
        spoken = Interface(values.get("interface", interface))
        words = {**values, "option": Options(spoken), "preference": Preferences(spoken), "step": steps(spoken)}
        return _text(wording.message, words), _text(wording.instead.get(spoken, wording.hint), words)
    except (AttributeError, IndexError, KeyError, TypeError, ValueError):
        return None


@cache
def _all() -> Mapping[str, Wording]:
    return {reason: wording for wordings in PACKAGES.values() for reason, wording in wordings.items()}


def _text(text: Text, words: Mapping[str, object]) -> str:
    if isinstance(text, str):
        return _FORMATTER.vformat(text, (), words)
    return text(**{name: words[name] for name in signature(text).parameters})


class _Lists(Formatter):
    """Lists are written with commas between their values."""

    def format_field(self, value: object, format_spec: str) -> str:
        if isinstance(value, list | tuple):
            return ", ".join(format(one, format_spec) for one in value)
        return str(super().format_field(value, format_spec))


_FORMATTER = _Lists()
