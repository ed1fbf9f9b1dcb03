"""How exposed people are, and what an epsilon would mean. Every such sentence stands here, once."""

from __future__ import annotations

import math
from collections.abc import Sequence

from sfumato.model.method_comparison import MethodComparison
from sfumato.model.risk import MembershipAttack, RiskView, Source
from sfumato.presentation.wording.exposure_histogram_sentences import WITHOUT_GUARANTEE
from sfumato.presentation.wording.guarantee import LOOK, NO_GUARANTEE, exactly
from sfumato.presentation.wording.numbers import number

GAP_IS_NO_PROBABILITY = "The gap compares people in this dataset. It is not a probability."
ATTACK_UPPER_BOUND = "The noise is on several numbers: these figures are upper bounds, and exact for one number."
MOST_FIRST = "From the top down"
HOW_EXPOSED = "How exposed the people are"
HOW_MUCH_INFLUENCE = "How much influence the people have"
AT_EACH_EXPOSURE = "People at each exposure"
AT_EACH_INFLUENCE = "People at each influence"
EXPOSURE = "0: this query does not depend on the person at all; 1: it depends on them as much as on anybody it could."
INFLUENCE = "how far the answer moves when the person leaves, in the answer's own units."
TENFOLD = "in tenfold steps"
TENFOLD_BARS = "Tenfold as many people make a bar one step longer, so that a few are seen beside the many."
OF_100_PEOPLE = "Of 100 people, so many carry at most this much."
ODDS = (
    "Under each epsilon: how many times of 100 an attacker who knows everybody else guesses right whether this person "
    "is in the data (50 is a coin)."
)
EPSILON = "How much a release may tell about any one person. Smaller: more noise, and less is told."
GAP = "How many times the risk of the person least at risk the one most at risk carries. " + GAP_IS_NO_PROBABILITY
RATIO = "The papers' form of the gap: 1 over it."
NOISY_PARTS = "The noise ranges are not those of the answer but of the noisy numbers behind it, in this order:"
MISSED_RANKS = (
    "“rank ±” is by how many people, or values where somebody has several, the rank of what is selected misses at most "
    "more than that of the best candidate."
)
WITHOUT_DELTA = (
    "Group keys are private: a release takes a delta too, and an attacker may be right more often by up to that."
)
NOBODY_TO_NAME = "Nobody moves this answer by leaving, so there is nobody to name."
ESTIMATES = (
    "What the histogram suggests: the same two figures for the highest bin that stands out from the noise. They are "
    "not bounds: people in bins below the noise may be more exposed."
)
NOISE_RANGE = "How far the noise moves a figure at most, 90 times of 100; one range for each noisy number."
SOURCES = {
    Source.WORST_CASE: "Worst case: from public facts alone, true for any data. Nobody was looked at.",
    Source.REHEARSAL: "Rehearsal: the same query on an invented or public look-alike. Nobody was looked at.",
    Source.EXPOSURE_HISTOGRAM: (
        "Private exposure histogram: a noisy histogram of how exposed the people are, charged. It does not count as "
        "looking at the data. Bounds are those of the worst case; what the histogram suggests is an estimate."
    ),
    Source.PEOPLE: "The people themselves. " + LOOK,
}
TITLES = {
    Source.WORST_CASE: "Risk in the worst case",
    Source.REHEARSAL: "Risk, rehearsed on a look-alike",
    Source.EXPOSURE_HISTOGRAM: "Risk in a private exposure histogram of the people",
    Source.PEOPLE: "Risk of the people in the data",
}
ATTACKER = {
    Source.WORST_CASE: "anybody, in any data, is in it",
    Source.REHEARSAL: "the most exposed person of the look-alike is in it",
    Source.EXPOSURE_HISTOGRAM: "anybody, in any data, is in it",
    Source.PEOPLE: "the most exposed person is in the data",
}
RIGHT = dict.fromkeys(Source, "attacker right at most") | {Source.REHEARSAL: "attacker (look-alike)"}
INSTEAD = ", or somebody else in their place"
DECIDING = {
    Source.WORST_CASE: "An epsilon chosen from this page carries the guarantee: nothing here depends on the data.",
    Source.REHEARSAL: (
        "The look-alike shows the form of the picture, not the figures of your table. An epsilon chosen from this page "
        "carries the guarantee: nothing here depends on the data."
    ),
    Source.EXPOSURE_HISTOGRAM: (
        "An epsilon chosen from this page carries the guarantee: the page is a noisy output that was charged. The "
        "estimates leave out people in bins below the noise, who may be more exposed; the bounds hold for each person."
    ),
    Source.PEOPLE: (
        "An epsilon chosen from this page carries no guarantee. A rule that was written down before the look keeps its "
        "word. Keep this page as you keep the data."
    ),
}
NOBODY_LISTED = {
    Source.WORST_CASE: "the worst case is about anybody: it has no list of people",
    Source.EXPOSURE_HISTOGRAM: "an exposure histogram is a noisy histogram: it has no list of people",
}
READING = (
    "Start with the gap. Go down its column to the last one that you would defend before the person most at risk.",
    "Look at the noise range in the same row: is the answer still of use?",
    "A smaller epsilon lowers the gap and the attacker's chance, and widens the noise: it is one or the other.",
)


def source(view: RiskView) -> str:
    if view.exposure_histogram is not None and not view.exposure_histogram.certificate.guarantee.holds:
        return f"{WITHOUT_GUARANTEE} {NO_GUARANTEE}"
    return SOURCES[view.source]


def deciding(view: RiskView) -> str:
    """What a decision from this page rests on."""
    if view.exposure_histogram is not None and not view.exposure_histogram.certificate.guarantee.holds:
        return "An epsilon chosen from this page carries no guarantee."
    return DECIDING[view.source]


def noisy_parts(view: RiskView | MethodComparison) -> str:
    """Which range is whose, where a figure of the answer is put together from several noisy numbers."""
    return f"{NOISY_PARTS} {'; '.join(view.numbers)}." if len(view.numbers) > 1 else ""


def missed_ranks(view: RiskView) -> str:
    """What is meant by the range of a rank."""
    return MISSED_RANKS if any(row.rank_90 for row in view.candidates) else ""


def without_delta(view: RiskView) -> str:
    """What has to be said of private group keys while no delta is stated."""
    return WITHOUT_DELTA if view.outputs is None and not view.delta else ""


def definitions(view: RiskView) -> tuple[tuple[str, str], ...]:
    """What the words of a risk view mean, in the order in which they are met."""
    attacker = f"How many times of 100 somebody who knows everybody else guesses right whether {ATTACKER[view.source]}."
    bounded = view.source is Source.EXPOSURE_HISTOGRAM
    always = (
        ("epsilon", EPSILON),
        ("gap at most" if bounded else "gap", GAP),
        *(() if bounded else (("ratio", RATIO),)),
        ("noise range", NOISE_RANGE),
        (RIGHT[view.source], f"{attacker} 50 is a coin."),
        *((("estimated gap, estimated attack success", ESTIMATES),) if bounded else ()),
    )
    of_people = (
        *((("influence", INFLUENCE.capitalize()),) if view.influence else ()),
        *((("exposure", EXPOSURE),) if view.exposure else ()),
    )
    return always if view.source is Source.WORST_CASE else (*always, *of_people)


def heaps(heaps: Sequence[tuple[float, float, int]]) -> str:
    """Where the people are: from this figure to that, so many.

    >>> heaps([(0, 0, 9954), (1, 1, 46)])
    '9,954 people at 0 · 46 at 1'
    >>> heaps([(0.5, 0.5, 1), (0.98, 1, 2)])
    '1 person at 0.5 · 2 from 0.98 to 1'
    """
    if not heaps:
        return "There is nobody in the table."
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
    """A heading for those at the top; as published there is no exposure."""
    if not exposed:
        return "The person with the most influence" if people == 1 else f"The {people} with the most influence"
    return "The most exposed person" if people == 1 else f"The {people} most exposed"


def some_of(all_of_them: int, listed: int) -> str:
    """Where more people carry as much as those that are shown."""
    return f"{all_of_them:,} people carry this much; here are {listed} of them." if all_of_them > listed else ""


def singletons(groups: int) -> str:
    """What has to be said where one person is all that a group has."""
    if not groups:
        return ""
    have = "One group has" if groups == 1 else f"{groups:,} groups have"
    return f"{have} a single person: without them its figure does not exist, which counts as 0."


def not_additive(columns: Sequence[str]) -> str:
    """What exposure means for answers that are no sum over people, such as a median."""
    if not columns:
        return ""
    no_sum, its, it = ("is no sum", "Its", "it") if len(columns) == 1 else ("are no sums", "Their", "each")
    return (
        f"{', '.join(columns)} {no_sum} over people. {its} exposure is how far {it} moves when the person leaves, as a "
        "share of the furthest that anybody could move it: it compares people and bounds nobody's odds."
    )


def attack(result: MembershipAttack, source: Source | None, *, replaced: bool) -> tuple[str, ...]:
    """What one release tells an attacker about one person; `source` is whose risk it is, None of a stated exposure."""
    whom = f"somebody of exposure {result.exposure:.4g} is in the data" if source is None else ATTACKER[source]
    whom += INSTEAD if replaced else ""
    before = f"{100 * result.prior:.4g} of 100"
    sure = f"no more than {_tenths(result.posterior)} of 100 sure that they are in it"
    beyond = f", but for a chance of {exactly(result.beyond)}" if result.beyond else ""
    return (
        f"At epsilon {result.epsilon:.15g}, somebody who knows everybody else and took it for {before} likely "
        f"that {whom}:",
        f"guesses right whether it is so at most {_tenths(result.chance)} times of 100",
        f"is then {sure}{beyond}",
        f"finds {_tenths(result.hits_at_1_percent)} of 100 such people at most where 1 of 100 others is taken for one "
        f"wrongly, {_tenths(result.hits_at_5_percent)} where 5 are",
        *((ATTACK_UPPER_BOUND,) if result.upper_bound and result.exposure is not None else ()),
    )


def percent(share: float) -> str:
    """An estimate to a tenth; a share below 1 never prints as 100%.

    >>> percent(0.5906), percent(0.9999), percent(1.0)
    ('59.1%', '99.9%', '100%')
    """
    return f"{min(round(100 * share, 1), 99.9) if share < 1 else 100:g}%"


def _tenths(share: float) -> str:
    """Of 100, in tenths, rounded up: what is said to be the most must be."""
    return f"{math.ceil(1000 * share - 1e-6) / 10:g}"
