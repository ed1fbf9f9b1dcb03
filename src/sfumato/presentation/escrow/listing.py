"""Users, datasets, requests and notifications of a server: lists as tables, facts line by line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sfumato.presentation.figures.terminal import paragraph
from sfumato.presentation.printable import plain
from sfumato.presentation.table import table
from sfumato.presentation.wording import requests_sentences as of_request

Facts = Mapping[str, Any]

PEOPLE = {"name": "name", "roles": "roles", "organisation": "organisation", "disabled": "disabled"}
TOKENS = {"id": "id", "label": "label", "scopes": "scopes", "expires_at": "expires", "revoked": "revoked"}
DATASETS = {"name": "name", "title": "title", "controllers": "controllers", "version": "version"}
VERSIONS = {"id": "version", "format": "format", "bytes": "bytes", "created_by": "delivered by", "created_at": "time"}
REQUESTS = {
    "number": "request",
    "id": "id",
    "dataset": "dataset",
    "analyst": "analyst",
    "purpose": "purpose",
    "state": "state",
    "submitted_at": "submitted",
}
METHODS = {
    "method": "method",
    "stated": "stated",
    "epsilon": "epsilon",
    "guarantee": "guarantee",
    "noise_90": "noise (90%)",
    "needs": "needs",
}
NOTIFICATIONS = {"id": "id", "at": "time", "text": "notification", "about": "about", "read_at": "read"}
_SHOWN_FIRST = ("id", "number", "dataset", "analyst", "purpose", "state", "next", "note")
_LONGEST = 60


def listed(columns: Mapping[str, str], items: Sequence[Facts], nothing: str) -> str:
    """A row for each item; empty columns are left out."""
    if not items:
        return nothing
    heads = {
        name: head for name, head in columns.items() if any(item.get(name) not in (None, "", []) for item in items)
    }
    rows = [[_crop(_cell(item.get(name))) for name in heads] for item in items]
    return table(list(heads.values()), rows)


def outlined(facts: Facts, leave: Sequence[str] = ()) -> str:
    """A line for each name; nested facts are indented, and a list of sentences is a paragraph each."""
    order = sorted((name for name in facts if name not in leave), key=_place)
    return "\n".join(line for name in order for line in _lines(name, facts[name]))


def request(facts: Facts) -> str:
    """A request: its queries, state and next step."""
    state = str(facts.get("state", ""))
    decided = [f"{one['who']} ({one['act']})" for one in facts.get("decided_by") or ()]
    outline = dict(facts) | {"next": facts.get("next") or of_request.NEXT.get(state, ""), "decided_by": decided}
    return outlined(outline, leave=("version", "policy", "binding"))


def page(facts: Facts) -> str:
    """The approver's page: analyst, purpose, each query with its cost and worst case, total and approvals."""
    request, who = facts["request"], facts["analyst"]
    whose = f"{who['name']}, {who['organisation']}" if who["organisation"] else who["name"]
    parts = [
        plain(f"Request {request['number']} ({request['id']}) to {request['dataset']}"),
        plain(f"Submitted: {request['submitted_at']}"),
        plain(f"Analyst: {whose}. Purpose: {request['purpose']}"),
        preview(facts["facts"]),
        *(plain(line) for line in of_request.with_signals(request["queries"])),
        *([_rehearsal(facts)] if facts.get("rehearsal") else []),
        f"Approval: {facts['approve']}. {approvals(facts)}",
        *([paragraph(facts["warning"])] if facts["warning"] else []),
        "\n".join(paragraph(plain(sentence)) for sentence in facts["policy"]),
        f"binding: {facts['binding']}",
    ]
    return "\n\n".join(parts)


def approvals(facts: Facts) -> str:
    """How many approvals are needed, and who gave one."""
    given = plain(", ".join(facts["approvals"]["given"]))
    return f"Approvals: {facts['approvals']['needed']} needed, {f'given by {given}' if given else 'none given yet'}."


def withheld(answers: str, true: Sequence[Sequence[Sequence[object]]]) -> str:
    """The withheld answers, and the true figures of each query, cell by cell."""
    figures = (" · ".join(", ".join(map(_cell, cell)) for cell in query) for query in true)
    return "\n".join([answers, "", "True answer:", *(f"  {line}" for line in figures)])


def preview(facts: Facts) -> str:
    """The cost and the guarantee of a request, for each query and in total."""
    used = "no total" if facts["spent"] is None else f"epsilon {_cell(facts['spent'])}"
    total = [f"Total: epsilon {_or_withheld(facts['epsilon'])}, delta {_or_withheld(facts['delta'])}"]
    total += [f"guarantee {facts['guarantee']}", f"used so far: {used}"]
    left = "" if facts["left"] is None else f", {_cell(facts['left'])} remaining"
    budget = f" Budget: {plain(facts['budget'])}{left}." if facts.get("budget") else ""
    return "\n\n".join([*map(_query_preview, facts["queries"]), paragraph(f"{'; '.join(total)}.{budget}")])


def _rehearsal(facts: Facts) -> str:
    """The risk gap on synthetic data, at the epsilon of each query."""
    each = enumerate(facts["rehearsal"], 1)
    return "\n".join(paragraph(of_request.rehearsed(number, rehearsal)) for number, rehearsal in each)


def _query_preview(query: Facts) -> str:
    weight = "" if query["weight"] == 1 else f"  (weight {query['weight']:g})"
    count = query["outputs"]
    many = "private group keys" if count is None else f"{count:,} noisy number{'s' * (count != 1)}"
    drawn = f"{query['mechanism']} noise, epsilon {_or_withheld(query['epsilon'])}"
    at = query["worst_case"]
    widths = () if at is None else (f"±{half:.6g}" for half in at["noise_90"] if half is not None)
    wide = f", 90% interval {' · '.join(widths)}" if at is not None and not query.get("averages") else ""
    lines = [
        f"{plain(query['sql'])}{weight}",
        f"  {many}: {plain('; '.join(query['numbers']))}; {drawn}{wide}",
        f"  method {plain(query['method'])}; guarantee {query['guarantee']}",
    ]
    weight += "" if query.get("index") is None else f"  (index {query['index']:g})"
    lines[0] = f"{plain(query['sql'])}{weight}"
    notes = [query.get("averages"), query.get("meaningful"), query["odds"]] if query["feasible"] else [query["why"]]
    return "\n".join([*lines, *(f"  {line}" for note in notes if note for line in paragraph(plain(note)).splitlines())])


def _or_withheld(figure: float | None) -> str:
    return "withheld" if figure is None else f"{figure:.6g}"


def _place(name: str) -> int:
    return _SHOWN_FIRST.index(name) if name in _SHOWN_FIRST else len(_SHOWN_FIRST)


def _lines(name: str, value: Any) -> list[str]:
    head = plain(name.replace("_", " "))
    if value in (None, "", [], {}):
        return []
    if isinstance(value, Mapping):
        inner = outlined(value).splitlines()
        return [head, *(f"  {line}" for line in inner)] if inner else []
    if isinstance(value, str):
        return [f"{head}: {plain(line)}" if not i else f"  {plain(line)}" for i, line in enumerate(value.splitlines())]
    if isinstance(value, Sequence):
        return _several(head, value)
    return [f"{head}: {_cell(value)}"]


def _several(head: str, values: Sequence[Any]) -> list[str]:
    if all(isinstance(value, str) for value in values):
        if any(" " in value for value in values):
            return [head, *(f"  {line}" for value in values for line in paragraph(plain(value)).splitlines())]
        return [f"{head}: {plain(', '.join(values))}"]
    if all(isinstance(value, Mapping) for value in values):
        if _flat(values):
            columns = list(dict.fromkeys(name for value in values for name in value))
            rows = [[_cell(value.get(name)) for name in columns] for value in values]
            drawn = table([name.replace("_", " ") for name in columns], rows)
            return [head, *(f"  {line}" for line in drawn.splitlines())]
        return [line for place, value in enumerate(values, 1) for line in _lines(f"{head} {place}", value)]
    return [f"{head}: {', '.join(map(_cell, values))}"]


def _flat(values: Sequence[Facts]) -> bool:
    """Whether they fit a table: nothing nested but short lists, and no long text."""
    cells = [cell for value in values for cell in value.values()]
    nested = any(
        isinstance(c, Mapping) or (isinstance(c, list) and any(isinstance(e, Mapping) for e in c)) for c in cells
    )
    return not nested and all(len(_cell(cell)) <= _LONGEST for cell in cells)


def _cell(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, list | tuple):
        return ", ".join(map(_cell, value))
    return plain(str(value))


def _crop(cell: str) -> str:
    return cell if len(cell) <= _LONGEST else f"{cell[: _LONGEST - 1]}…"
