"""A released histogram of a column: a picture for each group, and what goes with any released answer."""

from __future__ import annotations

from collections.abc import Sequence

from sfumato.model.release import Answer, ReleaseCertificate
from sfumato.presentation.document import CodeLines, Document, Prose, in_html, in_text
from sfumato.presentation.figures.figure import Figure
from sfumato.presentation.figures.marks import Bars
from sfumato.presentation.figures.scale import Axis
from sfumato.presentation.release_view import notes
from sfumato.presentation.wording import guarantee as of_guarantee
from sfumato.presentation.wording import ledger_sentences as of_ledger
from sfumato.sql.parser.histogram_query import HistogramQuery


def figures(query: HistogramQuery, answer: Answer, certificate: ReleaseCertificate, unit: str = "") -> list[Figure]:
    """Noisy counts of each bin, by group; a bin that is not in the answer is not possible under its WHERE."""
    reach = (certificate.noise_90 or (None,))[0] or 0.0
    groups: dict[tuple[object, ...], list[float]] = {}
    for row in answer.rows:
        *keys, start, count = row
        heights = groups.setdefault(tuple(keys), [0.0] * (query.last - query.first + 1))
        heights[query.position(float(start))] = float(count)  # type: ignore[arg-type]  # both are numbers
    return [_figure(query, keys, heights, reach, unit) for keys, heights in groups.items()]


def _figure(query: HistogramQuery, keys: Sequence[object], heights: Sequence[float], reach: float, unit: str) -> Figure:
    group = ", ".join(f"{name} = {key}" for name, key in zip(query.by, keys, strict=True))
    bars = Bars(query.edges, tuple(heights), reach)
    return Figure(f"Histogram of {query.column}", group, Axis(query.column, unit), Axis("count"), (bars,))


def document(
    pictures: Sequence[Figure], answer: Answer, certificate: ReleaseCertificate, place: str = "see .certificate"
) -> Document:
    """The pictures, what their noise means, the guarantee, the budget, and where the certificate is."""
    lines = (of_guarantee.guarantee(certificate), of_ledger.used(certificate), f"Certificate: {place}")
    more = notes(answer, certificate)
    return Document(
        "",
        (
            *pictures,
            in_text(CodeLines("\n".join(more)), CodeLines("\n".join(lines))),
            in_html(*map(Prose, (*more, *lines))),
        ),
    )
