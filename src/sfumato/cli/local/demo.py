"""`sfumato demo`: a tour of the main job on generated data, its files, or its web app."""

from __future__ import annotations

from pathlib import Path
from shlex import quote
from typing import Annotated

import typer

from sfumato.cli import options
from sfumato.cli.escrow.workspace import require_server_extra
from sfumato.cli.options import flag, option
from sfumato.cli.output import Confirmation, show
from sfumato.errors import BadInput

ROWS = 32_561


def demo(
    rows: Annotated[
        int | None, typer.Option(help="Number of people in the data: 32,561; in a clinic 5,000.", min=1)
    ] = None,
    seed: Annotated[int, option("Seed: the same seed generates the same people.", "N")] = 1,
    files: Annotated[str | None, option("Only write adult.csv, its schema and a plan to this folder.", "DIR")] = None,
    clinic: Annotated[
        str | None, option("Only write a clinic to this folder: four tables, their schema and a plan.", "DIR")
    ] = None,
    keep: Annotated[str | None, option("Keep the files and the ledger of the tour in this folder.", "DIR")] = None,
    serve: Annotated[
        bool, flag("--serve", "Open the web app instead, with two users and a request to approve.")
    ] = False,
    port: Annotated[int, typer.Option(help="Port for --serve; 0 takes a free one.", min=0)] = 8765,
    as_json: options.Json = False,
) -> None:
    """Show the main job in six steps, from the rule to the certificate, on generated data."""
    if serve:
        if keep is not None or files is not None or clinic is not None or as_json:
            what = "--serve cannot be combined with --files, --clinic, --keep or --json"
            raise BadInput(what, hint="leave them out.")
        require_server_extra()
        from sfumato.cli.local.demo_server import serve_demo

        return serve_demo(port, rows or ROWS, seed, typer.echo)
    from sfumato import demo
    from sfumato.cli.local.tour import create_folder, tour
    from sfumato.demo.clinic import PEOPLE
    from sfumato.demo.clinic import write as write_clinic

    paths: list[Path] = []
    if files is not None:
        folder = create_folder(files)
        paths += [*demo.write(folder, rows or ROWS, seed, name="adult.csv"), demo.write_plan(folder)]
    if clinic is not None:
        paths += write_clinic(create_folder(clinic), rows or PEOPLE, seed)
    if paths:
        names = [str(path) for path in paths]
        hint = "" if clinic is None else _next_commands(Path(clinic))
        return show(Confirmation(f"Wrote {', '.join(names)}.{hint}", {"files": names}), as_json)
    lines: list[str] = []
    tour(lines.append if as_json else typer.echo, rows or ROWS, seed, keep)
    if as_json:
        show(Confirmation("", {"tour": lines}), as_json)
    return None


def _next_commands(folder: Path) -> str:
    """How to query the clinic, and how to release the figures of its plan."""
    from sfumato.demo.clinic import TABLES

    tables = " ".join(f"--table {quote(f'{name}={folder / name}.csv')}" for name in TABLES)
    schema, plan = (quote(str(folder / name)) for name in ("clinic.toml", "clinic-monthly.toml"))
    query = "SELECT p.district, AVG(v.cost) FROM visits v JOIN patients p ON p.patient = v.patient GROUP BY p.district"
    return (
        f"\n\nNext:\n  sfumato release {tables} --schema {schema} --gap 1.2 --worst-case \\\n"
        f'    --sql "{query}"\n  sfumato run {plan}'
    )
