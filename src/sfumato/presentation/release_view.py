"""A released answer, as text and as HTML."""

from __future__ import annotations

import math
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from typing import Any

from sfumato.model.release import Answer, Interval, ReleaseCertificate
from sfumato.model.schema import Type
from sfumato.presentation.document import Cells, CodeLines, Document, Prose, in_html, in_text
from sfumato.presentation.figures.plotly import STILL, shown_text
from sfumato.presentation.wording import guarantee as of_guarantee
from sfumato.presentation.wording import ledger_sentences as of_ledger
from sfumato.presentation.wording import release_sentences as of_release

MOST_CHARTS = 8
INTERVAL, BEHIND = "90% interval", "count behind it"
LONGEST = 24  # letters of a name below a chart
_EXACT = Context(prec=1000)  # digits, more than any float has


def document(answer: Answer, certificate: ReleaseCertificate, place: str = "see .certificate") -> Document:
    """The answer with its intervals, the guarantee, the budget, and where the certificate is."""
    guarantee, used = of_guarantee.guarantee(certificate), of_ledger.used(certificate)
    lines, more = (guarantee, used, f"Certificate: {place}"), notes(answer, certificate)
    return Document(
        "",
        (
            Cells(*cells(answer), caption=guarantee),
            in_text(CodeLines("\n".join(more)), CodeLines("\n".join(lines))),
            in_html(*map(Prose, (*more, *lines[1:]))),
        ),
    )


def cells(answer: Answer) -> tuple[list[str], list[list[str]]]:
    """The answer's columns, each figure followed by its noise interval and the count behind it, where it has them."""
    columns: list[str] = []
    rows: list[list[str]] = [[] for _ in answer.rows]
    for position, name in enumerate(answer.columns):
        columns.append(name)
        intervals = [row[position] for row in answer.intervals or ()]
        for line, row, interval in zip(rows, answer.rows, intervals or [None] * len(rows), strict=True):
            both = rounded(row[position], interval)
            line.extend(both if any(intervals) else both[:1])
        if any(intervals):
            columns.append(INTERVAL)
        counts = [row[position] for row in answer.behind]
        if any(count is not None for count in counts):
            columns.append(BEHIND)
            for line, count in zip(rows, counts, strict=True):
                line.append(_figure(count))
    return columns, rows


def charts(answer: Answer) -> list[dict[str, Any]]:
    """A chart for each figure of an answer with several rows: a label, and Plotly's JSON.

    Colours are names of the palette, as in `page_plotly`.
    """
    drawn = [i for i, type_ in enumerate(answer.types) if answer.ranged[i] and type_ in (Type.INTEGER, Type.NUMBER)]
    return [_chart(answer, position) for position in drawn[:MOST_CHARTS]] if len(answer.rows) > 1 else []


def _chart(answer: Answer, position: int) -> dict[str, Any]:
    keys = [i for i, ranged in enumerate(answer.ranged) if not ranged]
    title, by = answer.columns[position], ", ".join(answer.columns[i] for i in keys)
    noise = "with 90% intervals" if answer.intervals is not None else "noise size withheld"
    names = [shown_text(" · ".join("" if row[i] is None else str(row[i]) for i in keys)) for row in answer.rows]
    values: list[Any] = [row[position] for row in answer.rows]
    intervals = [row[position] for row in answer.intervals] if answer.intervals is not None else [None] * len(values)
    both = list(zip(values, intervals, strict=True))
    whole = answer.types[position] is Type.INTEGER
    ups, downs = ([0 if ends is None else abs(ends[side] - value) for value, ends in both] for side in (1, 0))
    trace = {
        "type": "bar" if whole else "scatter",
        **({} if whole else {"mode": "markers"}),
        "marker": {"color": "var(--chosen)", **({"opacity": 0.75} if whole else {"size": 9})},
        "x": list(range(len(names))),
        "y": values,
        "error_y": {"type": "data", "symmetric": False, "array": ups, "arrayminus": downs, "color": "var(--ink)"},
        "hovertext": [f"{name}<br>{_reading(*pair)}" for name, pair in zip(names, both, strict=True)],
        "hovertemplate": "%{hovertext}<extra></extra>",
    }
    axis = {"gridcolor": "var(--grid)", "zerolinecolor": "var(--line)", "linecolor": "var(--line)", **STILL}
    short = [name if len(name) <= LONGEST else f"{name[: LONGEST - 1]}…" for name in names]
    layout = {
        "height": 340,
        "margin": {"t": 36, "r": 10, "b": 40, "l": 50},
        "title": {"text": shown_text(title), "font": {"size": 15}, "x": 0, "xanchor": "left"},
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "xaxis": axis | {"showgrid": False, "zeroline": False, "tickvals": trace["x"], "ticktext": short},
        "yaxis": axis | {"rangemode": "tozero" if whole else "normal"},
    }
    label = f"{title}{f' by {by}' if by else ''}, {noise}. The table has the figures."
    return {"label": label, "data": [trace], "layout": layout}


def _reading(value: object, interval: Interval | None) -> str:
    figure, ends = rounded(value, interval)
    return figure if interval is None else f"{figure}, {INTERVAL} {ends}"


def rounded(value: object, interval: Interval | None) -> list[str]:
    """A figure and its interval to two digits of the interval's half-width; the interval is rounded outward.

    >>> rounded(-3.14159, (-4.5678, 12.3456)), rounded(1234, (1211.2, 1257.4)), rounded(0.5, None)
    (['−3.1', '−4.6 to 12.4'], ['1,234', '1,211 to 1,258'], ['0.5', ''])
    """
    if interval is None or not isinstance(value, int | float) or not all(map(math.isfinite, interval)):
        return [_signed(_figure(value)) if isinstance(value, int | float) else _figure(value), ""]
    low, high = map(Decimal, interval)  # exactly
    if low == high:
        return [_signed(_figure(value)), f"{_signed(_figure(value))} to {_signed(_figure(value))}"]
    places = 0 if isinstance(value, int) else min(12, max(0, 1 - ((high - low) / 2).adjusted()))
    precision = Decimal(1).scaleb(-places)
    ends = low.quantize(precision, ROUND_FLOOR, _EXACT), high.quantize(precision, ROUND_CEILING, _EXACT)
    figure, *reach = (_signed(f"{number:,.{places}f}") for number in (value, *ends))
    return [figure, " to ".join(reach)]


def _signed(figure: str) -> str:
    return figure.replace("-", "−", 1) if figure.startswith("-") else figure


def _figure(value: object) -> str:
    if isinstance(value, bool) or value is None:
        return "" if value is None else str(value).lower()
    if isinstance(value, int):
        return f"{value:,}"
    return f"{value:,.6g}" if isinstance(value, float) else str(value)


def notes(answer: Answer, certificate: ReleaseCertificate) -> list[str]:
    """What the intervals cover, the rank error of selections, and the rows that count; or why an answer is empty."""
    if not answer.rows:
        return [note for note in [of_release.no_group(certificate)] if note]
    ranged = answer.intervals is not None and any(answer.ranged)
    return [
        *([of_guarantee.sentence(of_release.ranges(certificate))] if ranged else []),
        *map(of_guarantee.sentence, of_release.ranks(certificate)),
        *map(of_guarantee.sentence, filter(None, [of_release.rows_counted(certificate)])),
    ]
