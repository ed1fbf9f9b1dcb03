"""A released answer, as text and as HTML."""

from __future__ import annotations

from html import escape

from sfumato.model.release import Answer, Certificate, Interval
from sfumato.views.figure import plain
from sfumato.views.html import html_table
from sfumato.views.table import table
from sfumato.views.words import of_guarantee, of_release


def answer_text(answer: Answer, certificate: Certificate) -> str:
    return f"{figures(answer)}\n\n{' '.join([of_guarantee.guarantee(certificate), *notes(answer, certificate)])}"


def figures(answer: Answer) -> str:
    """The answer alone, with its noise ranges."""
    return table(*cells(answer))


def answer_html(answer: Answer, certificate: Certificate) -> str:
    below = "".join(f"<p>{escape(plain(note))}</p>" for note in notes(answer, certificate))
    return f"<div>{html_table(*cells(answer), caption=of_guarantee.guarantee(certificate))}{below}</div>"


def cells(answer: Answer) -> tuple[list[str], list[list[str]]]:
    """The answer's columns, each figure followed by its noise range where there is one."""
    columns: list[str] = []
    rows: list[list[str]] = [[] for _ in answer.rows]
    for position, name in enumerate(answer.columns):
        columns.append(name)
        for line, row in zip(rows, answer.rows, strict=True):
            line.append(_figure(row[position]))
        ranges = [row[position] for row in answer.ranges or ()]
        if any(ranges):
            columns.append("90 of 100")
            for line, interval in zip(rows, ranges, strict=True):
                line.append(_interval(interval))
    return columns, rows


def _figure(value: object) -> str:
    if isinstance(value, bool) or value is None:
        return "" if value is None else str(value).lower()
    if isinstance(value, int):
        return f"{value:,}"
    return f"{value:,.6g}" if isinstance(value, float) else str(value)


def _interval(interval: Interval | None) -> str:
    return "" if interval is None else f"{interval[0]:,.6g} – {interval[1]:,.6g}"


def notes(answer: Answer, certificate: Certificate) -> list[str]:
    """What the ranges cover, and what holds of selections instead, each where there is one; of no row, why."""
    if not answer.rows:
        return [note for note in [of_release.no_group(certificate)] if note]
    ranged = answer.ranges is not None and any(answer.ranged)
    return [
        *([f"Ranges: {of_release.ranges(certificate)}."] if ranged else []),
        *map(of_guarantee.sentence, of_release.ranks(certificate)),
    ]
