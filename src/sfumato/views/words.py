"""Every sentence about a guarantee or a risk, once."""

from __future__ import annotations

import math

from sfumato.model.guarantee import Guarantee
from sfumato.model.release import Certificate
from sfumato.model.risk import RiskView, Source
from sfumato.risk.attack import attack_chance

GAP_IS_NO_PROBABILITY = "The gap compares people in this dataset. It is not a probability."
LOOK = "This is a look at the people: what is decided after it carries no guarantee."
CONTROLLER_ONLY = "Controller only: facts about the people in the data."
WITHHELD = "withheld: chosen by looking at the data"
NOISE_ONLY = "90 of 100 for the noise alone; clipping and dropped rows not covered; per figure, not jointly"
NO_GUARANTEE = "The noise was sized by looking at the data. No differential-privacy guarantee."

SOURCES = {
    Source.WORST_CASE: "Worst case: from public facts alone, true for any data. Nobody was looked at.",
    Source.REHEARSAL: "Rehearsal: the same query on an invented or public look-alike. Nobody was looked at.",
    Source.PEOPLE: "The people themselves. " + LOOK,
}


def guarantee(certificate: Certificate) -> str:
    """The promise, in the words of the field."""
    unit, relation = certificate.unit, certificate.relation
    match certificate.guarantee:
        case Guarantee.DP:
            return f"{_pair(certificate)} for one {unit}, {relation}."
        case Guarantee.SELECTED:
            return (
                f"{_pair(certificate)} for one {unit}, {relation}, "
                f"of which {certificate.select_epsilon:g} went into selecting epsilon privately."
            )
        case Guarantee.NONE:
            return NO_GUARANTEE


def _pair(certificate: Certificate) -> str:
    if certificate.delta:
        return f"({certificate.charged:.15g}, {certificate.delta:g})-differential privacy"
    return f"{certificate.charged:.15g}-differential privacy"


def _of_100(chance: float) -> int:
    """Rounded up: what is printed as "at most" must be."""
    return math.ceil(100 * chance - 1e-9)


def promise(certificate: Certificate) -> str:
    """The same for the people in the data."""
    if not certificate.guarantee.holds or certificate.charged is None:
        return "This release makes no promise to the people in the data."
    right = _of_100(attack_chance(certificate.charged))
    return (
        f"Whoever knows everybody else in the data still guesses whether you are in it at most "
        f"{right} times of 100 from this release (50 is a coin)."
    )


def total(certificate: Certificate) -> str:
    if certificate.dataset_total is None:
        return (
            "No total exists for this dataset: something was released without a guarantee. Given everything released "
            "before, this release changes nobody's odds by more than its own epsilon allows."
            if certificate.guarantee.holds
            else "No total exists for this dataset from now on."
        )
    return f"Everything released from {certificate.dataset} so far: epsilon {certificate.dataset_total:.15g}."


def source(view: RiskView) -> str:
    return SOURCES[view.source]


def rehearsed(epsilon: float | None, why: str) -> str:
    """What a preference would lead to on the look-alike."""
    found = "no epsilon" if epsilon is None else f"epsilon {epsilon:.4g}"
    return f"On the look-alike: {found}. {why} Nothing was decided about the real table."
