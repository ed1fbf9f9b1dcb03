"""Guarantees: what a release promises, and to whom."""

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
from sfumato.presentation.wording.numbers import percent_up
from sfumato.privacy.risk.membership import attack_chance, attack_chance_gaussian

MEANINGS = {
    Guarantee.DP: (
        "The noise was sized without looking at the data. Epsilon bounds what this release can reveal about any "
        "one person, whatever an attacker already knows."
    ),
    Guarantee.SELECTED: (
        "Epsilon was selected from the data by a private mechanism, which was charged too. What the selection and"
        " the answer together can reveal about any one person is bounded, whatever an attacker already knows."
    ),
    Guarantee.NONE: (
        "The noise, or what it was added to, depends on the people in the data. Nothing bounds what this release "
        "reveals about any one person."
    ),
}
LABELS = {
    Guarantee.DP: "Guaranteed",
    Guarantee.SELECTED: "Guaranteed (epsilon selected privately)",
    Guarantee.NONE: "No guarantee",
}
LOOK = "This looks at the data and is logged. Anything you choose after this has no privacy guarantee."
WITHHELD = release.WITHHELD  # in figures as in the method that a record has
CONTROLLER_ONLY = "Controller only: facts about the people in the data."
ROW_BY_ROW = "a person with several rows is protected for each row, not for all of them together"
ASKED_BLINDLY = "the queries, and how often they were asked, did not depend on what anyone saw of the data"
FIXED_BEFORE = "This holds if that total was fixed before the first release, as a plan or as a limit."
OTHER_UNITS = "its releases protect different privacy units, or use different relations"
AFTER_NONE = "everything released before, including releases without a guarantee"
NO_GUARANTEE = "No guarantee: the noise was sized by looking at the data."
NO_NOISE = (
    "No guarantee: the score of the exact answer is a fact about the people in the data, and no noise was added to it."
)
DECIDED_BY_LOOKING = "No guarantee: whether to release this was decided by looking at the data."
DECLARED = "preregistered: “{}” (stated by {})"
BY_A_DECLARATION = (
    "The data had been looked at before. The guarantee holds only if this was in fact decided before anyone "
    "looked, as was declared. The declaration has not been checked."
)
DECLARE = "I declare that this was decided before anyone looked at the data. It is written down in:"
COIN = "(a coin flip: 50%)"
BATCHED = "One of {:,} releases that were fixed in advance and charged together"


def guarantee(certificate: ReleaseCertificate) -> str:
    """The guarantee in one sentence."""
    match certificate.guarantee:
        case Guarantee.DP:
            return f"Guaranteed: {_pair(certificate)} for {_changed(certificate)}."
        case Guarantee.SELECTED:
            delta = f", {exactly(certificate.delta)}" if certificate.delta else ""
            most = f"({certificate.at_most:.15g}{delta})" if delta else f"{certificate.at_most:.15g}"
            return (
                f"Guaranteed, epsilon selected privately: {certificate.select_epsilon:.15g} for the selection + "
                f"{certificate.epsilon:.15g} for the answer = {certificate.promised:.15g} spent; never more than "
                f"{certificate.at_most:.15g}. Before anything was drawn this was {most}-differential privacy for "
                f"{_changed(certificate)}."
            )
        case Guarantee.NONE:
            return without(certificate)


def worded(guarantee: Guarantee, *, declared: bool) -> str:
    """The guarantee, and that it rests on a declaration where it does.

    >>> worded(Guarantee.DP, declared=True), worded(Guarantee.DP, declared=False), worded(Guarantee.NONE, declared=True)
    ('dp, by a declaration', 'dp', 'none')
    """
    return f"{guarantee.value}, by a declaration" if declared and guarantee.holds else guarantee.value


def is_declared(certificate: ReleaseCertificate) -> bool:
    """Whether the guarantee rests on a declaration that something was decided before anyone looked."""
    return certificate.guarantee.holds and certificate.fixed == Fixed.ATTESTED.value


def declarations(certificate: ReleaseCertificate) -> str:
    """The declarations that a guarantee rests on, as they were stated; empty where there are none."""
    if not is_declared(certificate):
        return ""
    sentences = [sentence(one) for one in map(_declared, certificate.assumed) if one]
    return " ".join([BY_A_DECLARATION, *sentences])


def _declared(assumed: Assumed | str) -> str:
    """A declaration in words; empty for another assumption. JSON for people has the sentence already."""
    if isinstance(assumed, str):
        return assumed if assumed.startswith(DECLARED.partition("{}")[0]) else ""
    return declared(**dict(assumed.values)) if assumed.code is Assumption.DECLARED else ""


def declared(**values: object) -> str:
    """A preregistration that no policy records: what was `said`, and `by` which person."""
    return DECLARED.format(values["said"], values["by"])


def without(certificate: ReleaseCertificate) -> str:
    """Why there is no guarantee: no noise, noise sized by looking, or a decision made by looking."""
    if certificate.lost is not None and EXACT_SCORE in certificate.lost:
        return NO_NOISE
    decided = certificate.lost is not None and {*certificate.lost} <= {"approval", "policy"}
    return DECIDED_BY_LOOKING if decided else NO_GUARANTEE


def _changed(certificate: ReleaseCertificate) -> str:
    """What two neighbours differ in."""
    return f"{protected(certificate)} ({certificate.relation})"


def protected(certificate: ReleaseCertificate) -> str:
    """The privacy unit: one row, or one person with all their rows."""
    return f"one {certificate.unit}"


def privacy_unit(certificate: ReleaseCertificate) -> str:
    """The privacy unit with its contribution bounds."""
    c, unit = certificate, protected(certificate)
    if c.unit == PrivacyUnit().words:
        return unit
    rows = "" if c.max_rows is None else f", at most {c.max_rows:,} counted"
    groups = "" if c.max_groups is None else f" in at most {c.max_groups:,} groups"
    return f"{unit} (all rows of {unit}{rows}{groups})"


def rows_that_count(unit: PrivacyUnit) -> str:
    """How many rows of one person count."""
    return rows_counted(unit.words, unit.max_rows, unit.groups)


def rows_counted(unit: str, rows: int, groups: int) -> str:
    """The same from what a certificate says about the privacy unit."""
    counted = f"1 row of one {unit} counts" if rows == 1 else f"{rows:,} rows of one {unit} count"
    if groups < rows:
        counted = f"{counted}, in at most {groups:,} group{'' if groups == 1 else 's'},"
    return (
        f"each {unit} identifies one person; at most {counted} in a query, picked by a rule that reads only those "
        f"rows; rows without a {unit} are left out"
    )


def _pair(certificate: ReleaseCertificate) -> str:
    if certificate.delta:
        return f"({certificate.promised:.15g}, {exactly(certificate.delta)})-differential privacy"
    return f"{certificate.promised:.15g}-differential privacy"


def exactly(delta: float) -> str:
    """Every digit of a delta: rounded, it could read as less than it is.

    >>> exactly(1e-9), exactly(1.2345641e-06), exactly(0.0)
    ('1e-09', '1.2345641e-06', '0')
    """
    return str(delta).removesuffix(".0")


def in_100(chance: float) -> int:
    """Rounded up: what is printed as "at most" must be."""
    return math.ceil(100 * chance - 1e-9)


def _chance(certificate: ReleaseCertificate) -> float:
    """The attack success rate, at most: by epsilon and delta, or by Gaussian noise where that is lower."""
    chance = attack_chance(certificate.promised or 0.0, certificate.delta)
    if set(certificate.laws or ()) != {NoiseLaw.GAUSSIAN} or certificate.select_epsilon:
        return chance
    moved = [d / s for d, s in zip(certificate.sensitivity or (), certificate.scale or (), strict=True) if s]
    return min(chance, attack_chance_gaussian(math.hypot(*moved), 1.0))


def promise(certificate: ReleaseCertificate) -> str:
    """The guarantee for the people in the data: the success rate of a membership attack."""
    if not certificate.guarantee.holds or certificate.promised is None:
        return "There is no privacy guarantee for the people in the data."
    replaced = certificate.relation == Relation.REPLACE.value
    return (
        f"From this release, an attacker who knows everyone else's record can tell {_membership(replaced)} at most "
        f"{_coin(_chance(certificate))}."
    )


def of_group(certificate: ReleaseCertificate) -> str:
    """What holds for several people together; empty where no preference was about them."""
    c = certificate
    if c.together is None:
        return ""
    if c.together_epsilon is None:
        return f"Any {c.together} people together: {WITHHELD}."
    delta = f" and delta {exactly(c.delta)}" if c.delta else ""
    return f"Any {c.together} people together: epsilon {rounded_up(c.together_epsilon)}{delta}."


def attack(chance: float, *, replaced: bool = False) -> str:
    """The success rate of a membership attack, at most."""
    return f"An attacker who knows everyone else's record can tell {_membership(replaced)} at most {_coin(chance)}."


def _membership(replaced: bool) -> str:
    return f"whether a given person{', or another in their place,' if replaced else ''} is included"


def _coin(chance: float) -> str:
    return f"{percent_up(chance)} of the time {COIN}"


def together(certificate: ReleaseCertificate) -> str:
    """What was charged for this and other releases together; empty where it was charged by itself."""
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
    """What is known before a private selection."""
    return f"It could not have exceeded {epsilon:.15g}, whichever epsilons were selected."


def budget(limit: BudgetLimit) -> str | None:
    """The most that may be spent in all, if that is stated."""
    return limit.words


def guessed(right: int, guesses: int) -> str:
    """How often a guess was right."""
    return f"guessing which table it was is right in {right:,} of {guesses:,} cases"


def sentence(words: str) -> str:
    """Words with a capital letter and a full stop."""
    return f"{words[:1].upper()}{words[1:]}."
