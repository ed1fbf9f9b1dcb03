"""What moving a slider means, and what may be decided from it. Every such sentence stands here, once."""

from __future__ import annotations

import math

from sfumato.model.guarantee import Guarantee
from sfumato.model.risk import RiskAt, Source
from sfumato.presentation.wording.guarantee import in_100, rounded_up
from sfumato.presentation.wording.numbers import number
from sfumato.presentation.wording.risk_sentences import ATTACKER, INSTEAD, percent
from sfumato.privacy.preferences.sweep import ALLOWED, SELECTING, SliderKind, SliderPosition

KINDS = {
    SliderKind.GAP: "How even?",
    SliderKind.CHANCE: "An attacker’s chance",
    SliderKind.ERROR: "Error at most",
    SliderKind.EPSILON: "Epsilon at most",
    SliderKind.SELECTED: "Own epsilon at most",
}
COMPARES = {
    Source.WORST_CASE: "anybody with anybody, in any data",
    Source.REHEARSAL: "the people of the look-alike",
    Source.EXPOSURE_HISTOGRAM: "anybody with anybody, in any data",
    Source.PEOPLE: "the people in this dataset",
}
PEOPLE = {
    Source.WORST_CASE: "the person most at risk, in any data,",
    Source.REHEARSAL: "the person of the look-alike most at risk",
    Source.EXPOSURE_HISTOGRAM: "the person most at risk, in any data,",
    Source.PEOPLE: "the person most at risk",
}
WORDS = {
    Guarantee.DP: (
        "The epsilon follows from public facts, or from noisy outputs that were charged. No guarantee is lost by it."
    ),
    Guarantee.SELECTED: (
        "The epsilon is selected from the people under noise, when the question is asked. That is charged too, and the "
        "guarantee is for both together."
    ),
    Guarantee.NONE: "The epsilon is chosen after a look at the people. What leaves carries no guarantee.",
}
LEAVES = {
    Guarantee.DP: "Approved now, it carries the guarantee.",
    Guarantee.SELECTED: "Approved now, it carries the guarantee, for selecting epsilon and for the answer together.",
    Guarantee.NONE: (
        "Approved now, it carries no guarantee: the decision, or what its epsilon is chosen by, depends on the people."
    ),
}
DECIDED_AFTER = (
    "Somebody has looked at the people: an epsilon that is chosen now, from whatever page, carries no guarantee. A "
    "rule that was written down before the look keeps its word."
)
NOBODY_LOOKED = "Nobody has looked at the people in this dataset: every choice is open."
LOOKED = (
    "Somebody has looked at the people in this dataset. Another preference than the one in force would be chosen after "
    "that look; a rule of record stays as it is."
)
AT_ITS_EPSILON = (
    "What is in force is a rule about the worst case, in any data. Here, where other people are compared, it stands at "
    "the epsilon that it leads to there."
)
A_THOUGHT = (
    "This is a thought. What is approved is the request as it stands. To change it, change the rule or return the "
    "request."
)
NO_REQUEST = "This is a thought: nothing is in force by it. To have it decide what is asked, make it the rule."
NOT_KNOWN = "The epsilon of this request is not known before it is selected. What you see here is a thought."
BEFORE_LOOK = (
    "This is a look at the people, entered in the ledger with your name. After it, another preference or an approval "
    "carries no guarantee unless it was fixed beforehand, and a return or a refusal leaves no total for this dataset. "
    "A rule of record stays, and what the policy decides by itself keeps its word. It cannot be undone."
)
BEFORE_HISTOGRAM = (
    "A private exposure histogram is a noisy histogram of how exposed the people are. It is charged to this dataset "
    "now, at the epsilon stated here. It does not count as looking at the data: every choice stays open. Bounds stay "
    "those of the worst case; the histogram adds estimates. The same exposure histogram comes back uncharged."
)
BEFORE_ANSWER = (
    "This is a look: you see the withheld answer beside the true one. What is decided after it, yes or no, carries no "
    "guarantee."
)
NOT_ALLOWED = (
    "The policy lets nothing leave with the word none: this can be approved only if the approval was fixed before "
    "anybody looked."
)
ACCEPT_NONE = "I accept that what leaves carries no guarantee."
ACCEPT_NO = (
    "I accept that this no follows a look at the people: it tells something about them, and no total exists for this "
    "dataset from then on."
)
FIXED = (
    "Such as minutes with a date. It is printed beside the word: on the answer, in the ledger and on the certificate."
)
IF_NOT = "If it was not, leave this empty, and accept below that what leaves carries no guarantee."
IF_NOT_ALLOWED = (
    "If it was not, close this and return or refuse the request, or change the policy: an untrue declaration makes "
    "the promise to the people in the data untrue."
)


def absent(replaced: bool) -> str:
    """What is told from a person being in the data: that they are not, or that somebody else is in their place."""
    return "if somebody else is in their place" if replaced else "if they are not in the data"


def no_probability(source: Source) -> str:
    """Whom a gap compares, and what it is not."""
    return f"The gap compares {COMPARES[source]}. It is not a probability."


def if_approved(chance: float | None, noise: str | None, guarantee: Guarantee, *, replaced: bool = False) -> str:
    """What a yes means, in one sentence; `chance` is an attacker's at most, for all of the request."""
    if not guarantee.holds or chance is None:
        if guarantee.holds:
            return "If you approve: how much it tells is not known before it is drawn."
        return "If you approve: what leaves carries no guarantee: how much it tells about anybody is not bounded."
    odds = (
        "whoever knows everybody else guesses whether a person is in the data"
        f"{INSTEAD if replaced else ''} right at most {in_100(chance)} times of 100 instead of 50"
    )
    return f"If you approve: {odds}. {noise or ''}".strip()


def whatever_is_selected(chance: float, ceiling: float) -> str:
    """What is known of a private selection before it is made."""
    return (
        f"Whatever is selected, an attacker is right at most {in_100(chance)} times of 100: that is at the policy’s "
        f"ceiling of {ceiling:g}, with what the selection costs."
    )


def stop(one: SliderPosition, source: Source, *, replaced: bool = False) -> str:
    """What one place of a slider asks for; `replaced`: where neighbours have somebody else in a person's place."""
    value = number(one.value, 4)
    match one.kind:
        case SliderKind.GAP:
            return f"No one at more than {value} times the risk of anybody else. It compares {COMPARES[source]}."
        case SliderKind.CHANCE:
            return (
                f"Whoever knows everybody else guesses right at most {100 * one.value:.4g} times of 100 whether "
                f"somebody is in the data{INSTEAD if replaced else ''} (50 is a coin)."
            )
        case SliderKind.ERROR:
            return f"The noise moves each figure by no more than {value}, 90 times of 100."
        case SliderKind.EPSILON:
            return f"An epsilon of at most {one.value:.6g}."
        case SliderKind.SELECTED:
            own = "the sum of their exposure and 1/2" if replaced else "their exposure"
            return (
                f"Nobody’s own epsilon, which is epsilon times {own}, above {value}, but for "
                f"{100 * ALLOWED:g} person of 100: so it comes out 95 times of 100. Finding it costs epsilon "
                f"{SELECTING:g}, charged beside the release."
            )


def leads_to(one: SliderPosition, ceiling: float) -> str:
    """Which epsilon that comes to, and why."""
    limit = f"the policy’s ceiling of {ceiling:g} holds"
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
    return "no end" if math.isinf(at.gap) else f"{rounded_up(at.gap)}×"


def point(at: RiskAt, source: Source, ranges: str, worst: float, *, replaced: bool = False) -> tuple[str, ...]:
    """What one epsilon would mean, in words."""
    most = PEOPLE[source]
    bounded = "no more than " if source is Source.EXPOSURE_HISTOGRAM else ""
    times = "without end above" if math.isinf(at.gap) else f"at {bounded}{rounded_up(at.gap)} times"
    whom = f"{ATTACKER[source]}{INSTEAD if replaced else ''}"
    sentences = [
        f"At epsilon {at.epsilon:.4g} {most} is {times} the risk of the one least at risk.",
        f"Noise moves each figure by at most {ranges}, 90 times of 100."
        if len(at.noise_90) == 1 and at.rank_90 is None
        else f"Noise of each noisy number, 90 times of 100: {ranges}.",
    ]
    if source is Source.EXPOSURE_HISTOGRAM:
        sentences.append(estimated(at))
    elif source is not Source.WORST_CASE:
        sentences.append(
            f"An attacker is right at most {in_100(at.attack_chance)} times of 100 whether {whom}; of anybody in any "
            f"data, {in_100(worst)}."
        )
    return tuple(sentences)


def estimated(at: RiskAt) -> str:
    """What a private histogram suggests beside the bounds."""
    if at.estimate is None:
        return "No bin of the histogram stands out from the noise, so nothing is estimated."
    return (
        f"Estimated from the histogram: gap {number(at.estimate.gap, 4)}×, attack success "
        f"{percent(at.estimate.attack_chance)}. People in bins below the noise may be more exposed."
    )


def proposal(one: SliderPosition, source: Source) -> str:
    """What a request that is returned with a thought of its controller would have to state.

    What the people themselves lead to is nothing to write to whoever asked: it would tell what a look showed.
    """
    if one.rule and not (source is Source.PEOPLE and one.preference.reads_people):
        preference = ", ".join(f"{name} = {_toml(value)}" for name, value in one.rule.items() if value is not None)
        return f"Please ask again with this preference: {preference}."
    return ""


def _toml(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def cost(epsilon: float | None, delta: float | None, guarantee: Guarantee) -> str:
    """What a request would be charged, as it stands."""
    if epsilon is None:
        return "What it will be charged is not known yet."
    more = f" and delta {delta:g}" if delta else ""
    at_most = "at most " if guarantee is Guarantee.SELECTED else ""
    why = "" if guarantee.holds else ", a public constant for what has no guarantee"
    return f"It is charged {at_most}epsilon {epsilon:.6g}{more}{why}."


def charged(epsilon: float | None) -> str:
    """What a request was charged."""
    return "What it was charged is in the ledger." if epsilon is None else f"It was charged epsilon {epsilon:.6g}."


def spent(epsilon: float | None, budget: str | None, left: float | None) -> str:
    """What the dataset has spent so far; after something that carries no guarantee it has no total."""
    total = "No total exists for this dataset any more" if epsilon is None else f"Spent so far: epsilon {epsilon:.6g}"
    end = "; no budget is set" if budget is None else f"; the budget of all releases together is {budget}"
    rest = "" if left is None else f", {max(left, 0.0):.6g} is left"
    return f"{total}{end}{rest}."
