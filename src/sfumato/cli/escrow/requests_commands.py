"""`sfumato submit`, `estimate`, `inbox`, `inspect`, `result` and the decisions on a request."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sfumato.cli import answers, options
from sfumato.cli.escrow import submission_commands as submissions
from sfumato.cli.escrow.desk import Desk, at_a_desk, on_submission, with_client
from sfumato.cli.escrow.signals_commands import parse_task
from sfumato.cli.escrow.submission_commands import AllowNoGuarantee, Seconds, Wait
from sfumato.cli.looks import Yes, confirm_look
from sfumato.cli.options import argument, flag, option
from sfumato.cli.output import Shown, ShownList, show
from sfumato.cli.preferences import with_names
from sfumato.errors import AwaitingApproval, BadInput
from sfumato.privacy.preferences.registry import HOW

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from sfumato.client.client import Client
    from sfumato.client.remote_dataset import RemoteDataset, RemoteQuery
    from sfumato.client.submissions import RemoteRequest

Dataset = Annotated[str, argument("DATASET", "Name of the dataset.")]
Id = Annotated[str, argument("REQUEST", "Number of the request, as `submit` and `inbox` print it.")]
Weights = Annotated[list[float] | None, option("Weight of a query among the others; one for each.", "W", "--weight")]
Index = Annotated[
    str | None, option("Relative width of the noise of each query: one epsilon is split (DIFF).", "G1,G2,…")
]
ExpectedAnswers = Annotated[
    str | None, option("Public guess of each answer, to find an index and test its error.", "Q1,Q2,…")
]
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
    parameter: options.Parameter = None,
    weight: Weights = None,
    index: Index = None,
    expected_answers: ExpectedAnswers = None,
    mechanism: Mechanism = None,
    delta: options.Delta = None,
) -> Shown:
    """Preview the cost and guarantee of a request, from public facts; nothing is submitted."""
    texts, how = _queries(sql, weight, mechanism, delta)
    how |= _split(index, expected_answers)
    how["expected_count"] = preference.get("expected_count")
    if not any(name in preference for name in HOW["expected_count"]):
        preference.pop("expected_count", None)
    remote = client.dataset(dataset)
    queries = _with_parameters(remote, texts, parameter)
    return remote.estimate(queries, *_preferences(preference), **how)


@with_names
@at_a_desk
def submit(
    dataset: Dataset,
    sql: options.Sqls,
    desk: Desk,
    preference: Named,
    purpose: Annotated[str, option("Purpose of the answers; the approver reads it.", "TEXT")] = "",
    parameter: options.Parameter = None,
    weight: Weights = None,
    index: Index = None,
    expected_answers: ExpectedAnswers = None,
    mechanism: Mechanism = None,
    delta: options.Delta = None,
    task: Annotated[
        str, option("Task of a utility signal of the first query, as of `signal submit`: text, @FILE or -.", "JSON")
    ] = "",
    signal: Annotated[
        str, option("Kind of that signal: free, noisy_difference or sample_and_aggregate.", "KIND")
    ] = "free",
    signal_epsilon: Annotated[float | None, option("Epsilon of that signal, if it is charged.", "E")] = None,
    accuracy: Annotated[float | None, option("Largest useful error of the first figure (90%).", "X")] = None,
    due: Annotated[str, option("Day by which you need the decision, such as 2026-12-31.", "DATE")] = "",
    dry_run: Annotated[bool, flag("--dry-run", "Answer from synthetic rows; nothing is submitted.")] = False,
    wait: Wait = False,
    seconds: Seconds = None,
    out: answers.Out = None,
    as_json: options.Json = False,
) -> None:
    """Submit one or several queries as one release, by a preference or the preregistered rule.

    The exit status is 4 while the request awaits approval.
    """
    texts, how = _queries(sql, weight, mechanism, delta)
    how |= _split(index, expected_answers)
    if dry_run and wait:
        raise BadInput("--dry-run and --wait exclude each other", hint="leave one of them out.")
    if not dry_run and not purpose.strip():
        raise BadInput("A request needs a purpose", hint='add --purpose "why you need the answers".')
    if (out or seconds) and not wait:
        raise BadInput("--out and --seconds need --wait", hint="add --wait, or run `sfumato result` later.")
    files = answers.output_files(out, len(texts))
    with desk.open() as client:
        remote = client.dataset(dataset)
        queries = _with_parameters(remote, texts, parameter)
        if dry_run:
            show(remote.dry_run(queries, *_preferences(preference), **how), as_json)
            return
        how |= {"accuracy": accuracy, "due": due}
        if task:
            scored = {"task": parse_task(options.query_text(task, "--task")), "kind": signal, "epsilon": signal_epsilon}
            how["signals"] = [scored, *[None] * (len(texts) - 1)]
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
    posthoc_risk: Annotated[
        bool,
        flag("--posthoc-risk", "Show what an answer, withheld or released, tells about each person; logged as a look."),
    ] = False,
    query: Annotated[int, option("With --posthoc-risk: number of the answer, from 1.", "N")] = 1,
    between: Annotated[
        str | None, option("With --posthoc-risk: compare the people who meet a condition with the others.", "CONDITION")
    ] = None,
    yes: Yes = False,
) -> Shown:
    """Show a request to its approver, from public facts; the analyst sees its state."""
    if answer and posthoc_risk:
        raise BadInput("--answer and --posthoc-risk exclude each other", hint="leave one of them out.")
    if (between is not None or query != 1) and not posthoc_risk:
        raise BadInput("--query and --between need --posthoc-risk", hint="add it; it is a look.")
    if answer or posthoc_risk:
        confirm_look(yes=yes)
    if posthoc_risk:
        return request.posthoc_risk(query, between)
    return request.answer() if answer else submissions.page_of(request)


@_request
def cancel(request: RemoteRequest, allow_no_guarantee: AllowNoGuarantee = False) -> Shown:
    """Stop a request that is being computed; anything charged stays charged."""
    return request.cancel(allow_no_guarantee=allow_no_guarantee)


approve, give_back = _request(submissions.approve), _request(submissions.give_back)
refuse, withdraw = _request(submissions.refuse), _request(submissions.withdraw)
undo, assign = _request(submissions.undo), _request(submissions.assign)


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


def _split(index: str | None, expected: str | None) -> dict[str, Any]:
    """What splits one epsilon over the queries."""
    return {
        "index": index and options.parse_numbers(index, "--index"),
        "expected": expected and options.parse_numbers(expected, "--expected-answers"),
    }


def _with_parameters(
    dataset: RemoteDataset, texts: Sequence[str], parameter: Sequence[str] | None
) -> Sequence[str | RemoteQuery]:
    """Queries with the values of their parameters, which are put into the parsed query and never into its text."""
    values = options.parse_parameters(parameter or ())
    return [dataset.query(text, values) for text in texts] if values else texts


def _show_answers(request: RemoteRequest, files: list[Path], as_json: bool) -> None:
    released = request.result()
    whole = json.dumps(released.as_dict(), indent=2)
    places = files[1::2] or [*files, None][:1] * len(released)
    with_notes = zip(map(answers.answer_text, released, places), released.notes, strict=True)
    texts = ("\n".join(filter(None, pair)) for pair in with_notes)
    typer.echo(whole if as_json else "\n\n".join(texts))
    with answers.writing_answers("the answers are stored: fetch them again with `sfumato result`"):
        answers.write(files, released, whole)
