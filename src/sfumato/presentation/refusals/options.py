"""What a hint names, in the words of each interface: options, and steps that somebody can take."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from sfumato.presentation.interface import Interface


class _Words(NamedTuple):
    command: str
    python: str
    web: str


_OPTIONS = {
    "delta": _Words("--delta", "delta", "delta"),
    "ledger": _Words("--ledger", "ledger", "ledger"),
}
_STEPS = {
    "check_workspace": _Words("`sfumato doctor`", "`sfumato doctor`", "`sfumato doctor`"),
    "create_workspace": _Words("`sfumato init`", "`sfumato init`", "`sfumato init`"),
    "show_ledger": _Words("`sfumato ledger show`", "`ledger.show()`", "the ledger of the dataset"),
    "state_cause": _Words("`sfumato ledger cause`", "`state_cause()`", "`sfumato ledger cause`"),
}


class Options:
    """An option by its name, or with a value after "=".

    >>> for interface in Interface:
    ...     print(Options(interface)["delta"], "|", Options(interface)["delta=1e-6"])
    --delta | --delta 1e-6
    delta | delta=1e-6
    delta | delta 1e-6
    """

    def __init__(self, interface: Interface) -> None:
        self._interface = interface

    def __getitem__(self, stated: str) -> str:
        name, equals, value = stated.partition("=")
        option: str = getattr(_OPTIONS[name], self._interface.value)
        return option + (("=" if self._interface is Interface.PYTHON else " ") + value if equals else "")


def steps(interface: Interface) -> Mapping[str, str]:
    return {name: getattr(words, interface.value) for name, words in _STEPS.items()}
