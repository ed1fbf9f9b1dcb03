"""What requests and signals have in common: inspect, approve, return, refuse, withdraw, wait."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, TypeVar

from sfumato.cli import options
from sfumato.cli.options import flag, option
from sfumato.cli.output import Shown
from sfumato.cli.progress import waiting
from sfumato.errors import Forbidden, Refused

if TYPE_CHECKING:
    from sfumato.client.submissions import RemoteSubmission

    S = TypeVar("S", bound=RemoteSubmission)

Note = Annotated[str, option("Note to the analyst.", "TEXT")]
Reason = Annotated[str, option("Reason; the analyst reads it.", "TEXT", "--note")]
AllowNoGuarantee = Annotated[
    bool, flag("--allow-no-guarantee", "Decide after a look, although the result then has no guarantee.")
]
Binding = Annotated[str, option("Hash that `inspect` printed: the approval fails if anything changed since.", "HASH")]
Search = Annotated[str, option("List only those with each of these words, or with this number.", "TEXT")]
Wait = Annotated[bool, flag("--wait", "Wait until it is decided and computed.")]
Seconds = Annotated[float | None, option("With --wait: wait at most this long.", "S")]


def page_of(submission: RemoteSubmission) -> Shown:
    """The approver's page; an analyst sees the state of the submission."""
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
    at_once: Annotated[bool, flag("--at-once", "Start now; `undo` is not possible then.")] = False,
) -> Shown:
    """Approve it exactly as `inspect` shows it. It starts after some seconds; `undo` takes it back until then."""
    how: dict[str, Any] = {"allow_no_guarantee": allow_no_guarantee, "preregistered": preregistered}
    return submission.approve(note, binding=binding, at_once=at_once, **how)


def undo(submission: RemoteSubmission, allow_no_guarantee: AllowNoGuarantee = False) -> Shown:
    """Take back your own approval before it starts."""
    return submission.undo(allow_no_guarantee=allow_no_guarantee)


def assign(
    submission: RemoteSubmission,
    to: Annotated[str, option("Controller of the dataset; empty: none.", "NAME")],
) -> Shown:
    """Assign it to a controller, who is notified."""
    return submission.assign(to or None)


def give_back(submission: RemoteSubmission, note: Reason, allow_no_guarantee: AllowNoGuarantee = False) -> Shown:
    """Return it with changes to make."""
    return submission.return_(note, allow_no_guarantee=allow_no_guarantee)


def refuse(submission: RemoteSubmission, note: Reason, allow_no_guarantee: AllowNoGuarantee = False) -> Shown:
    """Refuse it with a reason."""
    return submission.refuse(note, allow_no_guarantee=allow_no_guarantee)


def withdraw(submission: RemoteSubmission) -> Shown:
    """Withdraw your own submission before it is decided."""
    return submission.withdraw()


def settle(submission: S, wait: bool, seconds: float | None) -> S:
    """Wait for a submission, if asked to; raise if it ended without a result."""
    if wait:
        words = f"Waiting for {submission.noun} {submission.number}"
        with waiting(lambda: submission.progress, words, after=0.0):
            submission.wait(seconds, report=lambda _: None)
    state = submission.as_dict()["state"]
    if state in ("refused", "returned", "withdrawn", "failed"):
        ended = "failed" if state == "failed" else f"was {state}"
        why, _, hint = submission.note.partition(" Hint: ")  # a failure's note is an error with its hint
        raise Refused(f"{submission.name} {ended}{why and f': {why}'}", hint=hint or submission.next)
    return submission
