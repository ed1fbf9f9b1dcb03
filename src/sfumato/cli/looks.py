"""Before a look at the data: a question in a terminal, a sentence on stderr elsewhere."""

from __future__ import annotations

import sys
from contextlib import redirect_stdout
from typing import Annotated

import typer

from sfumato.cli.options import flag
from sfumato.errors import BadInput

Yes = Annotated[bool, flag("--yes", "Do not ask before looking at the data.")]


def confirm_look(*, yes: bool) -> None:
    """Ask whether to go on, before anything is read or logged; without a terminal, say that this is a look."""
    from sfumato.presentation.wording.guarantee import LOOK

    if yes:
        return
    if sys.stdin is None or not sys.stdin.isatty():
        typer.echo(LOOK, err=True)
        return
    with redirect_stdout(sys.stderr):  # the last blank of a question goes to stdout in any case
        accepted = typer.confirm(f"{LOOK} Continue?", err=True)
    if not accepted:
        raise BadInput(
            "Cancelled; nothing was read or logged",
            hint="use `sfumato worst-case` or `rehearse`, which show risk without a look.",
        )
