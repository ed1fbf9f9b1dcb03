"""The risk explorer: what each position of a slider means, and what may be decided from it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from sfumato.model.expected_interval import ExpectedCount
from sfumato.model.guarantee import Guarantee
from sfumato.model.risk import RiskAt, RiskView, Source
from sfumato.presentation.wording import guarantee as of_guarantee
from sfumato.presentation.wording.guarantee import rounded_up
from sfumato.presentation.wording.numbers import number, percent, percent_up
from sfumato.presentation.wording.risk_sentences import ATTACKER, INSTEAD
from sfumato.privacy.preferences.sweep import ALLOWED, SELECTING, SliderKind, SliderPosition

KINDS = {
    SliderKind.GAP: "Risk gap at most",
    SliderKind.CHANCE: "Attack success at most",
    SliderKind.ERROR: "Error at most",
    SliderKind.EPSILON: "Epsilon at most",
    SliderKind.SELECTED: "Individual epsilon at most",
}
COMPARES = {
    Source.WORST_CASE: "any two people, in any data",
    Source.REHEARSAL: "the people of the synthetic data",
    Source.EXPOSURE_HISTOGRAM: "any two people, in any data",
    Source.PEOPLE: "the people in this dataset",
}
PEOPLE = {
    Source.WORST_CASE: "the person most at risk, in any data,",
    Source.REHEARSAL: "the person most at risk in the synthetic data",
    Source.EXPOSURE_HISTOGRAM: "the person most at risk, in any data,",
    Source.PEOPLE: "the person most at risk",
}
LEAVES = {
    Guarantee.DP: "If you approve it now, the release has its guarantee.",
    Guarantee.SELECTED: (
        "If you approve it now, the release has its guarantee, for the selection of epsilon and the answer together."
    ),
    Guarantee.NONE: (
        "If you approve it now, the release has no guarantee: the decision, or what epsilon is chosen by, depends"
        " on the data."
    ),
}
AT_ITS_EPSILON = (
    "The rule in force is about the worst case, in any data. This view compares other people, so it shows the"
    " rule at the epsilon that it leads to there."
)
AFTER_INTRODUCTION = "Approve after the introduction (3 minutes)"
RELEASE = "Release the withheld answer"
WITHOUT = "Approve without a guarantee"
AS_PREREGISTERED = "Approve as preregistered"
CHOSEN_AFTER_LOOK = "Another epsilon or another rule that is chosen now has no guarantee."
PREVIEW = "Preview only; not applied. Approve, Return and Refuse apply to the request as submitted."
RANK_ERROR = "Rank error of the answer (90%)"
PREVIEW_DECIDED = "Preview only; not applied. This request is decided."
NO_REQUEST = "Preview only; not applied. To apply it to requests, make it the rule."
NO_HISTOGRAM = "The worst case has no histogram. Choose another source above."
NO_CELLS = "This source has no answer to show. Choose another source above."
BEFORE_LOOK = (
    "This looks at the data and is logged with your name. After it, another preference or an approval has no "
    "guarantee unless it was preregistered, and a return or a refusal leaves no total for this dataset. The "
    "preregistered rule, and what the policy decides by itself, keep their guarantee. This cannot be undone."
)
BEFORE_HISTOGRAM = (
    "Private exposure histogram: noisy, charged; it does not count as looking at the data. It is charged to "
    "this dataset now, at the epsilon stated here, and every choice stays open. Bounds stay those of the "
    "worst case; the histogram adds estimates. The same histogram is returned again uncharged."
)
BEFORE_ANSWER = (
    "This looks at the data and is logged: you see the withheld answer and the true one. A decision after "
    "this, approval or refusal, has no privacy guarantee."
)
NOT_ALLOWED = (
    "The policy requires a guarantee: this can be approved only if the approval was preregistered before anyone looked."
)
ACCEPT_NONE = "I accept that this release has no guarantee."
ACCEPT_NO = (
    "I accept that this refusal follows a look at the data: it reveals something about the people, and no "
    "total exists for this dataset from then on."
)
FIXED = (
    "For example dated minutes. The statement is printed with the guarantee: on the answer, in the ledger and"
    " on the certificate."
)
IF_NOT = "If it was not, leave this empty, and accept below that the release has no guarantee."
IF_NOT_ALLOWED = (
    "If it was not, close this and return or refuse the request, or change the policy. A false declaration "
    "makes the guarantee false."
)


def noise_axis(view: RiskView, figure: str = "") -> str:
    """What the noise of the answer, or of this first figure of it, is measured in, on the axis of the chart."""
    noise = f"Noise of {figure or 'the answer'} (90%)"
    if view.expected_count is not None:
        return f"{noise}, if {view.expected_count.count:,} are counted"
    if view.candidates and view.candidates[0].rank_90 is not None:
        return RANK_ERROR
    return noise


def noise_heading(expected: ExpectedCount | None) -> str:
    """The heading of the noise of the answer, which may depend on how many are counted."""
    return "noise (90%)" if expected is None else f"noise (90%), if {expected.count:,} counted"


def short(noise: str, chance: float) -> str:
    """One epsilon in one line: its noise and its attack success."""
    return f"{noise}, attack success at most {percent_up(chance)}"


def absent(replaced: bool) -> str:
    """A label: the alternative to a person being included."""
    return "Another person in their place:" if replaced else "Person not included:"


def no_probability(source: Source) -> str:
    """The people that a risk gap compares."""
    return f"The risk gap compares {COMPARES[source]}. It is not a probability."


def privacy(chance: float | None, guarantee: Guarantee, *, replaced: bool = False) -> str:
    """What a request reveals; `chance` is the attack success of the whole request, at most."""
    if not guarantee.holds:
        return "The release has no guarantee. Nothing bounds what it reveals about any one person."
    if chance is None:
        return "How much the release can reveal is not known before epsilon is selected."
    return of_guarantee.attack(chance, replaced=replaced)


def verdict(*, guarantee: Guarantee, over: bool, affordable: bool, noisy: bool) -> tuple[str, bool]:
    """The title of the verdict, and whether everything is met."""
    if not guarantee.holds:
        return "No guarantee", False
    if not affordable:
        return "Exceeds the budget", False
    if over:
        return "Over the limit of the policy", False
    return ("Meets the policy, not the accuracy", False) if noisy else ("Meets the policy", True)


def limit(chance: float, *, met: bool) -> str:
    """The limit of attack success, and whether it is met."""
    return f"limit {percent_up(chance)}: {'met' if met else 'exceeded'}"


def needs(within: float | None, *, met: bool) -> str:
    """The accuracy that the analyst asks for, and whether it is met."""
    return "no limit stated" if within is None else f"needs ±{number(within, 4)}: {'met' if met else 'not met'}"


def accuracy(noise: str | None, axis: str) -> str:
    """The noise of the answer, in words."""
    return "The noise is not known before epsilon is selected." if noise is None else f"{axis}: {noise}."


def chart_limit(point: Mapping[str, Any] | None) -> str:
    return "" if point is None else f"limit {point['odds']}"


def approve(epsilon: float | None) -> str:
    return "Approve" if epsilon is None else f"Approve epsilon {number(epsilon, 4)}"


def epsilon(epsilon: float | None) -> str:
    return "epsilon selected privately" if epsilon is None else f"epsilon {number(epsilon, 4)}"


def success(chance: float | None, guarantee: Guarantee) -> str:
    """The attack success of a request, short."""
    if not guarantee.holds:
        return "no guarantee"
    return "not known yet" if chance is None else f"at most {percent_up(chance)}"


def meter(spent: float, charge: float, budget: float) -> str:
    used, most = f"{number(spent, 4)} used", f"of {number(budget, 4)}"
    return f"Budget: {used}{f', {number(charge, 4)} for this request,' if charge else ''} {most}"


def left(budget: float | None, left: float | None, charge: float) -> str:
    """What is left of the budget after a charge."""
    if budget is None or left is None:
        return "no budget is set" if budget is None else ""
    if charge > left:
        return f"only {number(max(left, 0.0), 4)} of {number(budget, 4)} left"
    return f"{number(left - charge, 4)} of {number(budget, 4)} left{' after' if charge else ''}"


def whatever_is_selected(chance: float, ceiling: float) -> str:
    """What is known before a private selection."""
    return (
        f"Whatever is selected, attack success is at most {percent_up(chance)}: that is at the policy’s epsilon_max "
        f"of {ceiling:g}, including the selection."
    )


def stop(one: SliderPosition, source: Source, *, replaced: bool = False) -> str:
    """What a position of a slider requires; `replaced`: where neighbours replace one person."""
    value = number(one.value, 4)
    match one.kind:
        case SliderKind.GAP:
            return f"The highest disclosure risk is at most {value} times the lowest. This compares {COMPARES[source]}."
        case SliderKind.CHANCE:
            return of_guarantee.attack(one.value, replaced=replaced)
        case SliderKind.ERROR:
            return f"The 90% noise interval of each figure is at most ±{value}."
        case SliderKind.EPSILON:
            return f"Epsilon is at most {one.value:.6g}."
        case SliderKind.SELECTED:
            own = "the sum of their exposure and 1/2" if replaced else "their exposure"
            return (
                f"With 95% probability, the individual epsilon of all but {100 * ALLOWED:g}% of the people, which is "
                f"epsilon times {own}, is at most {value}. The selection is charged epsilon {SELECTING:g}, in addition "
                "to the release."
            )


def leads_to(one: SliderPosition, ceiling: float) -> str:
    """The epsilon that follows, and why."""
    limit = f"the policy’s epsilon_max of {ceiling:g} applies"
    if one.solution is None:
        return f"Not known before it is selected; {limit}."
    if one.solution.unbounded:
        return f"Every epsilon meets this: {limit}."
    if one.solution.epsilon is None:
        return one.solution.why
    if one.kind is SliderKind.ERROR:
        return "The smallest epsilon that meets this."
    if one.meets.high > ceiling:
        return f"Epsilons up to {one.meets.high:.4g} meet this: {limit}."
    return "The largest epsilon that meets this."


def gap(at: RiskAt) -> str:
    return "unbounded" if math.isinf(at.gap) else f"{rounded_up(at.gap)}×"


def point(
    at: RiskAt, source: Source, ranges: str, worst: float, *, counted: int | None = None, replaced: bool = False
) -> tuple[str, ...]:
    """What one epsilon means; `counted` people decide the interval of an average."""
    most = PEOPLE[source]
    bounded = "no more than " if source is Source.EXPOSURE_HISTOGRAM else ""
    times = "without limit above" if math.isinf(at.gap) else f"at {bounded}{rounded_up(at.gap)} times"
    whom = f"{ATTACKER[source]}{INSTEAD if replaced else ''}"
    compared = f"{most} is {times} the risk of the person least at risk"
    if not math.isinf(at.gap) and rounded_up(at.gap) == "1":
        compared = f"{COMPARES[source].removesuffix(', in any data')} are at the same risk"
    if counted is not None:
        noise = f"90% noise interval of the answer, if {counted:,} are counted: {ranges}."
    elif len(at.noise_90) == 1 and at.rank_90 is None:
        noise = f"90% noise interval {ranges}."
    else:
        noise = f"90% noise interval of each noisy number: {ranges}."
    sentences = [f"At epsilon {at.epsilon:.4g}, {compared}.", noise]
    if source is Source.EXPOSURE_HISTOGRAM:
        sentences.append(estimated(at))
    elif source is not Source.WORST_CASE:
        sentences.append(
            f"An attacker can tell whether {whom} at most {percent_up(at.attack_chance)} of the time; in the worst "
            f"case over all data, {percent_up(worst)}."
        )
    return tuple(sentences)


def estimated(at: RiskAt) -> str:
    """What a private histogram suggests, in addition to the bounds."""
    if at.estimate is None:
        return "No bin of the histogram stands out from the noise, so nothing is estimated."
    return (
        f"Estimated from the histogram: risk gap {number(at.estimate.gap, 4)}×, attack success "
        f"{percent(at.estimate.attack_chance)}. People in bins below the noise may be more exposed."
    )


def proposal(one: SliderPosition, source: Source) -> str:
    """The preference that a controller proposes when a request is returned.

    One that follows from individual risks is not proposed: it would reveal what a look showed.
    """
    if one.rule and not (source is Source.PEOPLE and one.preference.reads_people):
        preference = ", ".join(f"{name} = {_toml(value)}" for name, value in one.rule.items() if value is not None)
        return f"Please submit it again with this preference: {preference}."
    return ""


def _toml(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def cost(epsilon: float | None, delta: float | None, guarantee: Guarantee) -> str:
    """The charge of a request."""
    if epsilon is None:
        return "The charge is not known yet."
    more = f" and delta {delta:g}" if delta else ""
    at_most = "at most " if guarantee is Guarantee.SELECTED else ""
    why = "" if guarantee.holds else ", a public constant for releases without a guarantee"
    return f"This request is charged {at_most}epsilon {epsilon:.6g}{more}{why}."


def charged(epsilon: float | None) -> str:
    """The charge of a request that was answered."""
    return "The ledger has the charge." if epsilon is None else f"This request was charged epsilon {epsilon:.6g}."


def spent(epsilon: float | None, budget: str | None, left: float | None) -> str:
    """What the dataset has spent so far; after a release without a guarantee there is no total."""
    used = "No total exists for this dataset" if epsilon is None else f"Epsilon used so far: {epsilon:.6g}"
    end = " (no budget is set)" if budget is None else f". Budget: {budget}"
    rest = "" if left is None else f"; {max(left, 0.0):.6g} is left"
    return f"{used}{end}{rest}."
