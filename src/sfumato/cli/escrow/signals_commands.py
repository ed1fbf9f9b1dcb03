"""`sfumato signal`: what the noise did to an answer, asked and decided."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sfumato.cli import options
from sfumato.cli.escrow import submission_commands as submissions
from sfumato.cli.escrow.desk import Desk, Shown, at_a_desk, show, show_list
from sfumato.cli.escrow.submission_commands import Seconds, Wait
from sfumato.errors import AwaitingApproval, BadInput

if TYPE_CHECKING:
    from sfumato.client.submissions import RemoteSignal

app = typer.Typer(help="What did the noise cost? Asked about an answer that was released.")
app.callback(invoke_without_command=True)(options.explain)

Id = Annotated[str, typer.Argument(metavar="SIGNAL", help="The signal, as `signal submit` and `signal list` name it.")]
RequestId = Annotated[str, typer.Argument(metavar="REQUEST", help="The request whose answer it is about.")]
_signal = submissions.command(Id, lambda client, id: client.signal(id))


@app.command("tasks")
@at_a_desk
def tasks(desk: Desk, as_json: options.Json = False) -> None:
    """What may be asked: tasks, kinds of signals, and whether code of your own can run there."""
    with desk.open() as client:
        show(client.tasks(), as_json)


@app.command("submit")
@at_a_desk
def submit(
    request: RequestId,
    desk: Desk,
    task: Annotated[
        str, typer.Option(metavar="JSON", help='As {"task": "top_k", "column": "n", "k": 3}; text, @FILE or -.')
    ] = "",
    code: Annotated[
        Path | None, typer.Option(metavar="FILE.py", help="In place of a task: def evaluate(tables): ...")
    ] = None,
    range_: Annotated[
        tuple[float, float] | None,
        typer.Option("--range", metavar="LOW HIGH", help="With --code: its least and largest score."),
    ] = None,
    kind: Annotated[str, typer.Option(help="free, noisy_difference, sample_and_aggregate or as_published.")] = "free",
    query: Annotated[int, typer.Option(metavar="N", help="Which of several queries; from 1.")] = 1,
    epsilon: Annotated[float | None, typer.Option(metavar="E", help="For a kind that is charged.")] = None,
    blocks: Annotated[int | None, typer.Option(metavar="N", help="For sample_and_aggregate.")] = None,
    draws: Annotated[int | None, typer.Option(metavar="N", help="For a free one.")] = None,
    by_range: Annotated[
        bool, typer.Option("--by-range", help="For noisy_difference: allow noise as wide as the whole range.")
    ] = False,
    wait: Wait = False,
    seconds: Seconds = None,
    as_json: options.Json = False,
) -> None:
    """Ask what the noise did to a task; exit 4 while approval is awaited."""
    if bool(task) == (code is not None):
        raise BadInput("A signal has a task, or code of your own", hint="add --task or --code.")
    if seconds is not None and not wait:
        raise BadInput("--seconds goes with --wait", hint="add --wait.")
    how: dict[str, Any] = {"epsilon": epsilon, "blocks": blocks, "draws": draws, "by_range": by_range}
    scored = _task(options.query_text(task, "--task")) if task else None
    with desk.open() as client:
        signal = client.request(request).signal(scored, kind, query=query, code=code, range=range_, **how)
        if wait or signal.state == "released":
            _tell(submissions.settle(signal, wait, seconds), as_json)
            return
        show(signal, as_json)
        raise typer.Exit(AwaitingApproval.exit_status)


@app.command("list")
@at_a_desk
def list_(
    desk: Desk,
    waiting_: Annotated[bool, typer.Option("--waiting", help="Those that wait for your decision.")] = False,
    state: Annotated[str | None, typer.Option(metavar="STATE", help="Those in this state.")] = None,
    as_json: options.Json = False,
) -> None:
    """Yours, and those of datasets that you control."""
    with desk.open() as client:
        show_list(client.signals(state=state, waiting=waiting_), as_json)


@app.command("inspect")
@_signal
def inspect(
    signal: RemoteSignal,
    value: Annotated[
        bool, typer.Option("--value", help="Both scores of one that is withheld: recorded as a look.")
    ] = False,
) -> Shown:
    """What an approver needs on one page: the code with its marks; the analyst sees where it stands."""
    return signal.value() if value else submissions.page_of(signal)


app.command("approve")(_signal(submissions.approve))
app.command("return")(_signal(submissions.give_back))
app.command("refuse")(_signal(submissions.refuse))
app.command("withdraw")(_signal(submissions.withdraw))


@app.command("result")
@at_a_desk
def result(id: Id, desk: Desk, wait: Wait = False, seconds: Seconds = None, as_json: options.Json = False) -> None:
    """What the noise did; exit 4 while that is awaited."""
    with desk.open() as client:
        _tell(submissions.settle(client.signal(id), wait, seconds), as_json)


def _task(text: str) -> dict[str, Any]:
    try:
        task = json.loads(text)
    except ValueError:
        task = None
    if not isinstance(task, dict):
        raise BadInput("A task is a JSON object", hint='write {"task": "top_k", "column": "n", "k": 3}.')
    return task


def _tell(signal: RemoteSignal, as_json: bool) -> None:
    result = signal.result()
    typer.echo(json.dumps(result.as_dict(), indent=2) if as_json else result.text())
