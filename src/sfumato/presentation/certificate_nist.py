"""Answers of a certificate to the questions of NIST SP 800-226, and what it does not cover."""

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
        "The noise, or the release, was decided after someone had looked at the data, and is declared to have "
        "been fixed before. If that is true, epsilon bounds what this release can reveal about any one person, "
        "whatever an attacker already knows."
    ),
    Guarantee.SELECTED: (
        "Epsilon was selected from the data by a private mechanism, which was charged too. How it was selected, "
        "or the release, was decided after someone had looked at the data, and is declared to have been fixed "
        "before. If that is true, what both can reveal about any one person is bounded, whatever an attacker "
        "already knows."
    ),
}
DECIDED = {
    "policy": "by the preregistered rule",
    "blind": "by a person, from public facts",
    "looked": "by a person, after someone had looked at the data",
}
FIXED = {
    "planned": "before anyone had looked at the data",
    "separated": "by people who had not viewed individual risks, after others had (see the assumptions)",
    "attested": "before anyone had looked, by declaration of a person (see the assumptions)",
    "after-look": "after a look at the data",
}
BOUNDS = {
    "codebook": "stated in the schema from public knowledge, before anyone had looked at the data",
    "separated": "stated in the schema after individual risks were viewed, by a person who had not viewed them",
    "attested": "stated in the schema after a look at the data, and declared to have been fixed before it",
    "data": "taken from the data, or stated after a look at it: they bound nothing",
}
CENTRAL = (
    "The central model: the controller holds the table, runs the query and is trusted. The guarantee is about"
    " the released answer, for any recipient."
)
SIDE_CHANNELS = (
    "They are not covered: neither the time that a query takes, nor what a computer shows to its other users."
)
NIST = (
    "After the pyramid of the Guidelines for Evaluating Differential Privacy Guarantees (March 2025), from "
    "the top down. The wording is ours."
)
NOT_STATED = "Not stated."
LIMITS = (
    "Facts about people like you: they can be learned whether or not you are included.",
    "What others know, or release elsewhere about the same people: only this ledger is added up.",
    "Anyone who can read the table itself, or observe the computer at work.",
    "Any case in which an assumption is false.",
    "Accuracy: intervals cover the noise only.",
)
NOTHING_PROMISED = (
    "Everything: nothing bounds what this release reveals about anyone, or adds to other releases from the same data."
)


def meaning(certificate: ReleaseCertificate) -> str:
    """What the guarantee means, and whether it rests on a declaration."""
    declared = of_guarantee.is_declared(certificate)
    return (DECLARED if declared else of_guarantee.MEANINGS)[certificate.guarantee]


def strength(certificate: ReleaseCertificate) -> str:
    """Epsilon and delta as a ratio of probabilities."""
    c = certificate
    if c.promised is None or not c.guarantee.holds:
        return of_guarantee.without(c)
    factor = f"e^{c.promised:.15g}"
    if c.promised <= 10:
        factor += f" (less than {math.floor(1000 * math.exp(c.promised) + 1) / 1000:,.15g})"
    beyond = f", except with probability {of_guarantee.exactly(c.delta)}" if c.delta else ""
    likely = f"at most {factor} times as likely as from a neighbouring table{beyond}"
    selected = c.guarantee is Guarantee.SELECTED  # another epsilon would have given another answer
    return f"{of_guarantee.guarantee(c)} {'This answer' if selected else 'Any answer'} is {likely}."


def choosing(certificate: ReleaseCertificate) -> str:
    """How epsilon was chosen, by whom and when."""
    c = certificate
    why = "" if c.why is None else f" {c.why}"
    planned = "" if c.planned_at is None else f" Recorded in the ledger {of_release.moment(c.planned_at)}."
    who = "" if c.released_by is None else f" Released by {c.released_by}, {of_release.moment(c.released_at)}."
    return f"{of_guarantee.sentence(c.method)}{why} {decision(c)}{planned}{who}"


def decision(certificate: ReleaseCertificate) -> str:
    """Who decided, and when it was fixed."""
    c = certificate
    what = "The preference was decided" if c.guarantee is Guarantee.SELECTED else "Decided"
    return f"{what} {DECIDED[c.decided_by]}; fixed {FIXED[c.fixed]}."


def mechanism(certificate: ReleaseCertificate) -> str:
    """The noise; where epsilon was selected privately, that too."""
    noise = of_guarantee.sentence(of_release.noise(certificate))
    if certificate.guarantee is not Guarantee.SELECTED:
        return noise
    return f"{noise} Before it, epsilon was selected privately, with its own noise, for {certificate.select_epsilon:g}."


def looked(certificate: ReleaseCertificate) -> str:
    """Whether the data had been looked at, according to the ledger."""
    if certificate.looked is None:
        return NOT_STATED
    seen = "the data had been looked at" if certificate.looked else "no one had looked at the data"
    return f"According to the ledger, {seen} before this release."


def bounds(certificate: ReleaseCertificate) -> str:
    """What limits the influence of one person, and its source."""
    source = certificate.bounds_source
    if source is None:
        return NOT_STATED
    kept = "Values are clamped to the bounds; unlisted categories and values of another type are left out."
    return f"The sensitivities follow from bounds, categories and types, which were {BOUNDS[source]}. {kept}"


def contribution(certificate: ReleaseCertificate) -> str:
    """The privacy unit."""
    c = certificate
    if not c.guarantee.holds:
        return f"No one. The noise was drawn for {of_guarantee.protected(c)}."
    unit = of_guarantee.sentence(of_guarantee.privacy_unit(c))
    return f"{unit} {of_guarantee.sentence(of_guarantee.ROW_BY_ROW)}" if c.unit == PrivacyUnit().words else unit


def neighbours(certificate: ReleaseCertificate) -> str:
    """The difference of neighbouring tables."""
    replaced = certificate.relation == Relation.REPLACE.value
    differ = "replaced by any other (replace)" if replaced else "added or removed (add-remove)"
    return f"Tables that differ by {of_guarantee.protected(certificate)} {differ}."


def drawing(certificate: ReleaseCertificate) -> str:
    """What drew the noise, and why rounding reveals nothing."""
    c = certificate
    if c.sampler is None:
        return NOT_STATED
    computed = f" The exact totals were computed by {c.engine}." if c.engine else ""
    return (
        f"By {c.sampler}. Totals and noise are whole multiples of a lattice step, so that floating-point rounding "
        f"reveals nothing.{computed}"
    )


def afterwards(certificate: ReleaseCertificate) -> str:
    done = "; ".join(of_release.post_processing(certificate))
    return f"{of_guarantee.sentence(done)} It uses the noisy numbers only." if done else "None."


def usefulness(certificate: ReleaseCertificate) -> str:
    c = certificate
    if c.noise_90 is None:
        return f"Intervals: {of_guarantee.WITHHELD}."
    ranges = [of_guarantee.sentence(of_release.ranges(c))] if of_release.has_ranges(c) else []
    return " ".join([*ranges, *map(of_guarantee.sentence, of_release.ranks(c))])


def questions(certificate: ReleaseCertificate) -> tuple[tuple[str, str], ...]:
    """The questions of NIST SP 800-226, from the top of its pyramid down."""
    c = certificate
    return (
        ("How strong is the guarantee?", strength(c)),
        ("Who is protected?", contribution(c)),
        ("Which tables are neighbours?", neighbours(c)),
        ("Which mechanism was used?", mechanism(c)),
        ("What bounds the sensitivity?", bounds(c)),
        ("How were the parameters chosen, by whom and when?", choosing(c)),
        ("What else was released?", of_ledger.total(c)),
        ("How was the noise drawn?", drawing(c)),
        ("Which post-processing was done?", afterwards(c)),
        ("How accurate is the answer?", usefulness(c)),
        ("Who has to be trusted?", CENTRAL),
        ("Are side channels covered?", SIDE_CHANNELS),
        ("Had anyone looked at the data?", looked(c)),
    )


def limits(certificate: ReleaseCertificate) -> tuple[str, ...]:
    """What a guarantee does not cover."""
    if not certificate.guarantee.holds:
        return (NOTHING_PROMISED,)
    delta = ", with a larger delta" if certificate.delta else ""
    spent = "what was spent" if certificate.guarantee is Guarantee.SELECTED else "epsilon"
    family = f"Groups, such as a family, to the same degree: n people together are protected by n times {spent}{delta}."
    rows = [of_guarantee.sentence(of_guarantee.ROW_BY_ROW)] if certificate.unit == PrivacyUnit().words else []
    return (*rows, family, *LIMITS)
