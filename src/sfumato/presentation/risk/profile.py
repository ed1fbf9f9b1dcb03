"""The risk gap at each candidate epsilon, as a figure and as tables."""

from __future__ import annotations

from sfumato.model.expected_interval import ExpectedCount, ExpectedInterval
from sfumato.model.risk import RiskAt, RiskView, Source
from sfumato.presentation.figures.figure import Figure
from sfumato.presentation.figures.marks import Limit, Range
from sfumato.presentation.figures.marks import Verdict as Mark
from sfumato.presentation.figures.scale import Axis
from sfumato.presentation.wording import guarantee as of_guarantee
from sfumato.presentation.wording import risk_sentences as of_risk
from sfumato.presentation.wording.choosing import interval
from sfumato.presentation.wording.numbers import number, percent, percent_up

_NOISE = {"laplace": "Laplace", "gaussian": "Gaussian", "truncated": "truncated"}
GAP = Axis("risk gap", unit="×", scale="log")


def figure(view: RiskView, limit: float | None = None, chosen: float | None = None) -> Figure:
    """A bar for each epsilon, from the lowest to the highest risk, and the limit if there is one."""
    ranges = tuple(Range(row.epsilon, 1.0, row.gap, _mark(row, limit, chosen)) for row in view.candidates)
    limits = (Limit(limit, f"your limit {limit:.3g}×"),) if limit is not None else ()
    return Figure(
        title="Risk gap at each epsilon",
        subtitle=of_risk.source(view),
        x=Axis("epsilon"),
        y=GAP,
        marks=(*ranges, *limits),
        note=of_risk.GAP_IS_NO_PROBABILITY,
    )


def candidates(view: RiskView) -> tuple[list[str], list[list[str]]]:
    """A row per candidate epsilon; for private keys also the smallest group that is shown.

    Bounds are rounded up. A private histogram has those of the worst case; what it estimates is in `estimates`.
    """
    rows = view.candidates
    chances = [percent_up(row.attack_chance, places=1) for row in rows]
    columns = {"epsilon": [f"{row.epsilon:g}" for row in rows]}
    if view.source is Source.EXPOSURE_HISTOGRAM:
        columns["risk gap (at most)"] = [f"{_up(row.gap)}×" for row in rows]
    else:
        columns["risk gap"] = [f"{row.gap:.4g}×" for row in rows]
        columns["ratio"] = [f"{row.ratio:.4g}" for row in rows]
    columns[of_risk.range_heading(view.expected_count)] = [ranges(row, view.expected_count) for row in rows]
    columns["attack success"] = chances
    if view.together is not None:
        groups = [of_guarantee.rounded_up(row.together_epsilon or 0.0) for row in rows]
        columns[f"epsilon of any {view.together} together"] = groups
    if any(row.threshold is not None for row in rows):
        columns["smallest group shown"] = [f"about {number(row.threshold or 0.0, 4)} people" for row in rows]
    return list(columns), [list(cells) for cells in zip(*columns.values(), strict=True)]


def estimates(view: RiskView) -> tuple[list[str], list[list[str]]]:
    """The estimates of a private histogram at each candidate epsilon, if any."""
    rows = [(row.epsilon, row.estimate) for row in view.candidates if row.estimate is not None]
    return (
        ["epsilon", "estimated risk gap", "estimated attack success"],
        [[f"{at:g}", f"{number(each.gap, 4)}×", percent(each.attack_chance)] for at, each in rows],
    )


def _up(bound: float) -> str:
    """Rounded up, except for float noise on a round figure."""
    return of_guarantee.rounded_up(round(bound, 9))


def ranges(row: RiskAt, expected: ExpectedCount | None = None) -> str:
    """The noise (90%) of each noisy number; at an expected count, the interval of each figure of the answer.

    For a selection it is the rank error.
    """
    if expected is not None and (answers := [a for a in row.answers if a.count in (None, expected.count)]):
        named = len(answers) > 1
        return " · ".join(f"{a.column} {interval(a)}" if named else interval(a) for a in answers)
    ranks = row.rank_90 or (None,) * len(row.noise_90)
    return " · ".join(_range(half, rank) for half, rank in zip(row.noise_90, ranks, strict=True))


def half_width(row: RiskAt, expected: ExpectedCount | None = None) -> float | None:
    """How far the first figure of the answer is off, with 90% probability: by its noise, or by its rank.

    Of an average wherever it lies within its bounds; None where that is anywhere.
    """
    first = next(iter(_figures(row, expected)), None)
    if first is None:
        return next(iter(row.noise_90), None)
    return first.rank if first.half_width is None else first.at_most


def first_figure(row: RiskAt, expected: ExpectedCount | None = None) -> tuple[str, str]:
    """The name of the first figure, where there are several of an answer, and its interval."""
    figures = _figures(row, expected)
    if not figures:
        return "", ranges(row, expected).split(" · ")[0]
    return figures[0].column if len(figures) > 1 else "", interval(figures[0])


def _figures(row: RiskAt, expected: ExpectedCount | None) -> list[ExpectedInterval]:
    """The figures of the answer at an expected count."""
    return [a for a in row.answers if a.count in (None, None if expected is None else expected.count)]


def _range(half: float | None, rank: float | None) -> str:
    if half is not None:
        return f"±{number(half, 4)}"
    return "by rank" if rank is None else f"rank ±{number(rank, 4)}"


def size(view: RiskView) -> str:
    """The number of people and noisy numbers, and the mechanism."""
    about = "About " if view.exposure_histogram is not None else ""
    people = "" if view.people is None else f"{about}{view.people:,} people, "
    numbers = "private group keys" if view.outputs is None else f"{view.outputs:,} noisy numbers"
    numbers = "1 noisy number" if view.outputs == 1 else numbers
    exact = ", exact RDR" if view.exact else ""
    return f"{people}{numbers}, {_NOISE[view.mechanism]} noise{exact}."


def _mark(row: RiskAt, limit: float | None, chosen: float | None) -> Mark:
    if chosen is not None and row.epsilon == chosen:
        return "chosen"
    return "ok" if limit is None or row.gap <= limit * (1 + 1e-12) else "over"
