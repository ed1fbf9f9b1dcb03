"""The private exposure histogram."""

from __future__ import annotations

import math

from sfumato.model.exposure_histogram import ExposureHistogram
from sfumato.presentation.wording.guarantee import WITHHELD
from sfumato.presentation.wording.numbers import number

WITHOUT_GUARANTEE = "Exposure histogram with noise."
WITH_NOISE = "Exposure of the people, with noise"
AFTERWARDS = (
    "bars and quantiles count a negative number as 0; the number of people and sums are as drawn; risk gaps "
    "and attack success from the bins are estimates, and only the worst case bounds the risk of each person"
)
COST = "Guarantee and cost of the histogram"
BOUNDS = "Bounds on the risk of each person are those of the worst case."


def at_zero(exposure_histogram: ExposureHistogram) -> str:
    """The people that the query does not depend on."""
    people, noise = f"{exposure_histogram.histogram.people[0]:,}", bin_noise(exposure_histogram)
    off = f" (±{noise:,})" if noise else ""
    return f"{people} people{off} have exposure 0: the query does not depend on them."


def bin_noise(exposure_histogram: ExposureHistogram) -> int:
    """The noise (90%) of a rounded count; 0 where it is withheld."""
    return 0 if exposure_histogram.noise_90 is None else math.ceil(exposure_histogram.noise_90 + 0.5)


def read_off(exposure_histogram: ExposureHistogram) -> list[str]:
    """What the bars show, and with which confidence."""
    return [
        sentence
        for sentence in (at_zero(exposure_histogram), seen(exposure_histogram), above(exposure_histogram))
        if sentence
    ]


def seen(exposure_histogram: ExposureHistogram) -> str:
    """Which bins stand out from the noise, and what is estimated from them."""
    if exposure_histogram.reach is None:
        return f"The noise is {WITHHELD}, so nothing is estimated from the bins. {BOUNDS}"
    enough, unseen = f"{math.floor(exposure_histogram.reach) + 1:,}", f"{math.ceil(2 * exposure_histogram.reach):,}"
    estimated = (
        "The estimated risk gap is between the outer edges of the lowest and the highest of these bins. People in "
        "other bins may be more exposed."
        if any(exposure_histogram.seen)
        else "No bin is that large, so nothing is estimated."
    )
    return (
        f"Each count is within ±{bin_noise(exposure_histogram):,} of the truth with 90% probability. Bins of "
        f"{enough} or more stand out from the noise: with 90% probability each of them holds at least one person, "
        f"and no other bin holds more than {unseen}. {estimated} {BOUNDS}"
    )


def above(exposure_histogram: ExposureHistogram) -> str:
    """How many people are above 1/4, 1/2 and 3/4 at most: places that do not depend on the counts."""
    bins = exposure_histogram.bins
    places = sorted({math.ceil(bins * part) / bins for part in (0.25, 0.5, 0.75)} - {1.0})
    people = [(place, exposure_histogram.people_above(place)) for place in places]
    counts = [f"{most:,} above {number(place)}" for place, most in people if most is not None]
    if not counts:
        return ""
    each = " Each of these figures holds by itself with that confidence." if len(counts) > 1 else ""
    known = [most for _, most in people if most is not None]
    if known != sorted(known, reverse=True):
        each += " They have separate noise, so a figure can be larger than the one before it."
    return f"Number of people by exposure, at most, with 90% confidence: {', '.join(counts)}.{each}"
