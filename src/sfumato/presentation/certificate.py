"""A certificate as text and as a page. The answer is not on it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from sfumato.model.release import ReleaseCertificate
from sfumato.presentation import certificate_nist as nist
from sfumato.presentation.document import Block, Callout, Cells, CodeLines, Document, FactRows, Heading, Items, Prose
from sfumato.presentation.wording import guarantee as of_guarantee
from sfumato.presentation.wording import ledger_sentences as of_ledger
from sfumato.presentation.wording import release_sentences as of_release
from sfumato.presentation.wording.assumptions import assumed

TITLE = "Certificate of a release"
Certified = TypeVar("Certified", bound=ReleaseCertificate)


def worded(certificate: Certified) -> Certified:
    """With sentences in place of codes, for Python and JSON."""
    done = of_release.post_processing(certificate)
    return replace(certificate, assumed=assumed(certificate), post_processing=done)


def worded_json(facts: Mapping[str, Any]) -> dict[str, Any]:
    """Facts with their certificate in sentences, if they have one."""
    stored = facts.get("certificate")
    if stored is None:
        return dict(facts)
    certificate = worded(ReleaseCertificate.from_dict(stored))
    sentences = {"assumed": list(certificate.assumed), "post_processing": list(certificate.post_processing)}
    return {**facts, "certificate": {**stored, **sentences}}


def certificate_text(certificate: ReleaseCertificate) -> str:
    """The whole certificate, a line for each fact."""
    c = certificate
    lines = [
        ("Guarantee", f"{of_guarantee.guarantee(c)} ({_word(c)})"),
        *_present(("Declaration", of_guarantee.declarations(c))),
        ("Attack success", of_guarantee.promise(c)),
        ("Dataset", c.dataset),
        *_present(("Population", c.population), ("Cohort", c.cohort)),
        ("Query", c.query),
        ("Query SHA-256", c.query_sha256),
        ("Privacy unit", f"{of_guarantee.privacy_unit(c)}, {c.relation}"),
        *_spending(c),
        ("Decision", nist.decision(c)),
        *_present(("Planned", c.planned_at)),
        ("Mechanism", ", ".join([c.mechanism, *of_release.outputs(c)])),
        *_present(("Calibration", c.calibration)),
        *(("Noise", f"{c.numbers[i]}: {', '.join(_figures(c, i))}") for i in range(len(c.numbers))),
        ("Intervals", _ranges(c)),
        *(("Selection", sentence) for sentence in of_release.ranks(c)),
        ("Post-processing", "; ".join(of_release.post_processing(c)) or "no steps"),
        *_present(("Bounds", nist.BOUNDS[c.bounds_source] if c.bounds_source else "")),
        *(("Assumption", assumption) for assumption in assumed(c)),
        ("Total", of_ledger.total(c)),
        ("Ledger entry", "not recorded" if c.ledger_entry is None else f"{c.ledger_entry}"),
        *([("Looks", nist.looked(c))] if c.looked is not None else []),
        ("Released", f"{c.released_at} by {c.released_by}" if c.released_by else c.released_at),
        *([("Software", "; ".join(filter(None, (c.sampler, c.engine, c.software))))] if c.sampler else []),
        *(("Not covered", sentence) for sentence in nist.limits(c)),
    ]
    return Document(TITLE, (FactRows(lines),)).text()


def document(certificate: ReleaseCertificate, place: str = "") -> Document:
    """The page of a certificate; `place` says which of several releases it is."""
    c = certificate
    columns, numbers = _numbers(c)
    withheld = "" if c.scale else of_guarantee.sentence(f"noise scale: {of_guarantee.WITHHELD}")
    more = [sentence for sentence in (nist.meaning(c), of_guarantee.declarations(c)) if sentence]
    blocks: tuple[Block, ...] = (
        Prose("" if c.guarantee.holds else of_guarantee.without(c), "warning"),
        Prose(f"{c.dataset} · {of_release.moment(c.released_at)} · {_entry(c)}", "soft"),
        Callout(f"Guarantee: {_word(c)}", of_guarantee.promise(c), more, good=c.guarantee.holds),
        FactRows([("Guarantee", of_guarantee.guarantee(c)), *_spending(c), ("Total", of_ledger.total(c))]),
        Heading("Query"),
        CodeLines(c.query),
        Prose(f"SHA-256 {c.query_sha256}", "soft break"),
        Heading("Noise"),
        *([Cells(["number", *columns], numbers, f"Noisy numbers{place}")] if numbers else []),
        Prose(of_release.columns(columns) if numbers else "", "soft"),
        Prose(withheld),
        Heading("Assumptions"),
        Items([of_guarantee.sentence(assumption) for assumption in assumed(c)]),
        Heading("Questions of NIST SP 800-226"),
        Prose(nist.NIST, "soft"),
        FactRows(nist.questions(c), questions=True),
        Heading("Not covered by the guarantee"),
        Items(nist.limits(c)),
    )
    return Document(TITLE, blocks)


def certificate_page(certificate: ReleaseCertificate) -> str:
    """One page, to print or to file."""
    footer = f"Written by {certificate.software or 'sfumato'}. The answer is not on this page."
    return document(certificate).page(footer)


def _spending(c: ReleaseCertificate) -> list[tuple[str, str]]:
    """Epsilon and delta, what was charged for them, and how epsilon was chosen."""
    return [
        ("Epsilon", _or_withheld(c.epsilon)),
        ("Delta", of_guarantee.exactly(c.delta)),
        ("Charged", _or_withheld(c.charged)),
        *_present(("Group", of_guarantee.of_group(c)), ("Budget per person", of_release.still_included(c))),
        *_present(("Batch", of_guarantee.together(c)), ("Drawn before", of_release.recorded(c))),
        ("Method", c.method),
        *_present(("Reason", c.why)),
    ]


def _present(*rows: tuple[str, str | None]) -> list[tuple[str, str]]:
    return [(label, value) for label, value in rows if value]


def _known(c: ReleaseCertificate) -> Mapping[str, Sequence[str | float | None] | None]:
    """The figures of each noisy number by column; None where they are withheld."""
    figures = {"share": c.shares, "sensitivity": c.sensitivity, "scale": c.scale, "lattice step": c.grid_step}
    return {"distribution": c.laws} | figures | {"largest noise": _reach(c)}


def _numbers(c: ReleaseCertificate) -> tuple[list[str], list[list[str]]]:
    """A table of the noisy numbers, without withheld columns."""
    columns = {name: values for name, values in _known(c).items() if values is not None}
    cells = zip(c.numbers, *columns.values(), strict=True) if c.numbers else ()
    return list(columns), [["" if cell is None else _figure(cell) for cell in row] for row in cells]


def _figures(c: ReleaseCertificate, position: int) -> list[str]:
    """The known figures of one number; only the scale says why there is none."""
    figures = []
    for name, values in _known(c).items():
        value = None if values is None else values[position]
        if value is not None:
            figures.append(f"{name} {_figure(value)}")
        elif name == "scale":
            figures.append(f"{name} {of_guarantee.WITHHELD}" if values is None else "selected by rank")
    return figures


def _reach(c: ReleaseCertificate) -> tuple[str, ...] | None:
    """Rounded up: what is printed as "at most" must be."""
    return None if c.reach is None else tuple(map(of_guarantee.rounded_up, c.reach))


def _ranges(c: ReleaseCertificate) -> str:
    if c.noise_90 is None:
        return of_guarantee.WITHHELD
    return of_release.ranges(c) if of_release.has_ranges(c) else "no figure has an interval"


def _word(c: ReleaseCertificate) -> str:
    return of_guarantee.worded(c.guarantee, declared=of_guarantee.is_declared(c))


def _entry(c: ReleaseCertificate) -> str:
    return "not recorded" if c.ledger_entry is None else f"ledger entry {c.ledger_entry}"


def _figure(value: str | float) -> str:
    return value if isinstance(value, str) else f"{value:g}"


def _or_withheld(figure: float | None) -> str:
    return of_guarantee.WITHHELD if figure is None else f"{figure:.15g}"
