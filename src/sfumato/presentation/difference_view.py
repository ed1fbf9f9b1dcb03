"""The difference of two released figures as JSON, with its conclusion and its place beside 0."""

from __future__ import annotations

from sfumato.presentation.answer_chart import axis_ticks, place_on, round_axis
from sfumato.presentation.figures.marks import GLYPHS
from sfumato.presentation.wording import difference_sentences as of_difference
from sfumato.presentation.wording.guarantee import sentence
from sfumato.release.difference import Difference


def as_dict(difference: Difference) -> dict[str, object]:
    value, low, high = difference.value, difference.low, difference.high
    start, end, step = round_axis(min(low, 0.0), max(high, 0.0))
    figure, interval = of_difference.rounded_difference(value, low, high)
    place = place_on((value, (low, high)), start, end, noisy=low <= 0 <= high)
    return {
        "difference": value,
        "low": low,
        "high": high,
        "larger": low > 0,
        "smaller": high < 0,
        "verdict": GLYPHS["ok" if low > 0 else "over" if high < 0 else "chosen"],
        "title": sentence(of_difference.verdict(low, high)),
        "figure": figure,
        "interval": interval,
        "sentence": of_difference.sentence(value, low, high),
        "covers": of_difference.covers(picked=difference.picked),
        "place": {"at": place.at, "start": place.start, "end": place.end, "zero": 100 * -start / (end - start)},
        "ticks": [{"at": at, "text": text} for at, text in axis_ticks(start, end, step)],
    }
