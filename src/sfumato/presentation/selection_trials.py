"""The outcomes of a private selection on synthetic data, for each threshold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sfumato.model.selection_trials import SelectionTrials
from sfumato.presentation.document import Block, Cells, Heading, Prose, in_html
from sfumato.presentation.figures.figure import Figure
from sfumato.presentation.figures.marks import Range
from sfumato.presentation.figures.marks import Verdict as Mark
from sfumato.presentation.figures.scale import Axis
from sfumato.presentation.wording import choosing as of_choosing
from sfumato.presentation.wording.numbers import percent

COLUMNS = ["", "threshold", "epsilon, median", "90% from", "to", "nothing selected"]


def blocks(tries: Sequence[SelectionTrials]) -> tuple[Block, ...]:
    """The outcomes at several thresholds; empty where none was tried."""
    if not tries:
        return ()
    return (
        in_html(Heading(of_choosing.TRIED_TITLE)),
        Prose(of_choosing.tried(private=all(each.private for each in tries))),
        in_html(*(replace(figure, title="") for figure in figures(tries))),
        Cells(COLUMNS, rows(tries), of_choosing.TRIED_EACH),
    )


def figures(tries: Sequence[SelectionTrials]) -> list[Figure]:
    """For each preference, the 5% to 95% quantiles of the selected epsilons at each threshold."""
    kinds = dict.fromkeys(each.threshold.rpartition(" ")[0] for each in tries)
    groups = {
        kind: [each for each in tries if each.threshold.startswith(f"{kind} ") and each.epsilons] for kind in kinds
    }
    return [_figure(kind, those) for kind, those in groups.items() if len(those) > 1]


def _figure(kind: str, tries: Sequence[SelectionTrials]) -> Figure:
    ranges = (Range(t.value, t.quantile(0.05) or 0.0, t.quantile(0.95) or 0.0, _mark(t)) for t in tries)
    return Figure(
        title=of_choosing.TRIED_TITLE,
        subtitle="",
        x=Axis(kind),
        y=Axis("epsilon (90%)", scale="log"),
        marks=tuple(ranges),
        note=of_choosing.TRIED_BARS,
    )


def _mark(each: SelectionTrials) -> Mark:
    return "chosen" if each.requested else "ok"


def rows(tries: Sequence[SelectionTrials]) -> list[list[str]]:
    return [[">" if each.requested else "", each.threshold, *_figures(each), _share(each)] for each in tries]


def _figures(each: SelectionTrials) -> list[str]:
    quantiles = [each.quantile(p) for p in (0.5, 0.05, 0.95)]
    return ["–" if figure is None else f"{figure:g}" for figure in quantiles]


def _share(each: SelectionTrials) -> str:
    return percent(each.nothing / (each.nothing + len(each.epsilons)))
