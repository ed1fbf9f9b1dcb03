"""`sfumato audit`: the audit log."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from sfumato.cli import options
from sfumato.cli.escrow.desk import Desk, at_a_desk, with_client
from sfumato.cli.help import CommandGroup
from sfumato.cli.options import option
from sfumato.cli.output import ShownList, show, write_file
from sfumato.errors import BadInput

if TYPE_CHECKING:
    from sfumato.client.client import Client

app = CommandGroup("Show and verify the audit log; save a checkpoint.")


@app.command()
@at_a_desk
def verify(
    desk: Desk,
    head: Annotated[Path | None, option("Checkpoint to compare with; also shows removed entries.", "FILE")] = None,
    as_json: options.Json = False,
) -> None:
    """Verify the audit log from its first entry to its last; exit 3 where it breaks."""
    checkpoint = None if head is None else _checkpoint(head)
    with desk.open() as client:
        show(client.verify_audit(checkpoint), as_json)


@app.command()
@at_a_desk
def head(
    desk: Desk,
    out: Annotated[Path | None, option("Write the checkpoint to this file.", "FILE.json")] = None,
    as_json: options.Json = False,
) -> None:
    """Save a signed checkpoint: kept elsewhere, it shows later whether entries were removed."""
    options.require_writable(out, "--out", ".json")
    with desk.open() as client:
        head = client.audit_head()
    show(head, as_json)
    if out is not None:
        from sfumato.api.whole_file import write_text_whole

        text = f"{json.dumps(head.as_dict(), indent=2)}\n"
        write_file(lambda path: write_text_whole(path, text), out, "--out")


@app.command("show")
@with_client
def show_(
    client: Client, after: Annotated[int | None, option("Show only entries after this number.", "N")] = None
) -> ShownList:
    """Show who did what, oldest first."""
    return client.audit(after=after)


def _checkpoint(file: Path) -> dict[str, Any]:
    hint = "name a file that `sfumato audit head --out FILE.json` wrote."
    try:
        head = json.loads(file.read_text("utf-8"))
    except OSError:
        raise BadInput(f"There is no file {file}", hint=hint) from None
    except ValueError:
        head = None
    if not isinstance(head, dict):
        raise BadInput(f"{file} is not a checkpoint", hint=hint)
    return head
