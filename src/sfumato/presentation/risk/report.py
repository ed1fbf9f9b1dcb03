"""A risk view as a page to print or to file: everything that the terminal shows, and how to read it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sfumato.model.exposure_histogram import ExposureHistogram
from sfumato.model.risk import RiskView, Source
from sfumato.model.selection_trials import SelectionTrials
from sfumato.presentation.certificate import certificate_text
from sfumato.presentation.document import (
    code,
    definitions,
    drawing,
    items,
    page,
    paragraph,
    scrolled,
    section,
)
from sfumato.presentation.figures.figure import Range
from sfumato.presentation.risk.exposure import ExposureTable
from sfumato.presentation.risk.exposure_histogram_view import bars, bins, promised
from sfumato.presentation.risk.profile import candidates, estimates, figure, size
from sfumato.presentation.selection_trials import COLUMNS, figures, summary
from sfumato.presentation.selection_trials import rows as tried
from sfumato.presentation.wording import choosing as of_choosing
from sfumato.presentation.wording import exposure_histogram_sentences as of_exposure_histogram
from sfumato.presentation.wording import guarantee as of_guarantee
from sfumato.presentation.wording import risk_sentences as of_risk
from sfumato.release.risk.exposure_histogram import NUMBERS


def report(
    view: RiskView,
    people: ExposureTable | None = None,
    *,
    limit: float | None = None,
    chosen: float | None = None,
    tries: Sequence[SelectionTrials] = (),
    conclusion: str = "",
    footer: str = "",
) -> str:
    """The page. Where the people are the real ones, it says first that it is for the controller only."""
    parts = [
        paragraph(of_risk.source(view), "lead"),
        section("The query", code(view.query), paragraph(size(view), "soft")),
        section("What the words mean", definitions(of_risk.definitions(view))),
        _gap(view, limit, chosen, conclusion),
        *([_tried(tries)] if tries else []),
        *(_people(people) if people is not None else []),
        *(_histogram(view.exposure_histogram) if view.exposure_histogram is not None else []),
        section("How to read this page", items([*of_risk.READING, of_risk.deciding(view)])),
    ]
    banner = of_guarantee.CONTROLLER_ONLY if view.source is Source.PEOPLE else ""
    return page(of_risk.TITLES[view.source], parts, banner=banner, footer=footer)


def _tried(tries: Sequence[SelectionTrials]) -> str:
    """What a selection came to at several thresholds."""
    drawn = (drawing(replace(each, title="")) for each in figures(tries))
    table = scrolled(COLUMNS, tried(tries), of_choosing.TRIED_EACH)
    return section(of_choosing.TRIED_TITLE, paragraph(summary(tries)), *drawn, table)


def _gap(view: RiskView, limit: float | None, chosen: float | None, conclusion: str) -> str:
    drawn = replace(figure(view, limit, chosen), subtitle="")  # the page has said already whose risk it is
    columns, rows = candidates(view)
    verdicts = [drawn.verdict(mark) for mark in drawn.of(Range)]
    if any(verdicts):
        columns, rows = [*columns, "verdict"], [[*row, each] for row, each in zip(rows, verdicts, strict=True)]
    return section(
        "The gap at each epsilon",
        paragraph(conclusion, "lead"),
        drawing(drawn),
        scrolled(columns, rows, "What each epsilon would mean"),
        *([scrolled(*estimates(view), of_risk.ESTIMATES)] if estimates(view)[1] else []),
        paragraph(of_risk.noisy_parts(view), "soft"),
        paragraph(of_risk.missed_ranks(view), "soft"),
        paragraph(of_risk.without_delta(view), "soft"),
    )


def _histogram(exposure_histogram: ExposureHistogram) -> list[str]:
    """The histogram with its noise, then what it promises and what it cost."""
    drawn = replace(bars(exposure_histogram), title=of_risk.AT_EACH_EXPOSURE, subtitle="")
    return [
        section(
            of_exposure_histogram.WITH_NOISE,
            paragraph(f"Exposure {of_risk.EXPOSURE}"),
            paragraph(of_exposure_histogram.at_zero(exposure_histogram), "lead"),
            drawing(drawn),
            *map(paragraph, of_exposure_histogram.read_off(exposure_histogram)[1:]),
            scrolled(*bins(exposure_histogram), NUMBERS.capitalize()),
        ),
        section(
            of_exposure_histogram.COST,
            *map(paragraph, promised(exposure_histogram)),
            code(certificate_text(exposure_histogram.certificate)),
        ),
    ]


def _people(people: ExposureTable) -> list[str]:
    """How the figure is spread, and the most exposed by name if they are there."""
    same = len(people.shown.heaps) <= 1
    found = [
        section(
            people.title,
            paragraph(people.meaning),
            paragraph(people.shown.in_words, "lead"),
            "" if same else drawing(people.figure),
            scrolled(*people.quantiles, of_risk.OF_100_PEOPLE),
        )
    ]
    if people.most_exposed:
        table = scrolled(*people.most_exposed_table, of_risk.MOST_FIRST)
        found.append(section(people.most_exposed_title, paragraph(people.most_exposed_note), table))
    return found
