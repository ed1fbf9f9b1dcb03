"""What an answer that went out says about each person. Every such sentence stands here, once."""

from __future__ import annotations

from sfumato.model.release import ReleaseCertificate
from sfumato.presentation.wording.guarantee import NO_GUARANTEE
from sfumato.presentation.wording.numbers import number

POSTHOC = "What the answer that went out says about each person"
SIGNED_LOSS = (
    "Loss: the logarithm of how many times as likely this very answer was with the person in the data as without them. "
    "Above 0 it speaks for their being there, below 0 against it."
)
PRI = "PRI: how far the answer that went out lies from the true one without this person."
ROWS_KEPT_BACK = (
    "HAVING or LIMIT kept rows back: distances and losses are of the rows that left. What it tells that the others did "
    "not leave is not in them."
)
SELECTED_BESIDE = "Epsilon was selected privately: what the selection told by itself is not in these losses."


def no_loss(certificate: ReleaseCertificate) -> str:
    """Why only distances are shown."""
    if certificate.guarantee.holds:
        return "A loss is known where all that was drawn is Laplace or Gaussian noise; here some of it is not."
    return f"{NO_GUARANTEE} So no loss is known."


def speaks_for(people: int, everybody: int) -> str:
    """For how many people an answer speaks.

    >>> speaks_for(1, 4)
    'It speaks for the presence of 1 person of 4, that is 25 of 100.'
    """
    who = "1 person" if people == 1 else f"{people:,} people"
    return (
        f"It speaks for the presence of {who} of {everybody:,}, that is {number(100 * people / everybody, 3)} of 100."
    )


def within_bound(furthest: float, bound: float | None, epsilon: float | None) -> str:
    """The losses that came about, beside those that could have: by anybody's exposure, and in any data."""
    seen = f"The largest loss, either way, is {number(furthest)}"
    if bound is None or epsilon is None:
        return f"{seen}. Gaussian noise bounds no single loss."
    own = f"by their exposure nobody's here could be beyond {number(bound)}"
    return f"{seen}; {own}, and in any data nobody's beyond epsilon, {number(epsilon)}."


def distances(distance: float, least: float, most: float, ratio: float, own_scale: bool) -> str:
    """How far the answer lies from the true one, with everybody and without each."""
    unit = "in the answer's own units" if own_scale else "as shares of what anybody could move, over all noisy numbers"
    return (
        f"The answer lies {number(distance)} from the true one, and from {number(least)} to {number(most)} from those "
        f"without one person ({unit}): the smallest PRI is {number(ratio)} times the largest."
    )


def medians_of(condition: str, medians: tuple[float | None, float | None]) -> str:
    """The median distances of two groups of people."""
    met, others = medians
    if met is None or others is None:
        return f"There is nobody in one of the two groups that “{condition}” makes."
    least, most = sorted((met, others))
    alike = number(least / most) if most else "1"
    return (
        f"Median PRI of “{condition}”: {number(met)}; of the others: {number(others)}. The smaller is {alike} times "
        "the larger."
    )
