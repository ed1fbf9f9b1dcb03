"""A risk view: the risks at each epsilon, the exposures, and on a page how to read it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sfumato.model.risk import RiskView, Source
from sfumato.model.selection_trials import SelectionTrials
from sfumato.presentation import selection_trials
from sfumato.presentation.document import (
    CONTROLLER_ONLY,
    Block,
    Cells,
    CodeLines,
    Document,
    FactRows,
    Heading,
    Items,
    Prose,
    beside_pages,
    in_html,
    in_text,
    on_page,
)
from sfumato.presentation.figures.marks import Range
from sfumato.presentation.risk import exposure, rdr_view
from sfumato.presentation.risk.exposure import ExposureTable
from sfumato.presentation.risk.profile import candidates, estimates, figure, size
from sfumato.presentation.risk.rdr_view import RdrTable
from sfumato.presentation.wording import risk_sentences as of_risk


def risk_document(
    view: RiskView,
    people: ExposureTable | None = None,
    *,
    limit: float | None = None,
    chosen: float | None = None,
    tries: Sequence[SelectionTrials] = (),
    conclusion: str = "",
    rdrs: RdrTable | None = None,
) -> Document:
    """The view. For individual risks, HTML begins with the line for controllers only."""
    blocks = (
        *((in_html(CONTROLLER_ONLY),) if view.source is Source.PEOPLE else ()),
        *_gap(view, limit, chosen, conclusion),
        *rdr_view.blocks(view, rdrs),
        *selection_trials.blocks(tries),
        beside_pages(Prose(conclusion)),
        *(exposure.blocks(people) if people is not None else ()),
        *_histogram(view),
        on_page(Heading("How to read this page"), Items([*of_risk.READING, of_risk.deciding(view)])),
    )
    return Document(of_risk.TITLES[view.source], blocks)


def _histogram(view: RiskView) -> tuple[Block, ...]:
    if view.exposure_histogram is None:
        return ()
    from sfumato.presentation.risk import exposure_histogram_view

    return exposure_histogram_view.blocks(view.exposure_histogram)


def _gap(view: RiskView, limit: float | None, chosen: float | None, conclusion: str) -> tuple[Block, ...]:
    picture, query = figure(view, limit, chosen), CodeLines(view.query, size(view))
    columns, rows = candidates(view)
    verdicts = [picture.verdict(mark) for mark in picture.of(Range)]
    judged = [*columns, "verdict"], [[*row, each] for row, each in zip(rows, verdicts, strict=True)]
    estimated = Cells(*estimates(view), of_risk.ESTIMATES)
    return (
        on_page(
            Prose(of_risk.source(view), "lead"),
            Heading("Query"),
            query,
            Heading("Definitions"),
            FactRows(of_risk.definitions(view)),
            Heading("Risk gap at each epsilon"),
            Prose(conclusion, "lead"),
            replace(picture, subtitle=""),  # stated above on a page
        ),
        beside_pages(picture, query),
        in_text(Cells(columns, rows)),
        in_html(Cells(*(judged if any(verdicts) else (columns, rows)), "Risks at each epsilon")),
        *((in_text(Prose(of_risk.ESTIMATES)), estimated) if estimated.rows else ()),
        Prose(of_risk.same_for_every_query(view), "soft"),
        Prose(of_risk.noisy_parts(view), "soft"),
        Prose(of_risk.missed_ranks(view), "soft"),
        Prose(of_risk.without_delta(view), "soft"),
    )
