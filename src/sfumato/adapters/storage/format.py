"""The format of ledger files and workspaces: one number, checked whenever one of them is opened."""

from __future__ import annotations

from sfumato.errors import BadInput

FORMAT = 1


def require_workspace_format(number: object, where: str) -> None:
    """Refuse settings or a database of another format; what is no whole number counts as none."""
    whole = number if type(number) is int else 0
    if whole != FORMAT:
        raise BadInput.because("workspace-format", where=where, format=whole, reads=FORMAT)
