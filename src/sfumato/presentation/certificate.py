"""A certificate: its facts a line each, and as a page to print or to file. The answer is not on it."""

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
    """With sentences in place of codes: as Python and JSON show it."""
    done = of_release.post_processing(certificate)
    return replace(certificate, assumed=assumed(certificate), post_processing=done)


def worded_json(facts: Mapping[str, Any]) -> dict[str, Any]:
    """Facts that a certificate is stored among, with its sentences; without one as they are."""
    stored = facts.get("certificate")
    if stored is None:
        return dict(facts)
    certificate = worded(ReleaseCertificate.from_dict(stored))
    sentences = {"assumed": list(certificate.assumed), "post_processing": list(certificate.post_processing)}
    return {**facts, "certificate": {**stored, **sentences}}


def worded_answers(facts: Mapping[str, Any]) -> dict[str, Any]:
    """The same of several answers, each with its certificate."""
    return {**facts, "answers": list(map(worded_json, facts["answers"]))}


def certificate_text(certificate: ReleaseCertificate) -> str:
    """Everything a certificate states, a line each."""
    c = certificate
    lines = [
        ("guarantee", f"{_word(c)}: {of_guarantee.guarantee(c)}"),
        *([("declared", of_guarantee.declarations(c))] if of_guarantee.is_declared(c) else []),
        ("for the people", of_guarantee.promise(c)),
        ("dataset", c.dataset),
        *([("population", c.population)] if c.population else []),
        ("query", c.query),
        ("query sha256", c.query_sha256),
        ("protected", f"{of_guarantee.protected(c)}, relation {c.relation}"),
        ("epsilon", _or_withheld(c.epsilon)),
        ("delta", of_guarantee.exactly(c.delta)),
        ("charged", _or_withheld(c.charged)),
        *([("together", of_guarantee.together(c))] if c.batch else []),
        *([("recorded", of_release.recorded(c))] if c.recorded else []),
        ("chosen by", f"{c.method} (decided by: {c.decided_by}; fixed: {c.fixed})"),
        *([("because", c.why)] if c.why else []),
        *([("entered", c.planned_at)] if c.planned_at else []),
        ("mechanism", ", ".join([c.mechanism, *of_release.outputs(c)])),
        *([("calibration", c.calibration)] if c.calibration else []),
        *(("  number", f"{c.numbers[i]}: {', '.join(_figures(c, i))}") for i in range(len(c.numbers))),
        ("noise range", _ranges(c)),
        *(("selected", sentence) for sentence in of_release.ranks(c)),
        ("afterwards", "; ".join(of_release.post_processing(c)) or "nothing"),
        *([("bounds", nist.BOUNDS[c.bounds_source])] if c.bounds_source else []),
        *(("assumed", assumption) for assumption in assumed(c)),
        ("in all", of_ledger.total(c)),
        ("ledger entry", "not recorded" if c.ledger_entry is None else f"{c.ledger_entry}"),
        *([("looked", nist.looked(c))] if c.looked is not None else []),
        ("released", f"{c.released_at} by {c.released_by}" if c.released_by else c.released_at),
        *([("drawn by", f"{c.sampler}; {c.software}")] if c.sampler else []),
        *(("not promised", sentence) for sentence in nist.limits(c)),
    ]
    return Document(TITLE, (FactRows(lines),)).text()


def document(certificate: ReleaseCertificate, place: str = "") -> Document:
    """All that stands on the page of a certificate; `place` is which release of several it is."""
    c = certificate
    columns, numbers = _numbers(c)
    withheld = "" if c.scale else of_guarantee.sentence(f"How wide it is: {of_guarantee.WITHHELD}")
    more = [sentence for sentence in (nist.meaning(c), of_guarantee.declarations(c)) if sentence]
    blocks: tuple[Block, ...] = (
        Prose("" if c.guarantee.holds else of_guarantee.without(c), "warning"),
        Prose(f"{c.dataset} · {of_release.moment(c.released_at)} · {_entry(c)}", "soft"),
        Callout(f"Guarantee: {_word(c)}", of_guarantee.promise(c), more, good=c.guarantee.holds),
        FactRows(_at_a_glance(c)),
        Heading("The query"),
        CodeLines(c.query),
        Prose(f"SHA-256 {c.query_sha256}", "soft break"),
        Heading("The noise"),
        *([Cells(["number", *columns], numbers, f"Each noisy number{place}")] if numbers else []),
        Prose(of_release.columns(columns) if numbers else "", "soft"),
        Prose(withheld),
        Heading("What was assumed"),
        Items([of_guarantee.sentence(assumption) for assumption in assumed(c)]),
        Heading("The questions of NIST SP 800-226"),
        Prose(nist.NIST, "soft"),
        FactRows(nist.questions(c), questions=True),
        Heading("What this does not promise"),
        Items(nist.limits(c)),
    )
    return Document(TITLE, blocks)


def certificate_page(certificate: ReleaseCertificate) -> str:
    """One page, to print or to file."""
    footer = f"Written by {certificate.software or 'sfumato'}. The answer itself is not on this page."
    return document(certificate).page(footer)


def _at_a_glance(c: ReleaseCertificate) -> list[tuple[str, str]]:
    return [
        ("In the field’s words", of_guarantee.guarantee(c)),
        ("Epsilon", _or_withheld(c.epsilon)),
        ("Delta", of_guarantee.exactly(c.delta)),
        ("Charged", _or_withheld(c.charged)),
        *([("Together", of_guarantee.together(c))] if c.batch else []),
        *([("Recorded", of_release.recorded(c))] if c.recorded else []),
        ("Chosen by", c.method),
        *([("Because", c.why)] if c.why else []),
        ("In all", of_ledger.total(c)),
    ]


def _known(c: ReleaseCertificate) -> Mapping[str, Sequence[str | float | None] | None]:
    """What each number has, by column; None where it is withheld."""
    figures = {"share": c.shares, "sensitivity": c.sensitivity, "scale": c.scale, "grid step": c.grid_step}
    return {"law": c.laws} | figures | {"reach": _reach(c)}


def _numbers(c: ReleaseCertificate) -> tuple[list[str], list[list[str]]]:
    """A table of the noisy numbers; columns that are withheld are left out."""
    columns = {name: values for name, values in _known(c).items() if values is not None}
    cells = zip(c.numbers, *columns.values(), strict=True) if c.numbers else ()
    return list(columns), [["" if cell is None else _figure(cell) for cell in row] for row in cells]


def _figures(c: ReleaseCertificate, position: int) -> list[str]:
    """What is known of one number; that it is withheld or that there is none is told of the scale alone."""
    figures = []
    for name, values in _known(c).items():
        value = None if values is None else values[position]
        if value is not None:
            figures.append(f"{name} {_figure(value)}")
        elif name == "scale":
            figures.append(f"{name} {of_guarantee.WITHHELD}" if values is None else "selected by its rank")
    return figures


def _reach(c: ReleaseCertificate) -> tuple[str, ...] | None:
    """Rounded up: what is printed as "at most" must be."""
    return None if c.reach is None else tuple(map(of_guarantee.rounded_up, c.reach))


def _ranges(c: ReleaseCertificate) -> str:
    if c.noise_90 is None:
        return of_guarantee.WITHHELD
    return of_release.ranges(c) if of_release.has_ranges(c) else "there is none"


def _word(c: ReleaseCertificate) -> str:
    return of_guarantee.worded(c.guarantee, declared=of_guarantee.is_declared(c))


def _entry(c: ReleaseCertificate) -> str:
    return "not recorded" if c.ledger_entry is None else f"ledger entry {c.ledger_entry}"


def _figure(value: str | float) -> str:
    return value if isinstance(value, str) else f"{value:g}"


def _or_withheld(figure: float | None) -> str:
    return of_guarantee.WITHHELD if figure is None else f"{figure:.15g}"
