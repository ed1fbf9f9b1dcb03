"""Every sentence about a guarantee or a risk, once."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from decimal import ROUND_CEILING, Context
from fractions import Fraction

from sfumato.choose.belief import Belief, Missing
from sfumato.ledger.entry import upward
from sfumato.ledger.odometer import AtDelta, By, Total
from sfumato.model.audit import Audit
from sfumato.model.dataset import PrivacyUnit, Relation
from sfumato.model.drawing import Law
from sfumato.model.guarantee import Guarantee
from sfumato.model.per_person import InAll
from sfumato.model.release import Certificate
from sfumato.model.risk import RiskView, Source
from sfumato.model.sketch import Sketch
from sfumato.model.stop import Stop
from sfumato.risk.attack import attack_chance, attack_chance_gaussian
from sfumato.views.figure import number

GAP_IS_NO_PROBABILITY = "The gap compares people in this dataset. It is not a probability."
LOOK = "This is a look at the people: what is decided after it carries no guarantee."
CONTROLLER_ONLY = "Controller only: facts about the people in the data."
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

CARRIED = "What each person carries of everything released"
NO_FILTER = "It is an account and no limit: the next release adds to it, whoever has how much."
IN_FULL = (
    "Counted in full for everybody: what is no sum over people, sketches and selections, releases from other data or "
    "under another schema, what was charged together, and what was charged and never left."
)

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

    >>> rounded_up(0.46211), rounded_up(0.2), rounded_up(5.2215345), rounded_up(1e-12)
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


def planned(word: Guarantee) -> str:
    """What a plan is worth once it is entered."""
    if not word.holds:
        return "Entered as the plan; but somebody had looked at the people before, so it carries no guarantee."
    return f"Entered as the plan for this query: it keeps its word, {word.value}, whoever looks at the people later."


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


def noisy_parts(view: RiskView) -> str:
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
}
COLUMNS = {
    "share": "the part of the budget that a number has",
    "sensitivity": "how far one of the protected moves it, in all groups together (of a selection: its rank)",
    "scale": "how wide its noise is",
    "grid step": "what it is drawn in whole multiples of",
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


def sentence(words: str) -> str:
    """With a capital letter and a full stop, and the rest as it is."""
    return f"{words[:1].upper()}{words[1:]}."


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
