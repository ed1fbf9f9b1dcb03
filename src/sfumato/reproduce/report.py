"""Reproductions as text for a terminal, and as one page with their figures."""

from __future__ import annotations

from collections.abc import Sequence

from sfumato.presentation.document import drawing, items, page, paragraph, scrolled, section
from sfumato.presentation.figures.terminal import text as drawn
from sfumato.presentation.table import table
from sfumato.reproduce.finding import Reproduction, Verdict

COLUMNS = ("value", "in print", "ours", "verdict")
WIDTH = 100


def text(found: Reproduction, *, colour: bool = False) -> str:
    """The values, the figures and what there is to say of them."""
    parts = [f"{found.title} · {found.paper}\non {found.on}", table(COLUMNS, _rows(found))]
    parts += [drawn(figure, width=WIDTH, colour=colour) for figure in found.figures]
    parts += ["\n".join(f"- {said}" for said in _said(found))]
    return "\n\n".join(part for part in parts if part)


def html(every: Sequence[Reproduction], footer: str = "") -> str:
    """One page: how much agrees, then each of them."""
    return page("The papers, reproduced", [paragraph(summary(every), "lead"), *map(_section, every)], footer=footer)


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


def _section(found: Reproduction) -> str:
    rows = scrolled(COLUMNS, _rows(found), f"{found.title}: in print and ours")
    pictures = [drawing(figure) for figure in found.figures]
    about = paragraph(f"{found.paper}. On {found.on}.", "soft")
    return section(found.title, about, rows, *pictures, items(_said(found)) if _said(found) else "")


def _rows(found: Reproduction) -> list[list[str]]:
    return [[v.what, v.printed, v.ours, v.verdict.value + (" *" * bool(v.note))] for v in found.values]


def _said(found: Reproduction) -> list[str]:
    """The notes of all of it, then those of single values, once each."""
    single = dict.fromkeys(f"{v.what}: {v.note}" for v in found.values if v.note)
    return [*found.notes, *single]
