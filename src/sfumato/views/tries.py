"""What a private selection came to on a look-alike, threshold by threshold."""

from __future__ import annotations

from collections.abc import Sequence

from sfumato.model.tries import Tries
from sfumato.views import words
from sfumato.views.html import html_table
from sfumato.views.table import table
from sfumato.views.terminal import paragraph

COLUMNS = ["", "threshold", "epsilon, median", "90 of 100 from", "to", "none selected"]


def as_text(tries: Sequence[Tries]) -> str:
    return f"{paragraph(said(tries))}\n\n{table(COLUMNS, rows(tries))}"


def as_html(tries: Sequence[Tries]) -> str:
    return html_table(COLUMNS, rows(tries), caption=said(tries))


def said(tries: Sequence[Tries]) -> str:
    return words.tried(private=all(one.private for one in tries))


def rows(tries: Sequence[Tries]) -> list[list[str]]:
    return [[">" if one.stated else "", one.threshold, *_figures(one), _share(one)] for one in tries]


def _figures(one: Tries) -> list[str]:
    found = [one.quantile(p) for p in (0.5, 0.05, 0.95)]
    return ["–" if figure is None else f"{figure:g}" for figure in found]


def _share(one: Tries) -> str:
    return f"{100 * one.nothing / (one.nothing + len(one.epsilons)):.3g} of 100"
