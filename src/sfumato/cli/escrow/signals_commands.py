"""`sfumato signal`: the effect of noise on a task."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sfumato.cli import options
from sfumato.cli.escrow import submission_commands as submissions
from sfumato.cli.escrow.desk import Desk, at_a_desk, on_submission, with_client
from sfumato.cli.escrow.submission_commands import Seconds, Wait
from sfumato.cli.help import CommandGroup
from sfumato.cli.looks import Yes, confirm_look
from sfumato.cli.option_groups import with_option_groups
from sfumato.cli.options import argument, flag, option
from sfumato.cli.output import Shown, ShownList, show, write_file
from sfumato.cli.progress import reading
from sfumato.errors import AwaitingApproval, BadInput

if TYPE_CHECKING:
    from sfumato.client.client import Client
    from sfumato.client.submissions import RemoteSignal

app = CommandGroup("Utility signals: show what noise does to a task.")

Id = Annotated[str, argument("SIGNAL", "Number of the signal, as `signal submit` and `signal list` print it.")]
RequestId = Annotated[str, argument("REQUEST", "Request whose answer it is about.")]
_signal = on_submission(Id, lambda client, id: client.signal(id))


@app.command()
@with_client
def tasks(client: Client) -> Shown:
    """List tasks and kinds of signals, and whether the server runs your own code."""
    return client.tasks()


@app.command()
@at_a_desk
def submit(
    request: RequestId,
    desk: Desk,
    task: Annotated[
        str, option('Task, such as {"task": "top_k", "column": "n", "k": 3}: text, @FILE or -.', "JSON")
    ] = "",
    code: Annotated[
        Path | None, option("Your own function in place of a task: def evaluate(tables).", "FILE.py")
    ] = None,
    range_: Annotated[
        tuple[float, float] | None, option("Smallest and largest score of --code.", "LOW HIGH", "--range")
    ] = None,
    kind: Annotated[
        str, option("Kind of signal: free, noisy_difference, sample_and_aggregate or as_published.", "KIND")
    ] = "free",
    query: Annotated[int, option("Number of the query in the request, from 1.", "N")] = 1,
    epsilon: Annotated[float | None, option("Epsilon of a signal that is charged.", "E")] = None,
    blocks: Annotated[int | None, option("Number of blocks of sample_and_aggregate.", "N")] = None,
    draws: Annotated[int | None, option("Number of draws of a free signal.", "N")] = None,
    by_range: Annotated[
        bool, flag("--by-range", "Allow noise as wide as the whole range, for noisy_difference.")
    ] = False,
    wait: Wait = False,
    seconds: Seconds = None,
    as_json: options.Json = False,
) -> None:
    """Submit a utility signal about a released answer; exit 4 while approval is awaited."""
    if bool(task) == (code is not None):
        raise BadInput("A signal needs a task or your own code", hint="add --task or --code.")
    if seconds is not None and not wait:
        raise BadInput("--seconds needs --wait", hint="add --wait.")
    how: dict[str, Any] = {"epsilon": epsilon, "blocks": blocks, "draws": draws, "by_range": by_range}
    scored = parse_task(options.query_text(task, "--task")) if task else None
    with desk.open() as client:
        signal = client.request(request).signal(scored, kind, query=query, code=code, range=range_, **how)
        if wait or signal.state == "released":
            show(submissions.settle(signal, wait, seconds).result(), as_json)
            return
        show(signal, as_json)
        raise typer.Exit(AwaitingApproval.exit_status)


@app.command("list")
@with_client
def list_(
    client: Client,
    waiting_: Annotated[bool, flag("--waiting", "List only signals that wait for your decision.")] = False,
    state: Annotated[str | None, option("List only signals in this state.", "STATE")] = None,
    search: submissions.Search = "",
) -> ShownList:
    """List your signals, and those of datasets that you control."""
    return client.signals(search=search, state=state, waiting=waiting_)


@app.command()
@_signal
def inspect(
    signal: RemoteSignal,
    value: Annotated[bool, flag("--value", "Show both scores of a withheld signal; logged as a look.")] = False,
    yes: Yes = False,
) -> Shown:
    """Show a signal to its approver, with its code; the analyst sees its state."""
    if value:
        confirm_look(yes=yes)
    return signal.value() if value else submissions.page_of(signal)


app.command("approve")(_signal(submissions.approve))
app.command("return")(_signal(submissions.give_back))
app.command("refuse")(_signal(submissions.refuse))
app.command("withdraw")(_signal(submissions.withdraw))
app.command("undo")(_signal(submissions.undo))
app.command("assign")(_signal(submissions.assign))


@app.command()
@at_a_desk
def result(id: Id, desk: Desk, wait: Wait = False, seconds: Seconds = None, as_json: options.Json = False) -> None:
    """Fetch the result of a signal; exit 4 while it is awaited."""
    with desk.open() as client:
        show(submissions.settle(client.signal(id), wait, seconds).result(), as_json)


@app.command()
@with_option_groups
def local(
    *,
    target: options.TableFlags,
    task: Annotated[str, option('Task, such as {"task": "top_k", "column": "n", "k": 3}: text, @FILE or -.', "JSON")],
    sql: Annotated[str | None, option("Query of the release; by default that of the last one.", "SQL", "--sql")] = None,
    entry: Annotated[int | None, option("Ledger entry of the release; by default the last one.", "N")] = None,
    kind: Annotated[
        str, option("Kind of signal: free, noisy_difference, sample_and_aggregate or as_published.", "KIND")
    ] = "free",
    epsilon: Annotated[float | None, option("Epsilon of a signal that is charged.", "E")] = None,
    blocks: Annotated[int | None, option("Number of blocks of sample_and_aggregate.", "N")] = None,
    draws: Annotated[int | None, option("Number of draws of a free signal.", "N")] = None,
    by_range: Annotated[
        bool, flag("--by-range", "Allow noise as wide as the whole range, for noisy_difference.")
    ] = False,
    terms: options.ReleaseFlags,
    svg: Annotated[Path | None, option("Write the picture of the scores as a file.", "FILE.svg")] = None,
    yes: Yes = False,
    as_json: options.Json = False,
) -> None:
    """Show what noise did to a task, for a release that the ledger of your own file has; without a server.

    A free signal reads no data. With as_published both scores are shown, without a guarantee: that is logged as a look.
    """
    options.require_writable(svg, "--svg", ".svg")
    scored = parse_task(options.query_text(task, "--task"))
    is_free = kind == "free"
    dataset = target.open_without_data() if is_free else target.open()
    released = dataset.recorded_release(entry, sql=None if sql is None else options.query_text(sql))
    if kind == "as_published":
        confirm_look(yes=yes)
    how: dict[str, Any] = {"epsilon": epsilon, "blocks": blocks, "draws": draws, "by_range": by_range}
    with reading(dataset.progress):
        signal = released.signal(scored, kind, **how, **({} if is_free else vars(terms)))
    show(signal, as_json)
    if svg is not None:
        write_file(signal.plot().to_svg, svg, "--svg")


def parse_task(text: str) -> dict[str, Any]:
    try:
        task = json.loads(text)
    except ValueError:
        task = None
    if not isinstance(task, dict):
        raise BadInput("A task is a JSON object", hint='write {"task": "top_k", "column": "n", "k": 3}.')
    return task
