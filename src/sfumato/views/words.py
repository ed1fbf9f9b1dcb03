"""Every sentence about a guarantee or a risk, once."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, Context
from fractions import Fraction

from sfumato.choose.belief import Belief, Missing
from sfumato.ledger.entry import upward
from sfumato.ledger.odometer import AtDelta, By, Total
from sfumato.model.audit import Audit
from sfumato.model.comparison import Comparison, Method, Need, Together
from sfumato.model.dataset import PrivacyUnit, Relation
from sfumato.model.drawing import Law
from sfumato.model.guarantee import Guarantee
from sfumato.model.guessing import GuessAt
from sfumato.model.per_person import InAll
from sfumato.model.release import Certificate
from sfumato.model.risk import Attack, RiskView, Source
from sfumato.model.sketch import Sketch
from sfumato.model.split import Split
from sfumato.model.stop import Stop
from sfumato.risk.attack import attack_chance, attack_chance_gaussian
from sfumato.risk.sharing import nearest_word
from sfumato.views.figure import number

GAP_IS_NO_PROBABILITY = "The gap compares people in this dataset. It is not a probability."
LOOK = "This is a look at the people: what is decided after it carries no guarantee."
CONTROLLER_ONLY = "Controller only: facts about the people in the data."
ATTACK_UPPER_BOUND = "The noise is on several numbers: these figures are upper bounds, and exact for one number."
WITHHELD = "withheld: chosen by looking at the data"
NOISE_ONLY = "90 of 100 for the noise alone; clipping and dropped rows not covered; per figure, not jointly"
PICKED = "rows were picked by their noisy figures: of those that were, ranges hold less often"
COUNTS_ROUNDED = "counts are rounded to whole numbers and not below 0"
MEANS_DIVIDED = "a mean is a noisy sum over a noisy count, kept within its bounds"
VARIANCES_COMPOSED = "a variance is put together from three noisy numbers, kept between 0 and what the bounds allow"
APPLIED_AFTERWARDS = "HAVING, ORDER BY and LIMIT were applied to the noisy answer"
ATTESTED_SCHEMA = "bounds, categories and types were stated from what is publicly known, not from the data"
ASKED_BLINDLY = "what was asked, and how often, did not depend on what those who looked at the people had seen"
BOUNDS_FROM_DATA = "nothing: bounds, group keys and sensitivities were read off the data"
FIXED_BEFORE = "This holds if so much was fixed before the first release, as a plan or as a limit."
OTHER_UNITS = "its releases protect different units, or under different relations"
EXTREMES = (
    "the rank asked for of a MIN or MAX lies a few people inside it, so that among many more than these noise seldom "
    "points beyond everybody"
)
_EXTREME = re.compile(r"(MIN|MAX|QUANTILE_\w+ at [01]) of ")
AFTER_NONE = "everything released before, including releases without a guarantee"
NO_GUARANTEE = "The noise was sized by looking at the data. No differential-privacy guarantee."

AUDIT_MADE_UP = "nothing of yours: everybody in these tables is made up, and no ledger of yours is charged"
AUDITING = "Asking again and again"

AS_IT_LEFT = "This was released before and comes back as it was: nothing was charged. --again draws anew, at a charge."

AS_IT_WAS = "This was selected before and comes back as it was: nothing was charged. --again selects anew, at a charge."

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
NOISE_RANGE = "How far the noise moves a figure at most, 90 times of 100; one range for each noisy number."

SOURCES = {
    Source.WORST_CASE: "Worst case: from public facts alone, true for any data. Nobody was looked at.",
    Source.REHEARSAL: "Rehearsal: the same query on an invented or public look-alike. Nobody was looked at.",
    Source.SKETCH: (
        "Private sketch: a noisy histogram of how exposed the people are, charged. It is no look. The gap is among "
        "those who can be told from noise."
    ),
    Source.PEOPLE: "The people themselves. " + LOOK,
}
SKETCH_WITHOUT = "A noisy histogram of how exposed the people are."

TITLES = {
    Source.WORST_CASE: "Risk in the worst case",
    Source.REHEARSAL: "Risk, rehearsed on a look-alike",
    Source.SKETCH: "Risk in a private sketch of the people",
    Source.PEOPLE: "Risk of the people in the data",
}

ATTACKER = {
    Source.WORST_CASE: "anybody, in any data, is in it",
    Source.REHEARSAL: "the most exposed person of the look-alike is in it",
    Source.SKETCH: "somebody in the highest bin that is seen is in the data",
    Source.PEOPLE: "the most exposed person is in the data",
}

DECIDING = {
    Source.WORST_CASE: "An epsilon chosen from this page carries the guarantee: nothing here depends on the data.",
    Source.REHEARSAL: (
        "The look-alike shows the form of the picture, not the figures of your table. An epsilon chosen from this page "
        "carries the guarantee: nothing here depends on the data."
    ),
    Source.SKETCH: (
        "An epsilon chosen from this page carries the guarantee: the page is a noisy output that was charged. People "
        "in bins too thin to be seen may be more exposed; what holds for them is the worst case."
    ),
    Source.PEOPLE: (
        "An epsilon chosen from this page carries no guarantee. A rule that was written down before the look keeps its "
        "word. Keep this page as you keep the data."
    ),
}

NOBODY_LISTED = {
    Source.WORST_CASE: "the worst case is about anybody: it has no list of people",
    Source.SKETCH: "a sketch is a noisy histogram: it has no list of people",
}

SKETCHED = "How exposed the people are, with noise"
SKETCHED_BY = "a private sketch of exposures"
SKETCHED_NUMBERS = "people in each bin of exposure"
SKETCH_AFTERWARDS = "bars and quantiles take a negative count for 0; the number of people and sums are as drawn"
SKETCH_COST = "What the sketch promises, and what it cost"

BATCHED = "One of {:,} releases that were fixed in advance and charged together"
TIGHT = "tight accounting of a batch that was fixed in advance"
SUMMED = "the sum over a batch that was fixed in advance"
SPLIT_AIMS = {
    "largest": "the largest relative error",
    "sum": "the sum of the relative errors",
    "squares": "the sum of the squared relative errors",
}
OWN_UNIT = (
    "A query that is several noisy numbers, or selected by its rank, has no one scale and no least answer: its number "
    "in the index says how small its part of epsilon is beside the others'."
)
TESTED = "Whether the true answers are large enough"

CARRIED = "What each person carries of everything released"
NO_FILTER = "It is an account and no limit: the next release adds to it, whoever has how much."
IN_FULL = (
    "Counted in full for everybody: what is no sum over people, sketches and selections, truncated noise, releases "
    "from other data or under another schema, what was charged together, and what was charged and never left."
)

AFTERMATH = "What the answer that went out says about each person"
SIGNED_LOSS = (
    "Loss: the logarithm of how many times as likely this very answer was with the person in the data as without them. "
    "Above 0 it speaks for their being there, below 0 against it."
)
PRI = "PRI: how far the answer that went out lies from the true one without this person."
ROWS_KEPT_BACK = (
    "HAVING or LIMIT kept rows back: distances and losses are of the rows that left. What it tells that the others did "
    "not leave is not in them."
)
SELECTED_BESIDE = "Epsilon was selected privately: what the selection told by itself is not in these losses."
WHO_IS_MISSING = "Who is missing?"
BELIEVED, BELIEVED_AT_MOST, BELIEF_LIMIT = "largest belief", "its upper bound", "never more"

READING = (
    "Start with the gap. Go down its column to the last one that you would defend before the person most at risk.",
    "Look at the noise range in the same row: is the answer still of use?",
    "A smaller epsilon lowers the gap and the attacker's chance, and widens the noise: it is one or the other.",
)


def guarantee(certificate: Certificate) -> str:
    """The promise, in the words of the field."""
    match certificate.guarantee:
        case Guarantee.DP:
            return f"{_pair(certificate)} for {_changed(certificate)}."
        case Guarantee.SELECTED:
            delta = f", {exactly(certificate.delta)}" if certificate.delta else ""
            most = f"({certificate.at_most:.15g}{delta})" if delta else f"{certificate.at_most:.15g}"
            return (
                f"spent {certificate.select_epsilon:.15g} for selecting epsilon privately + {certificate.epsilon:.15g} "
                f"for the answer = {certificate.charged:.15g}; never more than {certificate.at_most:.15g}: before "
                f"anything was drawn, {most}-differential privacy for {_changed(certificate)}."
            )
        case Guarantee.NONE:
            return NO_GUARANTEE


def _changed(certificate: Certificate) -> str:
    """What two neighbours differ in."""
    replaced = certificate.relation == Relation.REPLACE.value
    return f"{protected(certificate)}, {'replaced by any other' if replaced else certificate.relation}"


def protected(certificate: Certificate) -> str:
    """Who is protected: one row, or one person with all their rows."""
    unit = certificate.unit
    return f"one {unit}" if unit == PrivacyUnit().words else f"one person (one {unit})"


def rows_that_count(unit: PrivacyUnit) -> str:
    """What a column of people is taken to say, and how much of anybody an answer holds."""
    rows = "1 row of one person counts" if unit.max_rows == 1 else f"{unit.max_rows:,} rows of one person count"
    return (
        f"each person has one {unit.words}; at most {rows} in a query, picked by a rule that reads that person's rows "
        f"alone; rows without a {unit.words} are left out"
    )


def _pair(certificate: Certificate) -> str:
    if certificate.delta:
        return f"({certificate.promised:.15g}, {exactly(certificate.delta)})-differential privacy"
    return f"{certificate.promised:.15g}-differential privacy"


def exactly(delta: float) -> str:
    """With every digit: a delta that is rounded may read as less than it is.

    >>> exactly(1e-9), exactly(1.2345641e-06), exactly(0.0)
    ('1e-09', '1.2345641e-06', '0')
    """
    return str(delta).removesuffix(".0")


def ranges(certificate: Certificate) -> str:
    """What the noise ranges cover; rows that noise helped to be picked lie further off than noise alone."""
    return f"{NOISE_ONLY}; {PICKED}" if PICKED in certificate.post_processing else NOISE_ONLY


def has_ranges(certificate: Certificate) -> bool:
    """Whether anything carries noise that has a range, and not all of it was selected."""
    return certificate.laws is None or any(law != Law.EXPONENTIAL.value for law in certificate.laws)


def thresholded(threshold: Fraction | None) -> str:
    """How private groups were found."""
    so_many = WITHHELD if threshold is None else f"{math.ceil(threshold * 100) / 100:.15g}"
    return f"a group is in the answer if its noisy count of persons reaches a threshold ({so_many})"


def no_group(certificate: Certificate) -> str:
    """Why an answer by private groups is empty, and what would change it."""
    c = certificate
    if c.threshold is None or APPLIED_AFTERWARDS in c.post_processing:
        return ""
    fewer = "" if c.max_rows == 1 else ", or a smaller max_rows,"
    reached = f"{math.ceil(c.threshold * 100) / 100:,.15g}"
    return f"No group reached {reached} noisy persons: a larger epsilon or delta{fewer} lowers that."


def _of_100(chance: float) -> int:
    """Rounded up: what is printed as "at most" must be."""
    return math.ceil(100 * chance - 1e-9)


def _chance(certificate: Certificate) -> float:
    """How often an attacker is right, at most: as epsilon and delta say it, or as Gaussian noise does."""
    stated = attack_chance(certificate.promised or 0.0, certificate.delta)
    if set(certificate.laws or ()) != {Law.GAUSSIAN} or certificate.select_epsilon:
        return stated
    moved = [d / s for d, s in zip(certificate.sensitivity or (), certificate.scale or (), strict=True) if s]
    return min(stated, attack_chance_gaussian(math.hypot(*moved), 1.0))


def promise(certificate: Certificate) -> str:
    """The same for the people in the data."""
    if not certificate.guarantee.holds or certificate.promised is None:
        return "This release makes no promise to the people in the data."
    right = _of_100(_chance(certificate))
    replaced = certificate.relation == Relation.REPLACE.value
    guessed = "whether you or somebody else is in it" if replaced else "whether you are in it"
    return (
        f"Whoever knows everybody else in the data still guesses {guessed} at most "
        f"{right} times of 100 from this release (50 is a coin)."
    )


def together(certificate: Certificate) -> str:
    """What was charged for this and others at once; nothing where it was charged by itself."""
    c = certificate
    if c.batch is None:
        return ""
    delta = f", delta {exactly(c.batch_delta)}" if c.batch_delta else ""
    spent = f"epsilon {c.charged:.15g}{delta} for all of them"
    return f"{BATCHED.format(c.batch)}: {spent}. The epsilon of this one holds for it alone."


def batch(releases: int, epsilon: float, delta: Fraction, sums: tuple[float, Fraction]) -> str:
    """What a batch will be charged, beside what its releases would be one by one."""
    (said, alone) = (f"epsilon {e:.6g}{f', delta {float(d):g}' if d else ''}" for e, d in ((epsilon, delta), sums))
    return f"{releases} release{'' if releases == 1 else 's'}, charged together: {said}. One by one: {alone}."


def total(certificate: Certificate) -> str:
    """What everything released adds up to; after a release without a guarantee, or of other units, nothing does."""
    if certificate.dataset_total is None:
        if not certificate.guarantee.holds:
            return "No total exists for this dataset from now on."
        other = certificate.dataset_guarantee.holds
        why = OTHER_UNITS if other else "something was released without a guarantee"
        before = "everything released before" if other else AFTER_NONE
        factor = f"e^{certificate.charged:.15g}"
        but = f", but for a chance of {exactly(certificate.delta)}" if certificate.delta else ""
        return (
            f"No total exists for this dataset: {why}. Given {before}, this one changes nobody's odds by more than "
            f"{factor}{but}."
        )
    spent = f"epsilon {certificate.dataset_total:.15g}"
    spent += f", delta {exactly(certificate.dataset_delta)}" if certificate.dataset_delta else ""
    right = _of_100(attack_chance(certificate.dataset_total, certificate.dataset_delta or 0.0))
    ending = f" It stops at {certificate.stop}." if certificate.stop else ""
    odds = f"from all of it together that guess is right at most {right} times of 100"
    return f"Everything released from {certificate.dataset} so far: {spent}; {odds}.{ending}"


def concentrated(total: Total, at: AtDelta | None = None) -> str:
    """The total as zero-concentrated privacy, and the epsilon of all of it at a delta; nothing where there is none."""
    if not total.releases or not total.exists:
        return ""
    said, delta = [], "" if at is None else exactly(float(at.delta))
    if total.rho is not None:
        beside = f", beside delta {exactly(upward(total.rho_delta))}" if total.rho_delta else ""
        worth = f", which is ({rounded_up(at.epsilon)}, {delta})-DP" if at is not None and at.by is By.ZCDP else ""
        said.append(f"As zero-concentrated DP: rho {rounded_up(total.rho)}{beside}{worth}. {FIXED_BEFORE}")
    if at is not None and at.by is By.SUMS:
        anyway = "" if total.exact_delta else ", and holds in any case"
        least = f"{rounded_up(at.epsilon)}, is the least epsilon that is known{anyway}"
        said.append(f"At delta {delta} the sum of the epsilons, {least}.")
    elif at is not None and at.by is None:
        said.append(f"At delta {delta} there is no epsilon: more than that is spent of delta.")
    return " ".join(said)


def rounded_up(figure: float) -> str:
    """With four digits, and never less.

    >>> rounded_up(0.46211), rounded_up(0.2), rounded_up(5.22151), rounded_up(1e-12)
    ('0.4622', '0.2', '5.222', '1e-12')
    """
    return f"{float(Context(prec=4, rounding=ROUND_CEILING).create_decimal(str(figure))):.4g}"


def at_most(epsilon: float) -> str:
    """What is known beforehand of what was selected privately."""
    return f"Whatever epsilons had been selected, it would have been at most {epsilon:.15g}."


def stop(stated: Stop) -> str | None:
    """The most that may be spent in all, if that is stated."""
    parts = [f"{name} {float(limit):.15g}" for name, limit in vars(stated).items() if limit is not None]
    return ", ".join(parts) or None


def source(view: RiskView) -> str:
    if view.sketch is not None and not view.sketch.certificate.guarantee.holds:
        return f"{SKETCH_WITHOUT} {NO_GUARANTEE}"
    return SOURCES[view.source]


def deciding(view: RiskView) -> str:
    """What a decision from this page rests on."""
    if view.sketch is not None and not view.sketch.certificate.guarantee.holds:
        return "An epsilon chosen from this page carries no guarantee."
    return DECIDING[view.source]


def at_zero(sketch: Sketch) -> str:
    """Those whom the query does not depend on."""
    people, off = f"{sketch.histogram.people[0]:,}", f" (±{bin_noise(sketch):,})" if bin_noise(sketch) else ""
    return f"At exactly 0, where this query does not depend on the person at all: {people} people{off}."


def bin_noise(sketch: Sketch) -> int:
    """The noise range of a count that is rounded to a whole number; 0 where it is withheld."""
    return 0 if sketch.noise_90 is None else math.ceil(sketch.noise_90 + 0.5)


def seen(sketch: Sketch) -> str:
    """What may be read off the bars, and what may not."""
    if sketch.reach is None:
        return f"Noise ranges are {WITHHELD}: no bin can be told from noise, so the gap is that of the worst case."
    enough, unseen = f"{math.floor(sketch.reach) + 1:,}", f"{math.ceil(2 * sketch.reach):,}"
    found = (
        "The gap is between the far edges of the lowest and the highest of them."
        if any(sketch.seen)
        else "There is none here, so the gap is that of the worst case."
    )
    return (
        f"Each count is within ±{bin_noise(sketch):,} of the truth, {NOISE_ONLY}. Bins of {enough} or more are told "
        "from noise: 90 times of 100, and for all bins at once, there is somebody in each of them, and no other bin "
        f"has more than {unseen} people. {found} People in the other bins are not seen; what holds for them is the "
        "worst case."
    )


TRIED_TITLE = "What a private selection would come to"
TRIED_EACH = "What each threshold would select; the one that was asked for is marked >"
TRIED_BARS = "Each bar holds 90 of 100 epsilons that the selection came to; ● is the threshold that was asked for."
TRIED = "What the selection would come to on the look-alike, with its real noise. Nothing was charged"


def tried(*, private: bool) -> str:
    """What was rehearsed, and what a threshold that is picked from it is worth."""
    if not private:
        return f"{TRIED}. As published it reads the people: on the real table it carries no guarantee."
    return f"{TRIED}, and a threshold that is picked from this carries the guarantee: nothing here depends on the data."


def cost_of_selection(select_epsilon: float, epsilon: float | None) -> str:
    """What a private selection has cost, and what its release will."""
    rest = "" if epsilon is None else f"; a release charges {epsilon:g} more"
    return f"Selecting cost {select_epsilon:g}, charged when it was selected{rest}."


def go_on(command: str) -> str:
    """How a preference that was rehearsed is carried over to the table."""
    return f"To choose by it for the table itself:\n  {command}"


def planned(word: Guarantee, queries: int = 1) -> str:
    """What a plan is worth once it is entered."""
    if not word.holds:
        return "Entered as the plan; but somebody had looked at the people before, so it carries no guarantee."
    these = "this query" if queries == 1 else f"these {queries} queries"
    return f"Entered as the plan for {these}: it keeps its word, {word.value}, whoever looks at the people later."


def carried(in_all: InAll, relation: Relation) -> str:
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


def for_anybody(in_all: InAll) -> str:
    """The public total, beside which each person's stands."""
    delta = f", delta {exactly(in_all.delta)}" if in_all.delta else ""
    return f"For anybody, in any data: epsilon {in_all.epsilon:.15g}{delta}, rho {number(in_all.rho, 4)}."


def counted(in_all: InAll) -> str:
    """Which charges are in it, and which are not."""
    own, full = in_all.by_exposure, in_all.in_full
    said = [f"{own:,} charge{'' if own == 1 else 's'} by each person's own exposure, {full:,} in full."]
    said += [IN_FULL] if full else []
    if without := in_all.without_guarantee:
        said.append(f"Not in it: {without:,} without a guarantee. Nothing bounds what that tells.")
    if other := in_all.other_units:
        said.append(f"Not in it: {other:,} that protect another unit, or under another relation: no sum would be true.")
    return " ".join(said)


def rehearsed(epsilon: float | None, why: str) -> str:
    """What a preference would lead to on the look-alike."""
    found = "no epsilon" if epsilon is None else f"epsilon {epsilon:.4g}"
    return f"On the look-alike: {found}. {why} Nothing was decided about the real table."


def noisy_parts(view: RiskView | Comparison) -> str:
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
    always = (
        ("epsilon", EPSILON),
        ("gap", GAP),
        ("ratio", RATIO),
        ("noise range", NOISE_RANGE),
        ("attacker right at most", f"{attacker} 50 is a coin."),
    )
    of_people = (
        *((("influence", INFLUENCE.capitalize()),) if view.influence else ()),
        *((("exposure", EXPOSURE),) if view.exposure else ()),
    )
    return always if view.source is Source.WORST_CASE else (*always, *of_people)


def of_100(chance: float) -> str:
    """A chance as so many of 100, with one decimal, rounded up."""
    return f"{math.ceil(1000 * chance - 1e-9) / 10:.1f}"


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
    said = [f"{n:,} {_at(low, high)}" for low, high, n in heaps]
    people = "person" if heaps[0][2] == 1 else "people"
    return " · ".join([f"{heaps[0][2]:,} {people} {_at(*heaps[0][:2])}", *said[1:]])


def _at(low: float, high: float) -> str:
    if low == high:
        return f"at {number(low)}"
    return f"from {number(low)} to {number(high)}"


def most_exposed(people: int, exposed: bool = True) -> str:
    """A heading for those at the top; as published there is no exposure."""
    if not exposed:
        return "The person with the most influence" if people == 1 else f"The {people} with the most influence"
    return "The most exposed person" if people == 1 else f"The {people} most exposed"


def some_of(all_of_them: int, shown: int) -> str:
    """Where more people carry as much as those that are shown."""
    return f"{all_of_them:,} people carry this much; here are {shown} of them." if all_of_them > shown else ""


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


# The certificate: what was drawn

LAWS = {
    "laplace": "Laplace noise",
    "gaussian": "Gaussian noise",
    "exponential": "a private selection by rank (permute and flip)",
    "truncated": "Laplace noise that is truncated, and goes no further than its reach",
}
COLUMNS = {
    "share": "the part of the budget that a number has",
    "sensitivity": "how far one of the protected moves it, in all groups together (of a selection: its rank)",
    "scale": "how wide its noise is",
    "grid step": "what it is drawn in whole multiples of",
    "reach": "how far its noise goes at most",
}


def ranks(certificate: Certificate) -> tuple[str, ...]:
    """What holds of each selection, which has no noise range; rounded up."""
    c, reached = certificate, certificate.rank_90 or ()
    selected = [(name, rank) for name, rank in zip(c.numbers, reached, strict=False) if rank is not None]
    said = [_rank(name, rank, c.max_rows) for name, rank in selected]
    return (*said, *([EXTREMES] if any(_EXTREME.match(name) for name, _ in selected) else []))


def _rank(name: str, rank: float, rows: int | None) -> str:
    """An extreme is one a person; of a quantile the rows of somebody who has several count each."""
    counted = "people" if rows == 1 or _EXTREME.match(name) else "values"
    misses = f"{math.ceil(10 * rank) / 10:,.15g} {counted}"
    return f"{name}: its rank misses by at most {misses} more than that of the best candidate, 90 of 100"


def noise(certificate: Certificate) -> str:
    """What was drawn: each law once, and how many numbers."""
    c = certificate
    laws = [LAWS.get(law, law) for law in dict.fromkeys(c.laws or (c.mechanism,))]
    calibrated = f", {c.calibration} calibration" if c.calibration else ""
    return ": ".join([f"{' and '.join(laws)}{calibrated}", *outputs(c)])


def outputs(certificate: Certificate) -> tuple[str, ...]:
    """How many noisy numbers, where that is public."""
    n = certificate.outputs
    return () if n is None else (f"{n:,} noisy number{'' if n == 1 else 's'}",)


def columns(shown: Sequence[str]) -> str:
    """What the figures of each noisy number are."""
    return sentence("; ".join(f"{name}: {COLUMNS[name]}" for name in shown if name in COLUMNS))


def moment(at: str) -> str:
    """A time as the ledger has it, for reading.

    >>> moment("2026-05-03T09:00:00+00:00")
    '2026-05-03 09:00:00 UTC'
    """
    return at.replace("T", " ").replace("+00:00", " UTC")


def claimed(audit: Audit) -> str:
    """What was held against what was seen."""
    pair = f"epsilon {audit.claim:g}" + (f", delta {exactly(audit.delta)}" if audit.delta else "")
    return f"{pair} for one person, {audit.relation}: {audit.mechanism}, {audit.aggregate}"


def shown_at_least(audit: Audit) -> str:
    """Rounded down: what is printed as "at least" must be."""
    at = f" at that delta, {exactly(audit.delta)}" if audit.delta else ""
    wrong = f"more than the real one in at most {1 - audit.confidence:.3g} of such audits"
    return f"epsilon at least {_down(audit.shown)}{at}, with confidence {audit.confidence:.12g}: {wrong}"


def audit_power(audit: Audit) -> str:
    """What an audit that finds nothing is worth."""
    caught = math.floor(100 * audit.power)
    more = "" if caught >= 90 else f"; {_more_runs(audit)}"
    return f"{audit.against} is caught in about {caught} of 100 such audits, of {audit.runs:,} runs a side{more}"


def _more_runs(audit: Audit) -> str:
    if audit.enough is None:
        return "no number of runs that anybody waits for catches it on these tables"
    return f"--runs {audit.enough} would catch it in 90"


def verdict(audit: Audit) -> str:
    """In a sentence; never that something is private."""
    if audit.holds:
        return "not contradicted: that is no proof."
    pair = f"({audit.claim:g}, {exactly(audit.delta)})" if audit.delta else f"{audit.claim:g}"
    return f"contradicted: it is not {pair}-differentially private, at confidence {audit.confidence:.12g}."


def guessed(right: int, guesses: int) -> str:
    """What a guesser made of it."""
    return f"whoever guesses which table it was is right {right:,} times of {guesses:,}"


def came_up(more: tuple[int, int], fewer: tuple[int, int]) -> str:
    """How often an event was seen on either side."""
    often, seldom = (f"{times:,} of {runs:,}" for times, runs in (more, fewer))
    return f"something comes up in {often} runs of one table, and in {seldom} of the other"


def _down(figure: float) -> str:
    return f"{math.floor(1000 * figure) / 1000:.3f}"


# Guesses at somebody's value


GUESSED = "What a snoop guesses, and what sharing the answer risks"
GUESSES = (
    "From public facts alone: true for any data, against a snoop who knows everybody else in it. Nobody was looked at. "
    "It is of this answer alone: with others on the same people, their epsilons add up."
)


def guess_columns(*, at_any_answer: bool, average: bool, shared: bool) -> str:
    """What the columns of a view of guesses mean, those that it has."""
    told = (
        (True, "“advantage”: how much of what a blind guess leaves open is learned, at most"),
        (at_any_answer, "“any belief”: no answer raises a belief about somebody by more, whatever it was before"),
        (average, "“on average”: how often the best guess is right at most, where all values are as likely"),
        (shared, "“as published”: with what a blind guess risks too, which no noise takes away"),
    )
    return sentence("; ".join(said for there, said in told if there))


def snoop(chance: float, blind: float) -> str:
    """How often a guess is right, beside how often it was before.

    >>> snoop(0.35466, 0.25)
    'a snoop guesses right 36 of 100 (blind 25)'
    """
    return f"a snoop guesses right {_of_100(chance)} of 100 (blind {number(100 * blind)})"


def hundred(ends: tuple[int, int]) -> str:
    """What noise does to a count, as an example."""
    return f"a count of 100 becomes {ends[0]}–{ends[1]}, 90 times of 100"


def guess_at(row: GuessAt, blind: float) -> str:
    """At one epsilon, in a sentence."""
    count = "" if row.hundred is None else f"; {hundred(row.hundred)}"
    risk = "" if row.risk is None else f"; the sharing risk is {number(row.risk)} ({nearest_word(row.risk)})"
    return f"At epsilon {number(row.epsilon)} {snoop(row.chance, blind)}{count}{risk}."


def sentence(words: str) -> str:
    """With a capital letter and a full stop, and the rest as it is."""
    return f"{words[:1].upper()}{words[1:]}."


def no_loss(certificate: Certificate) -> str:
    """Why only distances are shown."""
    if certificate.guarantee.holds:
        return "A loss is known where all that was drawn is Laplace or Gaussian noise; here some of it is not."
    return f"{NO_GUARANTEE} So no loss is known."


def speaks_for(people: int, everybody: int) -> str:
    """For how many people an answer speaks.

    >>> speaks_for(1, 4)
    'It speaks for the presence of 1 person of 4, that is 25 of 100.'
    """
    who = "1 person" if people == 1 else f"{people:,} people"
    return (
        f"It speaks for the presence of {who} of {everybody:,}, that is {number(100 * people / everybody, 3)} of 100."
    )


def within_bound(furthest: float, bound: float | None, epsilon: float | None) -> str:
    """The losses that came about, beside those that could have: by anybody's exposure, and in any data."""
    seen = f"The largest loss, either way, is {number(furthest)}"
    if bound is None or epsilon is None:
        return f"{seen}. Gaussian noise bounds no single loss."
    own = f"by their exposure nobody's here could be beyond {number(bound)}"
    return f"{seen}; {own}, and in any data nobody's beyond epsilon, {number(epsilon)}."


def distances(distance: float, least: float, most: float, ratio: float, own_scale: bool) -> str:
    """How far the answer lies from the true one, with everybody and without each."""
    unit = "in the answer's own units" if own_scale else "as shares of what anybody could move, over all noisy numbers"
    return (
        f"The answer lies {number(distance)} from the true one, and from {number(least)} to {number(most)} from those "
        f"without one person ({unit}): the smallest PRI is {number(ratio)} times the largest."
    )


def medians_of(condition: str, medians: tuple[float | None, float | None]) -> str:
    """The median distances of two groups of people."""
    met, others = medians
    if met is None or others is None:
        return f"There is nobody in one of the two groups that “{condition}” makes."
    least, most = sorted((met, others))
    alike = number(least / most) if most else "1"
    return (
        f"Median PRI of “{condition}”: {number(met)}; of the others: {number(others)}. The smaller is {alike} times "
        "the larger."
    )


def split_by(split: Split) -> str:
    """How an epsilon was split over several queries."""
    index = f"epsilon {split.epsilon:.15g} split by the index {' : '.join(number(g, 6) for g in split.index)}"
    if split.aim is None:
        return index
    guesses = " and ".join(number(part.expected or 0.0, 6) for part in split.parts)
    return f"{index}, which makes {SPLIT_AIMS[split.aim]} smallest for answers of {guesses}"


def least_answer(split: Split) -> str:
    """What the least answer of a query means."""
    errors = {part.relative_error for part in split.parts}
    error = f"{errors.pop():g}" if len(errors) == 1 else "its relative error"
    return (
        f"A true answer of “answer at least” or more is off by at most {error} of itself, {100 * split.confidence:g} "
        "times of 100 (the DIFF paper's minimum true answer): for the noise alone, before a count is rounded; clipping "
        "and dropped rows not covered; per figure, not jointly."
    )


def split_needed(split: Split) -> str:
    """What epsilon would do for all that is expected; nothing where nothing is."""
    if split.needed is None:
        return ""
    return f"For the answers that are expected, epsilon {rounded_up(split.needed)} or more would do."


def charged_once(releases: int, epsilon: float, delta: Fraction) -> str:
    """What a batch is charged where that is the sum of its parts."""
    also = f", delta {exactly(upward(delta))}" if delta else ""
    return f"{releases} release{'' if releases == 1 else 's'}, charged once for all: epsilon {epsilon:.15g}{also}."


def attack(found: Attack, source: Source | None, *, replaced: bool) -> tuple[str, ...]:
    """What one release tells an attacker about one person; `source` is whose risk it is, None of a stated exposure."""
    whom = f"somebody of exposure {found.exposure:.4g} is in the data" if source is None else ATTACKER[source]
    whom += ", or somebody else in their place" if replaced else ""
    before = f"{100 * found.prior:.4g} of 100"
    sure = f"no more than {_tenths(found.posterior)} of 100 sure that they are in it"
    beyond = f", but for a chance of {exactly(found.beyond)}" if found.beyond else ""
    return (
        f"At epsilon {found.epsilon:.15g}, somebody who knows everybody else and took it for {before} likely "
        f"that {whom}:",
        f"guesses right whether it is so at most {_tenths(found.chance)} times of 100",
        f"is then {sure}{beyond}",
        f"finds {_tenths(found.hits_at_1_percent)} of 100 such people at most where 1 of 100 others is taken for one "
        f"wrongly, {_tenths(found.hits_at_5_percent)} where 5 are",
        *((ATTACK_UPPER_BOUND,) if found.upper_bound and found.exposure is not None else ()),
    )


def _tenths(share: float) -> str:
    """Of 100, in tenths, rounded up: what is said to be the most must be."""
    return f"{math.ceil(1000 * share - 1e-6) / 10:g}"


WORLDS_TITLE = "How likely each answer is, in each possible world"
WORLDS = "An attacker who knows everybody and asks who is missing believes most in the highest curve at the answer."
BELIEF_TITLE = "How sure an attacker may become at each epsilon"
BELIEF = (
    "The attacker knows everybody and asks who is missing from the table; before the answer, each is as likely. It "
    "bounds this attacker, and no other."
)
NOISE_TITLE = "How often the noise is at least so large"
NOISE_OFTEN = "Laplace noise; a point on a curve: so many times of 100 the noise is at least this."
MTA_TITLE = "From which true answer on the noise is small beside it"
MTA = "Laplace noise; a smaller true answer misses the relative error more often than stated."
FRONTIER_TITLE = "Risk against noise, at each epsilon"
FRONTIER = "To the right more noise, upward more risk; no other epsilon has less of both."
ATTACK_TITLE = "How often an attacker is right, at each epsilon"
ATTACK = (
    "At most so many times of 100 an attacker who knows everybody else, and had no idea beforehand, guesses right "
    "whether this person is in the data; a coin is right 50 times."
)
ROC_TITLE = "What an attacker finds, at each rate of false alarms"
ROC = (
    "A point on a curve: at so many false alarms among those who are not in the data, an attacker who knows everybody "
    "else finds at most so many of those who are."
)
SHARING_TITLE = "Risk of sharing against noise"
SURFACE_TITLE = "Risk of sharing, by trust and sensitivity"
SHARING = (
    "The risk weighs how well a snoop may guess by the trust and the sensitivity that were stated. It is a comparison "
    "and not a probability."
)
NO_SPREAD = {
    Source.WORST_CASE: "The worst case is about anybody: it has no histogram of exposures",
    Source.PEOPLE: "There is no exposure where bounds are read off the data",
}


def curve_of(source: Source, exposure: float | None) -> str:
    """Whom an attacker's curve is about, in short."""
    return ATTACKED[source] if exposure is None else f"exposure {number(exposure)}"


ATTACKED = {
    Source.WORST_CASE: "anybody",
    Source.REHEARSAL: "the most exposed",
    Source.SKETCH: "the highest bin seen",
    Source.PEOPLE: "the most exposed",
}


def public_worlds(stated: Belief) -> str:
    """What a belief takes for granted."""
    worlds = stated.worlds
    if not isinstance(worlds, Missing):
        return "the answers in each possible world are public, and as likely beforehand as stated"
    who = "one of them is" if stated.missing == 1 else f"{stated.missing} of them are"
    return f"the universe of {worlds.people:,} people in {worlds.name} is public; {who} missing, anybody as likely"


def who_is_missing(people: int, prior: float, *, suspected: bool = False) -> str:
    """Whose belief it is, and in what."""
    knows = f"Somebody knows all {people:,} people but for which one of them is left out of the data, and"
    if suspected:
        believes = f"suspects one of them at {number(prior, 4)}, the others alike."
        return f"{knows} {believes} After the answer they believe it at most so much, whoever they suspected."
    believes = f"believes it of each at {number(prior, 4)}."
    return f"{knows} {believes} After the answer they believe it of somebody at most so much, whatever came out."


def never_believed_more(limit: float) -> str:
    if limit >= 1:
        return "With a larger epsilon they become as good as certain."
    return f"No epsilon raises it above {number(limit, 4)}: whoever is alike in this answer is not told apart."


def believed_at_most() -> str:
    """Where a number is not simply added noise to, or there are too many people to compare."""
    return (
        "Values selected by their rank, counts of different values, and people who are too many to be compared count "
        "in full: the belief may be smaller."
    )


def identifiable(person: object, alike: int) -> str:
    """Who is told apart most easily; of several who are alike, one."""
    if not alike:
        return "–"
    who = "somebody who is not counted" if person is None else str(person)
    return who if alike == 1 else f"{who} (one of {alike:,} alike)"


# Methods side by side

COMPARED = "Methods side by side"
COMPARED_BLINDLY = (
    "Which epsilons each method allows, from public facts alone. Nobody was looked at, nothing was charged and nothing "
    "was entered. Each would carry the word beside it as things stand; a look at the people may change that."
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


def compared(comparison: Comparison) -> str:
    """What was compared, and what that touched."""
    return COMPARED_LOOKING if comparison.looked else COMPARED_BLINDLY


def needs(method: Method) -> str:
    """What a method needs; of a selection that keeps its word, what that costs."""
    selects = method.need is Need.SELECTION and method.guarantee is Guarantee.SELECTED
    cost = f", {method.select_epsilon:g} charged" if selects else ""
    return f"{NEEDS[method.need]}{cost}"


def not_run(method: Method, epsilon_max: float) -> str:
    """Why a method has no interval here."""
    if method.need is Need.SELECTION and method.guarantee is Guarantee.NONE:
        return "not run here. Stated after a look, it carries no guarantee."
    if method.need is Need.SELECTION:
        most = method.select_epsilon + epsilon_max
        return (
            f"not run here. `choose` charges {method.select_epsilon:g} for it, and a release what is selected: never "
            f"more than {most:g} in all."
        )
    if method.select_epsilon:
        return "drawn from the people by `choose`, and not here. It carries no guarantee."
    return "read off the people: --look shows it, and is recorded as a look. It carries no guarantee."


def whose(method: Method, *, by_rule: bool) -> str:
    """A method by its name, and who stated it, if anybody did."""
    return f"{'rule' if by_rule else 'yours'}: {method.words}" if method.stated else method.words


def all_stated(*, by_rule: bool) -> str:
    return "all of the rule" if by_rule else "all of yours"


def stop_left(limit: Fraction, spent: Fraction) -> str:
    """The most that may be spent, as one of the bounds on epsilon."""
    return f"stop {float(limit):g}, of which {float(spent):g} is spent"


def intersected(found: Together, *, by_rule: bool) -> str:
    """What the stated preferences come to."""
    said = "The rule of record" if by_rule else "Yours together"
    if not found.feasible:
        return f"{said}: {NO_EPSILON}. {found.why}"
    if found.unknown:
        known = f" The others allow {epsilons(found.interval)}." if found.interval is not None else ""
        return f"{said}: not known before it is chosen: {'; '.join(found.unknown)}.{known}"
    chosen = NO_EPSILON if found.epsilon is None else f"epsilon {found.epsilon:.6g}"
    return f"{said}: {chosen}, guarantee {found.guarantee.value}. {found.why}"


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
