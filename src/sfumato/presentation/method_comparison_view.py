"""A comparison of methods: one figure and one table."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, TypeVar

from sfumato.model.expected_interval import ExpectedCount
from sfumato.model.method_comparison import Method, MethodComparison, Together
from sfumato.presentation.document import (
    CONTROLLER_ONLY,
    Cells,
    CodeLines,
    Document,
    Heading,
    Items,
    Prose,
    beside_pages,
    in_html,
    on_page,
)
from sfumato.presentation.figures.figure import Figure
from sfumato.presentation.figures.marks import Pin, Span, Verdict
from sfumato.presentation.figures.plotly import page_plotly
from sfumato.presentation.figures.scale import Axis
from sfumato.presentation.risk.profile import ranges
from sfumato.presentation.wording import guarantee as of_guarantee
from sfumato.presentation.wording import method_comparison_sentences as of_compare
from sfumato.presentation.wording import risk_sentences as of_risk
from sfumato.presentation.wording.numbers import percent_up

Compared = TypeVar("Compared", bound=MethodComparison)
CONFIDENTIAL = "from individual risks (confidential)"
WIDEST = 132


def figure(comparison: MethodComparison) -> Figure:
    """A bar for each method whose epsilons are known, the intersection of the stated ones, and the choice."""
    together = comparison.together
    spans = [
        _method_span(method, comparison) for method in comparison.methods if of_compare.has_epsilons(method.interval)
    ]
    pins = []
    if together is not None:
        several = sum(method.requested for method in comparison.methods) > 1
        if several and together.interval is not None and of_compare.has_epsilons(together.interval):
            label = of_compare.all_stated(by_rule=comparison.by_rule)
            spans.append(_span(label, together.interval, "chosen", together.guarantee.value))
        pins = [Pin(together.epsilon, f"epsilon {together.epsilon:.4g}")] if together.epsilon else []
    return Figure(
        title=of_compare.COMPARED,
        subtitle=of_compare.compared(comparison),
        x=Axis("epsilon", scale="log"),
        y=Axis("method"),
        marks=(*spans, *pins),
        note=of_compare.COMPARED_BARS,
    )


def page_figure(comparison: MethodComparison) -> dict[str, Any]:
    """The same for a page of the server; intervals are rounded inward."""
    picture = figure(comparison)
    drawn = page_plotly(picture)
    drawn["data"][0]["text"] = [
        of_compare.epsilons((span.low, span.high)) + (" ▶" if span.high > picture.across.high else "")
        for span in picture.of(Span)
    ]
    return drawn


def document(comparison: MethodComparison) -> Document:
    """The epsilons of each method: a figure, a table, and notes."""
    picture, query = figure(comparison), CodeLines(comparison.query, _noise(comparison))
    listed, concluded = notes(comparison), conclusions(comparison)
    *more, conclusion = concluded
    blocks = (
        *((in_html(CONTROLLER_ONLY),) if comparison.confidential else ()),
        on_page(
            Prose(of_compare.compared(comparison), "lead"),
            Heading("Query"),
            query,
            Heading("Epsilons of each method"),
            Prose(conclusion, "lead"),
            replace(picture, title="", subtitle=""),
            Heading("Guarantee, risk and requirements"),
        ),
        beside_pages(picture, query),
        Cells(*methods(comparison), of_compare.COMPARED, widest=WIDEST),
        on_page(Heading("Notes"), Items([*listed, *more])),
        beside_pages(Items(listed), *map(Prose, concluded)),
    )
    return Document(of_compare.COMPARED, blocks)


def methods(comparison: MethodComparison, *, whole: bool = False) -> tuple[list[str], list[list[str]]]:
    """A row per method; after the stated ones, their intersection. Figures from individual risks have their own column.

    `whole`: attack success in whole percent, rounded up.
    """
    requested = [method for method in comparison.methods if method.requested]
    others = [method for method in comparison.methods if not method.requested]
    both, expected = comparison.together if len(requested) > 1 else None, comparison.expected_count
    rows = [
        *(_cells(_name(method, comparison), method, of_compare.needs(method), whole, expected) for method in requested),
        *([_cells(of_compare.all_stated(by_rule=comparison.by_rule), both, "", whole, expected)] if both else []),
        *(_cells(method.words, method, of_compare.needs(method), whole, expected) for method in others),
    ]
    columns = list(rows[0])
    if not comparison.looked:
        columns.remove(CONFIDENTIAL)
    return columns, [[row[name] for name in columns] for row in rows]


def worded(comparison: Compared) -> Compared:
    """With the reason why a method has no interval, as a sentence."""
    methods = tuple(replace(method, why=of_compare.why(method)) for method in comparison.methods)
    return replace(comparison, methods=methods)


def notes(comparison: MethodComparison, *, on_a_page: bool = False) -> list[str]:
    """Why a method has no interval, or chooses an epsilon that is not one of its ends."""
    whys: dict[str, list[str]] = {}
    for row in comparison.methods:
        why = of_compare.why(row, on_a_page=on_a_page)
        if why and (row.epsilon is None or row.epsilon not in (row.interval or ())):
            whys.setdefault(why, []).append(row.words)
    return [f"{'; '.join(names)}: {why}" for why, names in whys.items()]


def conclusions(comparison: MethodComparison) -> list[str]:
    """Notes on the table, and last the result of the stated preferences."""
    ranked = any(row.at is not None and row.at.rank_90 for row in comparison.methods)
    sentences = [
        of_compare.COMPARED_FROM_DATA if comparison.from_data else of_compare.COMPARED_MEANING,
        of_risk.noisy_parts(comparison),
        of_risk.MISSED_RANKS if ranked else "",
        of_compare.COMPARED_EXAMPLES if comparison.together is None else of_compare.COMPARED_OTHERS,
    ]
    together = comparison.together
    sentences += [] if together is None else [of_compare.intersected(together, by_rule=comparison.by_rule)]
    return [sentence for sentence in sentences if sentence]


def _method_span(method: Method, comparison: MethodComparison) -> Span:
    in_conflict = comparison.together is not None and method.requested and method.words in comparison.together.conflict
    word = () if method.guarantee is None else (method.guarantee.value,)
    note = " · ".join((*word, of_compare.needs(method)))
    return _span(_name(method, comparison), method.interval, "over" if in_conflict else "ok", note)


def _span(label: str, interval: tuple[float, float] | None, mark: Verdict, note: str) -> Span:
    return Span(label, *of_compare.ends(interval or (0.0, 0.0)), mark, note, of_compare.epsilons(interval))


def _cells(
    name: str, row: Method | Together, needs: str, whole: bool, expected: ExpectedCount | None
) -> dict[str, str]:
    return {
        "method": name,
        "epsilon": "" if row.of_people else _epsilons(row),
        CONFIDENTIAL: _epsilons(row) if row.of_people else "",
        "guarantee": "–" if row.guarantee is None or _infeasible(row) else row.guarantee.value,
        of_risk.range_heading(expected): "–" if row.at is None else ranges(row.at, expected),
        "attack success": "–" if row.at is None else percent_up(row.at.attack_chance, 0 if whole else 1),
        "needs": needs,
    }


def _name(method: Method, comparison: MethodComparison) -> str:
    return of_compare.whose(method, by_rule=comparison.by_rule)


def _epsilons(row: Method | Together) -> str:
    if row.interval is None and row.epsilon is not None:
        return f"{row.epsilon:g}"
    return of_compare.NO_EPSILON if _infeasible(row) else of_compare.epsilons(row.interval)


def _infeasible(row: Method | Together) -> bool:
    return isinstance(row, Together) and not row.feasible


def _noise(comparison: MethodComparison) -> str:
    delta = f", delta {of_guarantee.exactly(comparison.noise.delta)}" if comparison.noise.delta else ""
    return f"{comparison.noise.mechanism} noise{delta}.".capitalize()
