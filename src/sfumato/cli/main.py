"""The command `sfumato`, and how it reports failures."""

from __future__ import annotations

import atexit
import gc
import json
import os
import sys
import warnings
from pathlib import Path
from threading import Event
from typing import Annotated, TextIO

import typer
from typer.exceptions import TyperException

from sfumato.cli.commands import Commands
from sfumato.cli.help import explain
from sfumato.cli.interrupt import watch_interrupts
from sfumato.errors import BadInput, Refused, SamePeopleWarning, SfumatoError, UnrecordedLookWarning
from sfumato.presentation.interface import Interface, speaking
from sfumato.version import __version__

app = typer.Typer(
    name="sfumato",
    cls=Commands,
    help="Publish statistics with differential privacy, and choose epsilon by what it does to the people in the data.",
    add_completion=False,
    context_settings={"max_content_width": 120},
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)


@app.callback(invoke_without_command=True)
def sfumato(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version.", is_eager=True)] = False,
) -> None:
    if version:
        typer.echo(f"sfumato {__version__}")
        raise typer.Exit
    explain(context)


_INTERRUPTED = 130
_SHOW_WARNING = warnings.showwarning


def main() -> None:
    """Run a command; any failure is one sentence on stderr and an exit status."""
    gc.set_threshold(200_000, 20, 20)  # loading a command makes many objects, and they all stay
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # OpenDP loads NumPy, whose threads would wait busily for work
    if "_SFUMATO_COMPLETE" in os.environ:  # a shell asks; --install-completion of Typer's would slow every command
        from typer._completion_classes import completion_init

        completion_init()
    atexit.register(_end)
    with watch_interrupts() as ctrl_c, speaking(Interface.COMMAND):
        _run("--json" in sys.argv, ctrl_c)


def _end() -> None:
    """Leave all objects to the system; DuckDB complains unless its own are collected."""
    if "duckdb" in sys.modules:
        gc.disable()
    else:
        gc.freeze()


def _run(as_json: bool, ctrl_c: Event) -> None:
    warnings.showwarning = _warn
    try:
        status = app(standalone_mode=False) or 0
        if status == _INTERRUPTED:
            raise KeyboardInterrupt
        sys.exit(status)
    except SfumatoError as error:
        _print_error(_interruption() if ctrl_c.is_set() else error, as_json)
        sys.exit(_INTERRUPTED if ctrl_c.is_set() else error.exit_status)
    except (typer.Abort, KeyboardInterrupt):
        _print_error(_interruption(), as_json)
        sys.exit(_INTERRUPTED)
    except TyperException as error:
        _print_error(_usage(error), as_json)
        sys.exit(2)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # the reader of the pipe has gone
        sys.exit(1)
    except Exception as error:
        # A traceback could quote values: only the kind of failure and its place are printed.
        _print_error(
            SfumatoError(f"sfumato failed because of a bug ({type(error).__name__})", hint=_place(error)), as_json
        )
        sys.exit(1)


def _print_error(error: SfumatoError, as_json: bool) -> None:
    if as_json:
        text = json.dumps(error.as_dict())
        if isinstance(error, Refused):
            typer.echo(text)
        typer.echo(text, err=True)
    else:
        typer.echo(str(error), err=True)


def _warn(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    """Print a warning of ours as a sentence, without its place in the code."""
    if issubclass(category, SamePeopleWarning | UnrecordedLookWarning):
        typer.echo(str(message), err=True)
    else:
        _SHOW_WARNING(message, category, filename, lineno, file, line)


def _interruption() -> SfumatoError:
    return SfumatoError("Interrupted", hint="check `sfumato ledger show`; what was charged stays charged.")


def _usage(error: TyperException) -> BadInput:
    context = getattr(error, "ctx", None)
    command = context.command_path if context else "sfumato"
    return BadInput(getattr(error, "format_message", error.__str__)(), hint=f"see `{command} --help`.")


def _place(error: BaseException) -> str:
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    where = f" at {Path(trace.tb_frame.f_code.co_filename).name}:{trace.tb_lineno}" if trace else ""
    return f"report it{where}; `sfumato ledger show` lists what was released."
