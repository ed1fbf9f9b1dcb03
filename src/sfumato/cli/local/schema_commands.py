"""`sfumato schema`: describe a table by a draft or by questions, convert a description, check a table against one."""

from __future__ import annotations

import json
import sys
from contextlib import redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sfumato.cli import options
from sfumato.cli.progress import reading
from sfumato.errors import BadInput

if TYPE_CHECKING:
    from sfumato.schema.interview import InterviewQuestion

app = typer.Typer(help="Describe a table: draft, ask, convert or check.")
app.callback(invoke_without_command=True)(options.explain)

Name = Annotated[str | None, typer.Option(help="The table's name in SQL; by default the file's.")]


Values = Annotated[
    bool,
    typer.Option("--values", help="Show values of the data too: a look, which the schema then says with your name."),
]


@app.command()
def draft(data: options.Data, name: Name = None, values: Values = False, as_json: options.Json = False) -> None:
    """Print a schema with names and guessed types; bounds and categories are left for a person to state."""
    from sfumato.composition import local

    _print(local.draft_schema(data, name or Path(data).resolve().stem, reading, values=values), as_json)


@app.command()
def ask(
    data: options.Data,
    name: Name = None,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the schema there, not to standard output.")
    ] = None,
    values: Values = False,
    as_json: options.Json = False,
) -> None:
    """Print the schema that your answers state: who is one person, what is possible, what is public."""
    from sfumato.composition import local

    if out is not None and (out.exists() or not out.parent.is_dir()):
        raise BadInput(f"{out} cannot be written", hint="name a new file in a folder that exists.")
    try:
        described = local.interview_schema(data, Path(data).resolve().stem, _answer, name, values=values)
    except typer.Abort:
        typer.echo(err=True)
        raise BadInput(
            "The questions were broken off, and nothing was written",
            hint="start again; Enter takes what is in brackets.",
        ) from None
    if out is None or as_json:
        _print(described, as_json)
    if out is not None:
        _write(described, out)


@app.command()
def convert(
    schema: Annotated[str, typer.Argument(metavar="FILE", help="SmartNoise's metadata (YAML), or a schema file.")],
    as_json: options.Json = False,
) -> None:
    """Print a schema file of another kind, such as SmartNoise's YAML, as TOML."""
    from sfumato.composition import local

    _print(local.convert_schema(schema), as_json)


@app.command()
def check(
    data: options.Data, schema: options.Schema, ledger: options.Ledger = None, as_json: options.Json = False
) -> None:
    """Count what is missing, unfit, clamped or unlisted, for the controller's eyes: recorded as a look."""
    from sfumato.composition import local
    from sfumato.presentation import schema_view as view

    dataset = local.open(data, schema, ledger=ledger)
    with reading(dataset.progress):
        fit = dataset.check()
    typer.echo(json.dumps(view.as_dict(fit), indent=2) if as_json else view.document(fit).text())


def _print(schema: str, as_json: bool) -> None:
    typer.echo(json.dumps({"schema": schema}) if as_json else schema, nl=as_json)


def _answer(question: InterviewQuestion) -> str:
    if question.wrong:
        typer.echo(question.wrong, err=True)
    with redirect_stdout(sys.stderr):  # a prompt's last blank goes to stdout, whatever it is told
        entry: str = typer.prompt(
            question.words, default=question.default, show_default=bool(question.default), err=True
        )
    return entry


def _write(schema: str, out: Path) -> None:
    try:
        out.write_text(schema, "utf-8")
    except OSError:
        raise BadInput(f"{out} cannot be written", hint="name a new file in a folder that exists.") from None
