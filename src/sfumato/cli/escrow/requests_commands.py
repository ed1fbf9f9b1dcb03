"""`sfumato submit`, `estimate`, `inbox`, `inspect`, `result` and the decisions on a request."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sfumato.cli import answers, options
from sfumato.cli.escrow import submission_commands as submissions
from sfumato.cli.escrow.desk import Desk, at_a_desk, on_submission, with_client
from sfumato.cli.escrow.submission_commands import AllowNoGuarantee, Seconds, Wait
from sfumato.cli.looks import Yes, confirm_look
from sfumato.cli.options import argument, flag, option
from sfumato.cli.output import Shown, ShownList, show
from sfumato.cli.preferences import with_names
from sfumato.errors import AwaitingApproval, BadInput
from sfumato.privacy.preferences.registry import HOW

if TYPE_CHECKING:
    from pathlib import Path

    from sfumato.client.client import Client
    from sfumato.client.submissions import RemoteRequest

Dataset = Annotated[str, argument("DATASET", "Name of the dataset.")]
Id = Annotated[str, argument("REQUEST", "Number of the request, as `submit` and `inbox` print it.")]
Weights = Annotated[list[float] | None, option("Weight of a query among the others; one for each.", "W", "--weight")]
Named = dict[str, Any]  # preferences by name
Mechanism = Annotated[
    str | None, option("Type of noise: laplace, gaussian or truncated; by default the rule's.", "NAME")
]
_request = on_submission(Id, lambda client, id: client.request(id))


@with_names
@with_client
def estimate(
    client: Client,
    dataset: Dataset,
    sql: options.Sqls,
    preference: Named,
    weight: Weights = None,
    mechanism: Mechanism = None,
    delta: options.Delta = None,
) -> Shown:
    """Preview the cost and guarantee of a request, from public facts; nothing is submitted."""
    queries, how = _queries(sql, weight, mechanism, delta)
    how["expected_count"] = preference.get("expected_count")
    if not any(name in preference for name in HOW["expected_count"]):
        preference.pop("expected_count", None)
    return client.dataset(dataset).estimate(queries, *_preferences(preference), **how)


@with_names
@at_a_desk
def submit(
    dataset: Dataset,
    sql: options.Sqls,
    desk: Desk,
    preference: Named,
    purpose: Annotated[str, option("Purpose of the answers; the approver reads it.", "TEXT")] = "",
    weight: Weights = None,
    mechanism: Mechanism = None,
    delta: options.Delta = None,
    dry_run: Annotated[bool, flag("--dry-run", "Answer from synthetic rows; nothing is submitted.")] = False,
    wait: Wait = False,
    seconds: Seconds = None,
    out: answers.Out = None,
    as_json: options.Json = False,
) -> None:
    """Submit one or several queries as one release, by a preference or the preregistered rule.

    The exit status is 4 while the request awaits approval.
    """
    queries, how = _queries(sql, weight, mechanism, delta)
    if dry_run and wait:
        raise BadInput("--dry-run and --wait exclude each other", hint="leave one of them out.")
    if not dry_run and not purpose.strip():
        raise BadInput("A request needs a purpose", hint='add --purpose "why you need the answers".')
    if (out or seconds) and not wait:
        raise BadInput("--out and --seconds need --wait", hint="add --wait, or run `sfumato result` later.")
    files = answers.output_files(out, len(queries))
    with desk.open() as client:
        remote = client.dataset(dataset)
        if dry_run:
            show(remote.dry_run(queries, *_preferences(preference), **how), as_json)
            return
        request = remote.submit(queries, *_preferences(preference), purpose=purpose, **how)
        if wait:
            _show_answers(submissions.settle(request, wait, seconds), files, as_json)
            return
        show(request, as_json)
        if request.as_dict()["state"] in ("submitted", "computed"):
            raise typer.Exit(AwaitingApproval.exit_status)


@with_client
def inbox(
    client: Client,
    everything: Annotated[bool, flag("--all", "List decided requests too.")] = False,
    state: Annotated[str | None, option("List only requests in this state.", "STATE")] = None,
    dataset: Annotated[str | None, option("List only requests to this dataset.", "NAME")] = None,
    search: submissions.Search = "",
) -> ShownList:
    """List the requests that wait for a decision: those that you decide, and your own."""
    if everything or state is not None:
        return client.requests(search=search, state=state, dataset=dataset)
    return client.inbox(search=search, dataset=dataset)


@_request
def inspect(
    request: RemoteRequest,
    answer: Annotated[bool, flag("--answer", "Show a withheld answer and the true one; logged as a look.")] = False,
    yes: Yes = False,
) -> Shown:
    """Show a request to its approver, from public facts; the analyst sees its state."""
    if answer:
        confirm_look(yes=yes)
    return request.answer() if answer else submissions.page_of(request)


@_request
def cancel(request: RemoteRequest, allow_no_guarantee: AllowNoGuarantee = False) -> Shown:
    """Stop a request that is being computed; anything charged stays charged."""
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
    """Fetch the noisy answers with their certificates; exit 4 while they are awaited."""
    with desk.open() as client:
        request = client.request(id)
        files = answers.output_files(out, len(request.as_dict().get("queries") or ()))
        _show_answers(submissions.settle(request, wait, seconds), files, as_json)


def _preferences(preference: Named) -> tuple[Named, ...]:
    return (preference,) if preference else ()


def _queries(
    sql: list[str], weight: list[float] | None, mechanism: str | None, delta: float | None
) -> tuple[list[str], dict[str, Any]]:
    return [options.query_text(text) for text in sql], {"weights": weight, "mechanism": mechanism, "delta": delta}


def _show_answers(request: RemoteRequest, files: list[Path], as_json: bool) -> None:
    released = request.result()
    whole = json.dumps(released.as_dict(), indent=2)
    places = files[1::2] or [*files, None][:1] * len(released)
    typer.echo(whole if as_json else "\n\n".join(map(answers.answer_text, released, places)))
    with answers.writing_answers("the answers are stored: fetch them again with `sfumato result`"):
        answers.write(files, released, whole)
