"""Signals as text: lists, single signals, and the approver's page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sfumato.presentation.escrow import listing as escrow
from sfumato.presentation.figures.terminal import paragraph
from sfumato.presentation.printable import plain
from sfumato.presentation.table import table
from sfumato.presentation.wording.signals.pages import STANDS

Facts = Mapping[str, Any]
SIGNALS = {
    "number": "signal",
    "id": "id",
    "dataset": "dataset",
    "analyst": "analyst",
    "kind": "kind",
    "state": "state",
    "submitted_at": "submitted",
}
_ELSEWHERE = ("task", "code", "range", "result", "policy", "binding")


def signal(facts: Facts) -> str:
    """A signal: its task, state, next step and result."""
    decided = [f"{one['who']} ({one['act']})" for one in facts.get("decided_by") or ()]
    parts = [escrow.outlined(dict(facts) | {"decided_by": decided}, leave=_ELSEWHERE), _task_or_code(facts)]
    if facts.get("result"):
        parts += ["\n".join(paragraph(plain(sentence)) for sentence in facts["result"]["sentences"])]
    return "\n\n".join(parts)


def _task_or_code(facts: Facts, marks: Sequence[Facts] = ()) -> str:
    """The task with its parameters, or the code with its range and, for an approver, its marks."""
    if facts.get("code") is None:
        return escrow.outlined({"task": facts["task"]})
    low, high = facts["range"]
    return f"The analyst's own function, with scores from {low:g} to {high:g}:\n{numbered(facts['code'], marks)}"


def page(facts: Facts) -> str:
    """The approver's page: analyst, request, task or code with its marks, guarantee, cost and bits."""
    one, who, request = facts["signal"], facts["analyst"], facts["request"]
    whose = f"{who['name']}, {who['organisation']}" if who["organisation"] else who["name"]
    promise = (
        f"{one['kind']}, epsilon {facts['epsilon']:g}. If you approve it now, its guarantee is {facts['guarantee']}."
    )
    parts = [
        plain(f"Signal {one['number']} ({one['id']}) about request {request['number']} to {one['dataset']}"),
        plain(f"Analyst: {whose}. Purpose: {request['purpose']}"),
        plain(facts["sql"]),
        paragraph(STANDS[one["state"]]),
        _task_or_code(one, facts["marks"]),
        *([paragraph(plain(facts["sandbox"]))] if facts["sandbox"] else []),
        "\n".join(map(paragraph, [promise, *facts["sentences"]])),
        *([paragraph(facts["charge"])] if facts["charge"] else []),
        *([paragraph(facts["bits"]["sentence"])] if facts["bits"] else []),
        escrow.approvals(facts),
        *([paragraph(facts["warning"])] if facts["warning"] else []),
        "\n".join(paragraph(plain(sentence)) for sentence in facts["policy"]),
        f"binding: {facts['binding']}",
    ]
    return "\n\n".join(parts)


def numbered(code: str, marks: Sequence[Facts]) -> str:
    """Code line by line, and below a marked line the reason."""
    reasons: dict[int, list[str]] = {}
    for mark in marks:
        reasons.setdefault(mark["line"], []).append(mark["why"])
    lines = []
    for number, line in enumerate(code.splitlines() or [""], 1):
        lines.append(f"{'!' if number in reasons else ' '} {number:>3}  {plain(line.expandtabs(4))}")
        lines += [f"       {'':>{_indent(line)}}^ {why}" for why in reasons.get(number, ())]
    return "\n".join(lines)


def value(facts: Facts) -> str:
    return "\n".join(paragraph(sentence) for sentence in facts["sentences"])


def library(facts: Facts) -> str:
    """The tasks, the kinds of signals, and whether code can run."""
    tasks = [[t["name"], _parameters(t["parameters"]), _range(t["range"]), t["sentence"]] for t in facts["tasks"]]
    kinds = [paragraph(f"{k['kind']}: {k['guarantee']} {k['cost']}") for k in facts["kinds"]]
    code = facts["code"]
    own = f"{code['sentence']} {code['padding']}" if code["ready"] else code["sentence"]
    return "\n\n".join([table(["task", "parameters", "scores", "measure"], tasks), *kinds, paragraph(plain(own))])


def _parameters(parameters: Sequence[Facts]) -> str:
    return ", ".join(one["name"] if one["required"] else f"[{one['name']}]" for one in parameters)


def _range(ends: Sequence[float] | None) -> str:
    return "low to high" if ends is None else f"{ends[0]:g} to {ends[1]:g}"


def _indent(line: str) -> int:
    return len(line.expandtabs(4)) - len(line.expandtabs(4).lstrip())
