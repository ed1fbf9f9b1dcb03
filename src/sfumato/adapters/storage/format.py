"""The format of ledger files and workspaces: one number, checked whenever one of them is opened."""

from __future__ import annotations

from sfumato.errors import BadInput

FORMAT = 2


def reads(number: object) -> bool:
    """Whether this version reads a format; what is no whole number counts as none."""
    return type(number) is int and 1 <= number <= FORMAT


def require_workspace_format(number: object, where: str) -> None:
    """Refuse settings or a database of a format that is not read."""
    if not reads(number):
        whole = number if type(number) is int else 0
        raise BadInput.because("workspace-format", where=where, format=whole, reads=FORMAT)
