"""What a private selection came to on a look-alike, threshold by threshold."""

from __future__ import annotations

from collections.abc import Sequence

from sfumato.model.selection_trials import SelectionTrials
from sfumato.presentation.figures.figure import Axis, Figure, Range
from sfumato.presentation.figures.figure import Verdict as Mark
from sfumato.presentation.figures.svg import svg
from sfumato.presentation.figures.terminal import paragraph
from sfumato.presentation.html import html_table
from sfumato.presentation.table import table
from sfumato.presentation.wording import choosing as of_choosing

COLUMNS = ["", "threshold", "epsilon, median", "90 of 100 from", "to", "none selected"]


def as_text(tries: Sequence[SelectionTrials]) -> str:
    return f"{paragraph(summary(tries))}\n\n{table(COLUMNS, rows(tries))}"


def as_html(tries: Sequence[SelectionTrials]) -> str:
    return "".join(map(svg, figures(tries))) + html_table(COLUMNS, rows(tries), caption=summary(tries))


def summary(tries: Sequence[SelectionTrials]) -> str:
    return of_choosing.tried(private=all(one.private for one in tries))


def figures(tries: Sequence[SelectionTrials]) -> list[Figure]:
    """For each preference: at every threshold, from the 5th to the 95th of 100 epsilons that were selected."""
    kinds = dict.fromkeys(one.threshold.rpartition(" ")[0] for one in tries)
    groups = {kind: [one for one in tries if one.threshold.startswith(f"{kind} ") and one.epsilons] for kind in kinds}
    return [_figure(kind, those) for kind, those in groups.items() if len(those) > 1]


def _figure(kind: str, tries: Sequence[SelectionTrials]) -> Figure:
    ranges = (Range(t.value, t.quantile(0.05) or 0.0, t.quantile(0.95) or 0.0, _mark(t)) for t in tries)
    return Figure(
        title=of_choosing.TRIED_TITLE,
        subtitle="",
        x=Axis(kind),
        y=Axis("epsilon, 90 of 100", scale="log"),
        marks=tuple(ranges),
        note=of_choosing.TRIED_BARS,
    )


def _mark(one: SelectionTrials) -> Mark:
    return "chosen" if one.requested else "ok"


def rows(tries: Sequence[SelectionTrials]) -> list[list[str]]:
    return [[">" if one.requested else "", one.threshold, *_figures(one), _share(one)] for one in tries]


def _figures(one: SelectionTrials) -> list[str]:
    quantiles = [one.quantile(p) for p in (0.5, 0.05, 0.95)]
    return ["–" if figure is None else f"{figure:g}" for figure in quantiles]


def _share(one: SelectionTrials) -> str:
    return f"{100 * one.nothing / (one.nothing + len(one.epsilons)):.3g} of 100"
