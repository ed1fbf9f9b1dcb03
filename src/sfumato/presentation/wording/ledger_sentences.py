"""The ledger: what was spent, in total and for each person."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from fractions import Fraction
from typing import Any

from sfumato.ledger.entry import upward
from sfumato.ledger.odometer import AtDelta, By, Total
from sfumato.ledger.spending import LEAST_DAYS, Spending
from sfumato.model.guarantee import Guarantee
from sfumato.model.individual_accounting import AccountingTotal
from sfumato.model.release import ReleaseCertificate
from sfumato.model.schema import PrivacyUnit, Relation
from sfumato.presentation.wording.guarantee import (
    AFTER_NONE,
    COIN,
    FIXED_BEFORE,
    OTHER_UNITS,
    ROW_BY_ROW,
    exactly,
    rounded_up,
    sentence,
)
from sfumato.presentation.wording.numbers import number, percent_up
from sfumato.privacy.risk.membership import attack_chance

_SHOWN = 12  # names of cohorts in one sentence
CARRIED = "Privacy loss of each person"
PERIODS_ADD_UP = "What is released in several periods adds up: a budget per period is no promise about a longer time."
NO_FILTER = "This is an account, not a limit: the next release adds to it."
IN_FULL = (
    "These count in full for each person: answers that are not sums over people, exposure histograms and "
    "selections, truncated noise, releases from other data or under another schema, releases charged "
    "together, and charges without a release."
)


NO_BUDGET = "No budget is set. A controller can set one in the policy."
CHARGED_FIRST = (
    "A release is charged before any data is read. The charge stays, whether or not an answer was released. A"
    " release without a guarantee is charged a public constant, and its noise is withheld because it would "
    "reveal facts about the people."
)
CHAINED = "Each entry has a hash of itself and of the entry before it. An edit breaks the chain from there on."
HEAD = (
    "A checkpoint is the number and hash of the last entry. If you keep it elsewhere, you can check later "
    "that nothing before it was changed or removed."
)
WITHOUT_RECIPIENT = "Without a recipient"
ABOUT_RECIPIENTS = (
    "Each charge counts for the analyst who first received its answer. Signals, exposure histograms, checks and "
    "charges without a released answer have no recipient in the ledger."
)
GAPS = "Missing numbers are entries that are not shown to you. Verify checks all of them."
PUT_BACK = (
    "A restored backup verifies like the original. Only a checkpoint kept elsewhere shows what is missing since then."
)
FOR_EVERYBODY = "What was released from this data, and how much it can reveal about anyone in it."


POPULATIONS = (
    "Datasets about the same people share one population. Their looks, plans and charges count together, and "
    "the strictest of their budgets holds for all of them."
)


def population(name: str) -> str:
    """What is said of datasets that are counted together."""
    return (
        f"The datasets of population {name} are about the same people. Their looks, plans and charges count together."
    )


def counted_in_parallel(cohorts: Sequence[str], partitions: Sequence[str], in_sequence: Total) -> str:
    """What a total in parallel is, what it assumes, and what it would be without that.

    >>> counted_in_parallel(["2026-01", "2026-02"], [], Total(2 * 10**9, releases=2))
    'Charges on 2 cohorts (2026-01, 2026-02) are counted in parallel: the schema declares that no person is in two \
of them. Without that, epsilon 2 is used.'
    """
    sentences = []
    if cohorts:
        names = ", ".join([*cohorts[:_SHOWN], *(["…"] if len(cohorts) > _SHOWN else [])])
        several = f"{len(cohorts):,} cohorts" if len(cohorts) > 1 else "1 cohort"
        sentences.append(
            f"Charges on {several} ({names}) are counted in parallel: the schema declares that no person is in two of "
            "them."
        )
    sentences += [
        f"Charges on different values of {column} are counted in parallel: the schema declares that each person has "
        "one value of it in a version of the data."
        for column in partitions
    ]
    if not sentences or in_sequence.epsilon is None:
        return " ".join(sentences)
    return " ".join([*sentences, f"Without that, epsilon {in_sequence.epsilon:.15g} is used."])


def same_rows_held(dataset: str, other: str | None) -> str:
    """For a controller: a dataset of another controller is not named."""
    named = "another dataset of this workspace, which you do not control," if other is None else f"'{other}'"
    do = (
        "Ask an auditor whether they are about the same people."
        if other is None
        else "If they are about the same people, give both the same population: their looks, plans and charges then "
        "count together."
    )
    return f"'{dataset}' has the same rows as {named} and their budgets are counted separately. {do}"


def batch(releases: int, epsilon: float, delta: Fraction, sums: tuple[float, Fraction]) -> str:
    """The charge of a batch, and of its releases one by one."""
    (together, alone) = (f"epsilon {e:.6g}{f', delta {float(d):g}' if d else ''}" for e, d in ((epsilon, delta), sums))
    return f"{releases} release{'' if releases == 1 else 's'}, charged together: {together}. One by one: {alone}."


def total(certificate: ReleaseCertificate) -> str:
    """The total of a dataset; there is none after a release without a guarantee or for another privacy unit."""
    if certificate.dataset_total is None:
        if not certificate.guarantee.holds:
            return "No total exists for this dataset from now on."
        other = certificate.dataset_guarantee.holds
        why = OTHER_UNITS if other else "something was released without a guarantee"
        before = "everything released before" if other else AFTER_NONE
        factor = f"e^{certificate.promised if certificate.recorded else certificate.charged:.15g}"
        but = f", except with probability {exactly(certificate.delta)}" if certificate.delta else ""
        return (
            f"No total exists for this dataset: {why}. Given {before}, this release changes the odds about any one "
            f"person by at most a factor of {factor}{but}."
        )
    spent = f"epsilon {certificate.dataset_total:.15g}"
    spent += f", delta {exactly(certificate.dataset_delta)}" if certificate.dataset_delta else ""
    right = percent_up(attack_chance(certificate.dataset_total, certificate.dataset_delta or 0.0))
    ending = f" Budget: {certificate.budget}." if certificate.budget else ""
    ending += period_total(certificate)
    odds = f"Attack success from all of it together: at most {right}"
    whose = f"about population {certificate.population}" if certificate.population else f"from {certificate.dataset}"
    return f"Used so far by everything released {whose}: {spent}. {odds}.{ending}"


def period_total(certificate: ReleaseCertificate) -> str:
    """What was released in the calendar period, and that this says nothing about other periods."""
    c = certificate
    if c.period is None or c.period_total is None:
        return ""
    spent = f"epsilon {c.period_total:.15g}{f', delta {exactly(c.period_delta)}' if c.period_delta else ''}"
    right = percent_up(attack_chance(c.period_total, c.period_delta or 0.0))
    return f" In {c.period} alone: {spent}; attack success from that at most {right}. {PERIODS_ADD_UP}"


def used(certificate: ReleaseCertificate) -> str:
    """The budget line of a release."""
    if certificate.dataset_total is None:
        return "Budget: no total exists for this dataset."
    limits = budget_limits(certificate)
    spent = {"epsilon": f"{certificate.dataset_total:.15g}"}
    if certificate.dataset_delta or "delta" in limits:
        spent["delta"] = exactly(certificate.dataset_delta or 0.0)
    if not limits and certificate.budget is None:
        delta = f", delta {spent['delta']}" if "delta" in spent else ""
        return f"Epsilon used so far: {spent['epsilon']}{delta} (no budget is set)."
    parts = (f"{name} {figure}{f' of {limits[name]}' if name in limits else ''}" for name, figure in spent.items())
    in_all = f"Budget: {', '.join(parts)} used{' in all' if certificate.period else ''}."
    return f"{used_in_period(certificate)}{in_all}"


def used_in_period(certificate: ReleaseCertificate) -> str:
    """The budget line of a period, before that of everything."""
    c = certificate
    limits = dict(limit.split(" per ")[0].rsplit(" ", 1) for limit in (c.budget or "").split(", ") if " per " in limit)
    if c.period is None or c.period_total is None or "epsilon" not in limits:
        return ""
    return f"Budget of {c.period}: epsilon {c.period_total:.15g} of {limits['epsilon']} used. "


def budget_limits(certificate: ReleaseCertificate) -> dict[str, str]:
    """The most epsilon and delta that the dataset may spend, as the certificate states them."""
    in_all = [limit for limit in (certificate.budget or "").split(", ") if limit and " per " not in limit]
    return dict(limit.rsplit(" ", 1) for limit in in_all)


def so_far(spent: float | None, delta: float, releases_hold: bool, budget: float | None) -> str:
    """What everything released from a dataset has cost.

    >>> so_far(0.2, 0.0, True, 3.0)
    'Epsilon used so far: 0.2. Budget: epsilon 3.'
    """
    ending = "" if budget is None else f" Budget: epsilon {budget:.15g}."
    if spent is None:
        why = OTHER_UNITS if releases_hold else "something was released without a guarantee"
        return f"Epsilon used so far: no total exists ({why}).{ending}"
    if not spent and not delta:
        return f"Epsilon used so far: 0.{ending}"
    return f"Epsilon used so far: {spent:.15g}{f', delta {exactly(delta)}' if delta else ''}.{ending}"


def odds(total: Total) -> str:
    """What everything released can reveal at worst, or why there is no bound."""
    if total.epsilon is None:
        return f"No total exists for this dataset: {why_no_total(total)}. Nothing bounds what all of it reveals."
    if not total.releases:
        return "Nothing was released, so nothing is revealed about anyone."
    [protected] = total.protected or {""}
    right = percent_up(attack_chance(total.epsilon, total.delta or 0.0))
    return (
        f"From everything released, an attacker who knows everyone else's record can tell {_guessed(protected)} at "
        f"most {right} of the time {COIN}."
    )


def attack_success(total: Total) -> str:
    """The bound on a membership attack from everything released, as one figure."""
    if total.epsilon is None:
        return "no bound"
    return f"at most {percent_up(attack_chance(total.epsilon, total.delta or 0.0))}"


def month(at: datetime) -> str:
    return f"{at:%b %Y}"


def lasts(past: Spending) -> str:
    """Until when the budget lasts, as one figure."""
    if past.remaining == 0:
        return "used up"
    if past.days_left is None:
        return "not known yet"
    return "more than 100 years" if past.used_up is None else month(past.used_up)


def projection(past: Spending) -> str:
    """When the budget would be used up, and what that assumes; or why this cannot be told."""
    if past.budget is None:
        return "No budget is set, so there is no projection."
    if past.remaining == 0:
        return "The budget is used up: further releases are refused."
    if past.elsewhere:
        return "There is no projection: other datasets of the population used part of the budget."
    if not past.points:
        return "Nothing has been charged yet, so there is no projection."
    if past.days_left is None:
        return f"There is no projection yet: it needs at least {LEAST_DAYS} days since the first charge."
    when = "lasts for more than 100 years" if past.used_up is None else f"is used up in {past.used_up:%B %Y}"
    return (
        f"If charges continue at the average rate since the first one (epsilon {number(past.spent)} in "
        f"{number(past.days, 2)} days), the budget {when}. This is an extrapolation: a single large release can use "
        "the rest at once."
    )


def elsewhere(epsilon: float) -> str:
    return (
        f"Epsilon {number(epsilon)} was charged to other datasets of the population, which you do not control. It "
        "counts in the total and is not drawn."
    )


def spent_over_time(past: Spending) -> str:
    """The picture of the budget, for those who do not see it."""
    of = "" if past.budget is None else f" of {number(past.budget)}"
    charges = f"{len(past.points):,} charge{'' if len(past.points) == 1 else 's'}"
    return f"Epsilon charged over time: {number(past.spent)}{of} in {charges}. {projection(past)}"


def _guessed(protected: str) -> str:
    """What an attacker tries to learn, by the privacy unit of a charge."""
    replaced = protected.endswith(Relation.REPLACE.value)
    return f"whether a given person{', or another in their place,' if replaced else ''} is included"


def who_is_protected(unit: PrivacyUnit, relation: Relation) -> str:
    """The privacy unit of a dataset, for the people in it."""
    by_row = unit == PrivacyUnit()
    whom = "One row" if by_row else f"One person (one {unit.words}), with all their rows"
    what, present = ("everything in it", "it is") if by_row else ("everything in their rows", "they are")
    hidden = f"whether {present} in the data, and {what}"
    if relation is Relation.REPLACE:
        hidden = f"{what}, compared with any other in their place; the number of people is not hidden"
    return f"{whom}: {hidden}.{f' {sentence(ROW_BY_ROW)}' if by_row else ''}"


def promised(guarantee: Guarantee, epsilon: float, delta: float, at_most: float | None, protected: str) -> str:
    """What a charge stands for, by its guarantee."""
    if not guarantee.holds:
        return "No guarantee: the noise, or whether to release this, was decided by looking at the data."
    pair = f"({epsilon:.15g}, {exactly(delta)})" if delta else f"{epsilon:.15g}"
    if guarantee is Guarantee.DP:
        right = percent_up(attack_chance(epsilon, delta))
        odds = f"From this release alone, an attacker can tell {_guessed(protected)} at most {right} of the time"
        return f"{pair}-differential privacy for {protected}. {odds}."
    most = "" if at_most is None else f", never more than {at_most:.15g}"
    return f"Epsilon was selected privately, and the selection is charged too. Charged: {pair}{most}; for {protected}."


def why_no_total(total: Total) -> str:
    return OTHER_UNITS if total.guarantee.holds else "something was released, or decided, without a guarantee"


def verified(ends: Mapping[str, Any], head: Mapping[str, Any] | None) -> str:
    """What the verification of both chains shows."""
    both = f"the ledger ({ends['ledger']['number']:,} entries) and the audit log ({ends['audit']['number']:,} entries)"
    if head is None:
        return (
            f"Verified: {both} are unbroken chains, and no entry was changed. Only a checkpoint kept elsewhere shows "
            "whether an older copy of both was restored."
        )
    return (
        f"Verified: {both} are unbroken chains, and contain the checkpoint that {head['by']} saved on "
        f"{head['at'][:16].replace('T', ' ')}: nothing before it was changed or removed."
    )


def concentrated(total: Total, at: AtDelta | None = None) -> str:
    """The total as zero-concentrated DP, and its epsilon at a delta; empty where there is none."""
    if not total.releases or not total.exists:
        return ""
    sentences, delta = [], "" if at is None else exactly(float(at.delta))
    if total.rho is not None:
        beside = f", with delta {exactly(upward(total.rho_delta))}" if total.rho_delta else ""
        worth = f", which is ({rounded_up(at.epsilon)}, {delta})-DP" if at is not None and at.by is By.ZCDP else ""
        sentences.append(f"As zero-concentrated DP: rho {rounded_up(total.rho)}{beside}{worth}. {FIXED_BEFORE}")
    if at is not None and at.by is By.SUMS:
        anyway = "" if total.exact_delta else ", and always holds"
        least = f"{rounded_up(at.epsilon)}, is the smallest known epsilon{anyway}"
        sentences.append(f"At delta {delta} the sum of the epsilons, {least}.")
    elif at is not None and at.by is None:
        sentences.append(f"At delta {delta} there is no epsilon: more delta than that is spent.")
    return " ".join(sentences)


def carried(in_all: AccountingTotal, relation: Relation) -> str:
    """What a person's total says."""
    if not in_all.pure:
        return (
            "Rho adds up the privacy loss of this person over all releases. Some used Gaussian noise, so there is no "
            "epsilon for each person."
        )
    replaced = relation is Relation.REPLACE
    if in_all.delta:
        instead = "with another person in their place" if replaced else "without them"
        return (
            "Epsilon: with this person in the data, everything released so far is between e^-epsilon and e^epsilon "
            f"times as likely as {instead}, except with probability {exactly(in_all.delta)}."
        )
    whom = "this person, and not another in their place," if replaced else "this person"
    return (
        "Epsilon: for an attacker who knows everyone else's record, everything released so far changes the odds that "
        f"{whom} is in the data by at most a factor of e^epsilon."
    )


def for_anyone(in_all: AccountingTotal) -> str:
    """The public total, to compare with that of each person."""
    delta = f", delta {exactly(in_all.delta)}" if in_all.delta else ""
    return f"Worst case, for anyone in any data: epsilon {in_all.epsilon:.15g}{delta}, rho {number(in_all.rho, 4)}."


def counted(in_all: AccountingTotal) -> str:
    """Which charges are in it, and which are not."""
    own, full = in_all.by_exposure, in_all.in_full
    sentences = [f"{own:,} charge{'' if own == 1 else 's'} by each person's own exposure, {full:,} in full."]
    sentences += [IN_FULL] if full else []
    if without := in_all.without_guarantee:
        sentences.append(f"Not included: {without:,} without a guarantee. Nothing bounds what these reveal.")
    if other := in_all.other_units:
        sentences.append(f"Not included: {other:,} for another privacy unit or relation, which cannot be added.")
    return " ".join(sentences)
