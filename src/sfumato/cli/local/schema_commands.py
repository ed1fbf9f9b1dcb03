"""`sfumato schema`: draft a schema, ask for one, convert one, or check a table against one."""

from __future__ import annotations

import json
import sys
from contextlib import redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sfumato.cli import options
from sfumato.cli.help import CommandGroup
from sfumato.cli.looks import Yes, confirm_look
from sfumato.cli.option_groups import with_option_groups
from sfumato.cli.options import argument, flag, option
from sfumato.cli.output import show_text
from sfumato.cli.progress import reading
from sfumato.errors import BadInput

if TYPE_CHECKING:
    from sfumato.schema.interview import InterviewQuestion

app = CommandGroup("Describe a table: draft, ask, convert or check.")

Name = Annotated[str | None, option("Name of the table in SQL; by default the file's.", "NAME")]
Values = Annotated[
    bool, flag("--values", "Show values of the data too: a look, which the schema then records with your name.")
]


@app.command()
def draft(
    data: options.Data = None,
    table: options.Tables = None,
    name: Name = None,
    values: Values = False,
    yes: Yes = False,
    as_json: options.Json = False,
) -> None:
    """Print a draft schema with column names and guessed types; you add bounds and categories."""
    from sfumato.composition import local

    source = options.source_of(data, table)
    if values:
        confirm_look(yes=yes)
    called = name or (Path(source).resolve().stem if isinstance(source, str) else Path.cwd().name)
    show_text(local.draft_schema(source, called, reading, values=values), "schema", as_json)


@app.command()
def ask(
    data: options.OneTable,
    name: Name = None,
    out: Annotated[Path | None, option("Write the schema to this file.", "FILE")] = None,
    values: Values = False,
    yes: Yes = False,
    as_json: options.Json = False,
) -> None:
    """Ask about the privacy unit, bounds and categories, and print the schema."""
    from sfumato.composition import local
    from sfumato.schema.interview import InterviewAnswers

    answers = InterviewAnswers(_answer)
    if out is not None and (out.exists() or not out.parent.is_dir()):
        raise _unwritable(out)
    if values:
        confirm_look(yes=yes)
    try:
        described = local.interview_schema(data, Path(data).resolve().stem, answers, name, values=values)
    except typer.Abort:
        typer.echo(err=True)
        raise BadInput(
            "Cancelled; nothing was written", hint="start again; Enter takes the value in brackets."
        ) from None
    if out is None or as_json:
        show_text(described, "schema", as_json)
    if out is not None:
        _write(described, out)
    if out is not None and not answers.unanswered:
        typer.echo(f"The schema is in {out}.", err=True)
    if answers.unanswered:
        typer.echo(err=True)
        raise BadInput(
            f"Input ended; your {answers.given} answers are in {out or 'the schema above'}",
            hint="complete it in an editor: its first lines list the questions that are left.",
        )


@app.command()
def convert(
    schema: Annotated[str, argument("FILE", "SmartNoise's metadata (YAML), or a schema file.")],
    as_json: options.Json = False,
) -> None:
    """Convert SmartNoise's metadata (YAML) to a schema file, and print it."""
    from sfumato.composition import local

    show_text(local.convert_schema(schema), "schema", as_json)


@app.command()
@with_option_groups
def check(
    *,
    target: options.TableFlags,
    epsilon: Annotated[float | None, option("Count privately: noisy counts, charged with this epsilon.", "E")] = None,
    terms: options.ReleaseFlags,
    budget: options.Budget = None,
    cohort: options.Cohort = None,
    yes: Yes = False,
    as_json: options.Json = False,
) -> None:
    """Count missing, unreadable, clamped and unlisted values.

    With --epsilon the counts are noisy and charged, and may be published. Without it they are exact, for controllers
    only, and logged as a look.
    """
    from sfumato.presentation import schema_view as view

    dataset = target.open(budget=budget, cohort=cohort)
    if epsilon is None:
        confirm_look(yes=yes)
    with reading(dataset.progress):
        if epsilon is not None:
            quality = dataset.check(epsilon, **vars(terms))
            typer.echo(json.dumps(quality.as_dict(), indent=2) if as_json else quality.text())
            return
        fit = dataset.check()
    typer.echo(json.dumps(view.as_dict(fit), indent=2) if as_json else view.document(fit).text())


def _answer(question: InterviewQuestion) -> str:
    if question.wrong:
        typer.echo(question.wrong, err=True)
    try:
        with redirect_stdout(sys.stderr):  # the last blank of a prompt goes to stdout in any case
            entry: str = typer.prompt(
                question.words, default=question.default, show_default=bool(question.default), err=True
            )
    except typer.Abort as abort:
        if isinstance(abort.__context__, EOFError):
            raise EOFError from None
        raise
    return entry


def _write(schema: str, out: Path) -> None:
    try:
        out.write_text(schema, "utf-8")
    except OSError:
        raise _unwritable(out) from None


def _unwritable(out: Path) -> BadInput:
    return BadInput(f"{out} cannot be written", hint="name a new file in a folder that exists.")
