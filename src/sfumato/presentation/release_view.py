"""A released answer, as text and as HTML."""

from __future__ import annotations

from sfumato.model.release import Answer, ReleaseCertificate
from sfumato.presentation.document import Cells, CodeLines, Document, Prose, SvgPictures, in_html, in_text
from sfumato.presentation.wording import guarantee as of_guarantee
from sfumato.presentation.wording import ledger_sentences as of_ledger
from sfumato.presentation.wording import release_sentences as of_release
from sfumato.presentation.wording.numbers import figure_text, rounded_figure

MOST_DRAWN, MOST_CHARTS = 60, 4  # rows and columns of a notebook's charts
INTERVAL, BEHIND = of_release.INTERVAL, "count behind it"


def document(answer: Answer, certificate: ReleaseCertificate, place: str = "see .certificate") -> Document:
    """The answer with its intervals, the guarantee, the budget, and where the certificate is."""
    guarantee, used = of_guarantee.guarantee(certificate), of_ledger.used(certificate)
    lines, more = (guarantee, used, f"Certificate: {place}"), notes(answer, certificate)
    return Document(
        "",
        (
            Cells(*cells(answer), caption=guarantee),
            in_text(CodeLines("\n".join(more)), CodeLines("\n".join(lines))),
            in_html(SvgPictures(lambda: _pictures(answer)), *map(Prose, (*more, *lines[1:]))),
        ),
    )


def _pictures(answer: Answer) -> list[str]:
    from sfumato.presentation.answer_chart import answer_charts, picture

    drawn = answer.intervals is not None and len(answer.rows) <= MOST_DRAWN
    return [picture(chart) for chart in answer_charts(answer)[:MOST_CHARTS]] if drawn else []


def cells(answer: Answer) -> tuple[list[str], list[list[str]]]:
    """The answer's columns, each figure followed by its noise interval and the count behind it, where it has them."""
    columns: list[str] = []
    rows: list[list[str]] = [[] for _ in answer.rows]
    for position, name in enumerate(answer.columns):
        columns.append(name)
        intervals = [row[position] for row in answer.intervals or ()]
        for number, (line, interval) in enumerate(zip(rows, intervals or [None] * len(rows), strict=True)):
            if answer.is_rolled_up(number, position):
                line.append(of_release.ALL)
                continue
            both = rounded_figure(answer.rows[number][position], interval)
            line.extend(both if any(intervals) else both[:1])
        if any(intervals):
            columns.append(INTERVAL)
        counts = [row[position] for row in answer.behind]
        if any(count is not None for count in counts):
            columns.append(BEHIND)
            for line, count in zip(rows, counts, strict=True):
                line.append(figure_text(count))
    if answer.ranking is not None:
        columns.append(of_release.TRUE_RANK)
        for line, ranks in zip(rows, answer.ranking.ranks, strict=True):
            line.append(of_release.rank_range(ranks))
    return columns, rows


def notes(answer: Answer, certificate: ReleaseCertificate) -> list[str]:
    """What the intervals cover, what the order is worth, the rank error of selections, and the rows that count.

    Or why an answer is empty.
    """
    if not answer.rows:
        return [note for note in [of_release.no_group(certificate)] if note]
    ranged = answer.intervals is not None and any(answer.ranged)
    return [
        *([of_guarantee.sentence(of_release.ranges(certificate))] if ranged else []),
        *map(of_guarantee.sentence, of_release.totals(certificate)),
        *([] if answer.ranking is None else [of_release.ranking(answer.ranking, answer.columns)]),
        *map(of_guarantee.sentence, of_release.ranks(certificate)),
        *map(of_guarantee.sentence, filter(None, [of_release.rows_counted(certificate)])),
        *map(of_guarantee.sentence, filter(None, [of_release.still_included(certificate)])),
    ]
