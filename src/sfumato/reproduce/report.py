"""Reproductions as text for a terminal, and as one page with their figures."""

from __future__ import annotations

from collections.abc import Sequence

from sfumato.presentation.document import Block, Cells, CodeLines, Document, Heading, Items, Prose, in_text, on_page
from sfumato.reproduce.finding import Agreement, Reproduction

COLUMNS = ("value", "in print", "ours", "verdict")
WIDTH = 100


def text(reproduction: Reproduction, *, colour: bool = False) -> str:
    """The values, the figures and what there is to say of them."""
    return Document("", _blocks(reproduction)).text(width=WIDTH, colour=colour)


def html(every: Sequence[Reproduction], footer: str = "") -> str:
    """One page: how much agrees, then each of them."""
    blocks = (block for reproduction in every for block in _blocks(reproduction))
    return Document("The papers, reproduced", (Prose(summary(every), "lead"), *blocks)).page(footer)


def summary(every: Sequence[Reproduction]) -> str:
    """How many values agree, and where they do not, why."""
    verdicts = [value.verdict for each in every for value in each.values]
    counts = {verdict: verdicts.count(verdict) for verdict in Agreement}
    descriptions = {
        Agreement.SAME: "as printed",
        Agreement.ROUNDED: "rounded in print",
        Agreement.ERRATUM: "where the print is wrong",
        Agreement.DIFFERS: "that differ",
        Agreement.OTHER_DATA: "of other data than the paper's",
        Agreement.FASTER: "faster than in print",
        Agreement.SLOWER: "slower than in print",
        Agreement.NOT_RUN: "not run here",
        Agreement.OURS: "that are not printed",
    }
    return "; ".join(f"{many} {descriptions[verdict]}" for verdict, many in counts.items() if many) + "."


def _blocks(reproduction: Reproduction) -> tuple[Block, ...]:
    return (
        in_text(CodeLines(f"{reproduction.title} · {reproduction.paper}\non {reproduction.on}")),
        on_page(Heading(reproduction.title), Prose(f"{reproduction.paper}. On {reproduction.on}.", "soft")),
        Cells(COLUMNS, _rows(reproduction), f"{reproduction.title}: in print and ours"),
        *reproduction.figures,
        Items(_notes(reproduction)),
    )


def _rows(reproduction: Reproduction) -> list[list[str]]:
    return [[v.what, v.printed, v.ours, v.verdict.value + (" *" * bool(v.note))] for v in reproduction.values]


def _notes(reproduction: Reproduction) -> list[str]:
    """The notes of all of it, then those of single values, once each."""
    single = dict.fromkeys(f"{v.what}: {v.note}" for v in reproduction.values if v.note)
    return [*reproduction.notes, *single]
