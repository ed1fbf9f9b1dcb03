"""Reproductions as text for a terminal, and as one page with their figures."""

from __future__ import annotations

from collections.abc import Sequence

from sfumato.presentation.document import drawing, items, page, paragraph, scrolled, section
from sfumato.presentation.figures.terminal import text as figure_text
from sfumato.presentation.table import table
from sfumato.reproduce.finding import Agreement, Reproduction

COLUMNS = ("value", "in print", "ours", "verdict")
WIDTH = 100


def text(reproduction: Reproduction, *, colour: bool = False) -> str:
    """The values, the figures and what there is to say of them."""
    parts = [f"{reproduction.title} · {reproduction.paper}\non {reproduction.on}", table(COLUMNS, _rows(reproduction))]
    parts += [figure_text(figure, width=WIDTH, colour=colour) for figure in reproduction.figures]
    parts += ["\n".join(f"- {note}" for note in _notes(reproduction))]
    return "\n\n".join(part for part in parts if part)


def html(every: Sequence[Reproduction], footer: str = "") -> str:
    """One page: how much agrees, then each of them."""
    return page("The papers, reproduced", [paragraph(summary(every), "lead"), *map(_section, every)], footer=footer)


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


def _section(reproduction: Reproduction) -> str:
    rows = scrolled(COLUMNS, _rows(reproduction), f"{reproduction.title}: in print and ours")
    pictures = [drawing(figure) for figure in reproduction.figures]
    about = paragraph(f"{reproduction.paper}. On {reproduction.on}.", "soft")
    return section(
        reproduction.title, about, rows, *pictures, items(_notes(reproduction)) if _notes(reproduction) else ""
    )


def _rows(reproduction: Reproduction) -> list[list[str]]:
    return [[v.what, v.printed, v.ours, v.verdict.value + (" *" * bool(v.note))] for v in reproduction.values]


def _notes(reproduction: Reproduction) -> list[str]:
    """The notes of all of it, then those of single values, once each."""
    single = dict.fromkeys(f"{v.what}: {v.note}" for v in reproduction.values if v.note)
    return [*reproduction.notes, *single]
