"""`sfumato policy`: who may ask what of a dataset."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from sfumato.cli.escrow.desk import with_client
from sfumato.cli.help import CommandGroup
from sfumato.cli.options import argument, flag
from sfumato.cli.output import Shown, ShownList

if TYPE_CHECKING:
    from sfumato.client.client import Client

app = CommandGroup("Show or set who may ask what of a dataset. Without a policy no one may ask anything.")

Dataset = Annotated[str, argument("DATASET", "Dataset of the policy.")]


@app.command("show")
@with_client
def show_(
    client: Client, dataset: Dataset, history: Annotated[bool, flag("--history", "List all its policies.")] = False
) -> Shown | ShownList:
    """Show the policy in force, in sentences."""
    remote = client.dataset(dataset)
    return remote.policies() if history else remote.policy


@app.command("set")
@with_client
def set_(
    client: Client,
    dataset: Dataset,
    file: Annotated[Path, argument("FILE.toml", "Policy file.")],
    allow_no_guarantee: Annotated[
        bool, flag("--allow-no-guarantee", "Withdraw access after a look, although this has no guarantee.")
    ] = False,
) -> Shown:
    """Set the policy: it is signed by you and in force at once."""
    return client.set_policy(dataset, file, allow_no_guarantee=allow_no_guarantee)
