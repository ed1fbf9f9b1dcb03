"""Released answers: their noise, their intervals, and post-processing."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from fractions import Fraction

from sfumato.model.calibration import NoiseLaw
from sfumato.model.release import PostProcessing, Ranking, ReleaseCertificate
from sfumato.model.schema import PrivacyUnit
from sfumato.presentation.wording.exposure_histogram_sentences import AFTERWARDS
from sfumato.presentation.wording.guarantee import WITHHELD, exactly, sentence
from sfumato.presentation.wording.schema_sentences import CHECK_READ

INTERVAL = "90% interval"
TRUE_RANK = "true rank"
MOSTLY = "Mostly noise"
MOSTLY_NOISE = (
    f"“{MOSTLY}”: the interval is much wider than the differences between the other groups, the noise is larger than "
    "the figure itself, or the noisy count behind it is 0. An arrow marks an interval that goes beyond the axis."
)
ALONE = "Each interval covers the noise only, not clipping or dropped rows"
NOISE_ONLY = f"{ALONE}, and holds for one figure at a time"
PICKED = "rows were picked by their noisy figures, and for picked rows an interval holds less often"
COUNTS_ROUNDED = "counts are rounded to whole numbers of 0 or more"
MEANS_DIVIDED = "a mean is a noisy sum divided by a noisy count, limited to its bounds"
QUANTILES_READ = (
    "quantiles are read from a noisy histogram, a tree of counts that least squares makes add up; the interval of a "
    "quantile is one of values"
)
COMPUTED = "computed columns are calculated from the noisy figures, and limited to values that are possible"
VARIANCES_COMPOSED = (
    "a variance is computed from three noisy numbers, and limited to between 0 and what the bounds allow"
)
TOTALS_SUMMED = "totals are sums of the noisy numbers of their groups"
TOTALS_FITTED = "groups and totals are estimated together by least squares, so that groups add up to their totals"
TOTALS_ROUNDED = "counts are rounded one by one, so the groups that are shown may differ from a total by a few"
ALL = "all"  # in place of a key that is rolled up
APPLIED_AFTERWARDS = "HAVING, ORDER BY and LIMIT were applied to the noisy answer"
EXTREMES = (
    "for MIN and MAX the target rank lies a few people inside the extreme, so that with many more people "
    "noise seldom selects a value beyond all of them"
)
_EXTREME = re.compile(r"(MIN|MAX|QUANTILE_\w+ at [01]) of ")
AS_IT_LEFT = (
    "The same query on the same data returns the same answer and costs nothing. --redraw draws new noise and "
    "is charged."
)
POST_PROCESSING: Mapping[str, str] = {
    PostProcessing.COUNTS_ROUNDED: COUNTS_ROUNDED,
    PostProcessing.MEANS_DIVIDED: MEANS_DIVIDED,
    PostProcessing.VARIANCES_COMPOSED: VARIANCES_COMPOSED,
    PostProcessing.QUANTILES_READ: QUANTILES_READ,
    PostProcessing.COMPUTED: COMPUTED,
    PostProcessing.TOTALS_SUMMED: TOTALS_SUMMED,
    PostProcessing.TOTALS_FITTED: TOTALS_FITTED,
    PostProcessing.TOTALS_ROUNDED: TOTALS_ROUNDED,
    PostProcessing.APPLIED_AFTERWARDS: APPLIED_AFTERWARDS,
    PostProcessing.ROWS_PICKED: PICKED,
    PostProcessing.HISTOGRAM_READ: AFTERWARDS,
    PostProcessing.CHECK_READ: CHECK_READ,
}


def post_processing(certificate: ReleaseCertificate) -> tuple[str, ...]:
    """The post-processing of the noisy numbers, as sentences."""
    known = {**POST_PROCESSING, PostProcessing.THRESHOLDED: _thresholded(certificate)}
    return tuple(known.get(step, step) for step in certificate.post_processing)


def ranges(certificate: ReleaseCertificate) -> str:
    """What the intervals cover; for rows picked by noise they hold less often."""
    return f"{NOISE_ONLY}; {PICKED}" if PICKED in post_processing(certificate) else NOISE_ONLY


def totals(certificate: ReleaseCertificate) -> tuple[str, ...]:
    """How groups and totals of several levels go together; nothing where there is one level."""
    of_levels = (TOTALS_SUMMED, TOTALS_FITTED, TOTALS_ROUNDED)
    return tuple(step for step in post_processing(certificate) if step in of_levels)


def rank_range(ranks: tuple[int, int]) -> str:
    """A true rank, or between which it lies.

    >>> rank_range((1, 1)), rank_range((2, 4))
    ('1', '2 to 4')
    """
    best, worst = ranks
    return f"{best:,}" if best == worst else f"{best:,} to {worst:,}"


def ranking(of: Ranking, columns: Sequence[str]) -> str:
    """What the order of an answer is worth: all true ranks hold together.

    >>> ranking(Ranking("n", 9, ((1, 1), (2, 4))), ["ward", "n"])  # doctest: +NORMALIZE_WHITESPACE
    '“true rank” is the place by n among 9 groups. With 90% probability all true ranks hold at once, for the noise
    alone. Of the 2 groups shown, 1 is then certain to be among the first 2.'
    """
    rows = len(of.ranks)
    by = f"by {of.by}" if of.by in columns else "in this order"
    holds = (
        f"“{TRUE_RANK}” is the place {by} among {of.among:,} groups. With 90% probability all true ranks hold at once, "
        "for the noise alone."
    )
    if rows == of.among:
        return holds
    sure = of.first(rows)
    are = "is" if sure == 1 else "are"
    groups = f"the {rows:,} groups" if rows > 1 else "the 1 group"
    return f"{holds} Of {groups} shown, {sure:,} {are} then certain to be among the first {rows:,}."


def has_ranges(certificate: ReleaseCertificate) -> bool:
    """Whether any figure has an interval: not all of them were selected."""
    return certificate.laws is None or any(law != NoiseLaw.EXPONENTIAL.value for law in certificate.laws)


def recorded(certificate: ReleaseCertificate) -> str:
    """The ledger entries that charged the noisy numbers before; empty where all are new."""
    if not certificate.recorded:
        return ""
    *others, last = map(str, certificate.recorded)
    entries = f"entries {', '.join(others)} and {last}" if others else f"entry {last}"
    if certificate.is_free:
        return f"The noisy numbers were drawn and charged before, in ledger {entries}. This answer costs nothing."
    return f"Some of the noisy numbers were drawn and charged before, in ledger {entries}. Only the others are charged."


def _thresholded(certificate: ReleaseCertificate) -> str:
    """How private groups were found."""
    threshold = certificate.threshold
    least = WITHHELD if threshold is None else f"{math.ceil(Fraction(str(threshold)) * 100) / 100:.15g}"
    return f"groups with a noisy count of people below the threshold ({least}) are hidden"


def no_group(certificate: ReleaseCertificate) -> str:
    """Why an answer by private groups is empty, and the remedy."""
    c = certificate
    if c.threshold is None or APPLIED_AFTERWARDS in post_processing(c):
        return ""
    fewer = "" if 1 in (c.max_rows, c.max_groups) else ", or a smaller max_groups,"
    reached = f"{math.ceil(c.threshold * 100) / 100:,.15g}"
    more = f"A larger epsilon or delta{fewer} lowers this threshold."
    return f"No group is shown: none has a noisy count of at least {reached} people. {more}"


LAWS = {
    "laplace": "Laplace noise",
    "gaussian": "Gaussian noise",
    "exponential": "a private selection by rank (permute and flip)",
    "truncated": "truncated Laplace noise",
}
COLUMNS = {
    "share": "the share of epsilon",
    "sensitivity": "how far one privacy unit can move the number, over all groups (for a selection, its rank)",
    "scale": "the noise scale",
    "lattice step": "the noise is a multiple of this",
    "largest noise": "the noise is never larger",
}


def ranks(certificate: ReleaseCertificate) -> tuple[str, ...]:
    """The rank error of each selection, rounded up."""
    c, reached = certificate, certificate.rank_90 or ()
    selected = [(name, rank) for name, rank in zip(c.numbers, reached, strict=False) if rank is not None]
    sentences = [_rank(name, rank, c.max_rows) for name, rank in selected]
    return (*sentences, *([EXTREMES] if any(_EXTREME.match(name) for name, _ in selected) else []))


def _rank(name: str, rank: float, rows: int | None) -> str:
    """MIN and MAX count people; quantiles count rows, of which a person may have several.

    The ranks between a quantile and its nearest candidate are whole; an extreme may have no candidate at its rank.
    """
    if _EXTREME.match(name):
        misses = f"{math.ceil(10 * rank) / 10:,.15g} people"
        return f"{name}: with 90% probability its rank error exceeds that of the best candidate by at most {misses}"
    within = f"{math.floor(rank + 1e-9):,} {'people' if rows == 1 else 'values'}"
    true = "median" if name.startswith("MEDIAN") else "quantile"
    return f"{name}: with 90% probability its rank is within {within} of the true {true}, rounded to a candidate value"


def still_included(certificate: ReleaseCertificate) -> str:
    """Whom the answer is about under a budget per person; empty where there is none."""
    c = certificate
    if c.per_person is None:
        return ""
    delta = f" and delta {exactly(c.per_person_delta)}" if c.per_person_delta else ""
    return (
        f"The answer is about the people who are still included: each {c.unit} counts while their own total stays "
        f"within epsilon {c.per_person:.15g}{delta}"
    )


def rows_counted(certificate: ReleaseCertificate) -> str:
    """How many rows of one person count, where further rows are dropped."""
    c = certificate
    if c.max_rows is None or c.unit == PrivacyUnit().words or set(c.numbers) == {"count of persons"}:
        return ""
    counted = f"1 row of each {c.unit} counts" if c.max_rows == 1 else f"{c.max_rows:,} rows of each {c.unit} count"
    few = c.max_groups is not None and c.max_groups < c.max_rows
    groups = f", in at most {c.max_groups:,} group{'' if c.max_groups == 1 else 's'}" if few else ""
    return f"At most {counted}{groups}; further rows are left out"


def noise(certificate: ReleaseCertificate) -> str:
    """The noise: each distribution once, and the number of noisy numbers."""
    c = certificate
    laws = [LAWS.get(law, law) for law in dict.fromkeys(c.laws or (c.mechanism,))]
    calibrated = f", {c.calibration} calibration" if c.calibration else ""
    return ": ".join([f"{' and '.join(laws)}{calibrated}", *outputs(c)])


def outputs(certificate: ReleaseCertificate) -> tuple[str, ...]:
    """The number of noisy numbers, where that is public."""
    n = certificate.outputs
    return () if n is None else (f"{n:,} noisy number{'' if n == 1 else 's'}",)


def columns(names: Sequence[str]) -> str:
    """The meaning of each column of the noisy numbers."""
    return sentence("; ".join(f"{name}: {COLUMNS[name]}" for name in names if name in COLUMNS))


def moment(at: str) -> str:
    """A time as the ledger has it, for reading.

    >>> moment("2026-05-03T09:00:00+00:00")
    '2026-05-03 09:00:00 UTC'
    """
    return at.replace("T", " ").replace("+00:00", " UTC")
