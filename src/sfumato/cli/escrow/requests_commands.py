"""`sfumato submit`, `estimate`, `inbox`, `inspect`, `result` and what is decided about a request."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sfumato.cli import answers, options
from sfumato.cli.escrow import submission_commands as submissions
from sfumato.cli.escrow.desk import Desk, Shown, at_a_desk, show, show_list
from sfumato.cli.escrow.submission_commands import AllowNoGuarantee, Seconds, Wait
from sfumato.cli.preferences import with_names
from sfumato.errors import AwaitingApproval, BadInput

if TYPE_CHECKING:
    from pathlib import Path

    from sfumato.client.submissions import RemoteRequest

Dataset = Annotated[str, typer.Argument(metavar="DATASET", help="The dataset that is asked.")]
Id = Annotated[str, typer.Argument(metavar="REQUEST", help="The request, as `submit` and `inbox` name it.")]
Sqls = Annotated[list[str], typer.Option("--sql", metavar="SQL", help="A query: text or @FILE; one --sql for each.")]
Weights = Annotated[
    list[float] | None,
    typer.Option("--weight", metavar="W", help="What a query matters beside the others; one for each."),
]
Named = dict[str, Any]  # the preferences that a command is handed, by their names
Mechanism = Annotated[str | None, typer.Option(help="laplace, gaussian or truncated; the rule has its own.")]
_request = submissions.command(Id, lambda client, id: client.request(id))


@with_names
@at_a_desk
def estimate(
    dataset: Dataset,
    sql: Sqls,
    desk: Desk,
    preference: Named,
    weight: Weights = None,
    mechanism: Mechanism = None,
    delta: options.Delta = None,
    as_json: options.Json = False,
) -> None:
    """What a request would cost and promise, from public facts; nothing is asked yet."""
    queries, how = _queries(sql, weight, mechanism, delta)
    with desk.open() as client:
        show(client.dataset(dataset).estimate(queries, *_preferences(preference), **how), as_json)


@with_names
@at_a_desk
def submit(
    dataset: Dataset,
    sql: Sqls,
    desk: Desk,
    preference: Named,
    purpose: Annotated[str, typer.Option(metavar="TEXT", help="What the answers are for; the approver reads it.")] = "",
    weight: Weights = None,
    mechanism: Mechanism = None,
    delta: options.Delta = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Answer from invented rows that follow the schema; nothing is asked yet.")
    ] = False,
    wait: Wait = False,
    seconds: Seconds = None,
    out: answers.Out = None,
    as_json: options.Json = False,
) -> None:
    """Ask one or several queries as one release, by a preference or the rule; exit 4 while approval is awaited."""
    queries, how = _queries(sql, weight, mechanism, delta)
    if dry_run and wait:
        raise BadInput("--dry-run asks nothing, so there is nothing to --wait for", hint="leave one of them out.")
    if not dry_run and not purpose.strip():
        raise BadInput("A request has a purpose", hint='add --purpose "what the answers are for".')
    if (out or seconds) and not wait:
        raise BadInput("--out and --seconds go with --wait", hint="add --wait, or fetch it later: sfumato result.")
    files = answers.output_files(out, len(queries))
    with desk.open() as client:
        remote = client.dataset(dataset)
        if dry_run:
            show(remote.dry_run(queries, *_preferences(preference), **how), as_json)
            return
        request = remote.submit(queries, *_preferences(preference), purpose=purpose, **how)
        if wait:
            _tell(submissions.settle(request, wait, seconds), files, as_json)
            return
        show(request, as_json)
        if request.as_dict()["state"] in ("submitted", "computed"):
            raise typer.Exit(AwaitingApproval.exit_status)


@at_a_desk
def inbox(
    desk: Desk,
    everything: Annotated[bool, typer.Option("--all", help="Also what is decided.")] = False,
    state: Annotated[str | None, typer.Option(metavar="STATE", help="Those in this state.")] = None,
    dataset: Annotated[str | None, typer.Option(metavar="NAME", help="Those of this dataset.")] = None,
    as_json: options.Json = False,
) -> None:
    """The requests that wait for a decision: yours to make, or somebody's to make on yours."""
    with desk.open() as client:
        if everything or state is not None:
            show_list(client.requests(state=state, dataset=dataset), as_json)
        else:
            show_list(client.inbox(dataset=dataset), as_json)


@_request
def inspect(
    request: RemoteRequest,
    answer: Annotated[
        bool, typer.Option("--answer", help="A withheld answer beside the true one: recorded as a look.")
    ] = False,
) -> Shown:
    """What an approver needs on one page, from public facts; the analyst sees where it stands."""
    return request.answer() if answer else submissions.page_of(request)


@_request
def cancel(request: RemoteRequest, allow_no_guarantee: AllowNoGuarantee = False) -> Shown:
    """Stop one that is computed; what was charged stays charged."""
    return request.cancel(allow_no_guarantee=allow_no_guarantee)


approve, give_back = _request(submissions.approve), _request(submissions.give_back)
refuse, withdraw = _request(submissions.refuse), _request(submissions.withdraw)


@at_a_desk
def result(
    id: Id,
    desk: Desk,
    wait: Wait = False,
    seconds: Seconds = None,
    out: answers.Out = None,
    as_json: options.Json = False,
) -> None:
    """The noisy answers with their certificates; exit 4 while they are awaited."""
    with desk.open() as client:
        request = client.request(id)
        files = answers.output_files(out, len(request.as_dict().get("queries") or ()))
        _tell(submissions.settle(request, wait, seconds), files, as_json)


def _preferences(preference: Named) -> tuple[Named, ...]:
    return (preference,) if preference else ()


def _queries(
    sql: list[str], weight: list[float] | None, mechanism: str | None, delta: float | None
) -> tuple[list[str], dict[str, Any]]:
    return [options.query_text(text) for text in sql], {"weights": weight, "mechanism": mechanism, "delta": delta}


def _tell(request: RemoteRequest, files: list[Path], as_json: bool) -> None:
    released = request.result()
    whole = json.dumps(released.as_dict(), indent=2)
    typer.echo(whole if as_json else released.text())
    try:
        answers.write(files, released, whole)
    except OSError:
        hint = "the answers are kept: fetch them again with `sfumato result`."
        raise BadInput("The answers were released, but a file could not be written", hint=hint) from None
