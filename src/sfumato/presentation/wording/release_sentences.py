"""What an answer is: its noise, its ranges, what was done to it afterwards. Every such sentence stands here, once."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from fractions import Fraction

from sfumato.model.calibration import NoiseLaw
from sfumato.model.release import PostProcessing, ReleaseCertificate
from sfumato.presentation.wording.exposure_histogram_sentences import AFTERWARDS
from sfumato.presentation.wording.guarantee import WITHHELD, sentence

ALONE = "90 of 100 for the noise alone; clipping and dropped rows not covered"
NOISE_ONLY = f"{ALONE}; per figure, not jointly"
PICKED = "rows were picked by their noisy figures: of those that were, ranges hold less often"
COUNTS_ROUNDED = "counts are rounded to whole numbers and not below 0"
MEANS_DIVIDED = "a mean is a noisy sum over a noisy count, kept within its bounds"
VARIANCES_COMPOSED = "a variance is put together from three noisy numbers, kept between 0 and what the bounds allow"
APPLIED_AFTERWARDS = "HAVING, ORDER BY and LIMIT were applied to the noisy answer"
EXTREMES = (
    "the rank asked for of a MIN or MAX lies a few people inside it, so that among many more than these noise seldom "
    "points beyond everybody"
)
_EXTREME = re.compile(r"(MIN|MAX|QUANTILE_\w+ at [01]) of ")
AS_IT_LEFT = (
    "Answered from noisy numbers that were released before: nothing was charged. --redraw charges for new ones."
)
POST_PROCESSING: Mapping[str, str] = {
    PostProcessing.COUNTS_ROUNDED: COUNTS_ROUNDED,
    PostProcessing.MEANS_DIVIDED: MEANS_DIVIDED,
    PostProcessing.VARIANCES_COMPOSED: VARIANCES_COMPOSED,
    PostProcessing.APPLIED_AFTERWARDS: APPLIED_AFTERWARDS,
    PostProcessing.ROWS_PICKED: PICKED,
    PostProcessing.HISTOGRAM_READ: AFTERWARDS,
}


def post_processing(certificate: ReleaseCertificate) -> tuple[str, ...]:
    """What was done to the noisy numbers; what an earlier version stored as a sentence is one already."""
    known = {**POST_PROCESSING, PostProcessing.THRESHOLDED: _thresholded(certificate)}
    return tuple(known.get(step, step) for step in certificate.post_processing)


def ranges(certificate: ReleaseCertificate) -> str:
    """What the noise ranges cover; rows that noise helped to be picked lie further off than noise alone."""
    return f"{NOISE_ONLY}; {PICKED}" if PICKED in post_processing(certificate) else NOISE_ONLY


def has_ranges(certificate: ReleaseCertificate) -> bool:
    """Whether anything carries noise that has a range, and not all of it was selected."""
    return certificate.laws is None or any(law != NoiseLaw.EXPONENTIAL.value for law in certificate.laws)


def recorded(certificate: ReleaseCertificate) -> str:
    """Which entries the noisy numbers of an answer were charged in before; nothing where all were drawn for it."""
    if not certificate.recorded:
        return ""
    *others, last = map(str, certificate.recorded)
    entries = f"entries {', '.join(others)} and {last}" if others else f"entry {last}"
    if certificate.is_free:
        return f"The noisy numbers were drawn and charged before, in ledger {entries}: this answer costs nothing."
    return f"Some of the noisy numbers were drawn and charged before, in ledger {entries}: only the others are charged."


def _thresholded(certificate: ReleaseCertificate) -> str:
    """How private groups were found."""
    threshold = certificate.threshold
    so_many = WITHHELD if threshold is None else f"{math.ceil(Fraction(str(threshold)) * 100) / 100:.15g}"
    return f"a group is in the answer if its noisy count of persons reaches a threshold ({so_many})"


def no_group(certificate: ReleaseCertificate) -> str:
    """Why an answer by private groups is empty, and what would change it."""
    c = certificate
    if c.threshold is None or APPLIED_AFTERWARDS in post_processing(c):
        return ""
    fewer = "" if 1 in (c.max_rows, c.max_groups) else ", or a smaller max_groups,"
    reached = f"{math.ceil(c.threshold * 100) / 100:,.15g}"
    return f"No group reached {reached} noisy persons: a larger epsilon or delta{fewer} lowers that."


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


def ranks(certificate: ReleaseCertificate) -> tuple[str, ...]:
    """What holds of each selection, which has no noise range; rounded up."""
    c, reached = certificate, certificate.rank_90 or ()
    selected = [(name, rank) for name, rank in zip(c.numbers, reached, strict=False) if rank is not None]
    sentences = [_rank(name, rank, c.max_rows) for name, rank in selected]
    return (*sentences, *([EXTREMES] if any(_EXTREME.match(name) for name, _ in selected) else []))


def _rank(name: str, rank: float, rows: int | None) -> str:
    """An extreme is one a person; of a quantile the rows of somebody who has several count each."""
    counted = "people" if rows == 1 or _EXTREME.match(name) else "values"
    misses = f"{math.ceil(10 * rank) / 10:,.15g} {counted}"
    return f"{name}: its rank misses by at most {misses} more than that of the best candidate, 90 of 100"


def noise(certificate: ReleaseCertificate) -> str:
    """What was drawn: each law once, and how many numbers."""
    c = certificate
    laws = [LAWS.get(law, law) for law in dict.fromkeys(c.laws or (c.mechanism,))]
    calibrated = f", {c.calibration} calibration" if c.calibration else ""
    return ": ".join([f"{' and '.join(laws)}{calibrated}", *outputs(c)])


def outputs(certificate: ReleaseCertificate) -> tuple[str, ...]:
    """How many noisy numbers, where that is public."""
    n = certificate.outputs
    return () if n is None else (f"{n:,} noisy number{'' if n == 1 else 's'}",)


def columns(names: Sequence[str]) -> str:
    """What the figures of each noisy number are."""
    return sentence("; ".join(f"{name}: {COLUMNS[name]}" for name in names if name in COLUMNS))


def moment(at: str) -> str:
    """A time as the ledger has it, for reading.

    >>> moment("2026-05-03T09:00:00+00:00")
    '2026-05-03 09:00:00 UTC'
    """
    return at.replace("T", " ").replace("+00:00", " UTC")
