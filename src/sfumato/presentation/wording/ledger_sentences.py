"""What was spent, in all and of each person. Every such sentence stands here, once."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from sfumato.ledger.entry import upward
from sfumato.ledger.odometer import AtDelta, By, Total
from sfumato.model.guarantee import Guarantee
from sfumato.model.individual_accounting import AccountingTotal
from sfumato.model.release import ReleaseCertificate
from sfumato.model.schema import PrivacyUnit, Relation
from sfumato.presentation.wording.guarantee import (
    AFTER_NONE,
    FIXED_BEFORE,
    OTHER_UNITS,
    ROW_BY_ROW,
    exactly,
    in_100,
    rounded_up,
    sentence,
)
from sfumato.presentation.wording.numbers import number
from sfumato.privacy.risk.membership import attack_chance

CARRIED = "What each person carries of everything released"
NO_FILTER = "It is an account and no limit: the next release adds to it, whoever has how much."
IN_FULL = (
    "Counted in full for everybody: what is no sum over people, exposure histograms and selections, truncated noise, "
    "releases from other data or under another schema, what was charged together, and what was charged and never left."
)


NO_BUDGET = "No budget is set. A controller states one in the policy."
CHARGED_FIRST = (
    "A release is charged before anything is read, and stays charged, whether or not an answer came of it. Without a "
    "guarantee it is charged a public constant, and how much noise there was is withheld: it would tell about the "
    "people."
)
CHAINED = "Every entry has a hash of itself and of the one before: whatever is edited breaks the chain from there on."
HEAD = (
    "The head is the number and the hash of the last entry. Kept elsewhere, it shows later whether anything up to it "
    "was changed or taken away."
)
GAPS = "Numbers that are not listed are entries that are not shown to you here; Verify goes through all of them."
PUT_BACK = (
    "A backup that is put back verifies like any other. Only a head that was kept elsewhere shows what is missing "
    "since."
)
FOR_EVERYBODY = "What was released from this data, and how much it may tell about anybody in it."


POPULATIONS = (
    "Datasets about the same people share one population: their looks, plans and charges count together, and the "
    "strictest budget of theirs holds for all of them."
)


def population(name: str) -> str:
    """What is said of datasets that are counted together."""
    return (
        f"Datasets of the population {name} are about the same people: their looks, plans and charges count together."
    )


def same_rows_held(dataset: str, other: str | None) -> str:
    """What a controller of an escrow is told, and not the name of a dataset that somebody else controls."""
    named = "another dataset of this workspace, which you do not control," if other is None else f"'{other}'"
    do = (
        "Ask an auditor whether they are about the same people."
        if other is None
        else "If they are about the same people, name one population for both: looks, plans and charges then count "
        "together."
    )
    return f"The data of '{dataset}' has the same rows as {named} and they are counted separately. {do}"


def batch(releases: int, epsilon: float, delta: Fraction, sums: tuple[float, Fraction]) -> str:
    """What a batch will be charged, beside what its releases would be one by one."""
    (together, alone) = (f"epsilon {e:.6g}{f', delta {float(d):g}' if d else ''}" for e, d in ((epsilon, delta), sums))
    return f"{releases} release{'' if releases == 1 else 's'}, charged together: {together}. One by one: {alone}."


def total(certificate: ReleaseCertificate) -> str:
    """What everything released adds up to; after a release without a guarantee, or of other units, nothing does."""
    if certificate.dataset_total is None:
        if not certificate.guarantee.holds:
            return "No total exists for this dataset from now on."
        other = certificate.dataset_guarantee.holds
        why = OTHER_UNITS if other else "something was released without a guarantee"
        before = "everything released before" if other else AFTER_NONE
        factor = f"e^{certificate.promised if certificate.recorded else certificate.charged:.15g}"
        but = f", but for a chance of {exactly(certificate.delta)}" if certificate.delta else ""
        return (
            f"No total exists for this dataset: {why}. Given {before}, this one changes nobody's odds by more than "
            f"{factor}{but}."
        )
    spent = f"epsilon {certificate.dataset_total:.15g}"
    spent += f", delta {exactly(certificate.dataset_delta)}" if certificate.dataset_delta else ""
    right = in_100(attack_chance(certificate.dataset_total, certificate.dataset_delta or 0.0))
    ending = f" Budget: {certificate.budget}." if certificate.budget else ""
    odds = f"from all of it together, whether you are in it is guessed right at most {right} times of 100"
    whose = (
        f"about the population {certificate.population}" if certificate.population else f"from {certificate.dataset}"
    )
    return f"Everything released {whose} so far: {spent}; {odds}.{ending}"


def so_far(spent: float | None, delta: float, releases_hold: bool, budget: float | None) -> str:
    """What everything released from a dataset has cost, for whoever may ask it.

    >>> so_far(0.2, 0.0, True, 3.0)
    'Spent so far: epsilon 0.2. Budget: epsilon 3.'
    """
    ending = "" if budget is None else f" Budget: epsilon {budget:.15g}."
    if spent is None:
        why = OTHER_UNITS if releases_hold else "something was released without a guarantee"
        return f"Spent so far: no total exists ({why}).{ending}"
    if not spent and not delta:
        return f"Spent so far: nothing.{ending}"
    return f"Spent so far: epsilon {spent:.15g}{f', delta {exactly(delta)}' if delta else ''}.{ending}"


def odds(total: Total) -> str:
    """What everything together tells, at worst; what there is in its place where no total exists."""
    if total.epsilon is None:
        return f"No total exists for this dataset: {why_no_total(total)}. Nothing bounds what all of it tells."
    if not total.releases:
        return "Nothing was released: nothing is told about anybody."
    [protected] = total.protected or {""}
    right = in_100(attack_chance(total.epsilon, total.delta or 0.0))
    return (
        f"From everything together, {_guessed(protected)} is guessed right at most {right} times of 100 (50 is a "
        "coin), by whoever knows everybody else."
    )


def _guessed(protected: str) -> str:
    """What an attacker is to find out, by whom a charge protects, as it is entered."""
    replaced = protected.endswith(Relation.REPLACE.value)
    return f"whether {'this person or somebody else' if replaced else 'a person'} is in the data"


def who_is_protected(unit: PrivacyUnit, relation: Relation) -> str:
    """Whom a dataset protects, for whoever may be in it."""
    by_row = unit == PrivacyUnit()
    whom = "One row" if by_row else f"One person (one {unit.words}), with all their rows"
    what, present = ("all that it says", "it is") if by_row else ("all that it says about them", "they are")
    hidden = f"whether {present} in the data, and so {what}"
    if relation is Relation.REPLACE:
        hidden = f"{what}, as against any other in their place; how many there are is not hidden"
    return f"{whom}: {hidden}.{f' {sentence(ROW_BY_ROW)}' if by_row else ''}"


def promised(guarantee: Guarantee, epsilon: float, delta: float, at_most: float | None, protected: str) -> str:
    """What a charge stands for, by its word alone."""
    if not guarantee.holds:
        return "No differential-privacy guarantee: how much noise there is, or that this left, was decided by looking."
    pair = f"({epsilon:.15g}, {exactly(delta)})" if delta else f"{epsilon:.15g}"
    if guarantee is Guarantee.DP:
        right = in_100(attack_chance(epsilon, delta))
        odds = f"from this alone, {_guessed(protected)} is guessed right at most {right} times of 100"
        return f"{pair}-differential privacy for {protected}: {odds}."
    most = "" if at_most is None else f", and never more than {at_most:.15g}, whatever had been selected"
    return f"Epsilon was selected privately, which is charged too. Charged: {pair}{most}; for {protected}."


def why_no_total(total: Total) -> str:
    return OTHER_UNITS if total.guarantee.holds else "something was released, or decided, without a guarantee"


def verified(ends: Mapping[str, Any], head: Mapping[str, Any] | None) -> str:
    """What it shows that both chains hold."""
    both = f"the ledger ({ends['ledger']['number']:,} entries) and the audit log ({ends['audit']['number']:,} entries)"
    if head is None:
        return (
            f"Whole: {both} follow from their first entry to their last, and none was changed. That an older copy of "
            "both was put back is seen only by a head that was kept elsewhere."
        )
    return (
        f"Whole: {both} follow from their first entry to their last, and go through the head that {head['by']} took "
        f"on {head['at'][:16].replace('T', ' ')}: nothing of what it stood for was taken back."
    )


def concentrated(total: Total, at: AtDelta | None = None) -> str:
    """The total as zero-concentrated privacy, and the epsilon of all of it at a delta; nothing where there is none."""
    if not total.releases or not total.exists:
        return ""
    sentences, delta = [], "" if at is None else exactly(float(at.delta))
    if total.rho is not None:
        beside = f", beside delta {exactly(upward(total.rho_delta))}" if total.rho_delta else ""
        worth = f", which is ({rounded_up(at.epsilon)}, {delta})-DP" if at is not None and at.by is By.ZCDP else ""
        sentences.append(f"As zero-concentrated DP: rho {rounded_up(total.rho)}{beside}{worth}. {FIXED_BEFORE}")
    if at is not None and at.by is By.SUMS:
        anyway = "" if total.exact_delta else ", and holds in any case"
        least = f"{rounded_up(at.epsilon)}, is the least epsilon that is known{anyway}"
        sentences.append(f"At delta {delta} the sum of the epsilons, {least}.")
    elif at is not None and at.by is None:
        sentences.append(f"At delta {delta} there is no epsilon: more than that is spent of delta.")
    return " ".join(sentences)


def carried(in_all: AccountingTotal, relation: Relation) -> str:
    """What a person's total says."""
    if not in_all.pure:
        return (
            "Rho adds up what each release tells about this person. Gaussian noise took part, so that nobody has an "
            "epsilon of their own."
        )
    replaced = relation is Relation.REPLACE
    if in_all.delta:
        instead = "as with anybody else in their place" if replaced else "as without them"
        return (
            "Epsilon: everything released so far is at most e^epsilon times as likely, and as unlikely, with this "
            f"person in the data {instead}, but for a probability of {exactly(in_all.delta)}."
        )
    whom = "this person or anybody else" if replaced else "this person"
    return (
        "Epsilon: to whoever knows everybody else, everything released so far changes the odds that "
        f"{whom} is in the data by a factor of e^epsilon at most."
    )


def for_anybody(in_all: AccountingTotal) -> str:
    """The public total, beside which each person's stands."""
    delta = f", delta {exactly(in_all.delta)}" if in_all.delta else ""
    return f"For anybody, in any data: epsilon {in_all.epsilon:.15g}{delta}, rho {number(in_all.rho, 4)}."


def counted(in_all: AccountingTotal) -> str:
    """Which charges are in it, and which are not."""
    own, full = in_all.by_exposure, in_all.in_full
    sentences = [f"{own:,} charge{'' if own == 1 else 's'} by each person's own exposure, {full:,} in full."]
    sentences += [IN_FULL] if full else []
    if without := in_all.without_guarantee:
        sentences.append(f"Not in it: {without:,} without a guarantee. Nothing bounds what that tells.")
    if other := in_all.other_units:
        sentences.append(
            f"Not in it: {other:,} that protect another unit, or under another relation: no sum would be true."
        )
    return " ".join(sentences)
