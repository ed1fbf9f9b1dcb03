"""One utility signal for its approver: the task or the code with marked lines, guarantee, cost and bits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from fastapi import APIRouter
from starlette.responses import RedirectResponse, Response

from sfumato.errors import SfumatoError
from sfumato.escrow.submissions.lifecycle import WAITING, State
from sfumato.model.guarantee import Guarantee
from sfumato.model.signal_score import SignalKind
from sfumato.presentation.escrow import submission_view
from sfumato.presentation.wording import exploration_sentences as of_explorer
from sfumato.presentation.wording.guarantee import LABELS
from sfumato.presentation.wording.numbers import number
from sfumato.presentation.wording.signals import pages as of_signal_pages
from sfumato.presentation.wording.signals import tasks as of_tasks
from sfumato.server.dependencies import EscrowDep, NameInPath, ReadingUser
from sfumato.server.web.shell import RendererDep
from sfumato.server.web.signals.tasks import kinds
from sfumato.signals.tasks.registry import task_descriptions

screens = APIRouter(include_in_schema=False)


@screens.get("/signals/{sid}")
def signal(page: RendererDep, actor: ReadingUser, escrow: EscrowDep, sid: NameInPath) -> Response:
    """Show a signal to its approver; the analyst is redirected to the answer."""
    facts = submission_view.signal(escrow.signals.one(actor, sid))
    if facts["dataset"] not in escrow.datasets.held_by(actor) or facts["analyst"] == actor.name:
        return RedirectResponse(f"/requests/{facts['request']}#signal-{facts['id']}", 303)
    seen: Mapping[str, Any] | None = None
    problem = ""
    try:
        seen = submission_view.signal_page(escrow.signals.approval.inspect(actor, facts["id"]))
    except SfumatoError as gone:  # the answer or the policy is gone: the signal can still be returned or refused
        problem = str(gone)
    waiting = [one.submission for one in escrow.signals.approval.waiting(actor, 2)]
    others = [one for one in waiting if one.id != facts["id"]]
    waits = facts["state"] in WAITING
    published = facts["kind"] == SignalKind.PUBLISHED  # the sentences of its kind state its guarantee
    looked = escrow.datasets.looked(actor, facts["dataset"])
    kind = next(one for one in kinds() if one["kind"] == facts["kind"])
    guarantee = facts["guarantee"] if seen is None or not waits else seen["guarantee"]
    return page(
        "signal.html",
        signal=facts,
        seen=seen,
        problem=problem,
        waits=waits,
        looked=looked,
        analyst=_analyst(facts) if seen is None else seen["analyst"],
        request={"number": "", "purpose": ""} if seen is None else seen["request"],
        kind=kind,
        said=kind["said"] if seen is None else " ".join(seen["sentences"]),
        task=_task(facts["task"]),
        submitted=[] if seen is None else _submitted(facts, seen),
        approve="" if seen is None else _approve(facts, seen),
        guarantee=guarantee,
        meaning=of_explorer.LEAVES[Guarantee(guarantee)] if waits and guarantee and not published else "",
        lines=_lines(facts["code"] or "", [] if seen is None else seen["marks"]),
        stands=of_signal_pages.STANDS[facts["state"]],
        words=of_signal_pages,
        says=of_explorer,
        facts={
            "id": facts["id"],
            "state": facts["state"],
            "binding": None if seen is None else seen["binding"],
            "looked": looked,
            "starts_at": facts["starts_at"],
            "undo": escrow.ports.limits.undo_seconds,
            "me": actor.name,
            "own": any(decision["who"] == actor.name for decision in facts["decided_by"]),
            "stands": of_signal_pages.STANDS,
            "next": {"path": f"/signals/{others[0].id}", "number": others[0].number} if others else None,
        },
    )


def _submitted(facts: Mapping[str, Any], seen: Mapping[str, Any]) -> list[tuple[str, str]]:
    """What an approval is of, in the decision bar."""
    charge = of_explorer.epsilon(seen["epsilon"]) if seen["epsilon"] else "nothing"
    epsilon = [("Charged" if facts["state"] == State.COMPUTED else "Charge", charge)]
    bits = [("Exact scores", f"at most {number(facts['bits'], 3)} bits")] if facts["bits"] else []
    return [*epsilon, ("Guarantee", LABELS[Guarantee(seen["guarantee"])]), *bits]


def _approve(facts: Mapping[str, Any], seen: Mapping[str, Any]) -> str:
    """What the button says: it names what it does."""
    if facts["state"] == State.COMPUTED:
        return of_signal_pages.RELEASE
    if not Guarantee(seen["guarantee"]).holds:
        return of_explorer.WITHOUT
    return of_explorer.approve(seen["epsilon"] or None)


def _analyst(facts: Mapping[str, Any]) -> dict[str, str]:
    return {"name": facts["analyst"], "organisation": ""}


def _task(task: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """The sentence of a task, and each parameter with its value and its meaning."""
    if task is None:
        return None
    kind = next(one for one in task_descriptions() if one.name == task["task"])
    names = [one.name for one in kind.parameters]
    sentences = [of_signal_pages.parameter(kind.name, name) for name in names]
    return {
        "said": of_tasks.SENTENCES[kind.name],
        "parameters": [*zip(names, map(task.get, names), sentences, strict=True)],
    }


def _lines(code: str, marks: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The lines of the code, as Python counts them, each with the reasons of its marks."""
    return [
        {"text": text, "why": [mark["why"] for mark in marks if mark["line"] == number]}
        for number, text in enumerate(code.removesuffix("\n").split("\n"), 1)
    ]
