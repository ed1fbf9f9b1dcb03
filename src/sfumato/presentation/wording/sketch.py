"""A private histogram of exposures. Every such sentence stands here, once."""

from __future__ import annotations

import math

from sfumato.model.exposure_histogram import Sketch
from sfumato.presentation.wording.guarantee import WITHHELD
from sfumato.presentation.wording.numbers import number

SKETCH_WITHOUT = "A noisy histogram of how exposed the people are."
SKETCHED = "How exposed the people are, with noise"
SKETCH_AFTERWARDS = (
    "bars and quantiles take a negative count for 0; the number of people and sums are as drawn; gaps and attack "
    "success rates that are read off the bins are estimates, and only the worst case bounds the risk of each person"
)
SKETCH_COST = "What the sketch promises, and what it cost"
BOUNDS = "Bounds on the risk of each person are those of the worst case."


def at_zero(sketch: Sketch) -> str:
    """Those whom the query does not depend on."""
    people, off = f"{sketch.histogram.people[0]:,}", f" (±{bin_noise(sketch):,})" if bin_noise(sketch) else ""
    return f"At exactly 0, where this query does not depend on the person at all: {people} people{off}."


def bin_noise(sketch: Sketch) -> int:
    """The noise range of a count that is rounded to a whole number; 0 where it is withheld."""
    return 0 if sketch.noise_90 is None else math.ceil(sketch.noise_90 + 0.5)


def read_off(sketch: Sketch) -> list[str]:
    """What the bars tell, what they do not, and how sure each of it is."""
    return [said for said in (at_zero(sketch), seen(sketch), above(sketch)) if said]


def seen(sketch: Sketch) -> str:
    """Which bins stand out from the noise, and what is estimated from them."""
    if sketch.reach is None:
        return f"Noise ranges are {WITHHELD}, so nothing is estimated from the bins. {BOUNDS}"
    enough, unseen = f"{math.floor(sketch.reach) + 1:,}", f"{math.ceil(2 * sketch.reach):,}"
    estimated = (
        "The estimated gap is between the outer edges of the lowest and the highest of these bins. People in other "
        "bins may be more exposed."
        if any(sketch.seen)
        else "No bin is that large, so nothing is estimated."
    )
    return (
        f"Each count is within ±{bin_noise(sketch):,} of the truth with 90% probability. Bins of {enough} or more "
        "stand out from the noise: with 90% probability each of them holds at least one person, and no other bin holds "
        f"more than {unseen}. {estimated} {BOUNDS}"
    )


def above(sketch: Sketch) -> str:
    """How many people are above a quarter, a half and three quarters at most: places that no count has picked."""
    places = sorted({math.ceil(sketch.bins * part) / sketch.bins for part in (0.25, 0.5, 0.75)} - {1.0})
    people = [(place, sketch.people_above(place)) for place in places]
    told = [f"{most:,} above {number(place)}" for place, most in people if most is not None]
    if not told:
        return ""
    each = " Each of these figures holds by itself with that confidence." if len(told) > 1 else ""
    return f"Number of people by exposure, at most, with 90% confidence: {', '.join(told)}.{each}"
