"""The noise of a query: how far it goes how often, and from which answer on that is little; with its curves."""

from __future__ import annotations

import math
from dataclasses import dataclass

from sfumato.model.calibration import NoiseLaw
from sfumato.model.noise_view import ColumnNoise, NoiseTail, NoiseTerms, NoiseView
from sfumato.model.release import ReleaseCertificate
from sfumato.presentation.document import Cells, CodeLines, Document, Prose
from sfumato.presentation.figures.curves import mta_curves, noise_curves
from sfumato.presentation.figures.figure import Figure
from sfumato.presentation.figures.scale import Axis
from sfumato.presentation.wording import guarantee as of_guarantee
from sfumato.presentation.wording import noise_sentences as of_noise
from sfumato.presentation.wording.numbers import number, percent
from sfumato.privacy.noise.intervals import reach
from sfumato.release.risk.noise_plan import NoisePlan

KINDS = ("noise", "least", "least-by-error")
_ADDED = (NoiseLaw.LAPLACE, NoiseLaw.GAUSSIAN, NoiseLaw.TRUNCATED)
_ERROR = Axis("relative error", "%")


def document(view: NoiseView) -> Document:
    """A row per column and epsilon, then what its columns mean."""
    heads, rows = table(view)
    return Document("", (CodeLines(f"Noise of {view.query}"), Cells(heads, rows), *map(Prose, sentences(view))))


def meaningful_answer(certificate: ReleaseCertificate) -> float | None:
    """The smallest true answer that was off by at most 10% of itself with 90% probability, of one figure (MTA)."""
    scale, laws = certificate.scale, certificate.laws
    if scale is None or laws is None or len(scale) != 1 or scale[0] is None or laws[0] not in _ADDED:
        return None
    furthest = math.inf if certificate.reach is None else certificate.reach[0]
    return reach(NoiseLaw(laws[0]), scale[0], furthest=furthest) / NoiseTerms().relative_error


def meaningful_text(certificate: ReleaseCertificate) -> str:
    """The same as a sentence; empty where there is no such figure."""
    least = meaningful_answer(certificate)
    return "" if least is None else of_noise.meaningful(least)


def table(view: NoiseView) -> tuple[list[str], list[list[str]]]:
    """Heads and rows: noise at each probability, and the smallest meaningful answer."""
    several = len({column.column for column in view.columns}) > 1
    heads = [*(["column"] if several else []), "epsilon", "noise scale"]
    heads += [f"{percent(p)} of the time" for p in view.terms.probabilities]
    heads += ["answer at least", *(["large enough"] if _has_guess(view.terms) else [])]
    return heads, [_row(column, view, several) for column in view.columns]


def sentences(view: NoiseView) -> list[str]:
    """What the columns of the table mean."""
    terms = view.terms
    averages = [column for column in view.columns if _is_average(column)]
    ranked = any(tail.rank is not None for column in view.columns for tail in column.tails)
    notes = [
        of_noise.at_least(terms.probabilities, averages=bool(averages)),
        of_noise.least(terms) if any(column.least is not None for column in view.columns) else "",
        of_noise.least_count(terms) if averages else "",
        of_noise.without_count() if averages and terms.expected_count is None else "",
        of_noise.RANKED if ranked else "",
        *(of_noise.expected(terms, column) for column in view.columns if column.tails[0].relative_error is not None),
        of_noise.PUBLIC,
    ]
    return [sentence for sentence in notes if sentence]


def figure(plan: NoisePlan, kind: str = "noise") -> Figure | None:
    """Figure 1 or 2 of the DIFF paper for this query; None where there is nothing to draw."""
    if kind == "noise":
        curves = plan.noise_curves()
        return noise_curves(curves, plan.view.query) if curves else None
    by_error = kind == "least-by-error"
    least = plan.least_by_error() if by_error else plan.least_curves()
    if not least:
        return None
    if by_error:
        least = {label: [(100 * x, y) for x, y in course] for label, course in least.items()}
        return mta_curves(least, plan.view.query, _ERROR)
    return mta_curves(least, plan.view.query)


@dataclass(frozen=True)
class WordedNoise(NoiseView):
    """With its table and its sentences."""

    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    sentences: tuple[str, ...]


def worded(view: NoiseView) -> WordedNoise:
    heads, rows = table(view)
    return WordedNoise(**vars(view), heads=tuple(heads), rows=tuple(map(tuple, rows)), sentences=tuple(sentences(view)))


def _row(column: ColumnNoise, view: NoiseView, several: bool) -> list[str]:
    met = {True: ["yes"], False: ["no"], None: ["–"]}[column.is_met] if _has_guess(view.terms) else []
    return [
        *([column.column] if several else []),
        f"{column.epsilon:g}",
        "–" if column.scale is None else number(column.scale, 4),
        *map(_tail, column.tails),
        _least(column),
        *met,
    ]


def _tail(tail: NoiseTail) -> str:
    if tail.rank is not None:
        return f"{math.ceil(tail.rank):,} ranks"
    return "–" if tail.noise is None else number(tail.noise, 4)


def _least(column: ColumnNoise) -> str:
    if column.least_count is not None:
        return f"{column.least_count:,} values"
    if column.least is None:
        return "–"
    return f"{math.ceil(column.least):,}" if column.least > 10 else of_guarantee.rounded_up(column.least)


def _is_average(column: ColumnNoise) -> bool:
    return column.scale is None and column.least is None and all(tail.rank is None for tail in column.tails)


def _has_guess(terms: NoiseTerms) -> bool:
    return terms.expected is not None or terms.expected_count is not None
