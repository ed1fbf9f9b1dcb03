"""A released answer and its certificate, as text and as HTML."""

from __future__ import annotations

from sfumato.model.release import Answer, Certificate, Interval
from sfumato.views import words
from sfumato.views.figure import plain
from sfumato.views.html import html_table, preformatted
from sfumato.views.table import table


def answer_text(answer: Answer, certificate: Certificate) -> str:
    return f"{table(*_cells(answer))}\n\n{words.guarantee(certificate)} {_range_note(answer, certificate)}".rstrip()


def answer_html(answer: Answer, certificate: Certificate) -> str:
    return html_table(*_cells(answer), caption=words.guarantee(certificate))


def certificate_html(certificate: Certificate) -> str:
    return preformatted(certificate_text(certificate))


def certificate_text(certificate: Certificate) -> str:
    """Everything a certificate states, a line each."""
    c = certificate
    lines = [
        ("guarantee", f"{c.guarantee.value}: {words.guarantee(c)}"),
        ("for the people", words.promise(c)),
        ("dataset", c.dataset),
        ("query", c.query),
        ("query sha256", c.query_sha256),
        ("protected", f"{words.protected(c)}, relation {c.relation}"),
        ("epsilon", _or_withheld(c.epsilon)),
        ("delta", f"{c.delta:g}"),
        ("charged", _or_withheld(c.charged)),
        ("chosen by", f"{c.method} (decided by: {c.decided_by}; fixed: {c.fixed})"),
        ("mechanism", c.mechanism if c.outputs is None else f"{c.mechanism}, {c.outputs} noisy numbers"),
        *(_number_line(c, position) for position in range(len(c.numbers))),
        ("noise range", words.ranges(c) if c.noise_90 is not None else words.WITHHELD),
        ("afterwards", "; ".join(c.post_processing) or "nothing"),
        *(("assumed", assumption) for assumption in c.assumed),
        ("in all", words.total(c)),
        ("ledger entry", "not recorded" if c.ledger_entry is None else f"{c.ledger_entry}"),
        ("released", c.released_at),
    ]
    return "\n".join(f"{name + ':':<16} {plain(text)}" for name, text in lines)


def _number_line(c: Certificate, position: int) -> tuple[str, str]:
    scale = "scale " + (words.WITHHELD if c.scale is None else f"{c.scale[position]:g}")
    known = zip(("sensitivity", "grid step"), (c.sensitivity, c.grid_step), strict=True)
    figures = [f"{name} {values[position]:g}" for name, values in known if values is not None]
    return ("  number", ", ".join([f"{c.numbers[position]}: {figures[0]}", scale, *figures[1:]]))


def _or_withheld(figure: float | None) -> str:
    return words.WITHHELD if figure is None else f"{figure:.15g}"


def _cells(answer: Answer) -> tuple[list[str], list[list[str]]]:
    """The answer's columns, each figure followed by its noise range where there is one."""
    columns: list[str] = []
    rows: list[list[str]] = [[] for _ in answer.rows]
    for position, name in enumerate(answer.columns):
        columns.append(name)
        for cells, row in zip(rows, answer.rows, strict=True):
            cells.append(_figure(row[position]))
        ranges = [row[position] for row in answer.ranges or ()]
        if any(ranges):
            columns.append("90 of 100")
            for cells, interval in zip(rows, ranges, strict=True):
                cells.append(_interval(interval))
    return columns, rows


def _figure(value: object) -> str:
    if isinstance(value, bool) or value is None:
        return "" if value is None else str(value).lower()
    if isinstance(value, int):
        return f"{value:,}"
    return f"{value:,.6g}" if isinstance(value, float) else str(value)


def _interval(interval: Interval | None) -> str:
    return "" if interval is None else f"{interval[0]:,.6g} – {interval[1]:,.6g}"


def _range_note(answer: Answer, certificate: Certificate) -> str:
    return "" if answer.ranges is None else f"Ranges: {words.ranges(certificate)}."
