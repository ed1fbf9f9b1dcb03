"""A private sketch: the noisy histogram of exposures, what may be read off it, and what it cost."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

from sfumato.model.exposure_histogram import Sketch
from sfumato.model.facts import Histogram
from sfumato.presentation.figures.figure import Bars, Figure, Limit
from sfumato.presentation.figures.histogram import histogram_figure
from sfumato.presentation.figures.svg import svg
from sfumato.presentation.figures.terminal import paragraph, text
from sfumato.presentation.html import page_part
from sfumato.presentation.wording import guarantee as of_guarantee
from sfumato.presentation.wording import ledger as of_ledger
from sfumato.presentation.wording import risk as of_risk
from sfumato.presentation.wording import sketch as of_sketch
from sfumato.presentation.wording.numbers import number


def bars(sketch: Sketch) -> Figure:
    """The bins above 0, each with its noise range, and the line from which on a bin is told from noise."""
    above = Histogram(sketch.edges[1:], sketch.histogram.people[1:])
    figure = histogram_figure(above, of_sketch.SKETCHED, f"Exposure {of_risk.EXPOSURE}")
    standing = Bars(above.edges, tuple(map(float, above.people)), float(of_sketch.bin_noise(sketch)))
    limits = () if sketch.reach is None else (Limit(sketch.reach, f"told from noise above {number(sketch.reach)}"),)
    return replace(figure, marks=(standing, *limits))


def bins(sketch: Sketch) -> tuple[list[str], list[list[str]]]:
    """A row per bin: its exposures, people and noise range, whether it stands out, how many are above it."""
    off = f"±{of_sketch.bin_noise(sketch):,}" if sketch.noise_90 is not None else ""
    spans = ["0", *(f"{number(low)}–{number(high)}" for low, high in pairwise(sketch.edges[1:]))]
    rows = zip(spans, sketch.histogram.people, sketch.seen, map(sketch.people_above, sketch.edges[1:]), strict=True)
    return (
        ["exposure", "people", "noise range (90 of 100)", "told from noise", "people above it at most (90%)"],
        [
            [span, f"{people:,}", off, "yes" if seen else "no", "" if above is None else f"{above:,}"]
            for span, people, seen, above in rows
        ],
    )


def promised(sketch: Sketch) -> tuple[str, ...]:
    """The promise of this sketch, and what the dataset has spent with it."""
    certificate = sketch.certificate
    return f"{of_guarantee.guarantee(certificate)} {of_guarantee.promise(certificate)}", of_ledger.total(certificate)


def as_text(sketch: Sketch, *, colour: bool = False) -> str:
    said = map(paragraph, (*of_sketch.read_off(sketch), *promised(sketch)))
    return "\n\n".join([text(bars(sketch), colour=colour), *said])


def as_html(sketch: Sketch) -> str:
    said = (*of_sketch.read_off(sketch), *promised(sketch))
    return page_part("", svg(bars(sketch)), " ".join(said))
