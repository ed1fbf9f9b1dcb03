"""`sfumato signal`: what the noise did to an answer, asked and decided."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sfumato.cli import options
from sfumato.cli.escrow.decisions import AllowNoGuarantee, Note, Why
from sfumato.cli.escrow.desk import Desk, at_a_desk, show, show_list
from sfumato.cli.escrow.requests import Seconds, Wait
from sfumato.cli.progress import waiting
from sfumato.errors import AwaitingApproval, BadInput, Forbidden, Refused

if TYPE_CHECKING:
    from sfumato.client.signal import Signal

app = typer.Typer(help="What did the noise cost? Asked about an answer that was released.")
app.callback(invoke_without_command=True)(options.explain)

Id = Annotated[str, typer.Argument(metavar="SIGNAL", help="The signal, as `signal submit` and `signal list` name it.")]
Request = Annotated[str, typer.Argument(metavar="REQUEST", help="The request whose answer it is about.")]


@app.command("tasks")
@at_a_desk
def tasks(desk: Desk, as_json: options.Json = False) -> None:
    """What may be asked: tasks, kinds of signals, and whether code of your own can run there."""
    with desk.open() as client:
        show(client.tasks(), as_json)


@app.command("submit")
@at_a_desk
def submit(
    request: Request,
    desk: Desk,
    task: Annotated[
        str, typer.Option(metavar="JSON", help='As {"task": "top_k", "column": "n", "k": 3}; text, @FILE or -.')
    ] = "",
    code: Annotated[
        Path | None, typer.Option(metavar="FILE.py", help="In place of a task: def evaluate(tables): ...")
    ] = None,
    range_: Annotated[
        tuple[float, float] | None, typer.Option("--range", metavar="LOW HIGH", help="Of --code: where its scores lie.")
    ] = None,
    kind: Annotated[str, typer.Option(help="free, noisy_difference, sample_and_aggregate or as_published.")] = "free",
    query: Annotated[int, typer.Option(metavar="N", help="Of several queries, which; from 1.")] = 1,
    epsilon: Annotated[float | None, typer.Option(metavar="E", help="Of a kind that is charged.")] = None,
    blocks: Annotated[int | None, typer.Option(metavar="N", help="Of sample_and_aggregate.")] = None,
    draws: Annotated[int | None, typer.Option(metavar="N", help="Of a free one.")] = None,
    by_range: Annotated[
        bool, typer.Option("--by-range", help="Of noisy_difference: noise as wide as the whole range will do.")
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
    stated = _task(options.query_text(task, "--task")) if task else None
    with desk.open() as client:
        asked = client.request(request)
        made = asked.signal(stated, kind, query=query, code=code, range=range_, **how)
        if wait or made.state == "released":
            _tell(_waited(made, seconds) if wait else made, as_json)
            return
        show(made, as_json)
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
@at_a_desk
def inspect(
    id: Id,
    desk: Desk,
    value: Annotated[
        bool, typer.Option("--value", help="Both scores of one that is withheld: recorded as a look.")
    ] = False,
    as_json: options.Json = False,
) -> None:
    """What an approver needs on one page: the code with its marks; whoever asked sees where it stands."""
    with desk.open() as client:
        signal = client.signal(id)
        if value:
            show(signal.value(), as_json)
            return
        try:
            show(signal.page(), as_json)
        except Forbidden:
            show(signal, as_json)


@app.command("approve")
@at_a_desk
def approve(
    id: Id,
    desk: Desk,
    note: Note = "",
    binding: Annotated[
        str, typer.Option(metavar="HASH", help="What `inspect` showed: whatever has changed since is not approved.")
    ] = "",
    allow_no_guarantee: AllowNoGuarantee = False,
    preregistered: options.Preregistered = "",
    as_json: options.Json = False,
) -> None:
    """Let it go ahead: this task or code, kind, release and data, and nothing else."""
    with desk.open() as client:
        signal = client.signal(id)
        how: dict[str, Any] = {"allow_no_guarantee": allow_no_guarantee, "preregistered": preregistered}
        show(signal.approve(note, binding=binding, **how), as_json)


@app.command("return")
@at_a_desk
def give_back(
    id: Id, note: Why, desk: Desk, allow_no_guarantee: AllowNoGuarantee = False, as_json: options.Json = False
) -> None:
    """Send it back with what is to be changed."""
    with desk.open() as client:
        show(client.signal(id).return_(note, allow_no_guarantee=allow_no_guarantee), as_json)


@app.command("refuse")
@at_a_desk
def refuse(
    id: Id, note: Why, desk: Desk, allow_no_guarantee: AllowNoGuarantee = False, as_json: options.Json = False
) -> None:
    """Say no, and why."""
    with desk.open() as client:
        show(client.signal(id).refuse(note, allow_no_guarantee=allow_no_guarantee), as_json)


@app.command("withdraw")
@at_a_desk
def withdraw(id: Id, desk: Desk, as_json: options.Json = False) -> None:
    """Take your own back before it is decided."""
    with desk.open() as client:
        show(client.signal(id).withdraw(), as_json)


@app.command("result")
@at_a_desk
def result(id: Id, desk: Desk, wait: Wait = False, seconds: Seconds = None, as_json: options.Json = False) -> None:
    """What the noise did; exit 4 while that is awaited."""
    with desk.open() as client:
        signal = client.signal(id)
        _tell(_waited(signal, seconds) if wait else signal, as_json)


def _task(text: str) -> dict[str, Any]:
    try:
        read = json.loads(text)
    except ValueError:
        read = None
    if not isinstance(read, dict):
        raise BadInput("A task is a JSON object", hint='write {"task": "top_k", "column": "n", "k": 3}.')
    return read


def _waited(signal: Signal, seconds: float | None) -> Signal:
    with waiting(lambda: None, f"Waiting for signal {signal.number}", after=0.0):
        return signal.wait(seconds, told=lambda _: None)


def _tell(signal: Signal, as_json: bool) -> None:
    state = signal.as_dict()["state"]
    if state in ("refused", "returned", "withdrawn", "failed"):
        ended = "failed" if state == "failed" else f"was {state}"
        raise Refused(f"Signal {signal.number} {ended}", hint=signal.note or signal.next)
    found = signal.result()
    typer.echo(json.dumps(found.as_dict(), indent=2) if as_json else found.text())
