"""A private exposure histogram: the bars, what they show, and what it cost."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

from sfumato.model.exposure_histogram import ExposureHistogram
from sfumato.model.facts import Histogram
from sfumato.presentation.certificate import certificate_text
from sfumato.presentation.document import Block, Cells, CodeLines, Heading, Prose, beside_pages, on_page
from sfumato.presentation.figures.figure import Figure
from sfumato.presentation.figures.histogram import histogram_figure
from sfumato.presentation.figures.marks import Bars, Limit
from sfumato.presentation.wording import exposure_histogram_sentences as of_exposure_histogram
from sfumato.presentation.wording import guarantee as of_guarantee
from sfumato.presentation.wording import ledger_sentences as of_ledger
from sfumato.presentation.wording import risk_sentences as of_risk
from sfumato.presentation.wording.numbers import number
from sfumato.release.risk.exposure_histogram import RECORDED


def bars(exposure_histogram: ExposureHistogram) -> Figure:
    """The bins above 0 with their noise, and the line above which a bin stands out from the noise."""
    above = Histogram(exposure_histogram.edges[1:], exposure_histogram.histogram.people[1:])
    figure = histogram_figure(above, of_exposure_histogram.WITH_NOISE, f"Exposure {of_risk.EXPOSURE}")
    standing = Bars(
        above.edges, tuple(map(float, above.people)), float(of_exposure_histogram.bin_noise(exposure_histogram))
    )
    limits = (
        ()
        if exposure_histogram.reach is None
        else (Limit(exposure_histogram.reach, f"counts below {number(exposure_histogram.reach)} may be noise"),)
    )
    return replace(figure, marks=(standing, *limits))


def bins(exposure_histogram: ExposureHistogram) -> tuple[list[str], list[list[str]]]:
    """A row per bin: its exposures, people and noise, whether it stands out, and how many are above it."""
    off = f"±{of_exposure_histogram.bin_noise(exposure_histogram):,}" if exposure_histogram.noise_90 is not None else ""
    spans = ["0", *(f"{number(low)}–{number(high)}" for low, high in pairwise(exposure_histogram.edges[1:]))]
    rows = zip(
        spans,
        exposure_histogram.histogram.people,
        exposure_histogram.seen,
        map(exposure_histogram.people_above, exposure_histogram.edges[1:]),
        strict=True,
    )
    return (
        ["exposure", "people", of_risk.NOISE_90, "stands out", "people above, at most (90%)"],
        [
            [span, f"{people:,}", off, "yes" if seen else "no", "" if above is None else f"{above:,}"]
            for span, people, seen, above in rows
        ],
    )


def promised(exposure_histogram: ExposureHistogram) -> tuple[str, ...]:
    """The guarantee of the histogram, and what the dataset has spent with it."""
    certificate = exposure_histogram.certificate
    return f"{of_guarantee.guarantee(certificate)} {of_guarantee.promise(certificate)}", of_ledger.total(certificate)


def blocks(exposure_histogram: ExposureHistogram) -> tuple[Block, ...]:
    """The histogram with its noise, then its guarantee and cost."""
    picture = bars(exposure_histogram)
    at_zero, *others = of_exposure_histogram.read_off(exposure_histogram)
    return (
        beside_pages(picture),
        on_page(Heading(of_exposure_histogram.WITH_NOISE), Prose(f"Exposure {of_risk.EXPOSURE}")),
        Prose(at_zero, "lead"),
        on_page(replace(picture, title=of_risk.AT_EACH_EXPOSURE, subtitle="")),
        *map(Prose, others),
        on_page(Cells(*bins(exposure_histogram), RECORDED.number.capitalize()), Heading(of_exposure_histogram.COST)),
        *map(Prose, promised(exposure_histogram)),
        on_page(CodeLines(certificate_text(exposure_histogram.certificate))),
    )
