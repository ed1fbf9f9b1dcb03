"""`sfumato`: every command, and what happens when one fails. Start-up loads nothing that --help does not need."""

from __future__ import annotations

import json
import os
import sys
import warnings
from pathlib import Path
from threading import Event
from typing import Annotated, Any, TextIO

import typer
from typer.core import TyperGroup, TyperOption
from typer.exceptions import TyperException

from sfumato.cli import (
    audit,
    audit_log,
    batch,
    compare,
    dataset,
    decisions,
    demo,
    guessing,
    ledger,
    missing,
    notices,
    options,
    policy,
    release,
    reproduce,
    requests,
    risk,
    schema,
    signal,
    token,
    user,
    workspace,
)
from sfumato.cli.broken_off import heeded
from sfumato.errors import BadInput, Refused, SamePeopleWarning, SfumatoError, UnrecordedLookWarning
from sfumato.version import __version__


class Commands(TyperGroup):
    """All commands. Whether help is wanted is false unless it is said: to check a None, Typer would load pydantic."""

    def get_help_option(self, ctx: Any) -> TyperOption | None:
        found = super().get_help_option(ctx)
        if found is not None:
            found.default = False
        return found


app = typer.Typer(
    name="sfumato",
    cls=Commands,
    help="Publish statistics with differential privacy, and choose epsilon by what it does to the people in the data.",
    add_completion=False,
    context_settings={"max_content_width": 120},
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)
app.command("demo", short_help="The guided tour on an embedded population.")(demo.demo)
app.add_typer(schema.app, name="schema")
app.command("worst-case", short_help="Risk from public facts alone; reads no data.")(risk.worst_case)
app.command("sharing-risk", short_help="What a snoop guesses, and what sharing risks; reads no data.")(
    guessing.sharing_risk
)
app.command("rehearse", short_help="The same query on a look-alike; reads no data.")(risk.rehearse)
app.command("sketch", short_help="A private histogram of exposures, charged.")(risk.sketch)
app.command("risk", short_help="The people themselves: recorded as a look.")(risk.risk)
app.command("missing", short_help="Who is missing? Recorded as a look.")(missing.missing)
app.command("choose", short_help="The largest epsilon that meets a preference.")(release.choose)
app.command("release", short_help="A noisy answer with its certificate.")(release.release)
app.command("batch", short_help="Several noisy answers for one epsilon, split by an index.")(batch.batch)
app.command("compare", short_help="Every method side by side; reads no data.")(compare.compare)
app.add_typer(ledger.app, name="ledger")
app.command("audit-mechanism", short_help="Does a black-box audit contradict epsilon? Reads no data.")(
    audit.audit_mechanism
)


app.command("init", short_help="Make a workspace for several parties.")(workspace.init)
app.command("serve", short_help="Serve a workspace.")(workspace.serve)
app.command("doctor", short_help="Check a workspace, and say what to do.")(workspace.doctor)
app.command("reproduce", short_help="The papers' tables and figures, beside ours.")(reproduce.reproduce)


# The escrow: on a workspace here, or on a server
app.add_typer(user.app, name="user")
app.command("token", short_help="How programs come in: make, list, revoke tokens.")(token.token)
app.add_typer(dataset.app, name="dataset")
app.add_typer(policy.app, name="policy")
app.command("estimate", short_help="What a request would cost and promise.")(requests.estimate)
app.command("submit", short_help="Ask a dataset that is held in trust.")(requests.submit)
app.command("inbox", short_help="The requests that wait for a decision.")(requests.inbox)
app.command("inspect", short_help="One request, as whoever decides needs it.")(requests.inspect)
app.command("approve", short_help="Let a request go ahead.")(decisions.approve)
app.command("return", short_help="Send a request back, with what is to be changed.")(decisions.give_back)
app.command("refuse", short_help="Refuse a request, and say why.")(decisions.refuse)
app.command("withdraw", short_help="Take your own request back.")(decisions.withdraw)
app.command("cancel", short_help="Stop a request that is computed.")(decisions.cancel)
app.command("result", short_help="The answers of a request.")(requests.result)
app.add_typer(signal.app, name="signal")
app.command("notices", short_help="What happened that you should know.")(notices.notices)
app.add_typer(audit_log.app, name="audit")


@app.callback(invoke_without_command=True)
def sfumato(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version.", is_eager=True)] = False,
) -> None:
    if version:
        typer.echo(f"sfumato {__version__}")
        raise typer.Exit
    options.explain(context)


_BROKEN_OFF = 130
_SHOW_WARNING = warnings.showwarning


def main() -> None:
    """Run a command; whatever goes wrong is one sentence on stderr and a number."""
    with heeded() as ctrl_c:
        _run("--json" in sys.argv, ctrl_c)


def _run(as_json: bool, ctrl_c: Event) -> None:
    warnings.showwarning = _warn
    try:
        status = app(standalone_mode=False) or 0
        if status == _BROKEN_OFF:
            raise KeyboardInterrupt
        sys.exit(status)
    except SfumatoError as error:
        _say(_broken_off() if ctrl_c.is_set() else error, as_json)
        sys.exit(_BROKEN_OFF if ctrl_c.is_set() else error.exit_status)
    except (typer.Abort, KeyboardInterrupt):
        _say(_broken_off(), as_json)
        sys.exit(_BROKEN_OFF)
    except TyperException as error:
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


def _warn(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    """A warning of ours as a sentence: where in our code it was raised is of no use to whoever typed the command."""
    if issubclass(category, SamePeopleWarning | UnrecordedLookWarning):
        typer.echo(str(message), err=True)
    else:
        _SHOW_WARNING(message, category, filename, lineno, file, line)


def _broken_off() -> SfumatoError:
    return SfumatoError("Broken off", hint="what was charged stays charged; `sfumato ledger show` tells.")


def _usage(error: TyperException) -> BadInput:
    context = getattr(error, "ctx", None)
    command = context.command_path if context else "sfumato"
    return BadInput(getattr(error, "format_message", error.__str__)(), hint=f"see `{command} --help`.")


def _place(error: BaseException) -> str:
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    where = f" at {Path(trace.tb_frame.f_code.co_filename).name}:{trace.tb_lineno}" if trace else ""
    return f"please report it{where}; `sfumato ledger show` tells what was released."
