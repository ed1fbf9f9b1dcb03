"""`sfumato audit`: the record of who did what."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from sfumato.cli import options
from sfumato.cli.escrow.desk import Desk, at_a_desk, show, show_list
from sfumato.errors import BadInput

app = typer.Typer(help="The record of who did what: read it, verify it, keep its head elsewhere.")
app.callback(invoke_without_command=True)(options.explain)


@app.command()
@at_a_desk
def verify(
    desk: Desk,
    head: Annotated[
        Path | None, typer.Option(metavar="FILE", help="A head that was kept: also shows what was taken back.")
    ] = None,
    as_json: options.Json = False,
) -> None:
    """Follow the record from its first entry to its last; exit 3 where it breaks."""
    kept = None if head is None else _kept(head)
    with desk.open() as client:
        verification = client.verify_audit(kept)
    show(verification, as_json)


@app.command()
@at_a_desk
def head(
    desk: Desk,
    out: Annotated[Path | None, typer.Option(metavar="FILE.json", help="Write it, to be kept elsewhere.")] = None,
    as_json: options.Json = False,
) -> None:
    """The end of the record, signed; kept elsewhere it shows whether a backup was put back."""
    options.require_writable(out, "--out", ".json")
    with desk.open() as client:
        head = client.audit_head()
    show(head, as_json)
    if out is not None:
        from sfumato.api.whole_file import write_text_whole

        try:
            write_text_whole(out, f"{json.dumps(head.as_dict(), indent=2)}\n")
        except OSError:
            raise BadInput(f"{out} could not be written", hint="name a file in a folder that exists.") from None


@app.command("show")
@at_a_desk
def show_(
    desk: Desk,
    after: Annotated[int | None, typer.Option(metavar="N", help="From behind this entry on.")] = None,
    as_json: options.Json = False,
) -> None:
    """Who did what, oldest first."""
    with desk.open() as client:
        show_list(client.audit(after=after), as_json)


def _kept(file: Path) -> dict[str, Any]:
    try:
        head = json.loads(file.read_text("utf-8"))
    except OSError:
        raise BadInput(
            f"There is no file {file}", hint="name what `sfumato audit head --out FILE.json` wrote."
        ) from None
    except ValueError:
        head = None
    if not isinstance(head, dict):
        raise BadInput(f"{file} is no head of a record", hint="name what `sfumato audit head --out FILE.json` wrote.")
    return head
