"""Reproductions as text for a terminal, and as one page with their figures."""

from __future__ import annotations

from collections.abc import Sequence

from sfumato.presentation.document import Block, Cells, CodeLines, Document, Heading, Items, Prose, in_text, on_page
from sfumato.reproduce.finding import Reproduction, Verdict

COLUMNS = ("value", "in print", "ours", "verdict")
WIDTH = 100


def text(found: Reproduction, *, colour: bool = False) -> str:
    """The values, the figures and what there is to say of them."""
    return Document("", _blocks(found)).text(width=WIDTH, colour=colour)


def html(every: Sequence[Reproduction], footer: str = "") -> str:
    """One page: how much agrees, then each of them."""
    blocks = (block for found in every for block in _blocks(found))
    return Document("The papers, reproduced", (Prose(summary(every), "lead"), *blocks)).page(footer)


def summary(every: Sequence[Reproduction]) -> str:
    """How many values agree, and where they do not, why."""
    verdicts = [value.verdict for each in every for value in each.values]
    counts = {verdict: verdicts.count(verdict) for verdict in Verdict}
    said = {
        Verdict.SAME: "as printed",
        Verdict.ROUNDED: "that are rounded in print",
        Verdict.ERRATUM: "where the print is wrong",
        Verdict.DIFFERS: "that differ",
        Verdict.OTHER_DATA: "of other data than the paper's",
        Verdict.OTHER_MACHINE: "of another machine",
        Verdict.OURS: "that are not printed",
    }
    return "; ".join(f"{many} {said[verdict]}" for verdict, many in counts.items() if many) + "."


def _blocks(found: Reproduction) -> tuple[Block, ...]:
    return (
        in_text(CodeLines(f"{found.title} · {found.paper}\non {found.on}")),
        on_page(Heading(found.title), Prose(f"{found.paper}. On {found.on}.", "soft")),
        Cells(COLUMNS, _rows(found), f"{found.title}: in print and ours"),
        *found.figures,
        Items(_said(found)),
    )


def _rows(found: Reproduction) -> list[list[str]]:
    return [[v.what, v.printed, v.ours, v.verdict.value + (" *" * bool(v.note))] for v in found.values]


def _said(found: Reproduction) -> list[str]:
    """The notes of all of it, then those of single values, once each."""
    single = dict.fromkeys(f"{v.what}: {v.note}" for v in found.values if v.note)
    return [*found.notes, *single]
