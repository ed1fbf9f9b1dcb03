"""What is promised, to whom, and what is not. Every such sentence stands here, once."""

from __future__ import annotations

import math
from decimal import ROUND_CEILING, Context

from sfumato.model import release
from sfumato.model.budget import BudgetLimit
from sfumato.model.calibration import NoiseLaw
from sfumato.model.guarantee import Fixed, Guarantee
from sfumato.model.release import Assumed, Assumption, ReleaseCertificate
from sfumato.model.schema import PrivacyUnit, Relation
from sfumato.model.signal_score import EXACT_SCORE
from sfumato.privacy.risk.membership import attack_chance, attack_chance_gaussian

MEANINGS = {
    Guarantee.DP: (
        "How wide the noise is was fixed without looking at the people. What this release may tell about any one of "
        "them is bounded by epsilon, whoever they are and whatever else is known about them."
    ),
    Guarantee.SELECTED: (
        "How wide the noise is was selected from the data by a mechanism that is private itself, and charged as well. "
        "What both may tell about any one of the people is bounded, whatever else is known about them."
    ),
    Guarantee.NONE: (
        "How wide the noise is, or what it is added to, depends on the people in the data. What this release tells "
        "about any one of them is not bounded."
    ),
}
LOOK = "This is a look at the people: what is decided after it carries no guarantee."
WITHHELD = release.WITHHELD  # in figures as in the method that a record has
CONTROLLER_ONLY = "Controller only: facts about the people in the data."
ROW_BY_ROW = "somebody who has several rows is protected row by row, not with all of them"
ASKED_BLINDLY = "what was asked, and how often, did not depend on what those who looked at the people had seen"
FIXED_BEFORE = "This holds if so much was fixed before the first release, as a plan or as a limit."
OTHER_UNITS = "its releases protect different units, or under different relations"
AFTER_NONE = "everything released before, including releases without a guarantee"
NO_GUARANTEE = "The noise was sized by looking at the data. No differential-privacy guarantee."
NO_NOISE = (
    "The score of the exact answer is a fact about the people in the data, and there is no noise on it. No "
    "differential-privacy guarantee."
)
DECIDED_BY_LOOKING = "It was decided by looking at the data that this leaves. No differential-privacy guarantee."
DECLARED = "fixed beforehand: “{}” (said by {})"
BY_A_DECLARATION = (
    "Somebody had looked at the people before. The word holds only if it is true that this was decided before anybody "
    "looked, as was declared; nobody has checked that."
)
DECLARE = "I declare that this was decided before anybody looked at the people, and where that is written:"
BATCHED = "One of {:,} releases that were fixed in advance and charged together"


def guarantee(certificate: ReleaseCertificate) -> str:
    """The promise, in the words of the field."""
    match certificate.guarantee:
        case Guarantee.DP:
            return f"{_pair(certificate)} for {_changed(certificate)}."
        case Guarantee.SELECTED:
            delta = f", {exactly(certificate.delta)}" if certificate.delta else ""
            most = f"({certificate.at_most:.15g}{delta})" if delta else f"{certificate.at_most:.15g}"
            return (
                f"spent {certificate.select_epsilon:.15g} for selecting epsilon privately + {certificate.epsilon:.15g} "
                f"for the answer = {certificate.promised:.15g}; never more than {certificate.at_most:.15g}: before "
                f"anything was drawn, {most}-differential privacy for {_changed(certificate)}."
            )
        case Guarantee.NONE:
            return without(certificate)


def worded(guarantee: Guarantee, *, declared: bool) -> str:
    """The word, and that it rests on a declaration where it does.

    >>> worded(Guarantee.DP, declared=True), worded(Guarantee.DP, declared=False), worded(Guarantee.NONE, declared=True)
    ('dp, by a declaration', 'dp', 'none')
    """
    return f"{guarantee.value}, by a declaration" if declared and guarantee.holds else guarantee.value


def is_declared(certificate: ReleaseCertificate) -> bool:
    """Whether its word rests on somebody's declaration that something was fixed before anybody looked."""
    return certificate.guarantee.holds and certificate.fixed == Fixed.ATTESTED.value


def declarations(certificate: ReleaseCertificate) -> str:
    """What its word rests on, in the words of whoever declared it; nothing where it rests on no declaration."""
    if not is_declared(certificate):
        return ""
    sentences = [sentence(one) for one in map(_declared, certificate.assumed) if one]
    return " ".join([BY_A_DECLARATION, *sentences])


def _declared(assumed: Assumed | str) -> str:
    """A declaration in words; nothing of another assumption. JSON for people, and older records, have the words."""
    if isinstance(assumed, str):
        return assumed if assumed.startswith(DECLARED.partition("{}")[0]) else ""
    return declared(**dict(assumed.values)) if assumed.code is Assumption.DECLARED else ""  # type: ignore[arg-type]


def declared(said: str, by: str) -> str:
    return DECLARED.format(said, by)


def without(certificate: ReleaseCertificate) -> str:
    """Why there is no guarantee: there was no noise, or it was sized by looking, or only whether the answer leaves."""
    if certificate.lost is not None and EXACT_SCORE in certificate.lost:
        return NO_NOISE
    decided = certificate.lost is not None and {*certificate.lost} <= {"approval", "policy"}
    return DECIDED_BY_LOOKING if decided else NO_GUARANTEE


def _changed(certificate: ReleaseCertificate) -> str:
    """What two neighbours differ in."""
    replaced = certificate.relation == Relation.REPLACE.value
    return f"{protected(certificate)}, {'replaced by any other' if replaced else certificate.relation}"


def protected(certificate: ReleaseCertificate) -> str:
    """Who is protected: one row, or one person with all their rows."""
    unit = certificate.unit
    return f"one {unit}" if unit == PrivacyUnit().words else f"one person (one {unit})"


def rows_that_count(unit: PrivacyUnit) -> str:
    """What a column of people is taken to say, and how much of anybody an answer holds."""
    return rows_counted(unit.words, unit.max_rows, unit.groups)


def rows_counted(unit: str, rows: int, groups: int) -> str:
    """The same by what a certificate has of the unit."""
    counted = "1 row of one person counts" if rows == 1 else f"{rows:,} rows of one person count"
    if groups < rows:
        counted = f"{counted}, in at most {groups:,} group{'' if groups == 1 else 's'},"
    return (
        f"each person has one {unit}; at most {counted} in a query, picked by a rule that reads that person's rows "
        f"alone; rows without a {unit} are left out"
    )


def _pair(certificate: ReleaseCertificate) -> str:
    if certificate.delta:
        return f"({certificate.promised:.15g}, {exactly(certificate.delta)})-differential privacy"
    return f"{certificate.promised:.15g}-differential privacy"


def exactly(delta: float) -> str:
    """With every digit: a delta that is rounded may read as less than it is.

    >>> exactly(1e-9), exactly(1.2345641e-06), exactly(0.0)
    ('1e-09', '1.2345641e-06', '0')
    """
    return str(delta).removesuffix(".0")


def in_100(chance: float) -> int:
    """Rounded up: what is printed as "at most" must be."""
    return math.ceil(100 * chance - 1e-9)


def _chance(certificate: ReleaseCertificate) -> float:
    """How often an attacker is right, at most: as epsilon and delta say it, or as Gaussian noise does."""
    chance = attack_chance(certificate.promised or 0.0, certificate.delta)
    if set(certificate.laws or ()) != {NoiseLaw.GAUSSIAN} or certificate.select_epsilon:
        return chance
    moved = [d / s for d, s in zip(certificate.sensitivity or (), certificate.scale or (), strict=True) if s]
    return min(chance, attack_chance_gaussian(math.hypot(*moved), 1.0))


def promise(certificate: ReleaseCertificate) -> str:
    """The same for the people in the data."""
    if not certificate.guarantee.holds or certificate.promised is None:
        return "This release makes no promise to the people in the data."
    right = in_100(_chance(certificate))
    replaced = certificate.relation == Relation.REPLACE.value
    guessed = "whether you or somebody else is in it" if replaced else "whether you are in it"
    return (
        f"Whoever knows everybody else in the data still guesses {guessed} at most "
        f"{right} times of 100 from this release (50 is a coin)."
    )


def together(certificate: ReleaseCertificate) -> str:
    """What was charged for this and others at once; nothing where it was charged by itself."""
    c = certificate
    if c.batch is None:
        return ""
    delta = f", delta {exactly(c.batch_delta)}" if c.batch_delta else ""
    spent = f"epsilon {c.charged:.15g}{delta} for all of them"
    return f"{BATCHED.format(c.batch)}: {spent}. The epsilon of this one holds for it alone."


def rounded_up(figure: float) -> str:
    """With four digits, and never less.

    >>> rounded_up(0.46211), rounded_up(0.2), rounded_up(5.22151), rounded_up(1e-12)
    ('0.4622', '0.2', '5.222', '1e-12')
    """
    return f"{float(Context(prec=4, rounding=ROUND_CEILING).create_decimal(str(figure))):.4g}"


def rounded_down(figure: float) -> str:
    """With four digits, and never more.

    >>> rounded_down(0.46219), rounded_down(-0.46211), rounded_down(0)
    ('0.4621', '-0.4622', '0')
    """
    return f"{0.0 - float(rounded_up(-figure)):.4g}"


def at_most(epsilon: float) -> str:
    """What is known beforehand of what was selected privately."""
    return f"Whatever epsilons had been selected, it would have been at most {epsilon:.15g}."


def budget(limit: BudgetLimit) -> str | None:
    """The most that may be spent in all, if that is stated."""
    return limit.words


def of_100(chance: float) -> str:
    """A chance as so many of 100, with one decimal, rounded up."""
    return f"{math.ceil(1000 * chance - 1e-9) / 10:.1f}"


def guessed(right: int, guesses: int) -> str:
    """What a guesser made of it."""
    return f"whoever guesses which table it was is right {right:,} times of {guesses:,}"


def sentence(words: str) -> str:
    """With a capital letter and a full stop, and the rest as it is."""
    return f"{words[:1].upper()}{words[1:]}."
