"""Every method side by side. Every such sentence stands here, once."""

from __future__ import annotations

import math
from decimal import ROUND_FLOOR, Context

from sfumato.model.guarantee import Guarantee
from sfumato.model.method_comparison import Absence, Method, MethodComparison, Need, Together
from sfumato.presentation.wording.guarantee import LOOK, rounded_up

COMPARED = "Methods side by side"
COMPARED_BLINDLY = (
    "Which epsilons each method allows, from public facts alone. Nobody was looked at and nothing was charged or "
    "planned. Each would carry the word beside it as things stand; a look at the people may change that."
)
LOOKED_BEFORE = (
    "Somebody looked at the people before, which is in the ledger: what is stated only now carries no guarantee, "
    "unless it was fixed beforehand."
)
COMPARED_LOOKING = (
    "Which epsilons each method allows, for the people in the data too. "
    + LOOK
    + " The words are those of now, after it."
)
COMPARED_OTHERS = "The others are examples at a usual threshold, to compare yours with; they bound nothing."
COMPARED_EXAMPLES = "All of them are examples at a usual threshold: state your own, and they are intersected."
NO_EPSILON = "no epsilon"
LEAST, FAR = 1e-9, 1e300  # below the one, a ledger counts nothing; beyond the other, an epsilon is no place on an axis
COMPARED_BARS = "A bar that begins at the edge begins at 0; one with an arrow has no end."
COMPARED_MEANING = (
    "Noise range (90 of 100 for the noise alone) and how often an attacker is right, at most, are those of the epsilon "
    "that a method leads to by itself, for anybody in any data, if that epsilon is fixed before anybody looks."
)
COMPARED_FROM_DATA = (
    "With bounds from the data nothing public says how wide the noise would be, nor what an attacker would make of it."
)
NEEDS = {
    Need.PUBLIC: "public facts",
    Need.SECRET: "a public prior",
    Need.COUNT: "a public count of people",
    Need.ANSWER: "a public guess of the answer",
    Need.ERROR: "how far off the answer may be",
    Need.WORLDS: "worlds that are possible",
    Need.SPENT: "what was spent so far",
    Need.SELECTION: "a private selection",
    Need.PEOPLE: "the people: a look",
    Need.GROUPS: "two groups, and a look",
}
UNSTATED = {
    Need.ERROR: "there is no usual error of an answer: state yours with --within 5.",
    Need.ANSWER: "state a guess that is public knowledge, with --relative-error 0.1 --expected 2300.",
    Need.WORLDS: "state the tables that an attacker holds possible, with --belief 0.333 --worlds FILE.",
    Need.PEOPLE: "state it with --pri 5. It carries no guarantee.",
    Need.GROUPS: 'state it with --ratio 0.9 --between "age > 60". It carries no guarantee.',
}


UNSTATED_ON_A_PAGE = {
    Need.ERROR: "there is no usual error of an answer: a rule or a request states one.",
    Need.ANSWER: "it takes a guess of the answer that is public knowledge, stated with the command line.",
    Need.WORLDS: "it takes the tables that an attacker holds possible, stated with the command line.",
    Need.PEOPLE: "it is about the people themselves. It carries no guarantee.",
    Need.GROUPS: "it compares two groups of the people themselves. It carries no guarantee.",
}


def compared(comparison: MethodComparison) -> str:
    """What was compared, and what that touched."""
    if comparison.looked:
        return COMPARED_LOOKING
    return COMPARED_BLINDLY + (f" {LOOKED_BEFORE}" if comparison.looked_before else "")


def needs(method: Method) -> str:
    """What a method needs; of a selection that keeps its word, what that costs."""
    selects = method.need is Need.SELECTION and method.guarantee is Guarantee.SELECTED
    cost = f", {method.select_epsilon:g} charged" if selects else ""
    return f"{NEEDS[method.need]}{cost}"


def why(method: Method, *, on_a_page: bool = False) -> str:
    """Why a method has no interval, or leads to the epsilon it does; `on_a_page`: where there is no command line.

    >>> why(Method("within", Need.ERROR, absent=Absence.UNSTATED), on_a_page=True)
    'there is no usual error of an answer: a rule or a request states one.'
    """
    if method.why or method.absent is None:
        return method.why
    match method.absent:
        case Absence.UNSTATED:
            return (UNSTATED_ON_A_PAGE if on_a_page else UNSTATED)[method.need]
        case Absence.SELECTED_AFTER_LOOK:
            return "not run here. Stated after a look, it carries no guarantee."
        case Absence.SELECTED:
            charged = "A request that asks for it is charged" if on_a_page else "`choose` charges"
            return (
                f"not run here. {charged} {method.select_epsilon:g} for it, and a release what is selected: never "
                f"more than {method.at_most:g} in all."
            )
        case Absence.DRAWN:
            by = "" if on_a_page else " by `choose`"
            return f"drawn from the people{by}, and not here. It carries no guarantee."
        case Absence.READ:
            how = "only a look at them shows it, which is recorded" if on_a_page else _BY_A_LOOK
            return f"read off the people: {how}. It carries no guarantee."


_BY_A_LOOK = "--look shows it, and is recorded as a look"


def whose(method: Method, *, by_rule: bool) -> str:
    """A method by its name, and who stated it, if anybody did."""
    return f"{'rule' if by_rule else 'yours'}: {method.words}" if method.requested else method.words


def all_stated(*, by_rule: bool) -> str:
    return "all of the rule" if by_rule else "all of yours"


def intersected(together: Together, *, by_rule: bool) -> str:
    """What the stated preferences come to."""
    whose_words = "The rule of record" if by_rule else "Yours together"
    if not together.feasible:
        return f"{whose_words}: {NO_EPSILON}. {together.why}"
    if together.unknown:
        known = f" The others allow {epsilons(together.interval)}." if together.interval is not None else ""
        return f"{whose_words}: not known before it is chosen: {'; '.join(together.unknown)}.{known}"
    chosen = NO_EPSILON if together.epsilon is None else f"epsilon {together.epsilon:.6g}"
    return f"{whose_words}: {chosen}, guarantee {together.guarantee.value}. {together.why}"


def has_epsilons(interval: tuple[float, float] | None) -> bool:
    """Whether there is an epsilon in it that could be drawn for."""
    return interval is not None and interval[0] <= interval[1] and interval[0] < FAR and interval[1] >= LEAST


def ends(interval: tuple[float, float]) -> tuple[float, float]:
    """Its ends; one that is too small or too large for an epsilon is none."""
    low, high = interval
    return 0.0 if low < LEAST else low, high if high < FAR else math.inf


def epsilons(interval: tuple[float, float] | None) -> str:
    """From where to where, in four digits that never allow more.

    >>> epsilons((0, 0.40546)), epsilons((0.59911, math.inf)), epsilons((0, math.inf)), epsilons((0.5, 0.5))
    ('up to 0.4054', 'from 0.5992', 'any', '0.5')
    """
    if interval is None:
        return "–"
    low, high = ends(interval)
    if not has_epsilons(interval):
        return NO_EPSILON
    if low == high:
        return f"{low:g}"
    top = f"{float(Context(prec=4, rounding=ROUND_FLOOR).create_decimal(str(high))):.4g}"
    if math.isinf(high):
        return f"from {rounded_up(low)}" if low > 0 else "any"
    return f"{rounded_up(low)} to {top}" if low > 0 else f"up to {top}"
