"""What a certificate says to those who were not there: the questions of NIST SP 800-226, and what is not promised."""

from __future__ import annotations

import math

from sfumato.model.guarantee import Guarantee
from sfumato.model.release import ReleaseCertificate
from sfumato.model.schema import PrivacyUnit, Relation
from sfumato.presentation.wording import guarantee as of_guarantee
from sfumato.presentation.wording import ledger_sentences as of_ledger
from sfumato.presentation.wording import release_sentences as of_release

DECLARED = {
    Guarantee.DP: (
        "How wide the noise is, or that this left, was decided after somebody had looked at the people, and is "
        "declared to have been fixed before. If that is true, what this release may tell about any one of them is "
        "bounded by epsilon, whoever they are and whatever else is known about them."
    ),
    Guarantee.SELECTED: (
        "How wide the noise is was selected from the data by a mechanism that is private itself, and charged as well. "
        "How it was selected, or that this left, was decided after somebody had looked at the people, and is declared "
        "to have been fixed before. If that is true, what both may tell about any one of the people is bounded, "
        "whatever else is known about them."
    ),
}
DECIDED = {
    "policy": "by the rule of record, as it stands",
    "blind": "by a person, from what is public",
    "looked": "by a person, after somebody had looked at the people",
}
FIXED = {
    "planned": "before anyone had looked at the people",
    "separated": "by people who had not viewed individual risks, after others had (see what is assumed)",
    "attested": "beforehand, at the word of a person (see what is assumed)",
    "after-look": "after a look at the people",
}
BOUNDS = {
    "codebook": "stated in the schema before anyone had looked at the people, from what is publicly known",
    "separated": "stated in the schema after individual risks were viewed, by a person who had not viewed them",
    "attested": "stated in the schema after a look at the people, and said to have been fixed before it",
    "data": "read off the data, or stated after a look at the people: they bound nothing",
}
CENTRAL = (
    "The central model: whoever holds the table and runs the query sees the people themselves, and is trusted. The "
    "promise is about what leaves, whoever receives it."
)
SIDE_CHANNELS = (
    "They are not covered: how long a query takes is not hidden, nor what a computer shows to others who use it."
)
NIST = (
    "After the pyramid of its Guidelines for Evaluating Differential Privacy Guarantees (March 2025), from the top "
    "down; the wording is ours."
)
NOT_STATED = "Not stated."
LIMITS = (
    "That nothing is learned about people like you: what is true of them can be found whether you are in it or not.",
    "Anything about what others know, or release elsewhere about the same people: only this ledger is added up.",
    "Anything against those who can read the table itself, or watch the computer at work.",
    "Anything, if what is assumed is not true.",
    "That the answer is near the truth: noise ranges cover the noise, and nothing else.",
)
NOTHING_PROMISED = (
    "Anything: there is no bound on what this release tells about anybody, nor on what it adds to others that are made "
    "of the same data."
)


def meaning(certificate: ReleaseCertificate) -> str:
    """What the word means; where it rests on a declaration, that it does."""
    declared = of_guarantee.is_declared(certificate)
    return (DECLARED if declared else of_guarantee.MEANINGS)[certificate.guarantee]


def strength(certificate: ReleaseCertificate) -> str:
    """What epsilon and delta mean, as odds."""
    c = certificate
    if c.promised is None or not c.guarantee.holds:
        return f"Not at all. {of_guarantee.without(c)}"
    factor = f"e^{c.promised:.15g}"
    if c.promised <= 10:
        factor += f" (less than {math.floor(1000 * math.exp(c.promised) + 1) / 1000:,.15g})"
    beyond = f", but for a probability of {of_guarantee.exactly(c.delta)}" if c.delta else ""
    likely = f"at most {factor} times as likely as from a neighbouring table{beyond}"
    selected = c.guarantee is Guarantee.SELECTED  # of another epsilon, something else would have left
    return f"{of_guarantee.guarantee(c)} {'What left' if selected else 'Whatever leaves'} is {likely}."


def choosing(certificate: ReleaseCertificate) -> str:
    """How epsilon came about, by whom and when."""
    c = certificate
    why = "" if c.why is None else f" {c.why}"
    planned = "" if c.planned_at is None else f" Entered in the ledger {of_release.moment(c.planned_at)}."
    who = "" if c.released_by is None else f" Released by {c.released_by}, {of_release.moment(c.released_at)}."
    decided = "The preference was decided" if c.guarantee is Guarantee.SELECTED else "Decided"
    how = f"{of_guarantee.sentence(c.method)}{why} {decided} {DECIDED[c.decided_by]}"
    return f"{how}; fixed {FIXED[c.fixed]}.{planned}{who}"


def mechanism(certificate: ReleaseCertificate) -> str:
    """What was drawn; where epsilon was selected, that too."""
    noise = of_guarantee.sentence(of_release.noise(certificate))
    if certificate.guarantee is not Guarantee.SELECTED:
        return noise
    return (
        f"{noise} Before it a private selection of epsilon, with noise of its own, for {certificate.select_epsilon:g}."
    )


def looked(certificate: ReleaseCertificate) -> str:
    """Whether the people had been looked at, as far as the ledger knows."""
    if certificate.looked is None:
        return NOT_STATED
    who = "Somebody had" if certificate.looked else "Nobody had"
    return f"{who} looked at the people before this release, as far as the ledger knows."


def bounds(certificate: ReleaseCertificate) -> str:
    """What limits the influence of one person, and who says so."""
    source = certificate.bounds_source
    if source is None:
        return NOT_STATED
    kept = "Values are brought within the bounds; unlisted categories and values of another type are left out."
    return f"The sensitivities follow from bounds, categories and types, which were {BOUNDS[source]}. {kept}"


def contribution(certificate: ReleaseCertificate) -> str:
    """Who is protected, and with how much."""
    c = certificate
    who = of_guarantee.protected(c)
    if not c.guarantee.holds:
        return f"Nobody. The noise was drawn for {who}."
    if c.unit == PrivacyUnit().words:
        return f"{of_guarantee.sentence(who)} {of_guarantee.sentence(of_guarantee.ROW_BY_ROW)}"
    rows = "" if c.max_rows is None else f", of which at most {c.max_rows:,} count in a query"
    rows += "" if c.max_groups is None else f", in at most {c.max_groups:,} of its groups"
    return of_guarantee.sentence(f"{who}, with all their rows{rows}")


def neighbours(certificate: ReleaseCertificate) -> str:
    """What two tables differ in between which the promise holds."""
    if certificate.relation == Relation.REPLACE.value:
        return f"The same table with {of_guarantee.protected(certificate)} replaced by any other (replace)."
    return f"The same table with {of_guarantee.protected(certificate)} more or less (add-remove)."


def drawing(certificate: ReleaseCertificate) -> str:
    """What drew the noise, and why rounding tells nothing."""
    c = certificate
    if c.sampler is None:
        return NOT_STATED
    return (
        f"By {c.sampler}: totals are whole numbers of grid steps and so is what is drawn, so that no rounding of "
        "floating-point numbers tells anything about them."
    )


def afterwards(certificate: ReleaseCertificate) -> str:
    done = "; ".join(of_release.post_processing(certificate))
    return f"{of_guarantee.sentence(done)} This reads nothing but what was drawn." if done else "Nothing."


def usefulness(certificate: ReleaseCertificate) -> str:
    c = certificate
    if c.noise_90 is None:
        return f"Noise ranges: {of_guarantee.WITHHELD}."
    ranges = [f"Noise ranges: {of_release.ranges(c)}."] if of_release.has_ranges(c) else []
    return " ".join([*ranges, *map(of_guarantee.sentence, of_release.ranks(c))])


def questions(certificate: ReleaseCertificate) -> tuple[tuple[str, str], ...]:
    """What NIST SP 800-226 asks of a promise of differential privacy, from the top of its pyramid down."""
    c = certificate
    return (
        ("How strong is the promise?", strength(c)),
        ("Who is protected?", contribution(c)),
        ("Which tables are neighbours?", neighbours(c)),
        ("Which mechanism was it?", mechanism(c)),
        ("How far can one person move it, and who says so?", bounds(c)),
        ("How were the parameters chosen, by whom and when?", choosing(c)),
        ("What else was released?", of_ledger.total(c)),
        ("How was the noise drawn?", drawing(c)),
        ("What was done afterwards?", afterwards(c)),
        ("How useful is the answer?", usefulness(c)),
        ("Who has to be trusted?", CENTRAL),
        ("What of side channels?", SIDE_CHANNELS),
        ("Who could see the people themselves?", looked(c)),
    )


def limits(certificate: ReleaseCertificate) -> tuple[str, ...]:
    """What a release does not promise."""
    if not certificate.guarantee.holds:
        return (NOTHING_PROMISED,)
    delta = ", with a larger delta" if certificate.delta else ""
    spent = "what was spent" if certificate.guarantee is Guarantee.SELECTED else "epsilon"
    family = f"As much to several people together, such as a family: n of them are protected by n times {spent}{delta}."
    rows = [f"As much to everybody: {of_guarantee.ROW_BY_ROW}."] if certificate.unit == PrivacyUnit().words else []
    return (*rows, family, *LIMITS)
