"""A private histogram of exposures. Every such sentence stands here, once."""

from __future__ import annotations

import math

from sfumato.model.sketch import Sketch
from sfumato.views.words.of_guarantee import WITHHELD
from sfumato.views.words.of_release import NOISE_ONLY

SKETCH_WITHOUT = "A noisy histogram of how exposed the people are."
SKETCHED = "How exposed the people are, with noise"
SKETCHED_BY = "a private sketch of exposures"
SKETCHED_NUMBERS = "people in each bin of exposure"
SKETCH_AFTERWARDS = "bars and quantiles take a negative count for 0; the number of people and sums are as drawn"
SKETCH_COST = "What the sketch promises, and what it cost"


def at_zero(sketch: Sketch) -> str:
    """Those whom the query does not depend on."""
    people, off = f"{sketch.histogram.people[0]:,}", f" (±{bin_noise(sketch):,})" if bin_noise(sketch) else ""
    return f"At exactly 0, where this query does not depend on the person at all: {people} people{off}."


def bin_noise(sketch: Sketch) -> int:
    """The noise range of a count that is rounded to a whole number; 0 where it is withheld."""
    return 0 if sketch.noise_90 is None else math.ceil(sketch.noise_90 + 0.5)


def seen(sketch: Sketch) -> str:
    """What may be read off the bars, and what may not."""
    if sketch.reach is None:
        return f"Noise ranges are {WITHHELD}: no bin can be told from noise, so the gap is that of the worst case."
    enough, unseen = f"{math.floor(sketch.reach) + 1:,}", f"{math.ceil(2 * sketch.reach):,}"
    found = (
        "The gap is between the far edges of the lowest and the highest of them."
        if any(sketch.seen)
        else "There is none here, so the gap is that of the worst case."
    )
    return (
        f"Each count is within ±{bin_noise(sketch):,} of the truth, {NOISE_ONLY}. Bins of {enough} or more are told "
        "from noise: 90 times of 100, and for all bins at once, there is somebody in each of them, and no other bin "
        f"has more than {unseen} people. {found} People in the other bins are not seen; what holds for them is the "
        "worst case."
    )
