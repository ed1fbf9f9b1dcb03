"""Signals as documents: sentences, and a histogram of scores (free signals) or an interval of scores (others)."""

from __future__ import annotations

from typing import Any

from sfumato.errors import BadInput
from sfumato.model.signal_score import FreeScore, SignalScore
from sfumato.presentation.document import Document, Prose
from sfumato.presentation.figures.figure import Figure
from sfumato.presentation.figures.marks import Bars, Pin, Span
from sfumato.presentation.figures.plotly import page_plotly
from sfumato.presentation.figures.scale import Axis
from sfumato.presentation.wording.numbers import number
from sfumato.presentation.wording.signals import score as of_signal

BARS = 20
_NARROW = 0.01  # the minimum width of a bar, as a share of the range


def figure(signal: SignalScore) -> Figure:
    """The figure of a signal; refused if there is no score."""
    if isinstance(signal, FreeScore):
        return _histogram(signal)
    if not signal.places:
        raise BadInput(of_signal.NO_SCORE, hint="print the signal instead.")
    return _strip(signal)


def _strip(signal: SignalScore) -> Figure:
    """The interval of the charged score, with the score of the release marked."""
    labels, note = of_signal.placed(signal)
    spans = (Span(label, *place, note=note) for label, place in zip(labels, signal.places, strict=True))
    low, high = signal.range
    across = Axis("score", ticks=(low, (low + high) / 2, high))
    return Figure(
        of_signal.TITLES[signal.kind], of_signal.scale(signal), across, Axis("answer"), (*spans, _pin(signal))
    )


def _pin(signal: SignalScore) -> Pin:
    return Pin(signal.score, f"release: {number(signal.score)}")


def _histogram(signal: FreeScore) -> Figure:
    """A histogram of the drawn scores, with the score of the release marked."""
    low, high = min(signal.scores), max(signal.scores)
    least = _NARROW * signal.width
    bars = max(1, min(BARS, int((high - low) / least))) if high > low else 1
    step = max((high - low) / bars, least)
    counts = [0] * bars
    for score in signal.scores:
        counts[min(bars - 1, int((score - low) / step))] += 1
    start = low if high > low else low - step / 2
    edges = tuple(start + i * step for i in range(bars + 1))
    return Figure(
        of_signal.TITLES[signal.kind],
        of_signal.drawn(signal),
        Axis("score"),
        Axis("draws"),
        (Bars(edges, tuple(map(float, counts))), _pin(signal)),
    )


def picture(signal: SignalScore) -> dict[str, Any] | None:
    """The figure as JSON for pages; None if there is no score."""
    if not _drawable(signal):
        return None
    drawn = figure(signal)
    (pin,), spans = drawn.of(Pin), drawn.of(Span)
    named: dict[str, Any] = {"title": drawn.title, "subtitle": drawn.subtitle, "figure": page_plotly(drawn)}
    named |= {"x": drawn.x.label, "at": pin.x, "pinned": pin.label}
    if spans:
        places = [f"{span.label}: {drawn.interval(span)}{f', {span.note}' if span.note else ''}" for span in spans]
        return named | {"spans": [vars(span) for span in spans], "places": places}
    (bars,) = drawn.of(Bars)
    return named | {"y": drawn.y.label, "edges": list(bars.edges), "counts": list(bars.heights)}


def document(signal: SignalScore) -> Document:
    title = of_signal.TITLES[signal.kind]
    drawn = figure(signal) if _drawable(signal) else Prose(title)
    return Document(title, (drawn, *map(Prose, of_signal.sentences(signal))))


def _drawable(signal: SignalScore) -> bool:
    return isinstance(signal, FreeScore) or bool(signal.places)
