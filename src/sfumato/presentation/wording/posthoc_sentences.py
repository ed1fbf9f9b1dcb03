"""Post-hoc risk: what one released answer reveals about each person."""

from __future__ import annotations

from sfumato.model.release import ReleaseCertificate
from sfumato.presentation.wording.guarantee import NO_GUARANTEE
from sfumato.presentation.wording.numbers import number, percent

POSTHOC = "Post-hoc risk: what the released answer reveals about each person"
SIGNED_LOSS = (
    "Loss: the logarithm of how much more likely this answer was with the person in the data than without "
    "them. Above 0 the answer suggests that they are included, below 0 that they are not."
)
PRI = "PRI: the distance between the released answer and the true answer without this person."
COMPUTED = "A figure is computed from others, so distances are those of the noisy numbers behind it."
ROWS_KEPT_BACK = (
    "HAVING or LIMIT removed rows from the answer. Distances and losses cover the released rows only, not "
    "what the removal of the others reveals."
)
SELECTED_BESIDE = "Epsilon was selected privately. These losses do not include what the selection reveals."

PAGE = (
    "Post-hoc risk is what this very answer reveals about each person: how much likelier it was with them in the data "
    "than without (loss), and how far it is from the true answer without them (PRI)."
)
BEFORE = "The answer is computed and withheld until you decide."
AFTER = "The answer was released."
CONTROLLERS = "Controllers only: facts about the people in the data. Do not pass them on."
DECIDING = "A decision on this request after it has no privacy guarantee."


def no_loss(certificate: ReleaseCertificate) -> str:
    """Why only distances are shown."""
    if certificate.guarantee.holds:
        return "Losses are available for Laplace and Gaussian noise only; this answer has other noise too."
    return f"{NO_GUARANTEE} So there are no losses."


def speaks_for(people: int, everyone: int) -> str:
    """For how many people the answer suggests that they are included.

    >>> speaks_for(1, 4)
    'For 1 person of 4 (25%) the answer suggests that they are included.'
    """
    who = "1 person" if people == 1 else f"{people:,} people"
    return f"For {who} of {everyone:,} ({percent(people / everyone)}) the answer suggests that they are included."


def within_bound(furthest: float, bound: float | None, epsilon: float | None) -> str:
    """The largest loss, with its bound by exposure and its bound in any data."""
    seen = f"The largest loss in either direction is {number(furthest)}"
    if bound is None or epsilon is None:
        return f"{seen}. Under Gaussian noise a single loss has no bound."
    own = f"The exposures in this data limit it to {number(bound)}"
    return f"{seen}. {own}, and epsilon limits it to {number(epsilon)} in any data."


def printed(distance: float, least: float, most: float, ratio: float) -> str:
    """The distances of the answer as it is printed.

    >>> printed(2, 1, 4, 0.25)
    'The answer as printed is 2 from the true one, and 1 to 4 from the true answers without one person (PRI). The \
smallest PRI is 0.25 times the largest.'
    """
    return (
        f"The answer as printed is {number(distance)} from the true one, and {number(least)} to {number(most)} from "
        f"the true answers without one person (PRI). The smallest PRI is {number(ratio)} times the largest."
    )


def distances(distance: float, least: float, most: float, ratio: float, own_scale: bool) -> str:
    """The distances of the noisy numbers behind it, with everyone and without each person."""
    unit = "in the units of the answer" if own_scale else "as shares of the sensitivity"
    return (
        f"Its noisy numbers are {number(distance)} from the true ones, and {number(least)} to {number(most)} from the "
        f"true ones without one person ({unit}). The smallest distance is {number(ratio)} times the largest."
    )


def medians_of(condition: str, medians: tuple[float | None, float | None]) -> str:
    """The median distances of two groups of people."""
    met, others = medians
    if met is None or others is None:
        return f"One of the two groups of “{condition}” is empty."
    least, most = sorted((met, others))
    alike = number(least / most) if most else "1"
    return (
        f"Median PRI where “{condition}”: {number(met)}; of the others: {number(others)}. The smaller is {alike} times "
        "the larger."
    )
