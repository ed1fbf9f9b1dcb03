"""Reproductions as text for a terminal, and as one page with their figures."""

from __future__ import annotations

from collections.abc import Sequence

<<<<<<< ours
from sfumato.presentation.document import drawing, items, page, paragraph, scrolled, section
from sfumato.presentation.figures.terminal import text as figure_text
from sfumato.presentation.table import table
from sfumato.reproduce.finding import Agreement, Reproduction
||||||| base
from sfumato.presentation.document import drawing, items, page, paragraph, scrolled, section
from sfumato.presentation.figures.terminal import text as drawn
from sfumato.presentation.table import table
from sfumato.reproduce.finding import Reproduction, Verdict
=======
from sfumato.presentation.document import Block, Cells, CodeLines, Document, Heading, Items, Prose, in_text, on_page
from sfumato.reproduce.finding import Reproduction, Verdict
>>>>>>> theirs

COLUMNS = ("value", "in print", "ours", "verdict")
WIDTH = 100


def text(reproduction: Reproduction, *, colour: bool = False) -> str:
    """The values, the figures and what there is to say of them."""
<<<<<<< ours
    parts = [f"{reproduction.title} · {reproduction.paper}\non {reproduction.on}", table(COLUMNS, _rows(reproduction))]
    parts += [figure_text(figure, width=WIDTH, colour=colour) for figure in reproduction.figures]
    parts += ["\n".join(f"- {note}" for note in _notes(reproduction))]
    return "\n\n".join(part for part in parts if part)
||||||| base
    parts = [f"{found.title} · {found.paper}\non {found.on}", table(COLUMNS, _rows(found))]
    parts += [drawn(figure, width=WIDTH, colour=colour) for figure in found.figures]
    parts += ["\n".join(f"- {said}" for said in _said(found))]
    return "\n\n".join(part for part in parts if part)
=======
    return Document("", _blocks(found)).text(width=WIDTH, colour=colour)
>>>>>>> theirs


def html(every: Sequence[Reproduction], footer: str = "") -> str:
    """One page: how much agrees, then each of them."""
    blocks = (block for found in every for block in _blocks(found))
    return Document("The papers, reproduced", (Prose(summary(every), "lead"), *blocks)).page(footer)


def summary(every: Sequence[Reproduction]) -> str:
    """How many values agree, and where they do not, why."""
    verdicts = [value.verdict for each in every for value in each.values]
    counts = {verdict: verdicts.count(verdict) for verdict in Agreement}
    descriptions = {
        Agreement.SAME: "as printed",
        Agreement.ROUNDED: "that are rounded in print",
        Agreement.ERRATUM: "where the print is wrong",
        Agreement.DIFFERS: "that differ",
        Agreement.OTHER_DATA: "of other data than the paper's",
        Agreement.OTHER_MACHINE: "of another machine",
        Agreement.OURS: "that are not printed",
    }
    return "; ".join(f"{many} {descriptions[verdict]}" for verdict, many in counts.items() if many) + "."


<<<<<<< ours
def _section(reproduction: Reproduction) -> str:
    rows = scrolled(COLUMNS, _rows(reproduction), f"{reproduction.title}: in print and ours")
    pictures = [drawing(figure) for figure in reproduction.figures]
    about = paragraph(f"{reproduction.paper}. On {reproduction.on}.", "soft")
    return section(
        reproduction.title, about, rows, *pictures, items(_notes(reproduction)) if _notes(reproduction) else ""
    )
||||||| base
def _section(found: Reproduction) -> str:
    rows = scrolled(COLUMNS, _rows(found), f"{found.title}: in print and ours")
    pictures = [drawing(figure) for figure in found.figures]
    about = paragraph(f"{found.paper}. On {found.on}.", "soft")
    return section(found.title, about, rows, *pictures, items(_said(found)) if _said(found) else "")
=======
def _blocks(found: Reproduction) -> tuple[Block, ...]:
    return (
        in_text(CodeLines(f"{found.title} · {found.paper}\non {found.on}")),
        on_page(Heading(found.title), Prose(f"{found.paper}. On {found.on}.", "soft")),
        Cells(COLUMNS, _rows(found), f"{found.title}: in print and ours"),
        *found.figures,
        Items(_said(found)),
    )
>>>>>>> theirs


def _rows(reproduction: Reproduction) -> list[list[str]]:
    return [[v.what, v.printed, v.ours, v.verdict.value + (" *" * bool(v.note))] for v in reproduction.values]


def _notes(reproduction: Reproduction) -> list[str]:
    """The notes of all of it, then those of single values, once each."""
    single = dict.fromkeys(f"{v.what}: {v.note}" for v in reproduction.values if v.note)
    return [*reproduction.notes, *single]
