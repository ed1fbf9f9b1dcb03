"""Risk views: exposure, the risk gap and attack success at each epsilon."""

from __future__ import annotations

from collections.abc import Sequence

from sfumato.model.calibration import NoiseLaw
from sfumato.model.expected_interval import ExpectedCount
from sfumato.model.method_comparison import MethodComparison
from sfumato.model.risk import MembershipAttack, RiskView, Source
from sfumato.presentation.wording.choosing import COUNT_SOURCES, TYPICAL
from sfumato.presentation.wording.exposure_histogram_sentences import WITHOUT_GUARANTEE
from sfumato.presentation.wording.guarantee import LOOK, NO_GUARANTEE, exactly
from sfumato.presentation.wording.numbers import number, percent_stated, percent_up

GAP_IS_NO_PROBABILITY = "The risk gap is the highest disclosure risk over the lowest. It is not a probability."
ATTACK_UPPER_BOUND = "The noise is on several numbers, so these figures are upper bounds."
MOST_FIRST = "Highest first"
HOW_EXPOSED = "Exposure of the people"
HOW_MUCH_INFLUENCE = "Influence of the people"
AT_EACH_EXPOSURE = "People by exposure"
AT_EACH_INFLUENCE = "People by influence"
EXPOSURE = "0: this query does not depend on the person at all; 1: it depends on them as much as it can on anyone."
INFLUENCE = "how far the answer moves when the person leaves, in the units of the answer."
TENFOLD = "log scale"
PERCENTILES = "Percentiles: this share of the people has at most this figure."
ODDS = (
    "Under each epsilon: how often an attacker who knows everyone else's record can tell whether this person is "
    "included, at most (a coin flip: 50%)."
)
EPSILON = "How much a release can reveal about any one person. A smaller epsilon means more noise and less risk."
GAP = GAP_IS_NO_PROBABILITY
RATIO = "The papers' form of the risk gap: 1 over it."
RDR_TITLE = "Disclosure risk (RDR) at each epsilon"
RDR_OF_EACH = "RDR of each person at each epsilon"
RDR = (
    "A person's RDR is how far the noisy answer lies, on average, from the answer without that person. It has a "
    "meaning only beside the RDRs of others: the closer the lowest is to the highest, the less anyone stands out."
)
NOISY_PARTS = "This answer is computed from several noisy numbers, and the noise shown is theirs, in this order:"
WHAT_DIFFERS = (
    "What differs between queries is the interval of the answer, in the same row, and the risk of the people: "
    "`rehearse` shows it on synthetic data."
)
MISSED_RANKS = (
    "“rank ±”: with 90% probability the rank of a selected median or quantile is within this many people (values, "
    "where a person has several) of the true one, rounded to a candidate value. For MIN and MAX it is by how much the "
    "rank error may exceed that of the best candidate."
)
WITHOUT_DELTA = (
    "Group keys are private: a release also needs a delta, and attack success may be higher by up to that delta."
)
NO_ONE_TO_NAME = "No one moves this answer by leaving, so there is no one to list."
ESTIMATES = (
    "Estimates from the histogram, for the highest bin that stands out from the noise. They are not bounds: "
    "people in bins below the noise may be more exposed."
)
NOISE_90 = "noise (90%)"
ANSWER_RANGE = "With 90% probability a figure of the answer is off by no more than this, if so many are counted."
NOISE_RANGE = "With 90% probability the noise is no larger than this; one figure for each noisy number."
SOURCES = {
    Source.WORST_CASE: "Worst case: computed from public facts only, and the same for every dataset. No data was read.",
    Source.REHEARSAL: "Rehearsal on synthetic data. No data was read.",
    Source.EXPOSURE_HISTOGRAM: (
        "Private exposure histogram: noisy, charged; it does not count as looking at the data. Bounds are those "
        "of the worst case; what the histogram suggests is an estimate."
    ),
    Source.PEOPLE: f"Individual risks of the people in the data. {LOOK}",
}
STAND_IN = "Rehearsal on a public stand-in for your table."
TITLES = {
    Source.WORST_CASE: "Risk in the worst case",
    Source.REHEARSAL: "Risk in a rehearsal",
    Source.EXPOSURE_HISTOGRAM: "Risk in a private exposure histogram",
    Source.PEOPLE: "Individual risks",
}
ATTACKER = {
    Source.WORST_CASE: "a given person is included",
    Source.REHEARSAL: "the most exposed person of the rehearsal is included",
    Source.EXPOSURE_HISTOGRAM: "a given person is included",
    Source.PEOPLE: "the most exposed person is included",
}
INSTEAD = ", or another in their place"
DECIDING = {
    Source.WORST_CASE: "An epsilon chosen from this page keeps the guarantee: nothing here depends on the data.",
    Source.REHEARSAL: (
        "A rehearsal shows the shape of the risks, not the figures of your table. An epsilon chosen from this "
        "page keeps the guarantee: nothing here depends on your data."
    ),
    Source.EXPOSURE_HISTOGRAM: (
        "An epsilon chosen from this page keeps the guarantee: the histogram is noisy and was charged. The "
        "estimates leave out people in bins below the noise, who may be more exposed; the bounds hold for each "
        "person."
    ),
    Source.PEOPLE: (
        "An epsilon chosen from this page has no guarantee. A rule that was preregistered before the look keeps "
        "its guarantee. Protect this page as you protect the data."
    ),
}
NO_ONE_LISTED = {
    Source.WORST_CASE: "the worst case is the same for everyone and lists no people",
    Source.EXPOSURE_HISTOGRAM: "an exposure histogram lists no people",
}
READING = (
    "Start with the risk gap: find the largest that you could justify to the person most at risk.",
    "Then read the noise in the same row: is the answer still useful?",
    "A smaller epsilon lowers the risk gap and attack success, and adds noise.",
)


def source(view: RiskView) -> str:
    if view.exposure_histogram is not None and not view.exposure_histogram.certificate.guarantee.holds:
        return f"{WITHOUT_GUARANTEE} {NO_GUARANTEE}"
    return STAND_IN if view.stand_in else SOURCES[view.source]


def deciding(view: RiskView) -> str:
    """What a choice from this page rests on."""
    if view.exposure_histogram is not None and not view.exposure_histogram.certificate.guarantee.holds:
        return "An epsilon chosen from this page has no guarantee."
    return DECIDING[view.source]


def range_heading(expected: ExpectedCount | None) -> str:
    """The heading of the noise, or of the interval of the answer where that depends on how many are counted."""
    return NOISE_90 if expected is None else f"answer (90%) if {expected.count:,} counted"


def noisy_parts(view: RiskView | MethodComparison) -> str:
    """Which noise belongs to which number, where an answer has several; or what its interval depends on."""
    if view.expected_count is not None:
        return f"{COUNT_SOURCES[view.expected_count.source]} {TYPICAL}"
    return f"{NOISY_PARTS} {'; '.join(view.numbers)}." if len(view.numbers) > 1 else ""


def same_for_every_query(view: RiskView) -> str:
    """That the worst-case gap does not tell one query from another, and what does; empty for other sources."""
    if view.source is not Source.WORST_CASE or view.mechanism == NoiseLaw.TRUNCATED:
        return ""
    formula = ": 1 + epsilon" if view.mechanism == NoiseLaw.LAPLACE and not view.exact else ""
    return f"In the worst case the risk gap is the same for every query{formula}. {WHAT_DIFFERS}"


def rdr_figures(figures: int, source: Source) -> str:
    """What the possible outputs are, where the exact answer is shown beside them."""
    if not figures:
        return ""
    whose = "The answer without noise" if source is Source.PEOPLE else "The answer of the rehearsal without noise"
    return f"{whose} stands in the first row, and below it where the noisy answer lies with 90% probability."


def rdr_units(of_the_answer: bool) -> str:
    """In which units RDRs are, where it is not those of the answer."""
    return "" if of_the_answer else "The unit is the most that one person can change the noisy numbers."


def rdr_at(epsilon: float) -> str:
    """The title of a histogram of RDRs."""
    return f"People by RDR at epsilon {number(epsilon)}"


def missed_ranks(view: RiskView) -> str:
    """The meaning of a rank error."""
    return MISSED_RANKS if any(row.rank_90 for row in view.candidates) else ""


def without_delta(view: RiskView) -> str:
    """A note on private group keys while no delta is stated."""
    return WITHOUT_DELTA if view.outputs is None and not view.delta else ""


def definitions(view: RiskView) -> tuple[tuple[str, str], ...]:
    """Definitions of the terms of a risk view, in order."""
    attacker = (
        f"How often an attacker who knows everyone else's record can tell whether {ATTACKER[view.source]}, at most."
    )
    bounded = view.source is Source.EXPOSURE_HISTOGRAM
    always = (
        ("epsilon", EPSILON),
        ("risk gap (at most)" if bounded else "risk gap", GAP),
        *(() if bounded else (("ratio", RATIO),)),
        (range_heading(view.expected_count), NOISE_RANGE if view.expected_count is None else ANSWER_RANGE),
        ("attack success", f"{attacker} A coin flip: 50%."),
        *((("estimated risk gap, estimated attack success", ESTIMATES),) if bounded else ()),
    )
    of_people = (
        *((("influence", INFLUENCE.capitalize()),) if view.influence else ()),
        *((("exposure", EXPOSURE),) if view.exposure else ()),
    )
    return always if view.source is Source.WORST_CASE else (*always, *of_people)


def heaps(heaps: Sequence[tuple[float, float, int]]) -> str:
    """How many people are at each figure.

    >>> heaps([(0, 0, 9954), (1, 1, 46)])
    '9,954 people at 0 · 46 at 1'
    >>> heaps([(0.5, 0.5, 1), (0.98, 1, 2)])
    '1 person at 0.5 · 2 from 0.98 to 1'
    """
    if not heaps:
        return "The table is empty."
    if len(heaps) == 1 and heaps[0][0] == heaps[0][1]:
        return f"All {heaps[0][2]:,} people at {number(heaps[0][0])}"
    sentences = [f"{n:,} {_at(low, high)}" for low, high, n in heaps]
    people = "person" if heaps[0][2] == 1 else "people"
    return " · ".join([f"{heaps[0][2]:,} {people} {_at(*heaps[0][:2])}", *sentences[1:]])


def _at(low: float, high: float) -> str:
    if low == high:
        return f"at {number(low)}"
    return f"from {number(low)} to {number(high)}"


def most_exposed(people: int, exposed: bool = True) -> str:
    """A heading for the list; as published there is no exposure."""
    if not exposed:
        return "The person with the most influence" if people == 1 else f"The {people} people with the most influence"
    return "The most exposed person" if people == 1 else f"The {people} most exposed people"


def some_of(all_of_them: int, listed: int) -> str:
    """A note that more people share the figure than are listed."""
    return f"{all_of_them:,} people have this figure; the list has {listed} of them." if all_of_them > listed else ""


def singletons(groups: int) -> str:
    """A note on groups of one person."""
    if not groups:
        return ""
    have = "One group has" if groups == 1 else f"{groups:,} groups have"
    return f"{have} a single person. Without them its figure does not exist, and counts as 0."


def not_additive(columns: Sequence[str]) -> str:
    """What exposure means for answers that are no sum over people, such as a median."""
    if not columns:
        return ""
    no_sum, it = ("is not a sum", "it") if len(columns) == 1 else ("are not sums", "each")
    return (
        f"{', '.join(columns)} {no_sum} over people. Exposure is how far {it} moves when the person leaves, as a share "
        "of the furthest that anyone could move it. It compares people and does not bound attack success."
    )


def attack(result: MembershipAttack, source: Source | None, *, replaced: bool) -> tuple[str, ...]:
    """What one release reveals to an attacker; `source` is whose risk it is, None for a stated exposure."""
    whom = f"a person of exposure {result.exposure:.4g} is included" if source is None else ATTACKER[source]
    whom += INSTEAD if replaced else ""
    beyond = f", except with probability {exactly(result.beyond)}" if result.beyond else ""
    return (
        f"At epsilon {result.epsilon:.15g}, take an attacker who knows everyone else's record, and whose belief that "
        f"{whom} is {percent_stated(result.prior)} before the release.",
        f"The attacker can tell whether it is so at most {_tenths(result.chance)} of the time.",
        f"After the release the attacker is at most {_tenths(result.posterior)} sure of it{beyond}.",
        f"In a search through many people, the attacker finds at most {_tenths(result.hits_at_1_percent)} of those "
        f"included with 1% false alarms, and {_tenths(result.hits_at_5_percent)} with 5%.",
        *((ATTACK_UPPER_BOUND,) if result.upper_bound and result.exposure is not None else ()),
    )


def _tenths(share: float) -> str:
    return percent_up(share, places=1).replace(".0%", "%")
