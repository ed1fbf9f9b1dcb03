"""`sfumato policy`: who may ask what of a dataset."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sfumato.cli import options
from sfumato.cli.escrow.desk import Desk, at_a_desk, show, show_list

app = typer.Typer(help="Who may ask what of a dataset. Without a policy nothing flows.")
app.callback(invoke_without_command=True)(options.explain)

Dataset = Annotated[str, typer.Argument(metavar="DATASET", help="The dataset that it is for.")]


@app.command("show")
@at_a_desk
def show_(
    dataset: Dataset,
    desk: Desk,
    history: Annotated[bool, typer.Option("--history", help="Every policy that it has had.")] = False,
    as_json: options.Json = False,
) -> None:
    """The policy that holds now, in sentences."""
    with desk.open() as client:
        remote = client.dataset(dataset)
        if history:
            show_list(remote.policies(), as_json)
        else:
            show(remote.policy, as_json)


@app.command("set")
@at_a_desk
def set_(
    dataset: Dataset,
    file: Annotated[Path, typer.Argument(metavar="FILE.toml", help="The policy.")],
    desk: Desk,
    allow_no_guarantee: Annotated[
        bool,
        typer.Option("--allow-no-guarantee", help="Take access away after a look, although that has no guarantee."),
    ] = False,
    as_json: options.Json = False,
) -> None:
    """Write a policy down: it is signed by you, and holds from now on."""
    with desk.open() as client:
        show(client.set_policy(dataset, file, allow_no_guarantee=allow_no_guarantee), as_json)
