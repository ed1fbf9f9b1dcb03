"""Titles and notes of figures."""

from __future__ import annotations

from sfumato.model.risk import Source
from sfumato.presentation.wording.numbers import number

WORLDS_TITLE = "Density of the answer in each possible world"
WORLDS = "An attacker who knows everyone, but not who is missing, believes most in the highest curve at the answer."
BELIEF_TITLE = "Largest belief at each epsilon"
BELIEF = (
    "The attacker knows everyone, but not who is missing from the table; the prior is the same for each. This"
    " bounds this attacker only."
)
NOISE_TITLE = "Probability of large noise"
NOISE_OFTEN = "Laplace noise. Each point is the probability that the noise is at least this large."
MTA_TITLE = "Minimum true answer for a small relative error"
MTA = "Laplace noise. A smaller true answer misses the relative error more often than stated."
FRONTIER_TITLE = "Risk and noise at each epsilon"
FRONTIER = "Each point is an epsilon. More noise means less risk, and no other epsilon has less of both."
ATTACK_TITLE = "Attack success at each epsilon"
ATTACK = (
    "An attacker who knows everyone else's record, and has no prior knowledge of this person, can tell "
    "whether they are included at most this often (a coin flip: 50%)."
)
ROC_TITLE = "Attack success at each rate of false alarms"
ROC = (
    "An attacker who knows everyone else's record, at this rate of false alarms among people who are not "
    "included, finds at most this share of those who are."
)
SHARING_TITLE = "Sharing risk and noise"
SURFACE_TITLE = "Sharing risk by trust and sensitivity"
SHARING = (
    "The sharing risk weights how well an attacker can guess by the stated trust and sensitivity. It is a "
    "score, not a probability."
)
NO_SPREAD = {
    Source.WORST_CASE: "The worst case is the same for everyone: it has no histogram of exposures",
    Source.PEOPLE: "There are no exposures when bounds are taken from the data",
}
NO_RDRS = {
    Source.WORST_CASE: "The worst case is the same for everyone: it has no histogram of RDRs",
    Source.EXPOSURE_HISTOGRAM: "A private exposure histogram has no RDRs of the people",
}


def curve_of(source: Source, exposure: float | None) -> str:
    """The person that a curve is about."""
    return ATTACKED[source] if exposure is None else f"exposure {number(exposure)}"


ATTACKED = {
    Source.WORST_CASE: "any person",
    Source.REHEARSAL: "the most exposed person",
    Source.EXPOSURE_HISTOGRAM: "any person",
    Source.PEOPLE: "the most exposed person",
}
