"""What a picture shows. Every such sentence stands here, once."""

from __future__ import annotations

from sfumato.model.risk import Source
from sfumato.presentation.wording.numbers import number

WORLDS_TITLE = "How likely each answer is, in each possible world"
WORLDS = "An attacker who knows everybody and asks who is missing believes most in the highest curve at the answer."
BELIEF_TITLE = "How sure an attacker may become at each epsilon"
BELIEF = (
    "The attacker knows everybody and asks who is missing from the table; before the answer, each is as likely. It "
    "bounds this attacker, and no other."
)
NOISE_TITLE = "How often the noise is at least so large"
NOISE_OFTEN = "Laplace noise; a point on a curve: so many times of 100 the noise is at least this."
MTA_TITLE = "From which true answer on the noise is small beside it"
MTA = "Laplace noise; a smaller true answer misses the relative error more often than stated."
FRONTIER_TITLE = "Risk against noise, at each epsilon"
FRONTIER = "Each point is an epsilon: more noise, less risk. No other epsilon has less of both."
ATTACK_TITLE = "How often an attacker is right, at each epsilon"
ATTACK = (
    "At most so many times of 100 an attacker who knows everybody else, and had no idea beforehand, guesses right "
    "whether this person is in the data; a coin is right 50 times."
)
ROC_TITLE = "What an attacker finds, at each rate of false alarms"
ROC = (
    "A point on a curve: at so many false alarms among those who are not in the data, an attacker who knows everybody "
    "else finds at most so many of those who are."
)
SHARING_TITLE = "Risk of sharing against noise"
SURFACE_TITLE = "Risk of sharing, by trust and sensitivity"
SHARING = (
    "The risk weighs how well a snoop may guess by the trust and the sensitivity that were stated. It is a comparison "
    "and not a probability."
)
NO_SPREAD = {
    Source.WORST_CASE: "The worst case is about anybody: it has no histogram of exposures",
    Source.PEOPLE: "There is no exposure where bounds are read off the data",
}


def curve_of(source: Source, exposure: float | None) -> str:
    """Whom an attacker's curve is about, in short."""
    return ATTACKED[source] if exposure is None else f"exposure {number(exposure)}"


ATTACKED = {
    Source.WORST_CASE: "anybody",
    Source.REHEARSAL: "the most exposed",
    Source.EXPOSURE_HISTOGRAM: "anybody",
    Source.PEOPLE: "the most exposed",
}
