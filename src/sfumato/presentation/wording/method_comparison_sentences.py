"""Comparison of methods."""

from __future__ import annotations

import math
from decimal import ROUND_FLOOR, Context

from sfumato.model.guarantee import Guarantee
from sfumato.model.method_comparison import Absence, Method, MethodComparison, Need, Together
from sfumato.presentation.wording.guarantee import LOOK, rounded_up

COMPARED = "Methods compared"
COMPARED_BLINDLY = (
    "The epsilons that each method allows, computed from public facts only. No data was read, and nothing was"
    " charged or planned. The guarantee is that of now; looking at the data may change it."
)
LOOKED_BEFORE = (
    "The data was looked at before, and the ledger records it: a preference stated now has no guarantee "
    "unless it was preregistered."
)
COMPARED_LOOKING = (
    f"The epsilons that each method allows, also for the people in the data. {LOOK} The guarantees are those after "
    "this look."
)
COMPARED_OTHERS = "The other methods are examples at common thresholds; they do not limit your epsilon."
COMPARED_EXAMPLES = "All of these are examples at common thresholds. State your own preferences to intersect them."
NO_EPSILON = "no epsilon"
LEAST, FAR = 1e-9, 1e300  # below the one, a ledger counts nothing; beyond the other, an epsilon is no place on an axis
COMPARED_BARS = "A bar that begins at the edge begins at 0; an arrow means no upper end."
COMPARED_MEANING = (
    "The 90% column and attack success (at most) are those of the epsilon that each method chooses by itself, "
    "for anyone in any data, if that epsilon is fixed before anyone looks at the data."
)
COMPARED_FROM_DATA = "With bounds taken from the data, no public fact determines the noise or attack success."
NEEDS = {
    Need.PUBLIC: "public facts",
    Need.SECRET: "a public prior",
    Need.COUNT: "a public count of people",
    Need.ANSWER: "a public estimate of the answer",
    Need.ERROR: "the largest acceptable error",
    Need.WORLDS: "the possible worlds",
    Need.SPENT: "the epsilon used so far",
    Need.SELECTION: "a private selection",
    Need.PEOPLE: "individual risks: a look",
    Need.GROUPS: "two groups, and a look",
}
UNSTATED = {
    Need.ERROR: "state the largest acceptable error, such as --within 5.",
    Need.ANSWER: "state a public estimate of the answer, such as --relative-error 0.1 --expected 2300.",
    Need.WORLDS: "state the tables that an attacker considers possible, such as --belief 0.333 --worlds FILE.",
    Need.PEOPLE: "state it with --pri 5. It looks at the data and has no guarantee.",
    Need.GROUPS: 'state it with --ratio 0.9 --between "age > 60". It looks at the data and has no guarantee.',
}
UNSTATED_ON_A_PAGE = {
    Need.ERROR: "a rule or a request states the largest acceptable error.",
    Need.ANSWER: "it needs a public estimate of the answer, stated on the command line.",
    Need.WORLDS: "it needs the tables that an attacker considers possible, stated on the command line.",
    Need.PEOPLE: "it uses individual risks. It has no guarantee.",
    Need.GROUPS: "it compares two groups of the people in the data. It has no guarantee.",
}


def compared(comparison: MethodComparison) -> str:
    """What was compared, and from which facts."""
    if comparison.looked:
        return COMPARED_LOOKING
    return COMPARED_BLINDLY + (f" {LOOKED_BEFORE}" if comparison.looked_before else "")


def needs(method: Method) -> str:
    """What a method needs; for a private selection, its charge."""
    selects = method.need is Need.SELECTION and method.guarantee is Guarantee.SELECTED
    cost = f", {method.select_epsilon:g} charged" if selects else ""
    return f"{NEEDS[method.need]}{cost}"


def why(method: Method, *, on_a_page: bool = False) -> str:
    """Why a method has no interval, or chooses its epsilon; `on_a_page`: where there is no command line.

    >>> why(Method("within", Need.ERROR, absent=Absence.UNSTATED), on_a_page=True)
    'a rule or a request states the largest acceptable error.'
    """
    if method.why or method.absent is None:
        return method.why
    match method.absent:
        case Absence.UNSTATED:
            return (UNSTATED_ON_A_PAGE if on_a_page else UNSTATED)[method.need]
        case Absence.SELECTED_AFTER_LOOK:
            return "not run here. Stated after a look, it has no guarantee."
        case Absence.SELECTED:
            charged = "A request for it is charged" if on_a_page else "`choose` charges"
            return (
                f"not run here. {charged} {method.select_epsilon:g} for the selection, and a release the selected "
                f"epsilon: never more than {method.at_most:g} in total."
            )
        case Absence.DRAWN:
            by = "" if on_a_page else " by `choose`"
            return f"selected from the data{by}, and not here. It has no guarantee."
        case Absence.READ:
            how = "only a look shows it, and is logged" if on_a_page else _BY_A_LOOK
            return f"computed from individual risks: {how}. It has no guarantee."


_BY_A_LOOK = "--look shows it, and is logged as a look"


def whose(method: Method, *, by_rule: bool) -> str:
    """The name of a method, and who stated it."""
    return f"{'rule' if by_rule else 'yours'}: {method.words}" if method.requested else method.words


def all_stated(*, by_rule: bool) -> str:
    return "all of the rule" if by_rule else "all of yours"


def intersected(together: Together, *, by_rule: bool) -> str:
    """The epsilon of the stated preferences."""
    whose_words = "The preregistered rule" if by_rule else "Your preferences together"
    if not together.feasible:
        return f"{whose_words}: {NO_EPSILON}. {together.why}"
    if together.unknown:
        known = f" The others allow {epsilons(together.interval)}." if together.interval is not None else ""
        return f"{whose_words}: not known before the selection: {'; '.join(together.unknown)}.{known}"
    chosen = NO_EPSILON if together.epsilon is None else f"epsilon {together.epsilon:.6g}"
    return f"{whose_words}: {chosen}, guarantee {together.guarantee.value}. {together.why}"


def has_epsilons(interval: tuple[float, float] | None) -> bool:
    """Whether it contains an epsilon that can be used."""
    return interval is not None and interval[0] <= interval[1] and interval[0] < FAR and interval[1] >= LEAST


def ends(interval: tuple[float, float]) -> tuple[float, float]:
    """Its ends; one that is too small or too large for an epsilon is 0 or infinite."""
    low, high = interval
    return 0.0 if low < LEAST else low, high if high < FAR else math.inf


def epsilons(interval: tuple[float, float] | None) -> str:
    """The interval in four digits, rounded inward.

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
