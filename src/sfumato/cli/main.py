"""`sfumato`: every command, and what happens when one fails. Start-up loads nothing that --help does not need."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Annotated

import click
import typer

from sfumato import __version__
from sfumato.cli import demo, ledger, release, risk, schema
from sfumato.errors import Refused, SfumatoError

app = typer.Typer(
    name="sfumato",
    help="Publish statistics with differential privacy, and choose epsilon by what it does to the people in the data.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)
app.command("demo")(demo.demo)
app.add_typer(schema.app, name="schema")
app.command("worst-case")(risk.worst_case)
app.command("rehearse")(risk.rehearse)
app.command("risk")(risk.risk)
app.command("choose")(release.choose)
app.command("release")(release.release)
app.add_typer(ledger.app, name="ledger")


@app.callback()
def sfumato(
    version: Annotated[bool, typer.Option("--version", help="Print the version.", is_eager=True)] = False,
) -> None:
    if version:
        typer.echo(f"sfumato {__version__}")
        raise typer.Exit


def main() -> None:
    """Run a command; whatever goes wrong is one sentence on stderr and a number."""
    as_json = "--json" in sys.argv
    try:
        app(standalone_mode=False)
    except SfumatoError as error:
        _say(error, as_json)
        sys.exit(error.exit_status)
    except click.exceptions.Exit as ending:
        sys.exit(ending.exit_code)
    except click.exceptions.Abort:
        sys.exit(130)
    except click.ClickException as error:
        _say(_usage(error), as_json)
        sys.exit(2)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # whoever read us has gone
        sys.exit(1)
    except Exception as error:
        # A traceback could quote values: the kind of failure and its place are all that is said.
        _say(SfumatoError(f"sfumato failed by its own fault ({type(error).__name__})", hint=_place(error)), as_json)
        sys.exit(1)


def _say(error: SfumatoError, as_json: bool) -> None:
    if as_json:
        text = json.dumps(error.as_dict())
        if isinstance(error, Refused):
            typer.echo(text)
        typer.echo(text, err=True)
    else:
        typer.echo(str(error), err=True)


def _usage(error: click.ClickException) -> SfumatoError:
    context = getattr(error, "ctx", None)
    command = context.command_path if context else "sfumato"
    return SfumatoError(error.format_message(), hint=f"see `{command} --help`.")


def _place(error: BaseException) -> str:
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    where = f" at {Path(trace.tb_frame.f_code.co_filename).name}:{trace.tb_lineno}" if trace else ""
    return f"nothing was released; please report it{where}."
