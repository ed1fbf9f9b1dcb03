"""Figures of what an epsilon does, from numbers that are computed elsewhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from sfumato.presentation.figures.figure import Figure
from sfumato.presentation.figures.marks import Limit, Line, Pin, Points
from sfumato.presentation.figures.scale import Axis
from sfumato.presentation.wording import pictures as of_pictures
from sfumato.presentation.wording.numbers import number, percent, percent_up

Course: TypeAlias = Sequence[tuple[float, float]]

EPSILON = Axis("epsilon", scale="log")
HUNDRED = (0.0, 20.0, 40.0, 60.0, 80.0, 100.0)


def response_curves(worlds: Mapping[str, Course], response: float | None = None, subtitle: str = "") -> Figure:
    """How likely each answer is in each possible world, and the answer that was seen (LC Fig. 1 and 3)."""
    seen = () if response is None else (Pin(response, f"the answer {number(response)}"),)
    axes = Axis("noisy answer"), Axis("density", start=0)
    return Figure(of_pictures.WORLDS_TITLE, subtitle, *axes, (*_lines(worlds), *seen), of_pictures.WORLDS)


def belief_curves(curves: Mapping[str, Course], limit: float | None = None, subtitle: str = "") -> Figure:
    """The largest belief about who is missing at each epsilon; a curve per domain (LC Fig. 2)."""
    limits = () if limit is None else (Limit(100 * limit, f"at most {percent(limit)}"),)
    lines = _lines({label: [(epsilon, 100 * belief) for epsilon, belief in at] for label, at in curves.items()})
    axes = Axis("epsilon"), Axis("posterior belief at most", "%", ticks=HUNDRED)
    return Figure(of_pictures.BELIEF_TITLE, subtitle, *axes, (*lines, *limits), of_pictures.BELIEF)


def noise_curves(curves: Mapping[str, Course], subtitle: str = "") -> Figure:
    """The probability that noise is at least this large; a curve per epsilon (DIFF Fig. 1)."""
    lines = _lines({label: [(100 * often, noise) for often, noise in at] for label, at in curves.items()})
    axes = Axis("probability", "%", ticks=HUNDRED), Axis("noise at least", "units of the answer", start=0)
    return Figure(of_pictures.NOISE_TITLE, subtitle, *axes, lines, of_pictures.NOISE_OFTEN)


def mta_curves(curves: Mapping[str, Course], subtitle: str = "", x: Axis = EPSILON) -> Figure:
    """The minimum true answer over epsilon, or over another axis (DIFF Fig. 2)."""
    y = Axis("true answer at least", "its units", scale="log")
    return Figure(of_pictures.MTA_TITLE, subtitle, x, y, _lines(curves), of_pictures.MTA)


def frontier(
    points: Sequence[tuple[float, float, float]],
    y: Axis,
    *,
    noise: str = "noise",
    unit: str = "90%, ±",
    limit: Limit | None = None,
    chosen: float | None = None,
    subtitle: str = "",
    note: str = of_pictures.FRONTIER,
) -> Figure:
    """Risk over noise; each point is `(epsilon, noise, risk)`."""
    marks = []
    for label, picked in (("candidate epsilons", False), ("chosen", True)):
        group = [point for point in points if (point[0] == chosen) is picked]
        names = tuple(number(epsilon) for epsilon, *_ in group)
        marks += [Points(tuple((half, risk) for _, half, risk in group), label, names)] if group else []
    limits = () if limit is None else (limit,)
    return Figure(of_pictures.FRONTIER_TITLE, subtitle, Axis(noise, unit, scale="log"), y, (*marks, *limits), note)


def attack_curve(chances: Course, chosen: float | None = None, subtitle: str = "") -> Figure:
    """Attack success at each epsilon."""
    course = tuple((epsilon, _percent(chance)) for epsilon, chance in chances)
    drawn = Line(course) if len(course) > 1 else Points(course)
    pins = () if chosen is None else (Pin(chosen, f"chosen: {number(chosen)}"),)
    y = Axis("attack success", "%", ticks=(50, 60, 70, 80, 90, 100))
    return Figure(of_pictures.ATTACK_TITLE, subtitle, EPSILON, y, (drawn, *pins), of_pictures.ATTACK)


def roc(curves: Mapping[str, Course], subtitle: str = "") -> Figure:
    """Hits at each rate of false alarms; a blind guess is the diagonal."""
    shares = {label: [(100 * alarms, _percent(hits)) for alarms, hits in at] for label, at in curves.items()}
    lines = _lines(shares | {"a blind guess": [(0, 0), (100, 100)]})
    alarms, hits = Axis("false alarms", "%", ticks=HUNDRED), Axis("hits", "%", ticks=HUNDRED)
    return Figure(of_pictures.ROC_TITLE, subtitle, alarms, hits, lines, of_pictures.ROC)


def _lines(curves: Mapping[str, Course]) -> tuple[Line, ...]:
    return tuple(Line(tuple(course), label) for label, course in curves.items())


def _percent(chance: float) -> float:
    return float(percent_up(chance, 1).removesuffix("%"))
