"""Utility signals below an answer: tasks, kinds of signals, and results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sfumato.errors import SfumatoError
from sfumato.escrow.identity.person import Person
from sfumato.escrow.policy.policy import AnalystAccess
from sfumato.escrow.service import Escrow
from sfumato.escrow.submissions.code_review import LONGEST
from sfumato.escrow.submissions.lifecycle import State
from sfumato.escrow.submissions.scoring import MOST_OWN_BLOCKS, MOST_OWN_DRAWS, OWN_BLOCKS, OWN_DRAWS
from sfumato.model.release import Answer, Released
from sfumato.model.signal_score import SignalKind
from sfumato.presentation.escrow import submission_view
from sfumato.presentation.wording.guarantee import LABELS
from sfumato.presentation.wording.signals import pages as of_signal_pages
from sfumato.presentation.wording.signals import requests_sentences as of_signalling
from sfumato.presentation.wording.signals import tasks as of_tasks
from sfumato.signals.signal_request import BLOCKS, DRAWS, MOST_BLOCKS, MOST_DRAWS
from sfumato.signals.tasks.registry import TaskDescription, task_descriptions
from sfumato.signals.tasks.table import Table

_MOST_ROWS = 400  # rows that the lists of the form show
_MOST_SIGNALS = 50  # signals of one request that the page shows
_AMOUNTS = {"draws": (DRAWS, MOST_DRAWS), "blocks": (BLOCKS, MOST_BLOCKS)}
_CODE_AMOUNTS = {"draws": (OWN_DRAWS, MOST_OWN_DRAWS), "blocks": (OWN_BLOCKS, MOST_OWN_BLOCKS)}
_FIELDS = {  # the field of a parameter, by its kind, or by its name if the answer offers choices
    **dict.fromkeys(("column", "label", "mean", "variance", "count"), "column"),
    **{"features": "columns", "a": "row", "expression": "cells", "model": "choice"},
    **{"text": "row", "text or number": "row or number", "list of names": "rows", "numbers by label": "numbers"},
}
_MODELS = {"classifier": ("logistic", "tree"), "regression": ("linear", "tree")}


def section(escrow: Escrow, actor: Person, request: Mapping[str, Any], answers: Sequence[Released]) -> dict[str, Any]:
    """Facts for the section and its script, from public facts only."""
    facts: dict[str, Any] = {"signals": _signals(escrow, actor, request["id"]), "kinds": kinds()}
    facts |= {"guarantees": {guarantee.value: label for guarantee, label in LABELS.items()}}
    access = _access(escrow, actor, request["dataset"])
    if access is None:
        return facts | {"problem": of_signal_pages.NOTHING_ALLOWED}
    tables = [_table(number, released.answer) for number, released in enumerate(answers, 1)]
    figures = tables[0]["figures"]
    conclusions = SignalKind.FREE.value in access.signals and any(
        one["figures"] and len(one["labels"]) > 1 for one in tables
    )
    return facts | {
        "problem": None,
        "kinds": kinds(access.signals),
        "tasks": [_task(one) for one in task_descriptions()],
        "tables": tables,
        "conclusions": conclusions,
        "amounts": _AMOUNTS,
        "code_amounts": _CODE_AMOUNTS,
        "may_code": access.code,
        "no_code": None if access.code else of_signal_pages.CODE_NOT_ALLOWED,
        "start": of_signal_pages.CODE_AT_FIRST.format(column=figures[0] if figures else "n"),
        "longest": LONGEST,
    }


def _access(escrow: Escrow, actor: Person, dataset: str) -> AnalystAccess | None:
    """The access of this person by the current policy; None if there is none."""
    try:
        return escrow.datasets.one(actor, dataset).access_rule
    except SfumatoError:
        return None


def kinds(allowed: Sequence[str] = ()) -> list[dict[str, Any]]:
    """Each kind of signal in words; the free one first."""
    return [
        {
            "kind": kind.value,
            "title": of_signal_pages.TITLES[kind],
            "said": " ".join(of_signalling.carried(kind, holds=True)),
            "allowed": kind.value in allowed,
            "inspected": of_signal_pages.inspected(kind, code=False),
            "inspected_code": of_signal_pages.inspected(kind, code=True),
        }
        for kind in SignalKind
    ]


def _signals(escrow: Escrow, actor: Person, request: str) -> list[dict[str, Any]]:
    """The signals of a request, newest first; released ones with their result."""
    signals = escrow.signals.many(actor, request=request, limit=_MOST_SIGNALS)
    each = (
        escrow.signals.one(actor, one.submission.id) if one.standing.state is State.RELEASED else one for one in signals
    )
    return [submission_view.signal(one) for one in each]


def _task(task: TaskDescription) -> dict[str, Any]:
    parameters = [
        vars(one)
        | {
            "kind": _FIELDS.get(one.name) or _FIELDS.get(one.kind, one.kind),
            "choices": _MODELS.get(task.name, ()) if one.name == "model" else (),
            "said": of_signal_pages.parameter(task.name, one.name),
        }
        for one in task.parameters
    ]
    return {"name": task.name, "said": of_tasks.SENTENCES[task.name], "parameters": parameters}


def _table(number: int, answer: Answer) -> dict[str, Any]:
    """What a task can use of an answer: its columns of figures, and the labels of its rows."""
    figures = tuple(name for name, ranged in zip(answer.columns, answer.ranged, strict=True) if ranged)
    labels = Table(answer.columns, answer.rows[:_MOST_ROWS], figures).labels
    return {"query": number, "figures": list(figures), "labels": list(dict.fromkeys(labels))}
