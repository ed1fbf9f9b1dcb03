"""What is done about a request and about a signal alike: inspect, approve, return, refuse, withdraw, wait for it."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from sfumato.cli import options
from sfumato.cli.escrow.desk import Desk, Shown, at_a_desk, show
from sfumato.cli.progress import waiting
from sfumato.errors import Forbidden, Refused

if TYPE_CHECKING:
    from sfumato.client.client import Client
    from sfumato.client.submissions import RemoteSubmission

    S = TypeVar("S", bound=RemoteSubmission)

Note = Annotated[str, typer.Option(metavar="TEXT", help="A note to the analyst.")]
Why = Annotated[str, typer.Option("--note", metavar="TEXT", help="Why: the analyst reads it.")]
AllowNoGuarantee = Annotated[
    bool,
    typer.Option("--allow-no-guarantee", help="Decide after a look, although the result then has no guarantee."),
]
Binding = Annotated[
    str, typer.Option(metavar="HASH", help="What `inspect` showed: whatever has changed since is not approved.")
]
Wait = Annotated[bool, typer.Option("--wait", help="Wait until it is decided and computed.")]
Seconds = Annotated[float | None, typer.Option(metavar="S", help="With --wait: wait at most this long.")]


_KEYWORD = inspect.Parameter.KEYWORD_ONLY
_UNLOADED = dict.fromkeys(("RemoteSubmission", "RemoteRequest", "RemoteSignal"), Any)  # of annotations


def command(argument: Any, get: Callable[[Client, str], Any]) -> Callable[[Callable[..., Shown]], Callable[..., None]]:
    """Make a command of what is done about one submission, which is got by the id in the command's `argument`."""

    def make(act: Callable[..., Shown]) -> Callable[..., None]:
        @wraps(act)
        def run(id: str, desk: Desk, as_json: bool, **values: Any) -> None:
            with desk.open() as client:
                show(act(get(client, id), **values), as_json)

        _, *own = inspect.signature(act, eval_str=True, locals=_UNLOADED).parameters.values()
        id, desk = (inspect.Parameter(n, _KEYWORD, annotation=a) for n, a in (("id", argument), ("desk", Desk)))
        as_json = inspect.Parameter("as_json", _KEYWORD, annotation=options.Json, default=False)
        parameters = [id, desk, *(parameter.replace(kind=_KEYWORD) for parameter in own), as_json]
        vars(run)["__signature__"] = inspect.Signature(parameters)
        return at_a_desk(run)

    return make


def page_of(submission: RemoteSubmission) -> Shown:
    """The approver's page; the analyst sees where it stands."""
    try:
        return submission.page()
    except Forbidden:
        return submission


def approve(
    submission: RemoteSubmission,
    note: Note = "",
    binding: Binding = "",
    allow_no_guarantee: AllowNoGuarantee = False,
    preregistered: options.Preregistered = "",
) -> Shown:
    """Let it go ahead exactly as `inspect` shows it, and nothing else."""
    return submission.approve(note, binding=binding, allow_no_guarantee=allow_no_guarantee, preregistered=preregistered)


def give_back(submission: RemoteSubmission, note: Why, allow_no_guarantee: AllowNoGuarantee = False) -> Shown:
    """Send it back with what is to be changed."""
    return submission.return_(note, allow_no_guarantee=allow_no_guarantee)


def refuse(submission: RemoteSubmission, note: Why, allow_no_guarantee: AllowNoGuarantee = False) -> Shown:
    """Say no, and why."""
    return submission.refuse(note, allow_no_guarantee=allow_no_guarantee)


def withdraw(submission: RemoteSubmission) -> Shown:
    """Take your own back before it is decided."""
    return submission.withdraw()


def settle(submission: S, wait: bool, seconds: float | None) -> S:
    """Wait for a submission, if that is asked; one that came to nothing is refused."""
    if wait:
        words = f"Waiting for {submission.noun} {submission.number}"
        with waiting(lambda: submission.progress, words, after=0.0):
            submission.wait(seconds, report=lambda _: None)
    state = submission.as_dict()["state"]
    if state in ("refused", "returned", "withdrawn", "failed"):
        ended = "failed" if state == "failed" else f"was {state}"
        raise Refused(f"{submission.name} {ended}", hint=submission.note or submission.next)
    return submission
